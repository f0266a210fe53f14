"""Numbers as people and models write them, read exactly: 1,000; 50\\%; \\frac{1}{2}; 2 \\times 10^3; -0."""

import re
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

MOST_DIGITS = 300
"""Digits, and the size of an exponent: a short text can name a number that no memory holds."""
WORDS = {
    word: number
    for number, word in enumerate(
        (
            *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
            *("eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen"),
            *("nineteen", "twenty"),
        )
    )
}
SCALES = {None: 1, "thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}
WHOLE_WORD = re.compile(r"(?<![\w-])[a-zA-Z]++(?![\w-])")
_PLAIN = r"(?:\d{1,3}(?:,\d{3})++(?:\.\d++)?|\d++(?:\.\d++)?|\.\d++)"
_POWER = (
    r"(?:[eE][-+]?\d{1,6}(?![\w.])|[ \t]?(?:\\times|\\cdot|×|x|\*)[ \t]?10[ \t]?(?:\^|\*\*)[ \t]?"
    r"\{?[ \t]?(?P<power>[-+]?\d{1,6})[ \t]?\}?)"
)
_LATEX = (
    r"\\[dt]?frac[ \t]?(?:\{[ \t]?(?P<above>-?[\d,.]{1,50})[ \t]?\}|(?P<top>\d))[ \t]?"
    r"(?:\{[ \t]?(?P<below>[\d,.]{1,50})[ \t]?\}|(?P<bottom>\d))"
)
NUMBER = re.compile(
    rf"(?P<sign>(?<![\w)}}.])[-+][ \t]?)?(?:\\?[$€£][ \t]?)?(?P<inner>(?<=[$€£])-)?"
    rf"(?:(?P<whole>\d{{1,20}}[ \t]?)?{_LATEX}"
    r"|(?<![\w^.])10[ \t]?\^[ \t]?\{?(?P<ten>-?\d{1,6})\}?"
    rf"|(?P<mixed>\d{{1,20}}[ \t])?(?P<upper>\d{{1,50}})[ \t]?/[ \t]?(?P<lower>\d{{1,50}})(?![\d/]|\.\d)"
    rf"|(?<![\d.])(?P<plain>{_PLAIN})(?P<sci>{_POWER})?)"
    r"(?P<percent>[ \t]?(?:\\?%|\bpercent\b|\bper cent\b))?"
    r"(?:[ \t](?P<scale>thousand|million|billion|trillion)\b)?"
)
BEFORE_OPERATOR = re.compile(
    r"[ \t]?(?:\*\*?(?=[ \t]?\d)|\^|!|\+|/|_|×|÷|\\(?:times|cdot|div|pm|sqrt|pi)\b|-[ \t]?\d"
    r"|[a-zA-Z](?![a-zA-Z'’])|\([ \t]?(?:[\d\\]|[a-zA-Z][^a-zA-Z]))"
)
AFTER_OPERATOR = re.compile(r"[\w)}][ \t]?(?:\*\*?|[\^+/_×÷-]|\\(?:times|cdot|div)?)[ \t]?\{?\Z")
JOINED = re.compile(
    r"[*_$)]{0,3}[ \t]*+(?:\bor\b|\band\b|±|\\text\{ ?(?:or|and) ?\}|\\pm)[ \t]*+[*_$(]{0,3}(?=[-−]?\d)"
)
MINUS = re.compile(r"(?<![\d)}] )\b(?:minus|negative) (?=\d)", re.IGNORECASE)
UNIT_POWER = re.compile(r"(?<=[a-zA-Z])([ \t]?\})[ \t]?\^[ \t]?\{?\d\}?")
"""Of a unit in braces, as in `\\text{12 cm}^2`: no number of its own."""
CLEANED = (
    ("−", "-"), ("–", "-"), ("\u00a0", " "), ("\u202f", ""), ("\u2009", ""), ("{,}", ","), ("\\,", ""),
    ("\\!", ""), ("\\ ", " "), ("^{\\circ}", ""), ("^\\circ", ""), ("°", ""),
    ("\\left", ""), ("\\right", ""), ("½", " 1/2"), ("¼", " 1/4"), ("¾", " 3/4"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class NumberReading:
    """A number in a text.

    Args:
        values: what it may be; of a percentage the number before the sign, and its hundredth; of millions
            their number, too.
        start, end: where it stands in the cleaned text.
    """

    values: frozenset[Fraction]
    start: int
    end: int


def clean_number_text(text: str) -> str:
    """One way of writing signs, blanks and separators."""
    for old, new in CLEANED:
        text = text.replace(old, new)
    return MINUS.sub("-", UNIT_POWER.sub(r"\1", text))


def list_numbers(text: str) -> list[NumberReading]:
    """All numbers of a cleaned text in their order; those that are too large to hold are left out."""
    readings = []
    for match in NUMBER.finditer(text):
        value = _value(match)
        if value is not None:
            values = {value, value / 100} if match["percent"] else {value, value * SCALES[match["scale"]]}
            readings.append(NumberReading(frozenset(values), match.start(), match.end()))
    return readings


def _value(match: re.Match[str]) -> Fraction | None:
    try:
        value = _unsigned(match)
    except (ZeroDivisionError, ArithmeticError):
        return None
    if value is None:
        return None
    return -value if "-" in ((match["sign"] or "") + (match["inner"] or "")) else value


def _unsigned(match: re.Match[str]) -> Fraction | None:
    if match["plain"] is not None:
        digits = match["plain"].replace(",", "")
        sci = match["sci"] or ""
        power = int(match["power"] or (sci[1:] if sci[:1] in ("e", "E") else "0"))
        if len(digits) > MOST_DIGITS or abs(power) > MOST_DIGITS:
            return None
        return Fraction(Decimal(digits)) * Fraction(10) ** power
    if match["ten"] is not None:
        power = int(match["ten"])
        return Fraction(10) ** power if abs(power) <= MOST_DIGITS else None
    if match["upper"] is not None:
        part = Fraction(int(match["upper"]), int(match["lower"]))
        return part + int(match["mixed"] or 0)
    above, below = match["above"] or match["top"], match["below"] or match["bottom"]
    part = Fraction(Decimal(above.replace(",", ""))) / Fraction(Decimal(below.replace(",", "")))
    whole = int(match["whole"] or 0)
    return part + whole if part >= 0 else part - whole


def read_whole_number(text: str) -> frozenset[Fraction]:
    """What a text is worth that is a number and nothing else but signs around it; empty where it is not."""
    cleaned = re.sub(r"(?<=\d) (?=\d{3}\b)", "", clean_number_text(text)).strip(" \t\n$*_`\"'").rstrip(".")
    if cleaned.casefold() in WORDS:
        return frozenset({Fraction(WORDS[cleaned.casefold()])})
    readings = list_numbers(cleaned)
    if len(readings) == 1 and readings[0].start == 0 and readings[0].end == len(cleaned):
        return readings[0].values
    return frozenset()


def read_number_word(text: str) -> frozenset[Fraction]:
    """The number from zero to twenty that a text has as a word; empty where there is none, or several."""
    values = {WORDS[word] for word in map(str.casefold, WHOLE_WORD.findall(text)) if word in WORDS}
    return frozenset(map(Fraction, values)) if len(values) == 1 else frozenset()
