"""A row of a set becomes a question, by the names that the fields of well-known sets have."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256

from memtrial.worlds.single_turn.answers.answer_statements import last_box
from memtrial.worlds.single_turn.answers.number_values import read_whole_number
from memtrial.worlds.single_turn.question import AnswerKind, PosedQuestion
from memtrial.worlds.world import Split

TEXT = ("question", "problem", "claim", "query", "prompt", "input")
ANSWER = ("final_answer", "correct answer", "answer", "answers", "target", "target_value", "gold", "label")
TARGET = "target_value"
OPTIONS = ("options", "choices")
WRONG = ("incorrect answer 1", "incorrect answer 2", "incorrect answer 3")
IDS = ("id", "task_id", "_id", "unique_id", "question_id", "record id")
FAMILY = ("family", "subject", "category", "subdomain", "high-level domain", "type", "topic")
TEMPLATE = ("template",)
MATERIAL = ("context", "passage", "passages")
SOLUTION = ("solution", "explanation", "rationale", "cot_content")
SPLIT = ("split",)
HASHES = "####"
NUMBERS = re.compile(r"\d+")
MOST_OPTIONS = 26


class QuestionFault(ValueError):
    """A row that is no question. The message says what was needed, and what came."""


@dataclass(frozen=True, slots=True)
class FieldReader:
    """The fields of a row under any of their names, whose case does not count."""

    row: Mapping[str, object]

    def take(self, names: tuple[str, ...]) -> object:
        """The first of these that the row holds; None where it holds none."""
        return next((self.row[name] for name in names if self.row.get(name) not in (None, "")), None)

    def text(self, names: tuple[str, ...]) -> str:
        value = self.take(names)
        return "" if value is None else str(value).strip()


def read_question(
    row: Mapping[str, object], place: str, kind: AnswerKind | None, seed: int, split: Split | None
) -> PosedQuestion:
    """The question of a row.

    Args:
        place: names the row in messages, and the question where it has no id.
        kind: how answers are compared; None: what the row's fields and its answer suggest.
        seed: of the order of choices where the row states the right one apart from the wrong ones.
        split: what the name of its file says; a field `split` of the row counts before it.

    Raises:
        QuestionFault: a field is missing, or does not fit the others.
    """
    fields = FieldReader({str(name).strip().casefold(): value for name, value in row.items()})
    text, name = fields.text(TEXT), fields.text(IDS) or place
    if not text:
        raise QuestionFault(
            f"{place} needs a question under {' or '.join(TEXT)}; its fields: {', '.join(map(str, row))}"
        )
    lesson = fields.text(SOLUTION)
    options = _list_options(fields.take(OPTIONS))
    wrong = tuple(filter(None, (fields.text((field,)) for field in WRONG)))
    answers = tuple(_list_answers(fields.take(ANSWER)))
    if not answers and (box := last_box(lesson)) is not None:
        answers = (box[1],)
    if not answers:
        raise QuestionFault(
            f"{place} needs its answer under {' or '.join(ANSWER)}; its fields: {', '.join(map(str, row))}"
        )
    if len(answers) == 1 and HASHES in answers[0]:  # the solution, and the answer below it
        lesson, _, last = answers[0].rpartition(HASHES)
        answers = (last.strip(),)
    if wrong and not options:
        options = _shuffle((answers[0], *wrong), text, seed)
    if options:
        answers = tuple(_letter_of(answer, options, place) for answer in answers)
    if kind is None:
        kind = "choice" if options else _suggest_kind(fields, text, answers, lesson)
    if kind == "number" and not all(map(read_whole_number, answers)):
        raise QuestionFault(
            f"{place} needs a number as its answer; got {answers[0]!r:.60}; kind: maths may fit"
        )
    if (kind == "choice") != bool(options):
        raise QuestionFault(
            f"{place}: kind: {kind} does not fit {'its choices' if options else 'a row without choices'}"
        )
    said = fields.text(SPLIT).casefold()
    return PosedQuestion(
        id=name,
        text=text,
        kind=kind,
        answers=answers,
        options=options,
        material=_read_material(fields.take(MATERIAL)),
        family=fields.text(FAMILY),
        template=fields.text(TEMPLATE) or template_of(text, kind),
        lesson=lesson.strip(),
        split="train" if said.startswith("train") else "test" if said else split,
    )


def _suggest_kind(fields: FieldReader, text: str, answers: tuple[str, ...], lesson: str) -> AnswerKind:
    if fields.take((TARGET,)) is not None and "?" in text.partition("=")[0]:
        return "equation"
    if all(map(read_whole_number, answers)):
        return "number"
    mathematical = "problem" in fields.row or "\\boxed" in lesson or any("\\" in answer for answer in answers)
    return "maths" if mathematical else "text"


def _list_answers(value: object) -> Iterator[str]:
    """The right answers; of a mapping those of its texts."""
    if isinstance(value, Mapping):
        value = value.get("text") or value.get("value")
    if isinstance(value, list | tuple):
        yield from filter(None, (str(each).strip() for each in value))
    elif value is not None:
        yield str(value).strip()


def _list_options(value: object) -> tuple[str, ...]:
    """The choices in their order: a list, `{"A": …}`, or `{"label": […], "text": […]}`."""
    if isinstance(value, Mapping):
        listed = value.get("text")
        value = listed if isinstance(listed, list | tuple) else [value[key] for key in sorted(value)]
    if isinstance(value, list | tuple):
        return tuple(str(option).strip() for option in value)[:MOST_OPTIONS]
    return ()


def _letter_of(answer: str, options: tuple[str, ...], place: str) -> str:
    """The letter of the right choice, which a row names by letter, by number from 0, or by its text."""
    if answer in options:
        return chr(ord("A") + options.index(answer))
    if len(answer) == 1 and 0 <= ord(answer.upper()) - ord("A") < len(options):
        return answer.upper()
    if answer.isdecimal() and len(answer) < 3 and int(answer) < len(options):
        return chr(ord("A") + int(answer))
    raise QuestionFault(f"{place}: its answer {answer!r:.60} is none of its {len(options)} choices")


def _shuffle(options: tuple[str, ...], text: str, seed: int) -> tuple[str, ...]:
    """An order that the seed and the question alone decide."""
    return tuple(sorted(options, key=lambda option: digest_of(seed, text, option)))


def digest_of(*parts: object) -> str:
    """A hash by which things are put in an order: no library's stream is part of a run's identity."""
    return sha256("\0".join(map(str, parts)).encode("utf-8", "surrogatepass")).hexdigest()


def _read_material(value: object) -> str:
    """Passages as they are shown: a title, then its sentences. Lists of HotpotQA, 2Wiki and plain texts."""
    if isinstance(value, Mapping):
        titles, sentences = value.get("title"), value.get("sentences")
        if not isinstance(titles, list) or not isinstance(sentences, list):
            return "\n".join(f"{key}: {each}" for key, each in value.items())
        value = [list(pair) for pair in zip(titles, sentences, strict=False)]
    if isinstance(value, list | tuple):
        return "\n\n".join(_read_passage(passage) for passage in value)
    return "" if value is None else str(value).strip()


def _read_passage(passage: object) -> str:
    if isinstance(passage, Mapping):
        passage = [passage.get("title", ""), passage.get("sentences") or passage.get("text") or ""]
    if isinstance(passage, list | tuple) and len(passage) == 2 and isinstance(passage[1], list | tuple):
        passage = [passage[0], " ".join(str(sentence).strip() for sentence in passage[1])]
    return "\n".join(map(str, passage)) if isinstance(passage, list | tuple) else str(passage)


def template_of(text: str, kind: AnswerKind) -> str:
    """What a question is apart from its numbers, so that those which differ in numbers alone share it.

    Of an equation the numbers are all that there is.
    """
    bare = text if kind == "equation" else NUMBERS.sub("0", text.casefold())
    return digest_of(" ".join(bare.split()))[:16]
