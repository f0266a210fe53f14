"""Two texts word by word: what is left out of the first, and what is new in the second."""

import re
from collections.abc import Iterator, Sequence

from markupsafe import Markup, escape

from memtrial.console.escape import printable

MOST_EDITS = 400
"""Words that are left out and new ones, in all. Beyond it the rest is shown as wholly different: the search
is quadratic in this number, and linear in the texts."""
_WORD = re.compile(r"\S+|\s+")


def mark_difference(first: str, second: str) -> tuple[Markup, Markup]:
    """Both texts, escaped, with `del` around what the second lacks and `ins` around what the first lacks."""
    mine, theirs = _WORD.findall(first), _WORD.findall(second)
    kept_mine, kept_theirs = _kept_words(mine, theirs)
    return _mark(mine, kept_mine, "del"), _mark(theirs, kept_theirs, "ins")


def _kept_words(mine: Sequence[str], theirs: Sequence[str]) -> tuple[set[int], set[int]]:
    """Places of the words that both have, in the same order, in each."""
    start, most = 0, min(len(mine), len(theirs))
    while start < most and mine[start] == theirs[start]:
        start += 1
    end = 0
    while end < most - start and mine[-1 - end] == theirs[-1 - end]:
        end += 1
    kept = [(place, place) for place in range(start)]
    kept += [(len(mine) - 1 - place, len(theirs) - 1 - place) for place in range(end)]
    middle = _shortest_edit(mine[start : len(mine) - end], theirs[start : len(theirs) - end])
    kept += [(start + first, start + second) for first, second in middle]
    return {first for first, _ in kept}, {second for _, second in kept}


def _shortest_edit(mine: Sequence[str], theirs: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Places of the same word in both, along a shortest edit; none where it is longer than is looked for.

    Source: E. W. Myers, An O(ND) difference algorithm and its variations, 1986.
    """
    furthest, history = {1: 0}, list[dict[int, int]]()
    for edits in range(min(MOST_EDITS, len(mine) + len(theirs)) + 1):
        history.append(dict(furthest))
        for diagonal in range(-edits, edits + 1, 2):
            down = diagonal == -edits or (
                diagonal != edits and furthest[diagonal - 1] < furthest[diagonal + 1]
            )
            x = furthest[diagonal + 1] if down else furthest[diagonal - 1] + 1
            while x < len(mine) and 0 <= x - diagonal < len(theirs) and mine[x] == theirs[x - diagonal]:
                x += 1
            furthest[diagonal] = x
            if x >= len(mine) and x - diagonal >= len(theirs):
                yield from _walk_back(history, len(mine), len(theirs))
                return


def _walk_back(history: Sequence[dict[int, int]], x: int, y: int) -> Iterator[tuple[int, int]]:
    for edits in range(len(history) - 1, -1, -1):
        furthest, diagonal = history[edits], x - y
        down = diagonal == -edits or (
            diagonal != edits and furthest.get(diagonal - 1, -1) < furthest.get(diagonal + 1, -1)
        )
        before = diagonal + 1 if down else diagonal - 1
        from_x = furthest[before] if edits else 0
        from_y = from_x - before if edits else 0
        while x > from_x and y > from_y:
            x, y = x - 1, y - 1
            yield x, y
        x, y = from_x, from_y


def _mark(words: Sequence[str], kept: set[int], tag: str) -> Markup:
    shown, place = Markup(""), 0
    while place < len(words):
        begin, same = place, place in kept
        # a space between two changed words is changed with them
        while place < len(words) and (
            (place in kept) == same or (not same and words[place].isspace() and place + 1 not in kept)
        ):
            place += 1
        text = escape(printable("".join(words[begin:place])))
        shown += text if same else Markup(f"<{tag}>%s</{tag}>") % text
    return shown
