"""Extreme imputation: every missing trial against the estimate, and every one for it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from loadbearing.analysis.inference.interval import plus_two_sample, t_interval
from loadbearing.analysis.sensitivity.method import Reading, not_estimable
from loadbearing.analysis.sensitivity.trial_scores import Cells, WeightedCell

AGAINST = "missing against it"
FOR = "missing for it"


def missing_bounds(cells: Cells, units: NDArray[np.int64], repeats: int, alpha: float) -> tuple[Reading, ...]:
    """Estimate and plus-two interval with each missing trial scored 0 or 1 as it hurts, or helps, most.

    Missing is an error, and a task without a row in one of the cells; a repeat that other tasks have and
    this one never had is not. Tasks without a score in any of the cells were not played and stay
    out; a task that has one in some cells counts with all of them.

    Args:
        cells: the cells of the contrast.
        units: index of the cluster of each task, any integers, shape (n_tasks,).
        repeats: trials behind a cell's mean, for the pseudo tasks.
        alpha: the intervals hold 1 - alpha.

    Returns:
        the reading against, then the one for; none where no trial is missing.

    Source: Manski 1990; STATISTICS 1 (boundary cases).
    """
    played = np.any([cell.trials > 0 for cell in cells], axis=0)
    if not played.any():
        return ()
    known = [cell.at(played) for cell in cells]
    planned = [_planned(cell) for cell in known]
    n_missing = sum(int((rows - cell.trials).sum()) for cell, rows in zip(known, planned, strict=True))
    if not n_missing:
        return ()
    note = f"{n_missing} missing trials"
    return tuple(
        _reading(method, _imputed(known, planned, good), units[played], repeats, alpha, note)
        for method, good in ((AGAINST, False), (FOR, True))
    )


def _planned(cell: WeightedCell) -> NDArray[np.int64]:
    """Trials that each task was to have, at least one: those that stand in the table, errors among them.

    A task that the cell has no row of was to have as many as the others.
    """
    if cell.rows is None:
        some = int((~np.isnan(cell.scores)).any(axis=0).sum())
        return np.full(len(cell.scores), max(some, 1), dtype=np.int64)
    there = cell.rows[cell.rows > 0]
    typical = int(np.median(there)) if len(there) else 1
    return np.where(cell.rows > 0, cell.rows, typical)


def _imputed(cells: Cells, planned: Sequence[NDArray[np.int64]], good: bool) -> NDArray[np.float64]:
    """The contrast of each task with missing trials at 1 where that is good for it."""
    total = np.zeros(len(cells[0].scores))
    for cell, rows in zip(cells, planned, strict=True):
        filled = float((cell.weight > 0) == good)
        total = total + cell.weight * (cell.totals + filled * (rows - cell.trials)) / rows
    return total


def _reading(
    method: str, d: NDArray[np.float64], units: NDArray[np.int64], repeats: int, alpha: float, note: str
) -> Reading:
    estimate = float(d.mean())
    if len(np.unique(units)) < 2:
        return not_estimable(method, f"needs two clusters; {note}", estimate)
    low, high = t_interval(plus_two_sample(d, units, repeats), alpha)
    return Reading(method, estimate, low, high, None, note)
