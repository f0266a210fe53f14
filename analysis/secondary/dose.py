"""The dose ladder: how much the score rises with each true item among distractors."""

from __future__ import annotations

import re
from collections.abc import Iterable

from loadbearing.analysis.estimands.contrast import Contrast

_RUNG = re.compile(r"dose-(\d+)")


def rungs(arms: Iterable[str]) -> dict[str, int]:
    """True items that each arm of the ladder shows, by the arm's name `dose-K`."""
    return {arm: int(found[1]) for arm in arms if (found := _RUNG.fullmatch(arm))}


def dose(arms: Iterable[str]) -> Contrast | None:
    """The slope of the score over the rungs, in points for one true item; None below two rungs.

    Least squares with equal weight a rung: linear in the cell means.

    Source: STATISTICS 0c.7.
    """
    steps = rungs(arms)
    if len(set(steps.values())) < 2:
        return None
    centre = sum(steps.values()) / len(steps)
    spread = sum((step - centre) ** 2 for step in steps.values())
    weights = tuple(
        ((arm, "intact"), (step - centre) / spread) for arm, step in steps.items() if step != centre
    )
    lowest, highest = (min(steps, key=lambda arm: steps[arm]), max(steps, key=lambda arm: steps[arm]))
    return Contrast("dose", highest, lowest, "intact", weights)
