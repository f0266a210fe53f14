"""An equation whose operators were asked for: `4 ? 20 ? 2 = -14`, answered by `4 - 20 + 2 = -14`."""

import re
from fractions import Fraction

from memtrial.worlds.single_turn.answers.answer_fault import AnswerFault
from memtrial.worlds.single_turn.answers.answer_statements import LONGEST, list_statements

SIGNS = (
    ("×", "*"),
    ("\\times", "*"),
    ("\\cdot", "*"),
    ("÷", "/"),
    ("\\div", "/"),
    ("−", "-"),
    ("–", "-"),
    ("x", "*"),
)
SIDE = re.compile(r"-?[ \t]?\d{1,12}(?:[ \t]?[-+*/][ \t]?\d{1,12}){1,40}(?![\d.]|[ \t]?[-+*/^(])")
TOKEN = re.compile(r"\d+|[-+*/]")
GIVEN = re.compile(r"\d+")


def read_equation(reply: str) -> str:
    """The left side of the equation that a reply ends in.

    Raises:
        AnswerFault: no line holds numbers with operators between them.
    """
    for text in (*(statement[:LONGEST] for _, statement in list_statements(reply)), reply):
        for old, new in SIGNS:
            text = text.replace(old, new)
        sides = [match[0] for match in SIDE.finditer(text)]
        if sides:
            return sides[-1]
    raise AnswerFault("no equation of numbers and + - * / stands in it")


def solves(side: str, question: str, target: str) -> bool:
    """The numbers are those of the question in their order, and the side is worth the target."""
    asked = GIVEN.findall(question.partition("=")[0])
    return GIVEN.findall(side) == asked and carry_out(side) == Fraction(target)


def carry_out(side: str) -> Fraction | None:
    """What a side of numbers and + - * / is worth, products first; None for a division by zero."""
    tokens = TOKEN.findall(side)
    if tokens and tokens[0] == "-":
        tokens = ["0", *tokens]
    total, product = Fraction(0), Fraction(int(tokens[0]))
    for sign, number in zip(tokens[1::2], tokens[2::2], strict=True):
        value = Fraction(int(number))
        if sign in "+-":
            total, product = total + product, value if sign == "+" else -value
        elif sign == "*":
            product *= value
        elif not value:
            return None
        else:
            product /= value
    return total + product
