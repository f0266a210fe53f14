"""Quantities as ranges: what one run measured is said of other runs only roughly.

A quantity is a number with a unit or a currency, or one that its name calls a measure ("threshold 0.75"). It
becomes a fifth less to a fifth more. What is a range or a bound already stays; so do counts, codes, versions.
"""

import math
import re
from collections.abc import Iterator
from typing import NamedTuple

SPREAD = 0.2
"""Share of a quantity by which its range reaches below and above it."""
_NUMBER = r"\d{1,3}(?:,\d{3}){1,4}(?:\.\d{1,6})?|\d{1,12}(?:\.\d{1,6})?"
_UNIT = (
    r"milliseconds?|microseconds?|nanoseconds?|seconds?|secs?|minutes?|mins?|hours?|hrs?|days?|weeks?|months?|years?"
    r"|(?:milli|centi|kilo)?met(?:er|re)s?|inch(?:es)?|feet|miles?|degrees?|degs?|radians?|rad"
    r"|newtons?|kilograms?|grams?|percent|pixels?|bytes?|kilobytes?|megabytes?|gigabytes?|dollars?|euros?|pounds?|volts?|amps?|watts?"
    r"|(?-i:mm/s|cm/s|m/s|km/h|rad/s|deg/s|Nm|kN|mN|N|kg|mg|µg|g|µm|nm|mm|cm|km|m|ns|µs|ms|s|min|h|kHz|MHz|GHz|Hz|rpm|kPa|MPa|Pa|mV|kV|V|mA|mW|kW|W"
    r"|KiB|MiB|GiB|kB|KB|MB|GB|TB|px|USD|EUR|GBP|JPY|CHF|fps|dB)"
)
_NAMES = (
    r"threshold|confidence|score|ratio|probability|similarity|temperature|gain|factor|tolerance|force|speed|velocity|angle|tilt"
    r"|distance|depth|offset|width|height|weight|pressure|latency|timeout|rate"
)
_QUANTITY = re.compile(
    rf"(?i)(?P<before>(?:\b(?:at\s(?:most|least)|up\sto|(?:more|less|fewer|longer|shorter|greater|higher|lower|larger|smaller)\sthan"
    rf"|no\s(?:more|less|fewer)\sthan|over|under|below|above|within|beyond|exceeds?|minimum|maximum|min|max)(?:\s(?:of|is))?\s|[<>≤≥]=?\s?|±\s?))?"
    rf"(?P<money>[$€£]\s?)?(?<![\w.,:])(?P<sign>(?<![\w)])[-−])?(?P<number>{_NUMBER})"
    rf"(?P<range>\s?(?:–|—|-|\.\.|\bto\b|\band\b|±|\+/-)\s?[-−$€£]?(?:{_NUMBER}))?"
    rf"(?P<unit>\s?[%°](?:\s?[CF]\b)?|[\s-]?(?:{_UNIT})(?![\w]))?(?![\w]|[.,]\d)"
)
_NAMED = re.compile(rf"(?i)\b(?:{_NAMES})s?(?:\s(?:of|is|at|to|was))?\s?[=:]?\s?[-−]?\Z")
_SHARE = re.compile(
    r"(?i)\b(?:confidence|ratio|probability|similarity)(?:\s(?:of|is|at|to|was))?\s?[=:]?\s?\Z"
)
_BEFORE = 32
"""Characters before a number that may name it."""


class ExactQuantity(NamedTuple):
    """`[start, stop)` holds one value with its unit; `instead` is its range."""

    start: int
    stop: int
    instead: str


def find_quantities(text: str) -> Iterator[ExactQuantity]:
    """The quantities that are neither a range nor a bound nor nothing, in order."""
    for match in _QUANTITY.finditer(text):
        value = float(match["number"].replace(",", ""))
        if match["before"] or match["range"] or not value:
            continue
        if not (match["unit"] or match["money"]):
            start = match.start("sign") if match["sign"] else match.start("number")
            if not _NAMED.search(text[max(0, start - _BEFORE) : start]) or len(match["number"]) > _LONGEST:
                continue
        before = text[max(0, match.start() - _BEFORE) : match.start()]
        share = (match["unit"] or "").strip() == "%" or _SHARE.search(before) is not None
        low, high = write_range(value, "." not in match["number"], share)
        spread = f"-{high} to -{low}" if match["sign"] else f"{low}–{high}"
        instead = f"{match['money'] or ''}{spread}{match['unit'] or ''}"
        yield ExactQuantity(match.start() + len(match["before"] or ""), match.end(), instead)


_LONGEST = 8
"""Characters of a number without a unit; a longer one is an id."""


def write_range(value: float, integer: bool, share: bool = False) -> tuple[str, str]:
    """The ends of a quantity's range: integers of an integer, else of two digits.

    Args:
        share: it ends at the whole, 1 or 100.
    """
    low, high = value * (1 - SPREAD), value * (1 + SPREAD)
    if share and value <= 100:
        high = min(high, 1.0 if value <= 1 and not integer else 100.0)
    if integer:
        # a millionth: 5 times 1.2 is 6 and no more
        return str(max(1, math.floor(low + 1e-6 * value))), str(math.ceil(high - 1e-6 * value))
    return _write_number(low), _write_number(high)


def _write_number(value: float) -> str:
    digits = 1 - math.floor(math.log10(value))
    return f"{round(value, digits):.8f}".rstrip("0").rstrip(".")
