"""Whole sentences of a text: up to a full stop or the end of a line, never up to a semicolon or a dash."""

from collections import Counter
from collections.abc import Iterable

from loadbearing.memory.language.sentences import spans
from loadbearing.memory.language.structure import parts
from loadbearing.memory.words import words

_MARKS = "\"'”’)]*_`"
_LEAST = 4  # words of a sentence that counts as repeated


def whole_sentences(text: str) -> tuple[tuple[int, int], ...]:
    """Where they stand; list marks in front of them are left out."""
    found: list[tuple[int, int]] = []
    low = -1
    pieces = spans(text)
    for number, (start, end) in enumerate(pieces, 1):
        low = start if low < 0 else low
        if number == len(pieces) or _closed(text[start:end]):
            found.append((low, end))
            low = -1
    return tuple(found)


def _closed(text: str) -> bool:
    """Whether a full stop, or the end of a line, stands at its end."""
    bare = text.rstrip()
    return "\n" in text[len(bare) :] or bare.rstrip(_MARKS).endswith(tuple(".!?。！？"))


def n_repeated(items: Iterable[str]) -> int:
    """Number of sentences that stood before, of those with at least four words."""
    said: Counter[tuple[str, ...]] = Counter()
    for item in items:
        for part in parts(item):
            for low, high in whole_sentences(part.body):
                said[tuple(word.casefold() for word in words(part.body[low:high]))] += 1
    return sum(n - 1 for sentence, n in said.items() if len(sentence) >= _LEAST)
