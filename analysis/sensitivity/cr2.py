"""The linear probability model, score ~ arm x condition, with CR2 cluster covariance."""

from __future__ import annotations

from math import sqrt

import numpy as np
from numpy.typing import NDArray

from loadbearing.analysis.sensitivity.method import Reading, not_estimable

METHOD = "linear model, CR2"


def cr2(d: NDArray[np.float64], units: NDArray[np.int64], alpha: float) -> Reading:
    """Least squares with bias-reduced cluster covariance and Satterthwaite's degrees of freedom.

    On a balanced table the contrast of the full model score ~ cell has the same estimate, standard error
    and degrees of freedom as the mean of the task contrasts in the model d ~ 1, which needs no matrix:
    with cluster shares h_g = n_g / n, e_g the sum of a cluster's deviations from the mean, and
    b_g = h_g^2 / (1 - h_g),

        V  = sum_g e_g^2 / (1 - h_g) / n^2
        df = 1 / (sum_g h_g^2 + sum_{g != k} b_g b_k)

    Both use independent errors of equal variance as the working model. With one task a cluster V is
    s^2 / n and df is n - 1: Student's t.

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
        return not_estimable(METHOD, f"needs two clusters, got {len(labels)}", estimate)
    share = np.bincount(unit) / len(d)
    apart = np.bincount(unit, weights=d - estimate)
    if np.abs(apart).max() < 1e-12:
        return not_estimable(METHOD, "every cluster has the same mean contrast", estimate)
    se = sqrt(float((apart**2 / (1 - share)).sum())) / len(d)
    b = share**2 / (1 - share)
    df = 1 / float((share**2).sum() + b.sum() ** 2 - (b**2).sum())
    half = float(t.isf(alpha / 2, df)) * se
    p = 2 * float(t.sf(abs(estimate) / se, df))
    note = f"{len(labels)} clusters, {df:.1f} degrees of freedom"
    return Reading(METHOD, estimate, estimate - half, estimate + half, p, note)
