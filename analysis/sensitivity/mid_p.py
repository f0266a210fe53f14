"""Sign flip with mid-p: the primary test without what ties cost it among few tasks."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from loadbearing.analysis.inference.sign_flip import flip_test, unit_sums
from loadbearing.analysis.sensitivity.method import Reading, not_estimable

METHOD = "sign flip, mid-p"


def mid_p(d: NDArray[np.float64], units: NDArray[np.int64], flips: int, rng: np.random.Generator) -> Reading:
    """Half the weight on sign vectors with the observed sum.

    Args:
        d: one contrast a task, shape (n_tasks,), nothing missing.
        units: index of the cluster of each task, counted from 0, shape (n_tasks,).
        flips: sign vectors when there are too many to enumerate.
        rng: their source; that of a family's test gives a family of one column its own sign vectors.
    """
    estimate = float(d.mean()) if len(d) else None
    if estimate is None or len(np.unique(units)) < 2:
        return not_estimable(METHOD, "needs two clusters", estimate)
    if not unit_sums(d[:, None], units).any():
        return Reading(METHOD, estimate, None, None, 1.0, "no unit differs")
    p = float(flip_test(d[:, None], units, flips, rng).p_mid[0])
    return Reading(METHOD, estimate, None, None, p)
