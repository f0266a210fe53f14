"""What a family costs in power: the share of alpha that step-down max-T leaves to a single contrast."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from loadbearing.analysis.planning.effective_tasks import Clustering
from loadbearing.analysis.planning.variance import Parts
from loadbearing.ledger.random_streams import fixed_generator

_DRAWS = 40_000
_AT_ONCE = 8_000


def correlations(
    weights: NDArray[np.float64],
    damaged: NDArray[np.bool_],
    parts: Parts,
    repeats: int,
    clusters: Clustering | None = None,
) -> NDArray[np.float64]:
    """Correlation of the contrasts of a family, summed over clusters, from the cells they share.

    The noise of repeats is each cell's own; effects that differ between tasks are each damaged cell's own,
    and count for more where tasks of a cluster have them in common.

    Args:
        weights: of each cell in each contrast, shape (n_cells, n_contrasts).
        damaged: cells whose effect differs between tasks, shape (n_cells,).
        parts: of one contrast; only their ratio counts.
        clusters: of the tasks; none: each stands for itself.
    """
    noise, effects = _cosines(weights), _cosines(weights[damaged])
    more = 0.0 if clusters is None else (clusters.kish_size - 1) * parts.cluster
    total = parts.total(repeats) + more
    share = (parts.task + more) / total if total > 0 else 0.0
    mixed: NDArray[np.float64] = (1 - share) * noise + share * effects
    np.fill_diagonal(mixed, 1.0)
    return mixed


def each_alpha(correlation: NDArray[np.float64], alpha: float) -> float:
    """The level at which one contrast is tested while no other of its family has been rejected.

    It lies between alpha / size (Bonferroni) and alpha. Step-down max-T tests the contrasts that remain
    after a rejection at a higher level, so a power computed at this one is a lower bound, reached where the
    contrast is the only one with an effect.

    Args:
        correlation: of the contrasts, shape (n, n).

    Source: Westfall & Young 1993; the quantile of the largest of correlated normals, by simulation with
        40,000 draws of a fixed seed.
    """
    from scipy.stats import norm

    size = len(correlation)
    if size == 1:
        return alpha
    values, vectors = np.linalg.eigh(correlation)
    root = vectors * np.sqrt(np.clip(values, 0.0, None))
    rng = fixed_generator()
    largest = np.concatenate(
        [
            np.abs(rng.standard_normal((_AT_ONCE, size)) @ root.T).max(axis=1)
            for _ in range(_DRAWS // _AT_ONCE)
        ]
    )
    level = 2 * float(norm.sf(np.quantile(largest, 1 - alpha)))
    return min(max(level, alpha / size), alpha)


def _cosines(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    lengths = np.sqrt((weights**2).sum(axis=0))
    unit = weights / np.where(lengths > 0, lengths, 1.0)
    cosines: NDArray[np.float64] = unit.T @ unit
    return cosines
