"""The number that a reply gives as its answer."""

import re
from fractions import Fraction

from memtrial.worlds.single_turn.answers.answer_fault import AnswerFault
from memtrial.worlds.single_turn.answers.answer_statements import (
    LONGEST,
    list_denied,
    list_statements,
    without_denied,
)
from memtrial.worlds.single_turn.answers.number_values import (
    AFTER_OPERATOR,
    BEFORE_OPERATOR,
    JOINED,
    NumberReading,
    clean_number_text,
    list_numbers,
    read_number_word,
    read_whole_number,
)

SENTENCE = re.compile(r"[.!?](?=\s+[A-Z])|\n")


def read_number(reply: str) -> frozenset[Fraction]:
    """What the number is worth that a reply ends in; a percentage has two values.

    Its statement is a box, a tag, what follows a label; without any of these the last number counts.

    Raises:
        AnswerFault: there is none, there are two, or there is an expression that nobody worked out.
    """
    denied = [(place, read_whole_number(thing)) for place, thing in list_denied(reply)]
    for place, statement in list_statements(reply):
        values = _read_statement(statement[:LONGEST])
        if any(later > place and values & taken_back for later, taken_back in denied):
            raise AnswerFault("it takes its answer back")
        if values:
            return values
    return _read_last(reply)


def _read_statement(statement: str) -> frozenset[Fraction]:
    """The number of a statement: what stands behind its last sign of equality, or its first number."""
    text = without_denied(clean_number_text(statement))
    first = SENTENCE.split(text)[0]
    result = re.split(r"(?<![<>!])=|\\approx|≈|\\equiv", first)[-1]
    if whole := read_whole_number(result):
        return whole
    readings = list_numbers(result)
    if not readings:
        return read_number_word(result)
    number = readings[0]
    if JOINED.match(result, number.end) and not _is_same(number, readings[1:2]):
        raise AnswerFault("it names two numbers")
    if re.match(r"[ \t]?(?:,|;)[ \t]?[-+]?\d", result[number.end :]):
        raise AnswerFault("it names two numbers")
    _refuse_expression(result, number)
    return number.values


def _is_same(number: NumberReading, others: list[NumberReading]) -> bool:
    """`1/2 or 0.5`, `50% or 0.5` are one number."""
    return bool(others) and bool(number.values & others[0].values)


def _refuse_expression(text: str, number: NumberReading) -> None:
    if BEFORE_OPERATOR.match(text, number.end) or AFTER_OPERATOR.search(text[: number.start][-20:]):
        raise AnswerFault("its number stands in an expression that is not worked out")


def _read_last(reply: str) -> frozenset[Fraction]:
    text = without_denied(clean_number_text(reply)).rstrip(" !")
    if whole := read_whole_number(text[-LONGEST:]):
        return whole
    if first := read_whole_number(text.lstrip().partition("\n")[0][:LONGEST]):
        return first  # the answer, and its reasons below
    readings = list_numbers(text)
    if not readings:
        if word := read_number_word(text.rpartition("\n")[2]):
            return word
        raise AnswerFault(
            "it only says which number it is not" if any(list_denied(reply)) else "there is no number in it"
        )
    number = readings[-1]
    if len(readings) > 1:
        before = readings[-2]
        if JOINED.match(text, before.end) and not _is_same(before, [number]):
            raise AnswerFault("it names two numbers")
    _refuse_expression(text, number)
    return number.values
