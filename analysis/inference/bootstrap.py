"""Cluster bootstrap of one contrast: units drawn with replacement."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Units = NDArray[np.int64]

_PLACES = 1 << 15  # places drawn at a time: few enough to stay in a core's cache


def bootstrap_means(contrasts: Floats, units: Units, draws: int, rng: np.random.Generator) -> Floats:
    """Means over tasks when units (tasks or clusters) are drawn with replacement, shape (draws,).

    Args:
        contrasts: one a task, shape (n_tasks,), at least one and nothing missing; each weighs the same.
        units: index of the unit of each task, any integers, same shape.

    Source: Efron & Tibshirani 1993, section 8; Davison & Hinkley 1997, section 3.8 (clusters).
    """
    labels, unit = np.unique(units, return_inverse=True)
    n = len(labels)
    sums, sizes = np.bincount(unit, weights=contrasts), np.bincount(unit).astype(np.float64)
    means = np.empty(draws)
    kind = np.uint16 if n <= 1 << 16 else np.int64  # the fewer random bits the faster
    step = max(1, _PLACES // n)
    for start in range(0, draws, step):
        size = min(step, draws - start)
        drawn = rng.integers(0, n, size=(size, n), dtype=kind)
        means[start : start + size] = sums[drawn].sum(axis=1) / sizes[drawn].sum(axis=1)
    return means


def percentile_interval(drawn: Floats, alpha: float) -> tuple[float, float]:
    """The 1 - alpha percentile interval of the draws."""
    low, high = np.quantile(drawn, [alpha / 2, 1 - alpha / 2])
    return float(low), float(high)


def bootstrap_p(drawn: Floats) -> float:
    """Smallest alpha at which the percentile interval leaves zero out; never zero."""
    below, above = int((drawn <= 0).sum()), int((drawn >= 0).sum())
    return min(1.0, 2 * (min(below, above) + 1) / (len(drawn) + 1))
