"""Methods that need one contrast a task: linear model, cluster bootstrap, content share."""

from __future__ import annotations

from math import sqrt

import numpy as np
from numpy.typing import NDArray

from loadbearing.analysis.inference.bootstrap import bootstrap_means, bootstrap_p, percentile_interval
from loadbearing.analysis.inference.interval import plus_two_sample, t_interval
from loadbearing.analysis.sensitivity.method import Reading, not_estimable

CR2, BOOTSTRAP, SHARE = "linear model, CR2", "bootstrap, percentile", "content share"

Floats = NDArray[np.float64]
Units = NDArray[np.int64]


def cr2(d: Floats, units: Units, alpha: float) -> Reading:
    """The linear probability model, score ~ arm x condition, with bias-reduced cluster covariance.

    On a balanced table the contrast of the full model score ~ cell has the same estimate, standard error
    and degrees of freedom (Satterthwaite's) as the mean of the task contrasts in the model d ~ 1, which
    needs no matrix: with cluster shares h_g = n_g / n, e_g the sum of a cluster's deviations from the mean,
    and b_g = h_g^2 / (1 - h_g),

        V  = sum_g e_g^2 / (1 - h_g) / n^2
        df = 1 / (sum_g h_g^2 + sum_{g != k} b_g b_k)

    Both use independent errors of equal variance as the working model. With one task a cluster V is
    s^2 / n and df is n - 1: Student's t. (statsmodels has CR1 alone.)

    Args:
        d: one contrast a task, shape (n_tasks,), nothing missing.
        units: index of the cluster of each task, any integers, shape (n_tasks,).
        alpha: the interval holds 1 - alpha.

    Source: Bell & McCaffrey 2002; Pustejovsky & Tipton 2018. Checked against R clubSandwich.
    """
    from scipy.stats import t

    estimate = float(d.mean()) if len(d) else None
    labels, unit = np.unique(units, return_inverse=True)
    if estimate is None or len(labels) < 2:
        return not_estimable(CR2, f"needs two clusters, got {len(labels)}", estimate)
    share = np.bincount(unit) / len(d)
    apart = np.bincount(unit, weights=d - estimate)
    if np.abs(apart).max() < 1e-12:
        return not_estimable(CR2, "every cluster has the same mean contrast", estimate)
    se = sqrt(float((apart**2 / (1 - share)).sum())) / len(d)
    b = share**2 / (1 - share)
    df = 1 / float((share**2).sum() + b.sum() ** 2 - (b**2).sum())
    half = float(t.isf(alpha / 2, df)) * se
    p = 2 * float(t.sf(abs(estimate) / se, df))
    note = f"{len(labels)} clusters, {df:.1f} degrees of freedom"
    return Reading(CR2, estimate, estimate - half, estimate + half, p, note)


def cluster_bootstrap(d: Floats, units: Units, alpha: float, draws: int, rng: np.random.Generator) -> Reading:
    """Clusters drawn with replacement. Somewhat too narrow under 50 clusters (STATISTICS 1: .05 is .065).

    Args:
        d: one contrast a task, shape (n_tasks,), nothing missing.
        units: index of the cluster of each task, any integers, shape (n_tasks,).
        alpha: the interval holds 1 - alpha.
        draws: number of draws.
        rng: their source.
    """
    estimate = float(d.mean()) if len(d) else None
    if estimate is None or len(np.unique(units)) < 2:
        return not_estimable(BOOTSTRAP, "needs two clusters", estimate)
    drawn = bootstrap_means(d[:, None], units, draws, rng)
    if np.ptp(drawn) < 1e-12:
        return not_estimable(BOOTSTRAP, "every cluster has the same mean contrast", estimate)
    low, high = percentile_interval(drawn, alpha)[:, 0]
    return Reading(BOOTSTRAP, estimate, float(low), float(high), bootstrap_p(drawn[:, 0]))


def content_share(
    drop: Floats,
    utility: Floats,
    units: Units,
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

    Source: STATISTICS 0b.2 and 2; Efron & Tibshirani 1993 (ratios).
    """
    known = ~np.isnan(drop) & ~np.isnan(utility)
    if len(np.unique(units[known])) < 2:
        return not_estimable(SHARE, "needs two clusters", scale="share")
    both = np.column_stack([drop[known], utility[known]])
    low, high = t_interval(plus_two_sample(both[:, 1], units[known], repeats), alpha)
    if low <= 0 <= high:
        why = f"the utility may be zero (its interval: {low:+.2f} to {high:+.2f})"
        return not_estimable(SHARE, why, scale="share")
    means = both.mean(axis=0)
    drawn = bootstrap_means(both, units[known], draws, rng)
    positive = drawn[:, 1] * means[1] > 0  # a draw on the other side of zero has no share
    low, high = percentile_interval(drawn[positive, :1] / drawn[positive, 1:], alpha)[:, 0]
    return Reading(SHARE, float(means[0] / means[1]), float(low), float(high), scale="share")
