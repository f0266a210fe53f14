"""The clauses of a sentence: what it tells, under which condition, and for which reason."""

import re
from typing import NamedTuple

from loadbearing.memory.language.sentences import Sentence

Span = tuple[int, int]

# white space is read from where it begins: tried at each blank, a long run would be read over and over
_COMMA = r"(?:,\s*+|(?:(?<!\s)\s++)?+)"
# "since 1990", "since then", "since its release" say how long
_BEGUN = r"(?:its|his|her|their)\s++(?:inception|found|release|debut|launch|birth|death|begin)"
_SINCE = rf"since(?!\s++(?:\d|then\b|the\s++\d|early|late|{_BEGUN})|\s*+[.,;:)]|\s*+$)"
_REASON = re.compile(rf"{_COMMA}\b(?:because|{_SINCE}|so that|as it)\b", re.IGNORECASE)
_REASON_FIRST = re.compile(rf"\s*+(?:because|{_SINCE})\s[^,;:]++,\s*+", re.IGNORECASE)
_OPENERS = r"when|whenever|if|while|where|wherever|once|as soon as|after"
_LEADING = re.compile(
    rf"\s*+(?:(?P<order>before)\s[^,]++,\s*+|(?:in|{_OPENERS})\s++(?P<what>(?:(?!\bdo\b)[^,:])++)[,:]\s*+)",
    re.IGNORECASE,
)
_TRAILING = re.compile(rf"(?:,|(?<!\s))\s++(?:{_OPENERS})\s+(?P<what>[^,;:.]+)", re.IGNORECASE)
_UNLESS = re.compile(
    rf"{_COMMA}\b(?:unless|except\s+(?:when|if|where|while))\s+(?P<what>[^,;:.]+)", re.IGNORECASE
)


class Clauses(NamedTuple):
    """Places in a sentence.

    Args:
        when, unless: conditions without the word that opens them.
        opened: the same, each from the word that opens it on; of a leading one the comma, too.
        begin: where what is told begins, behind a leading condition.
        reason: where the reason at its end begins; the sentence's length where it gives none there.
    """

    when: tuple[Span, ...]
    unless: tuple[Span, ...]
    opened: tuple[Span, ...]
    begin: int
    reason: int


def clauses(sentence: Sentence) -> Clauses:
    """Read the words outside quotes."""
    covered = sentence.covered
    start, stop = _between_reasons(covered)
    excepted = list(_UNLESS.finditer(covered, start, stop))
    leading = _LEADING.match(covered, start, stop)
    begin = leading.end() if leading else start
    if excepted and not covered[start : excepted[0].start("what")].split()[1:]:
        begin = min(len(covered), excepted[0].end("what") + 1)  # "Unless the alarm is off, …"
    trailing = list(_TRAILING.finditer(covered, begin, stop))
    when = [leading.span("what")] if leading and leading["what"] else []
    when += [one.span("what") for one in trailing]
    opened = [one.span() for one in (*trailing, *excepted)]
    if leading and leading["what"]:
        opened.insert(0, leading.span())
    unless = tuple(one.span("what") for one in excepted)
    return Clauses(tuple(when), unless, tuple(opened), begin, stop)


def reasons(sentence: Sentence) -> tuple[Span, ...]:
    """The reasons, each from the word that opens it on; of a leading one the comma, too."""
    start, stop = _between_reasons(sentence.covered)
    return tuple(one for one in ((0, start), (stop, len(sentence.covered))) if one[0] < one[1])


def _between_reasons(covered: str) -> Span:
    first = _REASON_FIRST.match(covered)
    start = first.end() if first else 0
    last = _REASON.search(covered, start)
    return start, last.start() if last else len(covered)
