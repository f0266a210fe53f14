"""Clusters of tasks in planning: how many independent tasks a set of tasks is worth."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Clustering:
    """How tasks fall into clusters: the number of tasks of each, at least 1.

    Source: Kish 1965, section 8.2 (clusters of unequal size); STATISTICS 0c.5.
    """

    sizes: tuple[int, ...]

    @property
    def n_tasks(self) -> int:
        """Number of tasks."""
        return sum(self.sizes)

    @property
    def n_clusters(self) -> int:
        """Number of clusters."""
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
        """The same records or families with more or fewer tasks, in the same shares.

        Tasks are dealt out by the largest remainder; a cluster that gets none is left out.
        """
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
