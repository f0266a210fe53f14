"""Every method on one estimate, side by side; those here need one contrast a task. No verdict rests on it."""

from dataclasses import replace
from math import sqrt

import numpy as np

from memtrial.analysis.analysis_plan import AnalysisPlan
from memtrial.analysis.arrays import Floats, Ints, Rng
from memtrial.analysis.estimands.contrast import Contrast
from memtrial.analysis.inference.contrast_inference import units_of
from memtrial.analysis.inference.interval import t_interval, unit_sample
from memtrial.analysis.sensitivity.method import (
    Cells,
    MethodEstimate,
    WeightedCell,
    gee_logit,
    keep_scored,
    mcnemar,
    not_estimable,
    one_scale_only,
    these_tasks,
)
from memtrial.ledger.random_streams import Stream, generator
from memtrial.outcomes.outcomes import CellTable

CR2, BOOTSTRAP = "linear model, CR2", "bootstrap, percentile"


def cr2(d: Floats, units: Ints, alpha: float) -> MethodEstimate:
    """The linear probability model, score ~ arm x condition, with bias-reduced cluster covariance.

    On a balanced table its contrast has the estimate, standard error and degrees of freedom of the mean of
    the task contrasts in the model d ~ 1, which needs no matrix: see `unit_sample`. With one task a cluster
    it is Student's t. (statsmodels has only CR1.)

    Args:
        d: one contrast a task, shape (n_tasks,), at least one and nothing missing.

    Source: Bell & McCaffrey 2002; Pustejovsky & Tipton 2018. Checked against R clubSandwich.
    """
    from scipy.special import stdtr, stdtrit  # what `scipy.stats.t` calls, at a tenth of its time

    estimate = float(d.mean())
    labels, unit = np.unique(units, return_inverse=True)
    if len(labels) < 2:
        return not_estimable(CR2, f"needs two clusters, got {len(labels)}", estimate)
    share = np.bincount(unit) / len(d)
    apart = np.bincount(unit, weights=d - estimate)
    if np.abs(apart).max() < 1e-12:
        return not_estimable(CR2, "every cluster has the same mean contrast", estimate)
    se = sqrt(float((apart**2 / (1 - share)).sum())) / len(d)
    b = share**2 / (1 - share)
    df = 1 / float((share**2).sum() + b.sum() ** 2 - (b**2).sum())
    half = -float(stdtrit(df, alpha / 2)) * se
    p = 2 * float(stdtr(df, -abs(estimate) / se))
    note = f"{len(labels)} clusters, {df:.1f} degrees of freedom"
    return MethodEstimate(CR2, estimate, estimate - half, estimate + half, p, note)


def cluster_bootstrap(d: Floats, units: Ints, alpha: float, draws: int, rng: Rng) -> MethodEstimate:
    """Bootstrap over clusters. Too narrow below 50 clusters: error .065 instead of .05 (STATISTICS 1)."""
    estimate = float(d.mean())
    if len(np.unique(units)) < 2:
        return not_estimable(BOOTSTRAP, "needs two clusters", estimate)
    drawn = bootstrap_means(d, units, draws, rng)
    if np.ptp(drawn) < 1e-12:
        return not_estimable(BOOTSTRAP, "every cluster has the same mean contrast", estimate)
    ends, p = percentile_interval(drawn, alpha), bootstrap_p(drawn)
    return MethodEstimate(BOOTSTRAP, estimate, *ends, p, least_p=2 / (draws + 1))


def missing_bounds(cells: Cells, units: Ints, repeats: int, alpha: float) -> tuple[MethodEstimate, ...]:
    """Estimate and interval with each missing trial scored 0 or 1, all against it, then all for it.

    Errors count as missing, and so do the trials of a cell in which a task has no row; a repeat that only
    other tasks have, and a task without any score, do not. Empty where no trial is missing.

    Source: Manski 1990; STATISTICS 1 (boundary cases).
    """
    played = np.any([cell.trials > 0 for cell in cells], axis=0)
    known = [(here, _planned_trials(here)) for here in (cell.at(played) for cell in cells)]
    n_missing = sum(int((rows - cell.trials).sum()) for cell, rows in known)
    if not n_missing:
        return ()
    weights = np.array([cell.weight for cell in cells])
    bounds = float(weights[weights < 0].sum()), float(weights[weights > 0].sum())
    note, worst_cases = f"{n_missing} missing trials", list[MethodEstimate]()
    for method, good in (("missing against it", False), ("missing for it", True)):
        d = np.zeros(int(played.sum()))
        for cell, rows in known:
            filled = float((cell.weight > 0) == good)
            d += cell.weight * (cell.totals + filled * (rows - cell.trials)) / rows
        estimate = float(d.mean())
        if len(np.unique(units[played])) < 2:
            worst_cases.append(not_estimable(method, f"needs two clusters; {note}", estimate))
        else:
            low, high = t_interval(unit_sample(d, units[played], repeats, bounds), alpha)
            worst_cases.append(MethodEstimate(method, estimate, low, high, None, note))
    return tuple(worst_cases)


def _planned_trials(cell: WeightedCell) -> Ints:
    """Planned trials of each task: its rows, or the median of the other tasks if it has none."""
    there = cell.rows[cell.rows > 0]
    return np.where(cell.rows > 0, cell.rows, int(np.median(there)) if len(there) else 1)


DRAWS = 9_999


def readings(
    contrast: Contrast, table: CellTable, plan: AnalysisPlan, index: int
) -> tuple[MethodEstimate, ...]:
    """All readings of a utility, a drop or a contrast of drops; methods that do not apply are left out.

    `table` holds single trials of one backbone; the random stream depends on `index`.
    """
    d, units, repeats = contrast.per_task(table), units_of(table), contrast.repeats(table)
    d = d[~np.isnan(d)]
    if not len(d):
        return ()
    cells = [
        WeightedCell(weight, table.scores(cell), table.trials[:, table.cells.index(cell)])
        for cell, weight in contrast.weights
    ]
    whole, unit = keep_scored(cells, units)
    rng = generator(plan.rules.seed, Stream.SENSITIVITY, index, spawn_key=(0, 1))
    points, odds = cr2(d, unit, plan.rules.alpha), gee_logit(whole, unit, plan.rules.alpha)
    warning = one_scale_only(points, odds)
    estimates = [
        points,
        cluster_bootstrap(d, unit, plan.rules.alpha, DRAWS, rng),
        replace(odds, note=f"{odds.note}; {warning}") if warning else odds,
        mcnemar(whole, unit),
        these_tasks(whole, plan.rules.alpha),
        *missing_bounds(cells, units, repeats, plan.rules.alpha),
    ]
    return tuple(reading for reading in estimates if reading is not None)


_PLACES = 1 << 15  # places drawn at a time: few enough to stay in a core's cache
_MANY, _BINOMIAL = 1 << 11, 20
"""From how many units on kinds are drawn; how many units are drawn in the time of one number of a kind."""


def bootstrap_means(contrasts: Floats, units: Ints, draws: int, rng: Rng) -> Floats:
    """Means over tasks when units (tasks or clusters) are drawn with replacement, shape (draws,).

    Many units of few kinds, by sum and size, are drawn by how many there are of each kind: the same
    distribution, at a tenth of the time.

    Args:
        contrasts: one a task, shape (n_tasks,), at least one and nothing missing; each weighs the same.
        units: index of the unit of each task, any integers, same shape.

    Source: Efron & Tibshirani 1993, section 8; Davison & Hinkley 1997, section 3.8 (clusters).
    """
    labels, unit = np.unique(units, return_inverse=True)
    n = len(labels)
    sums, sizes = np.bincount(unit, weights=contrasts), np.bincount(unit).astype(np.float64)
    if n >= _MANY:
        alike = np.column_stack([np.round(sums, 9) + 0.0, sizes])  # as 2/3 - 1/3 and 1/3 are
        _, first, count = np.unique(alike, axis=0, return_index=True, return_counts=True)
        if _BINOMIAL * len(first) <= n:
            numbers = rng.multinomial(n, count / n, size=draws)
            return np.asarray(numbers @ sums[first] / (numbers @ sizes[first]))
    means = np.empty(draws)
    kind = np.uint16 if n <= 1 << 16 else np.int64  # the fewer random bits the faster
    step = max(1, _PLACES // n)
    for start in range(0, draws, step):
        size = min(step, draws - start)
        drawn = rng.integers(0, n, size=(size, n), dtype=kind)
        among = sizes[drawn].sum(axis=1) if np.ptp(sizes) else n * sizes[0]
        means[start : start + size] = sums.take(drawn, mode="clip").sum(axis=1) / among
    return means


def percentile_interval(drawn: Floats, alpha: float) -> tuple[float, float]:
    """The 1 - alpha percentile interval of the draws."""
    low, high = np.quantile(drawn, [alpha / 2, 1 - alpha / 2])
    return float(low), float(high)


def bootstrap_p(drawn: Floats) -> float:
    """Smallest alpha at which the percentile interval leaves zero out; never zero."""
    below, above = int((drawn <= 0).sum()), int((drawn >= 0).sum())
    return min(1.0, 2 * (min(below, above) + 1) / (len(drawn) + 1))
