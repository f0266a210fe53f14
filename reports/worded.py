"""Two texts compared word by word, so that what changed can be marked."""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import SequenceMatcher

_WORDS = re.compile(r"\s+|[^\W_]+|.", re.DOTALL)
_MOST_WORDS = 4_000  # comparing takes the square of this

Piece = tuple[bool, str]
"""A stretch of text and whether it differs from the other text."""


@dataclass(frozen=True, slots=True)
class Worded:
    """Both texts in pieces; joined, the pieces of each are the text itself."""

    before: tuple[Piece, ...]
    after: tuple[Piece, ...]


def compare(before: str, after: str) -> Worded:
    """Mark the words that went and those that came; texts too long to compare are left unmarked."""
    one, other = _WORDS.findall(before), _WORDS.findall(after)
    if max(len(one), len(other)) > _MOST_WORDS:
        return Worded(((False, before),), ((False, after),))
    went: list[Piece] = []
    came: list[Piece] = []
    for kind, a, b, c, d in SequenceMatcher(None, one, other, autojunk=False).get_opcodes():
        changed = kind != "equal"
        if a < b:
            went.append((changed, "".join(one[a:b])))
        if c < d:
            came.append((changed, "".join(other[c:d])))
    return Worded(tuple(went), tuple(came))
