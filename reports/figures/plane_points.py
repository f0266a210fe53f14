"""What stands where in the utility × drop plane, and what its regions are called."""

from __future__ import annotations

from dataclasses import dataclass

from loadbearing.analysis.result import Estimate
from loadbearing.outcomes.reserved_names import ALL, WITHOUT
from loadbearing.reports.base.lookup import find, of_estimand
from loadbearing.reports.base.numbers import is_known
from loadbearing.reports.model.results import Results


@dataclass(frozen=True, slots=True)
class Point:
    """One backbone, arm and condition.

    Args:
        utility: the row of `estimates` that gives x and its interval.
        drop: the row that gives y and its interval.
        region: where the point lies. The verdicts rest on tests, not on this.
    """

    backbone: str
    arm: str
    condition: str
    utility: Estimate
    drop: Estimate
    region: str


def plane_points(results: Results) -> tuple[Point, ...]:
    """Every drop that has an estimate, with its arm's utility, by backbone and else in the run's order.

    The drop under `without` is the utility once more and has no point; means over backbones have none either.
    """
    points = []
    for drop in of_estimand(results, "drop"):
        utility = find(results, "utility", drop.backbone, drop.arm)
        if utility is None or drop.condition == WITHOUT or drop.backbone == ALL:
            continue
        if is_known(drop.estimate) and is_known(utility.estimate):
            where = region(utility.estimate, drop.estimate, results.margin)
            points.append(Point(drop.backbone, drop.arm, drop.condition, utility, drop, where))
    return tuple(points)


def region(utility: float, drop: float, margin: float) -> str:
    """The name of the region in which a point lies; the margin lines part the regions."""
    if drop < -margin:
        return "damage raises the score"
    carries = drop > margin
    if utility > margin:
        return "useful and load-bearing" if carries else "useful and inert: placebo"
    if utility < -margin:
        return "harmful and used" if carries else "harmful and inert"
    return "used, no net benefit" if carries else "no signal or ignored"
