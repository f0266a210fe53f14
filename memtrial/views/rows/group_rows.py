"""Rows of effects by group of tasks: a family of tasks, or the tasks that were shown one item."""

from dataclasses import dataclass

from memtrial.analysis.estimands.contrast import Estimand
from memtrial.analysis.inference.group_effects import GroupEffect, GroupSpread


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupRow(GroupEffect):
    """A utility or a drop within one group: a row of `task_families` or `items` (STATISTICS 0d.7, 0e.9).

    `heading`: of an item its title, of items that were always shown together each; else empty.
    """

    estimand: Estimand
    backbone: str
    arm: str
    condition: str
    heading: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SpreadRow(GroupSpread):
    """Whether a utility or a drop differs between groups: a row of `heterogeneity`.

    Args:
        of: `families` of tasks, or `items`.
        p_adjusted: among all utilities and drops that are asked by the same kind of group (Holm).
        above, below: groups whose own effect is shown, by the p that is adjusted among them.
        largest, least: the groups with the largest and the least shrunken effect.
    """

    of: str
    estimand: Estimand
    backbone: str
    arm: str
    condition: str
    p_adjusted: float
    above: tuple[str, ...] = ()
    below: tuple[str, ...] = ()
    largest: str = ""
    least: str = ""
