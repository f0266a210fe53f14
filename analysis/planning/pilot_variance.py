"""Variance parts of a contrast from a pilot: repeats inside tasks inside clusters."""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from loadbearing.analysis.estimands.contrast import Contrast
from loadbearing.analysis.planning.variance import Parts
from loadbearing.outcomes.outcomes import Outcomes

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


def piloted(
    outcomes: Outcomes, contrasts: Iterable[Contrast], assumed: dict[str, Parts]
) -> tuple[Piloted, ...]:
    """Variance parts of each contrast on each backbone; what a pilot cannot separate is split as `assumed`.

    A contrast is left out if one of its cells was not played, if it has too few tasks or clusters, or if no
    task differs.
    """
    listed, found = tuple(contrasts), []
    for backbone in outcomes.backbones:
        table = outcomes.cells(backbone)
        for one in listed:
            if any(cell not in table.cells for cell, _ in one.weights):
                continue
            values = one.per_repeat(table)
            known: NDArray[np.bool_] = np.asarray((~np.isnan(values)).any(axis=1))
            labels = [name for name, keep in zip(table.clusters, known, strict=True) if keep]
            n, groups = len(labels), len(set(labels))
            if n < LEAST_TASKS or groups < LEAST_CLUSTERS or not np.nanmax(np.abs(values)) > 0:
                continue
            parts = variance_parts(values[known], labels, assumed[one.estimand])
            named = (backbone, one.estimand, one.arm, one.versus, one.condition)
            found.append(Piloted(*named, parts, n, groups))
    return tuple(found)


def mean_parts(several: Sequence[Parts]) -> Parts:
    """The mean of each part."""
    task, repeat, cluster = np.mean([(one.task, one.repeat, one.cluster) for one in several], axis=0).tolist()
    return Parts(task, repeat, min(cluster, task))


def variance_parts(values: NDArray[np.float64], clusters: Sequence[Hashable], assumed: Parts) -> Parts:
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
    between = _between(means, clusters) if len(means) - groups >= LEAST_SHARING else None
    total = float(means.var(ddof=1)) if between is None else between[1]
    df = int(counts.sum()) - len(means)
    if not df:
        return assumed.times(total / assumed.total(1))
    noise = float((np.where(known, values - means[:, None], 0.0) ** 2).sum() / df)
    task = max(total - noise * float((1 / counts).mean()), 0.0)
    return Parts(task, noise, task / 2 if between is None else min(between[0], task))


def _between(means: NDArray[np.float64], labels: Sequence[Hashable]) -> tuple[float, float]:
    """Variance of task means between clusters, and the total variance of task means."""
    place = {label: at for at, label in enumerate(dict.fromkeys(labels))}
    index = np.array([place[label] for label in labels])
    sizes = np.bincount(index).astype(np.float64)
    centres = np.bincount(index, weights=means) / sizes
    n, groups = len(means), len(sizes)
    among = float((sizes * (centres - means.mean()) ** 2).sum() / (groups - 1))
    inside = float(((means - centres[index]) ** 2).sum() / (n - groups))
    size = (n - float((sizes**2).sum()) / n) / (groups - 1)
    estimate = max((among - inside) / size, 0.0)
    return estimate, inside + estimate if estimate > 0 else float(means.var(ddof=1))
