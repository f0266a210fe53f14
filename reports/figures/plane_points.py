"""What stands where in the utility × drop plane, and what its regions are called."""

from __future__ import annotations

from dataclasses import dataclass

from loadbearing.outcomes.reserved_names import ALL, WITHOUT
from loadbearing.reports.base.lookup import Results, Row, find, of_estimand
from loadbearing.reports.base.numbers import is_known


@dataclass(frozen=True, slots=True)
class Point:
    """One backbone, arm and condition.

    Args:
        utility: the row of `estimates` that gives x and its interval.
        drop: the row that gives y and its interval.
        region: where the point lies; empty without a margin. The verdicts rest on tests, not on this.
    """

    backbone: str
    arm: str
    condition: str
    utility: Row
    drop: Row
    region: str


def plane_points(results: Results) -> tuple[Point, ...]:
    """Every drop that has an estimate, with its arm's utility, by backbone and else in the run's order.

    The drop under `without` is the utility once more and has no point; means over backbones have none either.
    """
    margin = results.get("margin")
    points = []
    for drop in of_estimand(results, "drop"):
        backbone, arm, condition = (str(drop.get(key)) for key in ("backbone", "arm", "condition"))
        utility = find(results, "utility", backbone=backbone, arm=arm)
        known = is_known(drop.get("estimate")) and is_known(utility.get("estimate"))
        if known and condition != WITHOUT and backbone != ALL:
            where = region(utility["estimate"], drop["estimate"], margin) if is_known(margin) else ""
            points.append(Point(backbone, arm, condition, utility, drop, where))
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
