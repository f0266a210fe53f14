"""Two things set against each other, or one after the other, and whether they changed places."""

from collections.abc import Iterable
from itertools import takewhile
from typing import NamedTuple

from memtrial.memory.words import STOP_WORDS, stem

_CONTRASTS = (
    ("instead", "of"),
    ("rather", "than"),
    ("over",),
    ("not",),
    ("never",),
    ("than",),
    ("after", "that"),
    ("before",),
    ("after",),
    ("then",),
)
"""Words between what is preferred and what is not, or what comes first and what later: halves that change
places around them turn the advice."""
_ORDERS = frozenset(("before", "after"))
_FIRST_WORDS = 5
_ENDS = frozenset((",", "so", "that", "which", "because", "when", "if"))


class Halves(NamedTuple):
    """The word that parts them, the words before it, and the first ones behind it."""

    word: str
    front: set[str]
    behind: list[str]


def is_swapped(there: Halves | None, then: Halves | None) -> bool:
    """Whether the halves around a contrast changed places: "use A instead of B", "use B instead of A"."""
    if there is None or then is None or there.behind == then.behind:
        return False
    return _has_moved(there, then.front) and _has_moved(then, there.front)


def _has_moved(halves: Halves, others: set[str]) -> bool:
    """Whether half of the words behind the contrast stand before it in the other sentence, and more than in
    their own."""
    behind = stems_of(halves.behind) or set(halves.behind)
    n = len(behind & others)
    return 2 * n >= len(behind) > 0 and n > len(behind & halves.front)


def halves_of(tokens: tuple[str, ...]) -> Halves | None:
    """The halves around the first contrast of a sentence; None where it has none."""
    for contrast in (first for first in _CONTRASTS if first[0] in tokens):
        size = len(contrast)
        for place in range(len(tokens) - size):
            if tokens[place : place + size] == contrast:
                behind = tokens[place + size : place + size + _FIRST_WORDS]
                front = tokens[:place]
                spurned = takewhile(lambda token: token not in _ENDS, behind)
                return Halves(contrast[0], stems_of(front) | set(front), list(spurned))
    return None


def order_of(tokens: tuple[str, ...]) -> Halves | None:
    """What is told to come first and what later, within the clause: "do not click it before both are filled".

    None where no `before` or `after` says so.
    """
    place = next((place for place, token in enumerate(tokens) if token in _ORDERS), None)
    if place is None:
        return None
    front = tokens[:place]
    if "," in front:
        front = front[len(front) - front[::-1].index(",") :]
    behind = takewhile(lambda token: token not in _ENDS, tokens[place + 1 : place + 1 + _FIRST_WORDS])
    return Halves(tokens[place], stems_of(front) | set(front), list(behind))


def stems_of(tokens: Iterable[str]) -> set[str]:
    """The content words, by stem."""
    return {stem(word) for word in tokens if word not in STOP_WORDS}
