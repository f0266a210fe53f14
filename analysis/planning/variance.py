"""Variance parts of a task's contrast, assumed or from a pilot, and clusters of tasks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from memtrial.analysis.arrays import Bools, Floats, Ints
from memtrial.analysis.estimands.contrast import Contrast
from memtrial.outcomes.outcomes import Outcomes


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
    def index(self) -> Ints:
        """The cluster of each task, shape (n_tasks,), counted from 0."""
        return np.repeat(np.arange(len(self.sizes)), self.sizes)

    @property
    def kish_size(self) -> float:
        """Mean over tasks of the size of the task's cluster: sum m^2 / sum m, at least 1."""
        return sum(size * size for size in self.sizes) / self.n_tasks

    def effective(self, icc: float) -> float:
        """Number of independent tasks of the same precision: n / (1 + (m - 1) ICC), with Kish's m."""
        return self.n_tasks / (1 + (self.kish_size - 1) * icc)

    def scale_to(self, n_tasks: int) -> Clustering:
        """The same records with more or fewer tasks, dealt out by the largest remainder."""
        if self.kish_size == 1:
            return without_clusters(n_tasks)
        exact = np.array(self.sizes) * (n_tasks / self.n_tasks)
        dealt = np.floor(exact).astype(int)
        rest = np.argsort(dealt - exact, kind="stable")[: n_tasks - int(dealt.sum())]
        dealt[rest] += 1
        return Clustering(tuple(int(size) for size in dealt if size))


def without_clusters(n_tasks: int) -> Clustering:
    """Tasks that share nothing."""
    return Clustering((1,) * n_tasks)


def clustering_of(labels: Iterable[Hashable]) -> Clustering:
    """The clustering given by each task's cluster label."""
    return Clustering(tuple(Counter(labels).values()))


LEAST_TASKS, LEAST_CLUSTERS = 8, 3
"""A pilot with fewer is too small to estimate variance."""
LEAST_SHARING = 10
"""Least n_tasks - n_clusters to estimate variance between clusters; with less, half of tau^2 is assumed."""


@dataclass(frozen=True, slots=True)
class Piloted:
    """The variance of one contrast of a pilot; parts that it cannot separate are split as assumed."""

    backbone: str
    estimand: str
    arm: str
    versus: str
    condition: str
    parts: Parts
    n_tasks: int
    n_clusters: int


def pilot_parts(
    outcomes: Outcomes, contrasts: Iterable[Contrast], assumed: dict[str, Parts]
) -> tuple[Piloted, ...]:
    """Variance parts of each contrast on each backbone; what a pilot cannot separate is split as `assumed`.

    A contrast is left out if one of its cells was not played, if it has too few tasks or clusters, or if no
    task differs.
    """
    listed, pilot_parts = tuple(contrasts), []
    for backbone in outcomes.backbones:
        table = outcomes.cells(backbone)
        for contrast in listed:
            if any(cell not in table.cells for cell, _ in contrast.weights):
                continue
            values = contrast.per_repeat(table)
            known: Bools = np.asarray((~np.isnan(values)).any(axis=1))
            labels = [name for name, keep in zip(table.clusters, known, strict=True) if keep]
            n, groups = len(labels), len(set(labels))
            if n < LEAST_TASKS or groups < LEAST_CLUSTERS or not np.nanmax(np.abs(values)) > 0:
                continue
            parts = variance_parts(values[known], labels, assumed[contrast.estimand])
            named = (backbone, contrast.estimand, contrast.arm, contrast.versus, contrast.condition)
            pilot_parts.append(Piloted(*named, parts, n, groups))
    return tuple(pilot_parts)


def mean_parts(several: Sequence[Parts]) -> Parts:
    """The mean of each part."""
    task, repeat, cluster = np.mean(
        [(parts.task, parts.repeat, parts.cluster) for parts in several], axis=0
    ).tolist()
    return Parts(task, repeat, min(cluster, task))


def variance_parts(values: Floats, clusters: Sequence[Hashable], assumed: Parts) -> Parts:
    """Variance parts by analysis of variance, all tasks weighted equally.

    Args:
        values: contrast of each task in each repeat, shape (n_tasks, repeats); NaN where one is missing.
        clusters: label of each task's cluster; at least two different ones.
        assumed: how the variance is split if there is only one repeat per task.

    Source: Searle, Casella & McCulloch 1992, chapter 3.
    """
    groups = len(set(clusters))
    known = ~np.isnan(values)
    counts = known.sum(axis=1)
    means = np.where(known, values, 0.0).sum(axis=1) / counts
    between = _variance_between(means, clusters) if len(means) - groups >= LEAST_SHARING else None
    total = float(means.var(ddof=1)) if between is None else between[1]
    df = int(counts.sum()) - len(means)
    if not df:
        return assumed.times(total / assumed.total(1))
    noise = float((np.where(known, values - means[:, None], 0.0) ** 2).sum() / df)
    task = max(total - noise * float((1 / counts).mean()), 0.0)
    return Parts(task, noise, task / 2 if between is None else min(between[0], task))


def _variance_between(means: Floats, labels: Sequence[Hashable]) -> tuple[float, float]:
    """Variance of task means between clusters, and the total variance of task means."""
    place = {label: number for number, label in enumerate(dict.fromkeys(labels))}
    index = np.array([place[label] for label in labels])
    sizes = np.bincount(index).astype(np.float64)
    centres = np.bincount(index, weights=means) / sizes
    n, groups = len(means), len(sizes)
    among = float((sizes * (centres - means.mean()) ** 2).sum() / (groups - 1))
    inside = float(((means - centres[index]) ** 2).sum() / (n - groups))
    size = (n - float((sizes**2).sum()) / n) / (groups - 1)
    estimate = max((among - inside) / size, 0.0)
    return estimate, inside + estimate if estimate > 0 else float(means.var(ddof=1))
