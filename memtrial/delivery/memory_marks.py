"""The two marks around memory in a text, and the spans between them."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from memtrial.faults import SpecFault

SHORTEST, LONGEST = 4, 100
HIDDEN = "<!--"
"""Claude Code takes comments of whole lines out of its files, and marks with them."""


@dataclass(frozen=True, slots=True)
class MemoryMarks:
    """What stands before memory, and behind it.

    Raises:
        SpecFault: a mark is too short or too long, blank at an end, one that JSON writes otherwise or a
            client takes away, or holds the other.
    """

    opening: str = "[[memory]]"
    closing: str = "[[/memory]]"

    def __post_init__(self) -> None:
        for mark in (self.opening, self.closing):
            plain = mark.isprintable() and mark == mark.strip() and not {'"', "\\"} & set(mark)
            if not (plain and SHORTEST <= len(mark) <= LONGEST) or mark.startswith(HIDDEN):
                raise SpecFault(
                    f"a mark has {SHORTEST} to {LONGEST} characters on one line, without quotation marks and"
                    f" backslashes, and is no comment; got {mark!r:.120}; take one as [[memory]]"
                )
        if self.opening in self.closing or self.closing in self.opening:
            raise SpecFault(
                f"two marks of which none holds the other are needed; got {self.opening} and {self.closing}"
            )


class UnbalancedFault(ValueError):
    """A mark has no partner in its text.

    Args:
        missing: `closing` where a span is not closed, `opening` where one is closed that was not begun.
    """

    def __init__(self, missing: Literal["opening", "closing"]) -> None:
        super().__init__(missing)
        self.missing = missing


@dataclass(frozen=True, slots=True)
class MarkedPiece:
    """A text before a span, and what stands between the marks; `span` is None in the last piece."""

    before: str
    span: str | None


def cut_spans(text: str, marks: MemoryMarks) -> Iterator[MarkedPiece]:
    """The text in pieces, each but the last with its span.

    Raises:
        UnbalancedFault: a mark has no partner, or a span begins within another.
    """
    place = 0
    while (begin := text.find(marks.opening, place)) >= 0:
        if text.find(marks.closing, place, begin) >= 0:
            raise UnbalancedFault("opening")
        inner = begin + len(marks.opening)
        end = text.find(marks.closing, inner)
        if end < 0 or text.find(marks.opening, inner, end) >= 0:
            raise UnbalancedFault("closing")
        yield MarkedPiece(text[place:begin], text[inner:end])
        place = end + len(marks.closing)
    if text.find(marks.closing, place) >= 0:
        raise UnbalancedFault("opening")
    yield MarkedPiece(text[place:], None)
