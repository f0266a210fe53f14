"""Variance parts of a task's contrast, estimated from a pilot or assumed."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Parts:
    """The variance of one task's contrast d_i, averaged over R repeats: `task` + `repeat` / R.

    Args:
        task: tau^2, variance of the effect between tasks, including the part that a cluster shares.
        repeat: w^2, variance of one repeat's contrast around its task's mean.
        cluster: the part of `task` that all tasks of one cluster (record, family, house) share.

    Source: Miller 2024 (arXiv 2411.00640), between and within questions; STATISTICS 4.
    """

    task: float
    repeat: float
    cluster: float = 0.0

    def total(self, repeats: float) -> float:
        """Variance of one task's contrast, averaged over this many repeats."""
        return self.task + self.repeat / repeats

    def icc(self, repeats: int) -> float:
        """Correlation of the contrasts of two tasks in one cluster; 0 if the variance is 0."""
        total = self.total(repeats)
        return self.cluster / total if total > 0 else 0.0

    def times(self, factor: float) -> Parts:
        """Each part multiplied."""
        return Parts(self.task * factor, self.repeat * factor, self.cluster * factor)


ASSUMED_DROP = Parts(task=0.02, repeat=0.25, cluster=0.01)
"""For a drop or a utility: base rate .5, ICC .5; half of tau^2 between clusters. A pilot replaces it."""
ASSUMED_CONTRAST = Parts(task=0.07, repeat=0.51, cluster=0.035)
"""For a contrast of drops, likewise; the standard deviation between clusters is .19 (STATISTICS 0c.5: .2)."""
