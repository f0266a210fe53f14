"""Extreme imputation: every missing trial against the estimate, and every one for it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from analysis.interval import plus_two_sample, t_interval
from analysis.sensitivity.reading import Reading, not_estimable
from analysis.sensitivity.trials import Cells, WeightedCell

AGAINST = "missing against it"
FOR = "missing for it"


def missing_bounds(cells: Cells, units: NDArray[np.int64], repeats: int, alpha: float) -> tuple[Reading, ...]:
    """Estimate and plus-two interval with each missing trial scored 0 or 1 as it hurts, or helps, most.

    A cell's repeats are the columns in which any task has a score, so that a cell planned with fewer
    repeats than another misses none. Tasks without a score in any of the cells were not played and stay
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
    planned = [_planned(cell.at(played)) for cell in cells]
    n_missing = sum(int(np.isnan(cell.scores).sum()) for cell in planned)
    if not played.any() or not n_missing:
        return ()
    note = f"{n_missing} missing trials"
    return tuple(
        _reading(method, _imputed(planned, good), units[played], repeats, alpha, note)
        for method, good in ((AGAINST, False), (FOR, True))
    )


def _planned(cell: WeightedCell) -> WeightedCell:
    """Without the repeats that no task has; a cell never played keeps one, all of it missing."""
    some = ~np.isnan(cell.scores).all(axis=0)
    return WeightedCell(cell.weight, cell.scores[:, some] if some.any() else cell.scores[:, :1])


def _imputed(cells: Cells, good: bool) -> NDArray[np.float64]:
    """The contrast of each task with missing trials at 1 where that is good for it."""
    total = np.zeros(len(cells[0].scores))
    for cell in cells:
        filled = np.where(np.isnan(cell.scores), float((cell.weight > 0) == good), cell.scores)
        total = total + cell.weight * filled.mean(axis=1)
    return total


def _reading(
    method: str, d: NDArray[np.float64], units: NDArray[np.int64], repeats: int, alpha: float, note: str
) -> Reading:
    estimate = float(d.mean())
    if len(np.unique(units)) < 2:
        return not_estimable(method, f"needs two clusters; {note}", estimate)
    low, high = t_interval(plus_two_sample(d, units, repeats), alpha)
    return Reading(method, estimate, low, high, None, note)
