"""What a method of sensitivity gets and gives; and those that need the trials: GEE, McNemar, these tasks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Literal

import numpy as np

from memtrial.analysis.arrays import Bools, Floats, Ints

Scale = Literal["score", "log-odds"]


@dataclass(frozen=True, slots=True)
class MethodEstimate:
    """One method's answer on `scale`: estimate, 1 - alpha interval and two-sided p-value against zero.

    A number is finite, or None where the method has none; `note` is what it rests on, or why it says nothing.
    `least_p` is the least p that the method's draws can show; None where it draws nothing.
    """

    method: str
    estimate: float | None
    low: float | None = None
    high: float | None = None
    p: float | None = None
    note: str = ""
    scale: Scale = "score"
    least_p: float | None = None

    @property
    def excludes_zero(self) -> bool | None:
        if self.low is None or self.high is None:
            return None
        return self.low > 0 or self.high < 0


def not_estimable(
    method: str, why: str, estimate: float | None = None, scale: Scale = "score"
) -> MethodEstimate:
    """A reading without interval and p-value; its note says why."""
    return MethodEstimate(method, estimate, note=f"not estimable: {why}", scale=scale)


@dataclass(frozen=True, slots=True, eq=False)
class WeightedCell:
    """One cell of a contrast, with all its trials.

    Args:
        weight: in the contrast, not zero.
        scores: in [0, 1], shape (n_tasks, repeats); NaN is an error or was never played.
        rows: trials that the table holds of each task, errors among them, shape (n_tasks,).
    """

    weight: float
    scores: Floats
    rows: Ints

    @property
    def trials(self) -> Ints:
        return np.asarray((~np.isnan(self.scores)).sum(axis=1), dtype=np.int64)

    @property
    def totals(self) -> Floats:
        return np.asarray(np.nansum(self.scores, axis=1), dtype=np.float64)

    def at(self, tasks: Bools) -> WeightedCell:
        return WeightedCell(self.weight, self.scores[tasks], self.rows[tasks])


Cells = Sequence[WeightedCell]


def keep_scored(cells: Cells, units: Ints) -> tuple[Cells, Ints]:
    """Cells and units on the tasks that have a score in every cell."""
    known = np.all([cell.trials > 0 for cell in cells], axis=0)
    return [cell.at(known) for cell in cells], units[known]


GEE_LOGIT, MCNEMAR, THESE_TASKS = "GEE logit, bias-reduced", "McNemar, exact", "only these tasks"


def gee_logit(cells: Cells, units: Ints, alpha: float) -> MethodEstimate:
    """The contrast of the cells' log-odds over all trials, with Mancl and DeRouen's covariance.

    For a contrast of drops this is the arm x condition interaction of a logistic model, for a drop or a
    utility its effect. Scores between 0 and 1 are fractional responses. The model has one coefficient a cell
    and independence as working correlation. Not estimable if a cell holds only failures or only successes,
    or with a single cluster.

    So the log-odds of the cells solve the equations, and of a cluster only the sum of its residuals in each
    cell counts, over 1 - its share of the cell's trials.

    Source: Liang & Zeger 1986; Mancl & DeRouen 2001, which statsmodels' GEE gives as well.
    """
    from scipy.special import ndtr, ndtri

    clusters = len(np.unique(units))
    if clusters < 2:
        return not_estimable(GEE_LOGIT, f"needs two clusters, got {clusters}", scale="log-odds")
    shares = np.array([cell.totals.sum() / cell.trials.sum() for cell in cells])
    if ((shares < 1e-12) | (shares > 1 - 1e-12)).any():
        only = "failures" if shares.min() < 1e-12 else "successes"
        return not_estimable(GEE_LOGIT, f"a cell holds only {only}: infinite log-odds", scale="log-odds")
    if any(cell.trials[units != units[np.argmax(cell.trials)]].sum() == 0 for cell in cells):
        return not_estimable(GEE_LOGIT, "a cell was played in one cluster alone", scale="log-odds")
    weights = np.array([cell.weight for cell in cells])
    estimate = float(weights @ np.log(shares / (1 - shares)))
    _, unit = np.unique(units, return_inverse=True)
    left = np.zeros(clusters)
    for cell, share in zip(cells, shares, strict=True):
        totals, trials = (np.bincount(unit, values) for values in (cell.totals, cell.trials))
        n = trials.sum()
        left += cell.weight * (totals - share * trials) / (1 - trials / n) / (n * share * (1 - share))
    variance = float(left @ left)
    if not variance > 1e-24:
        return not_estimable(GEE_LOGIT, "no cluster differs from another", estimate, "log-odds")
    half = -float(ndtri(alpha / 2)) * sqrt(variance)
    p_value = 2 * float(ndtr(-abs(estimate) / sqrt(variance)))
    note = f"{clusters} clusters"
    return MethodEstimate(GEE_LOGIT, estimate, estimate - half, estimate + half, p_value, note, "log-odds")


def one_scale_only(points: MethodEstimate, odds: MethodEstimate) -> str:
    """A sentence where points of score and log-odds disagree about an effect; empty where they agree.

    Source: STATISTICS 0b.2.
    """
    there, here = points.excludes_zero, odds.excludes_zero
    if there is None or here is None or points.estimate is None or odds.estimate is None:
        return ""
    if there != here:
        holds, fails = ("points of score", "log-odds") if there else ("log-odds", "points of score")
        return f"holds on one scale only: in {holds}, not in {fails}"
    if there and (points.estimate > 0) != (odds.estimate > 0):
        return "points of score and log-odds show effects of opposite sign"
    return ""


def mcnemar(cells: Cells, units: Ints) -> MethodEstimate | None:
    """McNemar's exact test on the tasks that one cell solved and the other did not.

    None where it does not apply: other than two cells of weights +1 and -1, more than one trial a cell, a
    score between 0 and 1, or tasks that share a cluster.

    Source: McNemar 1947. It is the sign flip on such tables.
    """
    if sorted(cell.weight for cell in cells) != [-1, 1] or len(np.unique(units)) < len(units):
        return None
    first, second = sorted(cells, key=lambda cell: -cell.weight)
    if not all((cell.trials == 1).all() and np.isin(cell.totals, (0, 1)).all() for cell in cells):
        return None
    from statsmodels.stats.contingency_tables import mcnemar as test

    b = int((first.totals > second.totals).sum())
    c = int((first.totals < second.totals).sum())
    p = float(test(np.array([[0, b], [c, 0]]), exact=True).pvalue)
    return MethodEstimate(MCNEMAR, (b - c) / len(units), p=p, note=f"discordant tasks: b = {b}, c = {c}")


def these_tasks(cells: Cells, alpha: float) -> MethodEstimate:
    """Inference for these tasks only, where repeats alone vary: variance sum_i w_i^2 / (R_i n^2).

    It answers what more repeats of the same tasks would show. w_i^2 is the variance of a task's contrast
    between repeats, which keeps what the cells of a repeat share; a task with fewer than two complete
    repeats takes the mean of the others. Student's t with Satterthwaite's degrees of freedom.

    Source: Miller 2024 (arXiv 2411.00640), resampling; STATISTICS 1.
    """
    from scipy.special import stdtr, stdtrit  # what `scipy.stats.t` calls, at a tenth of its time

    estimate = float(np.mean(sum(cell.weight * cell.totals / cell.trials for cell in cells)))
    by_repeat = np.asarray(sum(cell.weight * cell.scores for cell in cells))
    count = (~np.isnan(by_repeat)).sum(axis=1)
    several = count >= 2
    if not several.any():
        return not_estimable(THESE_TASKS, "needs two repeats of a task", estimate)
    within = np.nanvar(by_repeat[several], axis=1, ddof=1)
    if not (within > 1e-12).any():
        return not_estimable(THESE_TASKS, "no repeat differs from another", estimate)
    n = len(count)
    # each cell's part of the variance is divided by the trials that were scored
    parts = np.array([cell.weight**2 for cell in cells])
    per_trial = parts @ np.array([1 / cell.trials for cell in cells]) / parts.sum()
    variances = within * per_trial[several] / n**2
    others = float(within.mean()) * float(per_trial[~several].sum()) / n**2
    se = sqrt(float(variances.sum()) + others)
    df = float(variances.sum()) ** 2 / float((variances**2 / (count[several] - 1)).sum())
    half = -float(stdtrit(df, alpha / 2)) * se
    p = 2 * float(stdtr(df, -abs(estimate) / se))
    note = "says nothing about other tasks"
    return MethodEstimate(THESE_TASKS, estimate, estimate - half, estimate + half, p, note)
