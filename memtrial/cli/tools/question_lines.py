"""`tasks questions:PATH`: what a set of questions holds, how it is split, and what is left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import JsonValue

from memtrial.console.escape import one_line, printable
from memtrial.console.line_width import columns
from memtrial.console.standard_output import put_either, width_of
from memtrial.outcomes.count_words import how_many

if TYPE_CHECKING:
    from memtrial.worlds.single_turn.question import PosedQuestion
    from memtrial.worlds.single_turn.question_set import QuestionSet

QUESTIONS = "questions:"
"""What begins a source that is a set of questions; with nothing behind it the invented ones."""
SHOWN = 5
"""Questions that are shown, the first of the test split; `--json` has all."""
WIDEST = 60


def list_questions(path: str, as_json: bool) -> None:
    """Print a set as a run with seed 0 would take it. SpecFault where it cannot be read."""
    from memtrial.worlds.single_turn.invented_questions import invent_questions
    from memtrial.worlds.single_turn.question_set import (
        MOST,
        SPLITS,
        QuestionChoice,
        QuestionSet,
        load_questions,
    )

    if path:
        held = load_questions(QuestionChoice(Path(path)))
    else:
        train, test = (invent_questions(0, split, MOST[split]) for split in SPLITS)
        held = QuestionSet(train, test, len(train) + len(test), "invented with seed 0")
    put_either(_describe(held), tuple(_lines(path, held, width_of())), as_json)


def _describe(held: QuestionSet) -> JsonValue:
    return {
        "n_rows": held.n_rows,
        "split": held.splitting,
        "left_out": list(held.left_out),
        "train": [_describe_question(question) for question in held.train],
        "test": [_describe_question(question) for question in held.test],
    }


def _describe_question(question: PosedQuestion) -> JsonValue:
    return {
        "id": question.id,
        "question": question.text,
        "kind": question.kind,
        "answers": list(question.answers),
        "options": list(question.options),
        "family": question.family,
        "template": question.template,
    }


def _lines(path: str, held: QuestionSet, width: int | None) -> Iterator[str]:
    named = printable(path) or "the invented set"
    yield (
        f"{how_many(held.n_rows, 'row')} of {named}: {len(held.train):,} to train on and {len(held.test):,}"
        f" to test on, {held.splitting}"
    )
    asked = (*held.train, *held.test)
    for name, counts in (
        ("answers", Counter(question.kind for question in asked)),
        ("families", Counter(question.family or "none stated" for question in asked)),
    ):
        listed = ", ".join(f"{one_line(printable(word))} {n:,}" for word, n in counts.most_common(SHOWN))
        more = f" and {len(counts) - SHOWN} more" if len(counts) > SHOWN else ""
        yield f"{name}: {listed}{more}"
    yield from (f"left out: {line}" for line in held.left_out)
    rows = [("task", "what is asked", "answer", "choices")]
    for question in held.test[:SHOWN]:
        text = one_line(printable(question.text))[:WIDEST]
        rows.append((printable(question.id), text, question.kind, str(len(question.options) or "")))
    yield from columns(rows, width, right=(3,))
