"""What stands for the items between two marks: each item that is known has its text of the condition."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from memtrial.delivery.line_numbers import number_lines, number_of
from memtrial.faults import SpecFault

Lines = tuple[str, ...]
END = object()
"""The place of an item's number in the tree of its lines."""


class UnknownFault(ValueError):
    """A span holds what is no item. The message is one line."""


@dataclass
class SpanItems:
    """Reads a span item by item and writes it anew.

    Args:
        known: the items as they are.
        shown: their texts in this condition, in the same places; none where memory is taken away.

    Raises:
        SpecFault: an item begins with all of another, so that they cannot be told apart.
    """

    known: tuple[str, ...]
    shown: tuple[str, ...]
    _tree: dict[Any, Any] = field(init=False, repr=False)
    _whole: Lines = field(init=False, repr=False)

    def __post_init__(self) -> None:
        listed = [_list_lines(item) for item in self.known]
        self._whole, self._tree = tuple(chain(*listed)), {}
        for number, lines in enumerate(listed):
            if lines:
                self._plant(lines, number)

    def _plant(self, lines: Lines, number: int) -> None:
        node = self._tree
        for line in lines:
            node = node.setdefault(line, {})
            if END in node and len(lines) > len(_list_lines(self.known[node[END]])):
                raise _alike(self.known[node[END]], self.known[number])
        if node.keys() - {END}:
            raise _alike(self.known[number], "one before it")
        node.setdefault(END, number)

    def write(self, span: str) -> str:
        """A span as the condition shows it; its blank lines and the numbers of its lines stay.

        Raises:
            UnknownFault: it holds what is no item, or other items than the condition has texts of.
        """
        lines = span.split("\n")
        try:
            return self._write(lines, [""] * len(lines))
        except UnknownFault:
            numbers = ["", *map(number_of, lines[1:])]
            if not all(numbers[1:]) or len(lines) == 1:
                raise
            bare = [line[len(number) :] for line, number in zip(lines, numbers, strict=True)]
            return self._write(bare, numbers)

    def _write(self, lines: Sequence[str], numbers: Sequence[str]) -> str:
        filled = [place for place, line in enumerate(lines) if line.strip()]
        texts = self._choose(tuple(lines[place].strip() for place in filled))
        if not filled:
            return "\n".join(number_lines(lines, numbers))
        first, last = filled[0], filled[-1] + 1
        new = "\n\n".join(texts).split("\n")
        return "\n".join(
            [
                *number_lines(lines[:first], numbers[:first]),
                *number_lines(new, numbers[first:last]),
                *number_lines(lines[last:], numbers[last:]),
            ]
        )

    def _choose(self, lines: Lines) -> list[str]:
        """The texts of the condition that stand for these lines."""
        if lines == self._whole:
            return [text.strip("\n") for text in self.shown if text.strip()]
        numbers = self._find_items(lines)
        if self.shown and len(self.shown) != len(self.known):
            raise UnknownFault(
                f"a span holds {len(numbers)} of {len(self.known)} items, and the condition has"
                f" {len(self.shown)} texts; the whole memory is needed between the marks"
            )
        return [text.strip("\n") for n in numbers for text in self.shown[n : n + 1] if text.strip()]

    def _find_items(self, lines: Lines) -> list[int]:
        numbers: list[int] = []
        node = self._tree
        for line in lines:
            if line not in node:
                raise UnknownFault(f"no item has, there, the line {line[:80]!r}")
            node = node[line]
            if END in node:
                numbers.append(node[END])
                node = self._tree
        if node is not self._tree:
            raise UnknownFault(f"an item is cut off after the line {lines[-1][:80]!r}")
        return numbers


def _list_lines(text: str) -> Lines:
    return tuple(line for line in map(str.strip, text.split("\n")) if line)


def _alike(item: str, other: str) -> SpecFault:
    shown = [" ".join(text.split())[:60] for text in (item, other)]
    return SpecFault(f"items between marks must be told apart; {shown[1]!r} begins with all of {shown[0]!r}")
