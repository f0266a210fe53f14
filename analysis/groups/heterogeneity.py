"""Whether backbones differ on the tasks they share, and the mean over several independent benchmarks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Heterogeneity:
    """Whether backbones differ in a contrast.

    Args:
        statistic: Hotelling's T^2; None where there is no test.
        p: its p-value; None where there is no test.
        n_units: units with a contrast on every backbone.
        note: what it rests on, or why there is no test.
    """

    statistic: float | None
    p: float | None
    n_units: int
    note: str


@dataclass(frozen=True, slots=True)
class Combined:
    """A random-effects mean over independent benchmarks.

    Args:
        mean: the combined effect.
        low: lower end of its 1 - alpha interval (Hartung-Knapp-Sidik-Jonkman).
        high: its upper end.
        tau2: variance of the true effects between benchmarks (Paule-Mandel).
        i2: share of the variance between estimates that is not their own error, in [0, 1].
        predicted_low: lower end of the 1 - alpha interval for the effect in one more benchmark.
        predicted_high: its upper end.
        n_benchmarks: how many.
    """

    mean: float
    low: float
    high: float
    tau2: float
    i2: float
    predicted_low: float
    predicted_high: float
    n_benchmarks: int


def heterogeneity(contrasts: NDArray[np.float64], units: NDArray[np.int64]) -> Heterogeneity:
    """Test that the mean contrast is the same on every backbone, by Hotelling's T^2.

    The numbers tested are each task's differences to the first backbone, so that what backbones share
    in a task cancels; any other first one gives the same T^2. Where tasks form clusters the sums of
    their deviations stand for them.

    Args:
        contrasts: one row a task, one column a backbone, shape (n_tasks, n_backbones); tasks missing on
            one of them are left out.
        units: index of the unit of each task, any integers, shape (n_tasks,).

    Raises:
        ValueError: fewer than two backbones, or rows and units differ in number.

    Source: Hotelling 1931.
    """
    from scipy.stats import f

    if contrasts.shape[1] < 2:
        raise ValueError(f"backbones differ only where there are two or more, got {contrasts.shape[1]}")
    if len(units) != len(contrasts):
        raise ValueError(f"one unit per task: got {len(units)} units for {len(contrasts)} rows")
    known = ~np.isnan(contrasts).any(axis=1)
    apart = contrasts[known, 1:] - contrasts[known, :1]
    labels, unit = np.unique(units[known], return_inverse=True)
    n, k = len(labels), apart.shape[1]
    if n <= k:
        return Heterogeneity(None, None, n, f"needs more than {k} units, got {n}")
    size = np.bincount(unit, minlength=n).astype(np.float64)
    sums = np.column_stack([np.bincount(unit, weights=column, minlength=n) for column in apart.T])
    mean = apart.mean(axis=0)
    deviations = (sums - size[:, None] * mean) / size.mean()
    covariance = deviations.T @ deviations / (n - 1)
    spread = np.linalg.eigvalsh(covariance)
    if spread[0] <= 1e-10 * max(spread[-1], 1e-12):
        return Heterogeneity(None, None, n, "differences between backbones do not vary enough over tasks")
    statistic = float(n * mean @ np.linalg.solve(covariance, mean))
    p = float(f.sf(statistic * (n - k) / (k * (n - 1)), k, n - k))
    return Heterogeneity(statistic, p, n, f"Hotelling's T^2 on {n} units, {k} and {n - k} degrees of freedom")


def combine_benchmarks(estimates: Sequence[float], errors: Sequence[float], alpha: float) -> Combined:
    """Random-effects mean of one contrast over benchmarks with tasks of their own.

    For independent task sets only; backbones on shared tasks are averaged inside tasks
    (analysis/groups/pooled.py).

    Args:
        estimates: one a benchmark.
        errors: their standard errors, above zero.
        alpha: the intervals hold 1 - alpha.

    Raises:
        ValueError: fewer than three benchmarks (with two, the variance between them is a guess), as
            many errors as estimates are missing, or an error that is not above zero.

    Source: Paule & Mandel 1982; IntHout, Ioannidis & Borm 2014 (HKSJ); Roever, Knapp & Friede 2015
        (never narrower than without it); Higgins, Thompson & Spiegelhalter 2009 (prediction, k - 2
        degrees of freedom).
    """
    from scipy.stats import t
    from statsmodels.stats.meta_analysis import combine_effects

    k = len(estimates)
    if k < 3 or len(errors) != k:
        raise ValueError(
            f"combining benchmarks needs three or more, each with its standard error, got {k} estimates and"
            f" {len(errors)} errors; report fewer one by one"
        )
    if not (np.isfinite(estimates).all() and np.isfinite(errors).all() and min(errors) > 0):
        raise ValueError("combining benchmarks needs finite estimates and standard errors above zero")
    variances = np.asarray(errors, dtype=np.float64) ** 2
    fit = combine_effects(
        np.asarray(estimates, dtype=np.float64), variances, method_re="iterated", use_t=True
    )
    mean, tau2 = float(fit.mean_effect_re), max(0.0, float(fit.tau2))
    # estimates that agree by chance would give a width of nothing
    se = max(float(fit.sd_eff_w_re_hksj), float(fit.sd_eff_w_re))
    half = float(t.isf(alpha / 2, k - 1)) * se
    ahead = float(t.isf(alpha / 2, k - 2)) * sqrt(tau2 + se**2)
    i2 = max(0.0, float(fit.i2))
    return Combined(mean, mean - half, mean + half, tau2, i2, mean - ahead, mean + ahead, k)
