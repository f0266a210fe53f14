"""Factorial effects: what one factor of the arms does, averaged over the levels of the others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations
from math import prod

from loadbearing.analysis.estimands.contrast import Contrast, drop_weights, net

Levels = Mapping[str, tuple[str, ...]]
"""The level of each factor, by arm; all arms have the same factors in the same order."""


def full_crossing(levels: Levels) -> bool:
    """Every combination of two levels of each factor, exactly one arm each."""
    chosen = list(levels.values())
    sizes = {len(row) for row in chosen}
    if len(sizes) != 1 or min(sizes) < 2:
        return False
    kinds = [dict.fromkeys(row[at] for row in chosen) for at in range(sizes.pop())]
    two = all(len(kind) == 2 for kind in kinds)
    return two and len(set(chosen)) == len(chosen) == prod(len(kind) for kind in kinds)


def effects(factors: tuple[str, ...], levels: Levels, conditions: tuple[str, ...]) -> Iterator[Contrast]:
    """Main effects and interactions, on the intact score and on the drop under each condition.

    A main effect is the mean at the second level less the mean at the first, in the order in which the
    levels first appear; an interaction of two is half the difference of one's effect between the other's
    levels. Every effect uses every cell.

    Args:
        factors: their names.
        levels: a full crossing of two levels each.
        conditions: the damage whose drops are decomposed as well.

    Source: STATISTICS 7; Box, Hunter & Hunter 2005, chapter 5.
    """
    first = next(iter(levels.values()))
    signs = {
        arm: tuple(-1.0 if level == lower else 1.0 for level, lower in zip(row, first, strict=True))
        for arm, row in levels.items()
    }
    half = len(levels) / 2
    for order in (1, 2):
        for chosen in combinations(range(len(factors)), order):
            name = " × ".join(factors[at] for at in chosen)
            weight = {arm: prod(row[at] for at in chosen) / half for arm, row in signs.items()}
            intact = tuple(((arm, "intact"), w) for arm, w in weight.items())
            yield Contrast("factorial", name, "intact", "intact", intact)
            for condition in conditions:
                parts = (part for arm, w in weight.items() for part in drop_weights(arm, condition, w))
                yield Contrast("factorial", name, "intact", condition, net(*parts))
