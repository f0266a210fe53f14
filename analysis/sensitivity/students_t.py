"""Plain Student's t on the task contrasts: the primary interval without its two pseudo tasks."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from loadbearing.analysis.sensitivity.method import Reading, not_estimable

METHOD = "t"


def students_t(d: NDArray[np.float64], alpha: float) -> Reading:
    """Mean of the task contrasts with n - 1 degrees of freedom; tasks are taken as independent.

    Args:
        d: one contrast a task, shape (n_tasks,), nothing missing.
        alpha: the interval holds 1 - alpha.

    Source: Student 1908; with one task a cluster the same as CR2 (analysis/sensitivity/cr2.py).
    """
    from statsmodels.stats.weightstats import DescrStatsW

    if len(d) < 2:
        return not_estimable(METHOD, f"needs two tasks, got {len(d)}", float(d.mean()) if len(d) else None)
    if np.ptp(d) < 1e-12:
        return not_estimable(METHOD, "every task has the same contrast", float(d[0]))
    sample = DescrStatsW(d)
    low, high = sample.tconfint_mean(alpha=alpha)
    _, p, _ = sample.ttest_mean(0.0)
    return Reading(METHOD, float(d.mean()), float(low), float(high), float(p), "tasks taken as independent")
