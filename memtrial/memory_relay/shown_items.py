"""Items of a memory, found in what a server gives, and the texts that are shown in their place."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

FORMS = 3
"""How an item may stand in a text: as it is, or written as JSON, with or without signs beyond ASCII."""
LONGEST_PREFIX = 24


@dataclass(frozen=True, slots=True)
class ItemSpan:
    """Where an item stands, by its place in the table, and in which form."""

    start: int
    end: int
    item: int
    form: int


@dataclass(frozen=True, slots=True)
class ReplacedText:
    """A text with each item replaced.

    Args:
        items: the places of those that stood in it, in order.
        known: letters and digits within items.
        unknown: those outside of any.
        stranger: the longest piece outside, at most 200 characters.
    """

    text: str
    items: tuple[int, ...]
    known: int
    unknown: int
    stranger: str


class ItemTable:
    """A table of items and their replacements, made once and looked up in many texts.

    The longest item that begins at a place counts, and the search goes on behind it: linear in the text.
    """

    def __init__(self, items: Sequence[tuple[str, str]]) -> None:
        self._shown = [_forms(shown) for _, shown in items]
        self._prefix, self._sought = 0, dict[str, list[tuple[str, int, int]]]()
        sought = [
            (form, number, which)
            for number, (item, _) in enumerate(items)
            for which, form in enumerate(_forms(item))
            if form
        ]
        if sought:
            self._prefix = min(LONGEST_PREFIX, min(len(form) for form, _, _ in sought))
        for entry in sorted(sought, key=lambda entry: (-len(entry[0]), entry[1:])):
            self._sought.setdefault(entry[0][: self._prefix], []).append(entry)

    def show(self, text: str) -> ReplacedText:
        """The text with each item replaced in the form in which it stood."""
        spans = tuple(self.find(text))
        cuts = [0, *(cut for span in spans for cut in (span.start, span.end)), len(text)]
        outside = [text[low:high] for low, high in list(pairwise(cuts))[::2]]
        shown = [self._shown[span.item][span.form] for span in spans]
        parts = [part for pair in zip(outside, [*shown, ""], strict=True) for part in pair]
        known = sum(_count(text[span.start : span.end]) for span in spans)
        return ReplacedText(
            "".join(parts),
            tuple(span.item for span in spans),
            known,
            sum(map(_count, outside)),
            max(outside, key=_count).strip()[:200],
        )

    def find(self, text: str) -> Iterator[ItemSpan]:
        """Where items stand, none within another."""
        if not self._prefix:
            return
        start = 0
        while start <= len(text) - self._prefix:
            entries = self._sought.get(text[start : start + self._prefix], ())
            fit = next((entry for entry in entries if text.startswith(entry[0], start)), None)
            if fit is None:
                start += 1
                continue
            form, item, which = fit
            yield ItemSpan(start, start + len(form), item, which)
            start += len(form)


def _forms(text: str) -> tuple[str, ...]:
    return (text, *(json.dumps(text, ensure_ascii=ascii)[1:-1] for ascii in (False, True)))


def _count(text: str) -> int:
    return sum(map(str.isalnum, text))
