"""Two texts compared word by word, so that what changed can be marked."""

import re
from collections import Counter
from collections.abc import Sequence
from difflib import SequenceMatcher
from itertools import accumulate

_WORDS = re.compile(r"\s+|[^\W_]+|.", re.DOTALL)
MOST_PAIRS = 10_000_000
"""Pairs of equal words that are looked at; to compare two texts may take the cube of their words."""

Piece = tuple[bool, str]
"""A stretch of text and whether it differs from the other text."""
Stretch = tuple[bool, slice, slice]
"""Whether two stretches differ, and where they stand in the one text and in the other."""


def compare(before: str, after: str) -> tuple[tuple[Piece, ...], tuple[Piece, ...]]:
    """Both texts in pieces, the words that went and came marked; texts too long to compare are not."""
    one, other = _WORDS.findall(before), _WORDS.findall(after)
    found = stretches(one, other)
    if found is None:
        return ((False, before),), ((False, after),)
    went = ((changed, "".join(one[here])) for changed, here, _ in found)
    came = ((changed, "".join(other[there])) for changed, _, there in found)
    return tuple(piece for piece in went if piece[1]), tuple(piece for piece in came if piece[1])


def stretches(one: Sequence[str], other: Sequence[str], most_pairs: int = MOST_PAIRS) -> list[Stretch] | None:
    """What both have in common and what they have not, in order; None where it takes too long to find."""
    matcher = SequenceMatcher(None, one, other, autojunk=False)
    # a search for the longest stretch looks at every pair of equal words
    times = Counter(other)
    costs = [0, *accumulate(1 + times[word] for word in one)]
    regions, blocks, looked_at = [(0, len(one), 0, len(other))], [(len(one), len(other), 0)], 0
    while regions:
        a, b, c, d = regions.pop()
        looked_at += costs[b] - costs[a]
        if looked_at > most_pairs:
            return None
        i, j, size = matcher.find_longest_match(a, b, c, d)
        if size:
            blocks.append((i, j, size))
            sides = (a, i, c, j), (i + size, b, j + size, d)
            regions += [side for side in sides if side[0] < side[1] and side[2] < side[3]]
    found: list[Stretch] = []
    at = to = 0
    for i, j, size in sorted(blocks):
        if (at, to) != (i, j):
            found.append((True, slice(at, i), slice(to, j)))
        if size:
            found.append((False, slice(i, i + size), slice(j, j + size)))
        at, to = i + size, j + size
    return found
