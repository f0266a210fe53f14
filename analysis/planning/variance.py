"""Variance parts: what makes a task's contrast differ from the mean, from a pilot or assumed."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Parts:
    """The variance of one task's contrast d_i, averaged over R repeats: `task` + `repeat` / R.

    Args:
        task: tau^2, effects that differ between tasks, what a cluster of tasks has in common included.
        repeat: w^2, of one repeat's contrast around its task's mean.
        cluster: the part of `task` that all tasks of one cluster (record, family, house) share.

    Source: Miller 2024 (arXiv 2411.00640), between and within questions; STATISTICS 4.
    """

    task: float
    repeat: float
    cluster: float = 0.0

    def total(self, repeats: float) -> float:
        """Variance of one task's contrast over so many repeats."""
        return self.task + self.repeat / repeats

    def icc(self, repeats: int) -> float:
        """Correlation of the contrasts of two tasks of one cluster; 0 where nothing varies."""
        total = self.total(repeats)
        return self.cluster / total if total > 0 else 0.0

    def times(self, factor: float) -> Parts:
        """Each part multiplied."""
        return Parts(self.task * factor, self.repeat * factor, self.cluster * factor)


ASSUMED_DROP = Parts(task=0.02, repeat=0.25, cluster=0.01)
"""Of a drop or a utility: base rate .5, ICC .5; half of tau^2 between clusters. Replaced by a pilot's."""
ASSUMED_CONTRAST = Parts(task=0.07, repeat=0.51, cluster=0.035)
"""Of a contrast of drops, on the same terms; its clusters differ by .19 (STATISTICS 0c.5: .2)."""
