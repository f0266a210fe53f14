"""A few words as an answer, free or out of a closed list."""

import re
from collections.abc import Sequence

from memtrial.worlds.single_turn.answers.answer_fault import AnswerFault
from memtrial.worlds.single_turn.answers.answer_statements import (
    LONGEST,
    UNWANTED,
    is_taken_back,
    list_statements,
    without_denied,
)
from memtrial.worlds.single_turn.answers.word_overlap import normalise

SENTENCE = re.compile(r"(?<=[a-z)\d]{3})[.!?](?=\s+[A-Z]|\s*\Z)")
DRESS = re.compile(r"\\(?:text|mathrm|textbf)\b|[*_`${}\"“”]")
ENDED = re.compile(r"[ \t]*+(?:\Z|[,.;:(–—][ \t]*+(?!or\b|and\b)|(?:because|as|since)\b)")
MOST_WORDS = 40
"""Words of a free answer without a label: what is longer is an essay."""


def read_short_answer(reply: str) -> str:
    """The words of the answer: those of its statement, or of its last line.

    Raises:
        AnswerFault: nothing is stated, or only what it is not, or an essay without a label.
    """
    for place, statement in list_statements(reply):
        text = _bare(SENTENCE.split(statement[:LONGEST])[0])
        if text:
            if is_taken_back(reply, place, text):
                raise AnswerFault("it takes its answer back")
            return text
    lines = [line for line in reply.splitlines() if _bare(line)]
    if not lines:
        raise AnswerFault("it is empty")
    text = _bare(lines[-1])
    if UNWANTED.match(text) and len(text.split()) > 1:
        raise AnswerFault("it only says what the answer is not")
    if re.search(r"\banswer (?:is|was) not\b|\banswer isn['’]t\b", text):
        raise AnswerFault("it only says what the answer is not")
    if len(text.split()) > MOST_WORDS:
        raise AnswerFault(f"its last line has more than {MOST_WORDS} words, and no label such as Answer:")
    return text


def read_label(reply: str, labels: Sequence[str]) -> str:
    """The text of the list that a reply ends in.

    Raises:
        AnswerFault: none of them, or several.
    """
    lines = [line for line in reply.splitlines() if line.strip()]
    for _, statement in [*list_statements(reply), *((0, line) for line in lines[-1:]), (0, reply)]:
        whole, text = (
            f" {normalise(DRESS.sub('', part))} " for part in (statement, without_denied(statement))
        )
        if head := _head(DRESS.sub("", statement).strip(" \t.:"), labels):
            return head
        inside = [label for label in labels if _stands(label, whole if UNWANTED.match(label) else text)]
        largest = [
            label
            for label in inside
            if not any(
                f" {normalise(label)} " in f" {normalise(other)} " for other in inside if other != label
            )
        ]
        if len(largest) == 1:
            return largest[0]
        if len(largest) > 1:
            raise AnswerFault(f"it names {largest[0]!r} and {largest[1]!r}")
    raise AnswerFault(f"it names none of {', '.join(labels)}")


def _head(statement: str, labels: Sequence[str]) -> str:
    """The label that a statement begins with, where a mark or a reason ends it."""
    folded = statement.casefold()
    begun = [label for label in labels if folded.startswith(label.casefold())]
    label = max(begun, key=len, default="")
    rest = folded[len(label) :]
    follows = ENDED.match(rest) if label else None
    if follows is None or any(rest[follows.end() :].startswith(other.casefold()) for other in labels):
        return ""
    return label


def _stands(label: str, text: str) -> bool:
    """It is in the normalised text; `NOT ENOUGH INFO` denies nothing, but a `not` before it does."""
    words = f" {normalise(label)} "
    return words in text and f" not{words}" not in text


def _bare(text: str) -> str:
    return DRESS.sub("", text).strip(" \t.,:;'’#")
