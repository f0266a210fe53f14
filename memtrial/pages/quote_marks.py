"""Marks in a shown text: where each quote stands, with the number of the findings that quote it."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from markupsafe import Markup, escape

from memtrial.console.escape import printable

MOST_QUOTES, MOST_PLACES = 40, 100
"""Quotes that are looked for in one text, and places of each that are marked."""


class Quote(NamedTuple):
    """A text that is looked for, and the number that stands behind its marks."""

    number: int
    text: str


class _Stretch(NamedTuple):
    """A stretch that is marked, and where in it which quotes end."""

    start: int
    ends: dict[int, set[int]]


def mark_quotes(text: str, quotes: Sequence[Quote]) -> Markup:
    """The text, escaped, with every place of a quote marked; quotes that overlap are one mark with several
    numbers, each where its quote ends.

    In time linear in the text, for each quote.
    """
    shown, done = Markup(""), 0
    pieces: list[Markup] = []
    for stretch in _stretches(text, quotes):
        pieces.append(escape(printable(text[done : stretch.start])))
        done, inside = stretch.start, Markup("")
        last = max(stretch.ends)
        for end in sorted(stretch.ends):
            inside += escape(printable(text[done:end]))
            if end != last:
                inside += _numbers(stretch.ends[end])
            done = end
        pieces.append(Markup("<mark>%s</mark>") % inside + _numbers(stretch.ends[last]))
    pieces.append(escape(printable(text[done:])))
    return shown.join(pieces)


def _numbers(numbers: set[int]) -> Markup:
    return Markup("<sup>%s</sup>") % ", ".join(map(str, sorted(numbers)))


def _stretches(text: str, quotes: Sequence[Quote]) -> Iterator[_Stretch]:
    """In the order of the text; two that only touch are two."""
    spans = sorted({span for quote in quotes[:MOST_QUOTES] if quote.text for span in _places(text, quote)})
    start, stop, ends = 0, 0, dict[int, set[int]]()
    for low, high, number in spans:
        if low >= stop:
            if ends:
                yield _Stretch(start, ends)
            start, ends = low, {}
        stop = max(stop, high)
        ends.setdefault(high, set()).add(number)
    if ends:
        yield _Stretch(start, ends)


def _places(text: str, quote: Quote) -> Iterator[tuple[int, int, int]]:
    """Start, end and number of the first places, none of which overlap each other."""
    stop = 0
    for _ in range(MOST_PLACES):
        start = text.find(quote.text, stop)
        if start < 0:
            return
        stop = start + len(quote.text)
        yield start, stop, quote.number
