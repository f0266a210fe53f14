"""The contrast of cell means on the scale of log-odds, and whether a result holds on one scale only."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from loadbearing.analysis.inference.bootstrap import bootstrap_means, bootstrap_p, percentile_interval
from loadbearing.analysis.sensitivity.method import Reading, not_estimable
from loadbearing.analysis.sensitivity.trial_scores import Cells, per_task

METHOD = "log-odds of means, bootstrap"

_LOST = 0.01  # share of draws that may have a cell at 0 or 1


def logit_scale(
    cells: Cells, units: NDArray[np.int64], alpha: float, draws: int, rng: np.random.Generator
) -> Reading:
    """Weighted sum of logit(mean over tasks) of the cells, with a percentile cluster bootstrap.

    Each task weighs the same; GEE weighs trials. A drop of 10 points from .95 and one from .5 are equal
    in points and differ in log-odds: a contrast that holds on one scale only is a matter of the scale.

    Args:
        cells: the cells of the contrast; tasks without a score in one of them are left out.
        units: index of the cluster of each task, any integers, shape (n_tasks,).
        alpha: the interval holds 1 - alpha.
        draws: bootstrap draws.
        rng: their source.
    """
    known = ~np.isnan(per_task(cells))
    if len(np.unique(units[known])) < 2:
        return not_estimable(METHOD, "needs two clusters", scale="log-odds")
    columns = np.column_stack([cell.at(known).means for cell in cells])
    weights = np.array([cell.weight for cell in cells])
    means = columns.mean(axis=0)
    if not _inside(means).all():
        return not_estimable(METHOD, "a cell holds only failures or only successes", scale="log-odds")
    estimate = float(_logit(means) @ weights)
    drawn = bootstrap_means(columns, units[known], draws, rng)
    good = _inside(drawn).all(axis=1)
    if 1 - good.mean() > _LOST:
        why = f"{1 - good.mean():.0%} of the draws hold a cell of only failures or only successes"
        return not_estimable(METHOD, why, estimate, "log-odds")
    sums = _logit(drawn[good]) @ weights
    if np.ptp(sums) < 1e-12:
        return not_estimable(METHOD, "no cluster differs from another", estimate, "log-odds")
    low, high = percentile_interval(sums[:, None], alpha)[:, 0]
    return Reading(METHOD, estimate, float(low), float(high), bootstrap_p(sums), "", "log-odds")


def one_scale_only(points: Reading, odds: Reading) -> str | None:
    """A sentence where points of score and log-odds disagree about an effect; None where they agree.

    Args:
        points: a reading in points of score.
        odds: a reading of the same contrast in log-odds.
    """
    there, here = points.excludes_zero, odds.excludes_zero
    if there is None or here is None or points.estimate is None or odds.estimate is None:
        return None
    if there and here:
        same = (points.estimate > 0) == (odds.estimate > 0)
        return None if same else "points of score and log-odds show effects of opposite sign"
    if there:
        return "holds on one scale only: in points of score, not in log-odds"
    if here:
        return "holds on one scale only: in log-odds, not in points of score"
    return None


def _inside(means: NDArray[np.float64]) -> NDArray[np.bool_]:
    return np.asarray((means > 1e-12) & (means < 1 - 1e-12))


def _logit(means: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(np.log(means) - np.log1p(-means))
