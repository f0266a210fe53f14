"""The interval for these tasks only: repeats vary, the tasks are taken as given."""

from __future__ import annotations

from math import sqrt

import numpy as np

from loadbearing.analysis.sensitivity.method import Reading, not_estimable
from loadbearing.analysis.sensitivity.trial_scores import Cells, per_task

METHOD = "only these tasks"


def these_tasks(cells: Cells, alpha: float) -> Reading:
    """Variance sum_i w_i^2 / (R_i n^2), with w_i^2 the variance of a task's contrast between repeats.

    It answers what more repeats of the same tasks would show; the primary interval answers for tasks
    like these and is wider. w_i^2 comes from the contrast repeat by repeat, which keeps what the cells
    of a repeat share (a common seed, one answer to identical prompts). A task with fewer than two
    complete repeats takes the mean w^2 of the others.

    Args:
        cells: the cells of the contrast; tasks without a score in one of them are left out.
        alpha: the interval holds 1 - alpha, Student's t with Satterthwaite's degrees of freedom.

    Source: Miller 2024 (arXiv 2411.00640), resampling; STATISTICS 1.
    """
    from scipy.stats import t

    d = per_task(cells)
    known = ~np.isnan(d)
    estimate = float(d[known].mean()) if known.any() else None
    width = min(cell.scores.shape[1] for cell in cells)
    by_repeat = sum(cell.weight * cell.at(known).scores[:, :width] for cell in cells)
    complete = ~np.isnan(np.asarray(by_repeat))
    count = complete.sum(axis=1)
    several = count >= 2
    if estimate is None or not several.any():
        return not_estimable(METHOD, "needs two repeats of a task", estimate)
    within = np.nanvar(np.asarray(by_repeat)[several], axis=1, ddof=1)
    if not (within > 1e-12).any():
        return not_estimable(METHOD, "no repeat differs from another", estimate)
    n = len(count)
    # a cell that lost a trial adds its part of the variance over the trials that it has left
    parts = np.array([cell.weight**2 for cell in cells])
    per_trial = parts @ np.array([1 / cell.at(known).trials for cell in cells]) / parts.sum()
    variances = within * per_trial[several] / n**2
    others = float(within.mean()) * float(per_trial[~several].sum()) / n**2
    total = float(variances.sum()) + others
    df = float(variances.sum()) ** 2 / float((variances**2 / (count[several] - 1)).sum())
    half = float(t.isf(alpha / 2, df)) * sqrt(total)
    p = 2 * float(t.sf(abs(estimate) / sqrt(total), df))
    return Reading(METHOD, estimate, estimate - half, estimate + half, p, "says nothing about other tasks")
