"""Whether any contrast differs between tasks, where labels cannot simply trade places."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from loadbearing.analysis.behaviour.cancellation import Cancellation, mean_high, without_repeats, worded

Weighted = tuple[float, NDArray[np.float64]]
"""Weight of a cell, and its scores, shape (n_tasks, repeats), NaN where there is none."""


def spread(
    cells: Sequence[Weighted], units: NDArray[np.int64], margin: float, alpha: float, paired: bool = False
) -> Cancellation:
    """Test whether a contrast of several cells varies between tasks, and bound its mean size.

    As `cancellation`: (d - mean d)^2 n/(n-1) - w averages to the variance between tasks. In a contrast of
    four cells no relabelling leaves the common difference alone, so the figure over its standard error is
    held against Student's t, one-sided. It errs on the safe side: .02 to .04 false alarms at .05 for 30 to
    185 tasks, 2 to 5 repeats, base rates .5 to .95 (1,000 tables each).

    Args:
        cells: each cell of the contrast once, all on the same tasks.
        units: index of the unit of each task, shape (n_tasks,).
        margin: smallest effect that matters, in points of score.
        alpha: error rate.
        paired: trials of one repeat share a bank; w is then the variance of the repeats' contrasts.

    Source: STATISTICS 0c.3.
    """
    from scipy.stats import t

    reach = max(sum(w for w, _ in cells if w > 0), -sum(w for w, _ in cells if w < 0))
    known = np.all([(~np.isnan(scores)).any(axis=1) for _, scores in cells], axis=0)
    if len(np.unique(units[known])) < 2:
        return without_repeats(None, 0, margin)
    d = np.sum([w * np.nanmean(scores[known], axis=1) for w, scores in cells], axis=0)
    high = mean_high(np.abs(d) / reach, units[known], alpha) * reach
    noise, repeated = _noise([(w, scores[known]) for w, scores in cells], paired)
    n = int(repeated.sum())
    if n < 2:
        return without_repeats(high, n, margin)
    each = (d[repeated] - d[repeated].mean()) ** 2 * (n / (n - 1)) - noise[repeated]
    error = float(each.std(ddof=1)) / sqrt(n)
    variance = float(each.mean())
    p = float(t.sf(variance / error, n - 1)) if error > 1e-12 else float(variance <= 1e-12)
    sd = sqrt(max(0.0, variance))
    return Cancellation(p, sd, high, n, *worded(p, sd, high, margin, alpha))


def _noise(cells: Sequence[Weighted], paired: bool) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Variance of each task's contrast over its repeats, and the tasks that have two of them."""
    if paired:
        whole = np.sum([w * scores for w, scores in cells], axis=0)
        cells = ((1.0, whole),)
    repeated = np.all([(~np.isnan(scores)).sum(axis=1) > 1 for _, scores in cells], axis=0)
    total = np.zeros(len(repeated))
    for w, scores in cells:
        rows = scores[repeated]
        total[repeated] += w**2 * np.nanvar(rows, axis=1, ddof=1) / (~np.isnan(rows)).sum(axis=1)
    return total, np.asarray(repeated)
