"""Variance parts of a task's contrast, and clusters of tasks: how many independent ones they are worth."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


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
        return Parts(self.task * factor, self.repeat * factor, self.cluster * factor)


ASSUMED_DROP = Parts(task=0.02, repeat=0.25, cluster=0.01)
"""For a drop or a utility: base rate .5, ICC .5; half of tau^2 between clusters. A pilot replaces it."""
ASSUMED_CONTRAST = Parts(task=0.07, repeat=0.51, cluster=0.035)
"""For a contrast of drops, likewise; the standard deviation between clusters is .19 (STATISTICS 0c.5: .2)."""


@dataclass(frozen=True, slots=True)
class Clustering:
    """How tasks fall into clusters: the number of tasks of each, at least 1.

    Source: Kish 1965, section 8.2 (clusters of unequal size); STATISTICS 0c.5.
    """

    sizes: tuple[int, ...]

    @property
    def n_tasks(self) -> int:
        return sum(self.sizes)

    @property
    def n_clusters(self) -> int:
        return len(self.sizes)

    @property
    def index(self) -> NDArray[np.int64]:
        """The cluster of each task, shape (n_tasks,), counted from 0."""
        return np.repeat(np.arange(len(self.sizes)), self.sizes)

    @property
    def kish_size(self) -> float:
        """Mean over tasks of the size of the task's cluster: sum m^2 / sum m, at least 1."""
        return sum(size * size for size in self.sizes) / self.n_tasks

    def effective(self, icc: float) -> float:
        """Number of independent tasks of the same precision: n / (1 + (m - 1) ICC), with Kish's m."""
        return self.n_tasks / (1 + (self.kish_size - 1) * icc)

    def scaled(self, n_tasks: int) -> Clustering:
        """The same records with more or fewer tasks, dealt out by the largest remainder."""
        if self.kish_size == 1:
            return independent(n_tasks)
        exact = np.array(self.sizes) * (n_tasks / self.n_tasks)
        dealt = np.floor(exact).astype(int)
        rest = np.argsort(dealt - exact, kind="stable")[: n_tasks - int(dealt.sum())]
        dealt[rest] += 1
        return Clustering(tuple(int(size) for size in dealt if size))


def independent(n_tasks: int) -> Clustering:
    """Tasks that share nothing."""
    return Clustering((1,) * n_tasks)


def clustering_of(labels: Iterable[Hashable]) -> Clustering:
    """The clustering given by each task's cluster label."""
    return Clustering(tuple(Counter(labels).values()))
