"""Variance parts of a contrast from a pilot, with limits: between clusters, tasks and repeats."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from math import inf, nan, sqrt

import numpy as np
from numpy.typing import NDArray

from loadbearing.analysis.planning.variance import Parts


@dataclass(frozen=True, slots=True)
class Part:
    """One variance part: estimate and interval, none below 0."""

    estimate: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class VarianceParts:
    """What a pilot says about a contrast.

    Args:
        task: tau^2, the clusters' part included.
        repeat: w^2; None where every task has one repeat, which tells the two apart in no way.
        cluster: the part of `task` that tasks of a cluster share; None where tasks stand for themselves.
        total: variance of a task's contrast over the pilot's repeats.
        n_tasks, n_clusters: of the pilot.
        repeats: harmonic mean over tasks.
        repeat_df: degrees of freedom of `repeat`.
    """

    task: Part
    repeat: Part | None
    cluster: Part | None
    total: float
    n_tasks: int
    n_clusters: int
    repeats: float
    repeat_df: int

    @property
    def parts(self) -> Parts | None:
        """The estimates; None where one repeat a task does not tell them apart."""
        if self.repeat is None:
            return None
        cluster = 0.0 if self.cluster is None else min(self.cluster.estimate, self.task.estimate)
        return Parts(self.task.estimate, self.repeat.estimate, cluster)

    def upper_total(self, repeats: int, level: float = 0.80) -> float:
        """Upper limit of a task's variance over so many repeats: what a cautious plan reckons with.

        The variance of 25 tasks is known to a third. A plan from the estimate alone is too small in half of
        all cases; one from the upper 80 % limit in a fifth.

        Source: Browne 1995 (upper limits in planning); Graybill & Wang 1980 (limits of sums of variances).
        """
        from scipy.stats import chi2

        between = (self.n_clusters - 1) / float(chi2.ppf(1 - level, self.n_clusters - 1))
        if self.repeat is None:
            return self.total * between
        more = self.repeat.estimate * (1 / repeats - 1 / self.repeats)
        quantile = float(chi2.ppf(1 - level if more > 0 else level, self.repeat_df))
        away = (between - 1) * self.total, (self.repeat_df / quantile - 1) * more
        return max(self.total + more, 0.0) + sqrt(away[0] ** 2 + away[1] ** 2)

    def upper_parts(self, repeats: int, level: float = 0.80) -> Parts | None:
        """Parts that add up to `upper_total` at so many repeats; None where `parts` is."""
        found = self.parts
        if found is None:
            return None
        # tau^2 cut off at zero makes the parts add up to more than was seen
        more = max(self.upper_total(repeats, level) - found.total(repeats), 0.0)
        task = found.task + more
        share = found.cluster / found.task if found.task > 0 else 0.0
        return Parts(task, found.repeat, task * share)


def variance_parts(
    contrasts: NDArray[np.float64], clusters: Sequence[Hashable] | None = None, level: float = 0.90
) -> VarianceParts:
    """Variance parts by analysis of variance, repeats inside tasks inside clusters.

    Every task weighs the same, as in the estimates. An estimate below zero is zero, and the interval says
    how far above it the part may lie.

    Args:
        contrasts: contrast of each task in each repeat, shape (n_tasks, repeats); NaN where one is missing.
            Tasks without a number are left out.
        clusters: of each task; none: each stands for itself.
        level: of the intervals. Normal theory: somewhat too narrow for rare successes.

    Raises:
        ValueError: fewer than two tasks (or clusters), or clusters for another number of tasks.

    Source: Searle, Casella & McCulloch 1992, chapter 3; intervals of Williams 1962 and Tukey 1951.
    """
    if clusters is not None and len(clusters) != len(contrasts):
        raise ValueError(f"one cluster a task is needed; got {len(clusters)} for {len(contrasts)} tasks")
    known = ~np.isnan(contrasts)
    kept: NDArray[np.bool_] = np.asarray(known.any(axis=1))
    values, known = contrasts[kept], known[kept]
    labels = None if clusters is None else [one for one, keep in zip(clusters, kept, strict=True) if keep]
    n, counts = len(values), known.sum(axis=1)
    groups = n if labels is None else len(set(labels))
    if n < 2 or groups < 2:
        raise ValueError(f"variance parts need two tasks and two clusters with scores; got {n} and {groups}")
    means = np.where(known, values, 0.0).sum(axis=1) / counts
    repeats = float(n / (1 / counts).sum())
    repeat_df = int(counts.sum()) - n
    total = float(means.var(ddof=1))
    noise = nan
    if repeat_df:
        noise = float((np.where(known, values - means[:, None], 0.0) ** 2).sum() / repeat_df)
    cluster = None
    if labels is not None and groups < n:
        cluster, total = _between(means, labels, level)
    repeat = None if not repeat_df else Part(noise, *_of_one(noise, repeat_df, level))
    return VarianceParts(
        task=_task(total, noise, repeats, groups - 1, repeat_df, level),
        repeat=repeat,
        cluster=cluster,
        total=total,
        n_tasks=n,
        n_clusters=groups,
        repeats=repeats,
        repeat_df=repeat_df,
    )


def _between(means: NDArray[np.float64], labels: Sequence[Hashable], level: float) -> tuple[Part, float]:
    """The clusters' part of task means, and the variance of one task's mean with that part in it."""
    place = {label: at for at, label in enumerate(dict.fromkeys(labels))}
    index = np.array([place[label] for label in labels])
    sizes = np.bincount(index).astype(np.float64)
    centres = np.bincount(index, weights=means) / sizes
    n, groups = len(means), len(sizes)
    among = float((sizes * (centres - means.mean()) ** 2).sum() / (groups - 1))
    inside = float(((means - centres[index]) ** 2).sum() / (n - groups))
    size = (n - float((sizes**2).sum()) / n) / (groups - 1)
    estimate = max((among - inside) / size, 0.0)
    low, high = _of_difference(among, inside, size, (groups - 1, n - groups), level)
    total = inside + estimate if estimate > 0 else float(means.var(ddof=1))
    return Part(estimate, low, high), total


def _task(total: float, noise: float, repeats: float, df: int, repeat_df: int, level: float) -> Part:
    """tau^2: what task means vary beyond the noise of repeats; all of it where that is not known."""
    if not repeat_df:
        return Part(total, 0.0, _of_one(total, df, level)[1])
    low, high = _of_difference(total * repeats, noise, repeats, (df, repeat_df), level)
    return Part(max(total - noise / repeats, 0.0), low, high)


def _of_one(square: float, df: int, level: float) -> tuple[float, float]:
    from scipy.stats import chi2

    low, high = chi2.ppf([(1 + level) / 2, (1 - level) / 2], df)
    return square * df / float(low), square * df / float(high) if high > 0 else inf


def _of_difference(
    among: float, inside: float, size: float, df: tuple[int, int], level: float
) -> tuple[float, float]:
    """Interval of (among - inside) / size, two mean squares."""
    from scipy.stats import chi2, f

    tail = (1 - level) / 4  # Williams: two statements of half the error each
    upper, lower = f.isf(tail, *df), f.ppf(tail, *df)
    most, least = chi2.isf(tail, df[0]) / df[0], chi2.ppf(tail, df[0]) / df[0]
    low = (among - inside * float(upper)) / (size * float(most))
    high = (among - inside * float(lower)) / (size * float(least))
    return max(low, 0.0), max(high, 0.0)
