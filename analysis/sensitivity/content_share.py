"""Content share: which part of what memory adds is lost when its content is damaged."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from loadbearing.analysis.inference.bootstrap import bootstrap_means, percentile_interval
from loadbearing.analysis.inference.interval import plus_two_sample, t_interval
from loadbearing.analysis.sensitivity.method import Reading, not_estimable

METHOD = "content share"


def content_share(
    drop: NDArray[np.float64],
    utility: NDArray[np.float64],
    units: NDArray[np.int64],
    repeats: int,
    alpha: float,
    draws: int,
    rng: np.random.Generator,
) -> Reading:
    """(intact - perturbed) / (intact - without), of means over tasks, by percentile cluster bootstrap.

    1: the damage takes all that memory adds; 0: nothing; above 1: damaged memory is worse than none.
    A ratio to a number that may be zero has no interval: it is given only where the plus-two interval
    of the utility leaves zero out. The estimand retention asks the same as a difference, and is tested.

    Args:
        drop: drop of each task, shape (n_tasks,); NaN is missing.
        utility: utility of each task, same shape; tasks without both are left out.
        units: index of the cluster of each task, any integers, shape (n_tasks,).
        repeats: trials behind a cell's mean.
        alpha: the interval holds 1 - alpha.
        draws: bootstrap draws.
        rng: their source.

    Source: STATISTICS 0b.2; Efron & Tibshirani 1993 (ratios).
    """
    known = ~np.isnan(drop) & ~np.isnan(utility)
    if len(np.unique(units[known])) < 2:
        return not_estimable(METHOD, "needs two clusters", scale="share")
    both = np.column_stack([drop[known], utility[known]])
    low, high = t_interval(plus_two_sample(both[:, 1], units[known], repeats), alpha)
    if low <= 0 <= high:
        why = f"the utility may be zero (its interval: {low:+.2f} to {high:+.2f})"
        return not_estimable(METHOD, why, scale="share")
    means = both.mean(axis=0)
    estimate = float(means[0] / means[1])
    drawn = bootstrap_means(both, units[known], draws, rng)
    positive = drawn[:, 1] * means[1] > 0  # a draw on the other side of zero has no share
    ratios = drawn[positive, :1] / drawn[positive, 1:]
    ends = percentile_interval(ratios, alpha)[:, 0]
    return Reading(METHOD, estimate, float(ends[0]), float(ends[1]), None, "", "share")
