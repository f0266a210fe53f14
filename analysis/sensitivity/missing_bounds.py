"""Extreme imputation: every missing trial against the estimate, and every one for it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from loadbearing.analysis.inference.interval import plus_two_sample, t_interval
from loadbearing.analysis.sensitivity.method import Reading, not_estimable
from loadbearing.analysis.sensitivity.trial_scores import Cells, WeightedCell

AGAINST, FOR = "missing against it", "missing for it"


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
    known = [(here, _planned(here)) for here in (cell.at(played) for cell in cells)]
    n_missing = sum(int((rows - cell.trials).sum()) for cell, rows in known)
    if not n_missing:
        return ()
    note, found = f"{n_missing} missing trials", []
    for method, good in ((AGAINST, False), (FOR, True)):
        d = np.zeros(int(played.sum()))
        for cell, rows in known:
            filled = float((cell.weight > 0) == good)
            d += cell.weight * (cell.totals + filled * (rows - cell.trials)) / rows
        found.append(_reading(method, d, units[played], repeats, alpha, note))
    return tuple(found)


def _planned(cell: WeightedCell) -> NDArray[np.int64]:
    """Trials that each task was to have: those in the table, or as many as the others where it has none."""
    there = cell.rows[cell.rows > 0]
    return np.where(cell.rows > 0, cell.rows, int(np.median(there)) if len(there) else 1)


def _reading(
    method: str, d: NDArray[np.float64], units: NDArray[np.int64], repeats: int, alpha: float, note: str
) -> Reading:
    estimate = float(d.mean())
    if len(np.unique(units)) < 2:
        return not_estimable(method, f"needs two clusters; {note}", estimate)
    low, high = t_interval(plus_two_sample(d, units, repeats), alpha)
    return Reading(method, estimate, low, high, None, note)
