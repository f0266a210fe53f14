"""Two texts compared word by word, so that what changed can be marked."""

from collections import Counter
from collections.abc import Sequence
from difflib import SequenceMatcher
from itertools import accumulate

MOST_PAIRS = 10_000_000
"""Pairs of equal words that are looked at; to compare two texts may take the cube of their words."""

Stretch = tuple[bool, slice, slice]
"""Whether two stretches differ, and where they stand in the one text and in the other."""


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
