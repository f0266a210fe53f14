"""Quoted spans of a text, first to last, none inside another."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import accumulate
from typing import NamedTuple


@dataclass(frozen=True, slots=True)
class Marks:
    """One kind of quotation marks.

    Args:
        opening: pattern of the mark that opens, without groups.
        closing: pattern of the mark that closes; where its group `no` matches, the span does not close.
            None for backticks, which close by as many as opened, or by fewer where so many do not come again.
        least: so many characters stand at least between the two.
    """

    opening: str
    closing: re.Pattern[str] | None
    least: int = 0


class Span(NamedTuple):
    """Where a quoted span stands with its marks, and the text between them."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Quotes:
    """What counts as a quotation: all kinds of marks."""

    kinds: tuple[Marks, ...]
    openings: re.Pattern[str] = field(init=False)

    def __post_init__(self) -> None:
        pattern = "|".join(f"({kind.opening})" for kind in self.kinds)
        object.__setattr__(self, "openings", re.compile(pattern))

    def spans(self, text: str) -> Iterator[Span]:
        """The quoted spans; a mark that does not close is passed over."""
        # looked up once for all that open before it: a text of nothing but opening marks is read as fast
        nearest: dict[int, re.Match[str] | None] = {}
        ticks = _ticks_behind(text)
        place = 0
        while opening := self.openings.search(text, place):
            number = (opening.lastindex or 0) - 1
            kind, place = self.kinds[number], opening.end()
            if kind.closing is None:
                span = _code_span(text, opening, ticks[place])
            else:
                least = place + kind.least
                closing = nearest.get(number)
                if number not in nearest or (closing is not None and closing.start() < least):
                    closing = nearest[number] = kind.closing.search(text, least)
                if closing is None or closing.groupdict().get("no"):
                    continue
                span = Span(opening.start(), closing.end(), text[place : closing.start()])
            if span is not None:
                place = span.end
                yield span


def _ticks_behind(text: str) -> dict[int, int]:
    """By the end of each run of backticks, the size of the longest run behind it."""
    runs = [match.span() for match in re.finditer("`+", text)]
    sizes = [high - low for low, high in runs]
    longest = [0, *accumulate(reversed(sizes), max)]
    return {high: size for (_, high), size in zip(reversed(runs), longest, strict=False)}


def _code_span(text: str, opening: re.Match[str], behind: int) -> Span | None:
    """The span that these backticks open; a long run may hold its own closing ones."""
    run = len(opening[0])
    size = run if behind >= run else max(behind, (run - 1) // 2)
    if not size:
        return None
    low = opening.start() + size
    high = text.find("`" * size, low + 1)
    return Span(opening.start(), high + size, text[low:high])
