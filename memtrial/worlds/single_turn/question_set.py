"""A user's questions as a set: duplicates out, a split that is stated, and as many as were asked for."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import get_args

from memtrial.faults import SpecFault
from memtrial.worlds.single_turn.question import AnswerKind, PosedQuestion
from memtrial.worlds.single_turn.question_files import list_rows
from memtrial.worlds.single_turn.question_rows import QuestionFault, digest_of, read_question
from memtrial.worlds.world import Split

SPLITS: tuple[Split, ...] = get_args(Split)
MOST: Mapping[Split, int] = MappingProxyType({"train": 96, "test": 120})
"""Questions of a split that are taken where nobody says how many; fewer where there are no more."""

MOST_LABELS, LEAST_LABELLED = 5, 20
"""Most answers that differ, and fewest questions, of a set whose answers are taken for a closed list."""


@dataclass(frozen=True, slots=True)
class QuestionChoice:
    """What is taken of a set.

    Args:
        n_train, n_test: how many of each split; None: as many as MOST says, or all that there are.
        kind: how answers are compared; None: what each row suggests.
        seed: decides which are taken, the split where the set states none, and the order of choices.
    """

    source: Path
    n_train: int | None = None
    n_test: int | None = None
    kind: AnswerKind | None = None
    seed: int = 0


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """Questions by split, and what became of the rest.

    Args:
        n_rows: rows that the source holds.
        splitting: where the split comes from, in words: `drawn with seed 3`.
        left_out: what was not taken, in words, a line a cause.
    """

    train: tuple[PosedQuestion, ...]
    test: tuple[PosedQuestion, ...]
    n_rows: int
    splitting: str
    left_out: tuple[str, ...] = ()


def load_questions(choice: QuestionChoice) -> QuestionSet:
    """Read, clear and split a set. The same choice of the same files is the same set.

    A question that stands there twice is taken once, from `test` if it stands in both; one with different
    answers is left out. Where the set states no split it is drawn, and questions that differ in numbers alone
    stay on one side.

    Raises:
        SpecFault: no such folder, a row that is no question, no question left, or fewer than were asked for.
    """
    try:
        rows = [
            read_question(row, place, choice.kind, choice.seed, split)
            for place, split, row in list_rows(choice.source)
        ]
    except QuestionFault as fault:
        raise SpecFault(f"environment.questions: {choice.source}, {fault}") from fault
    if not rows:
        raise SpecFault(f"environment.questions: {choice.source} holds no row; at least two are needed")
    if choice.kind is None:
        rows = _agree_on_kind(rows)
    questions, left_out = _clear(_name(rows))
    stated = [question for question in questions if question.split is not None]
    if stated and len(stated) < len(questions):
        raise SpecFault(
            f"environment.questions: {len(questions) - len(stated)} questions of {choice.source} state no"
            " split, and others do; name files train and test, or give each row a field split"
        )
    if stated:
        by_split = {split: [each for each in questions if each.split == split] for split in SPLITS}
        splitting = "as the files say"
    else:
        by_split = _draw_split(questions, choice)
        splitting = f"drawn with seed {choice.seed}; what differs in numbers alone stays together"
    wanted = {"train": choice.n_train, "test": choice.n_test}
    train, test = (_take(by_split[split], wanted[split], split, choice) for split in SPLITS)
    return QuestionSet(train, test, len(rows), splitting, left_out)


def _agree_on_kind(questions: list[PosedQuestion]) -> list[PosedQuestion]:
    """One kind where rows suggest several: numbers among words are words, and few different words a list."""
    if {question.kind for question in questions} == {"text", "number"}:
        questions = [replace(question, kind="text") for question in questions]
    answers = {answer for question in questions for answer in question.answers}
    closed = all(question.kind == "text" for question in questions) and len(answers) <= MOST_LABELS
    if closed and len(questions) >= LEAST_LABELLED:
        return [replace(question, kind="label") for question in questions]
    return questions


def _name(questions: Sequence[PosedQuestion]) -> list[PosedQuestion]:
    """The questions with the list of labels where their kind has one, and with ids that are unique."""
    labels = tuple(sorted({answer for each in questions if each.kind == "label" for answer in each.answers}))
    times = Counter(question.id for question in questions)
    return [
        replace(
            each,
            id=each.id if times[each.id] == 1 else f"{each.id}#{number}",
            options=labels if each.kind == "label" else each.options,
        )
        for number, each in enumerate(questions, 1)
    ]


def _clear(questions: Iterable[PosedQuestion]) -> tuple[list[PosedQuestion], tuple[str, ...]]:
    """Each question once, and what was left out."""
    alike: dict[tuple[str, ...], list[PosedQuestion]] = defaultdict(list)
    for question in questions:
        key = (" ".join(question.text.casefold().split()), question.material, *sorted(question.options))
        alike[key].append(question)
    kept, n_twice, opposed = [], 0, list[str]()
    for group in alike.values():
        if len({_told(question) for question in group}) > 1:
            opposed += [group[0].id]
            continue
        tests = [question for question in group if question.split == "test"]
        kept.append((tests or group)[0])
        n_twice += len(group) - 1
    left_out = []
    if n_twice:
        left_out.append(f"{n_twice:,} that stand there twice")
    if opposed:
        left_out.append(f"{len(opposed):,} to which the set gives two answers, the first {opposed[0]}")
    return kept, tuple(left_out)


def _told(question: PosedQuestion) -> tuple[str, ...]:
    if question.letters:
        return tuple(question.options[question.letters.index(letter)] for letter in question.answers)
    return question.answers


def _draw_split(questions: list[PosedQuestion], choice: QuestionChoice) -> dict[Split, list[PosedQuestion]]:
    """Whole templates in a drawn order: test first, as many as asked for or half, then train."""
    groups: dict[str, list[PosedQuestion]] = defaultdict(list)
    for question in questions:
        groups[question.template].append(question)
    order = sorted(groups, key=lambda template: digest_of(choice.seed, "split", template))
    n_test = len(questions) // 2
    if choice.n_test is not None:
        n_test = choice.n_test
    elif choice.n_train is not None:
        n_test = len(questions) - choice.n_train
    drawn: dict[Split, list[PosedQuestion]] = {"train": [], "test": []}
    for template in order:
        drawn["test" if len(drawn["test"]) < n_test else "train"] += groups[template]
    return drawn


def _take(
    having: list[PosedQuestion], wanted: int | None, split: Split, choice: QuestionChoice
) -> tuple[PosedQuestion, ...]:
    """So many, ranked by a hash: a larger number only adds some."""
    if wanted is not None and len(having) < wanted:
        raise SpecFault(
            f"environment.{split}: {wanted:,} questions are asked for, and {choice.source} has"
            f" {len(having):,}"
        )
    ranked = sorted(having, key=lambda question: digest_of(choice.seed, "take", question.text, question.id))
    if split == "test" and not ranked:
        raise SpecFault(
            f"environment.questions: {choice.source} has no question to test on; its files are all train"
        )
    return tuple(ranked[: MOST[split] if wanted is None else wanted])
