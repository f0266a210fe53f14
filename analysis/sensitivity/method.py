"""Input and output of a sensitivity method: the trials of a contrast's cells, and its answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Scale = Literal["score", "log-odds"]
Floats = NDArray[np.float64]
Units = NDArray[np.int64]
"""Index of the cluster of each task, any integers, shape (n_tasks,)."""


@dataclass(frozen=True, slots=True)
class Reading:
    """One method's answer on `scale`: estimate, 1 - alpha interval and two-sided p-value against zero.

    A number is finite, or None where the method has none; `note` is what it rests on, or why it says nothing.
    """

    method: str
    estimate: float | None
    low: float | None = None
    high: float | None = None
    p: float | None = None
    note: str = ""
    scale: Scale = "score"

    @property
    def excludes_zero(self) -> bool | None:
        if self.low is None or self.high is None:
            return None
        return self.low > 0 or self.high < 0


def not_estimable(method: str, why: str, estimate: float | None = None, scale: Scale = "score") -> Reading:
    """A reading without interval and p-value; its note says why."""
    return Reading(method, estimate, note=f"not estimable: {why}", scale=scale)


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
    rows: NDArray[np.int64]

    @property
    def trials(self) -> NDArray[np.int64]:
        return np.asarray((~np.isnan(self.scores)).sum(axis=1), dtype=np.int64)

    @property
    def totals(self) -> Floats:
        return np.asarray(np.nansum(self.scores, axis=1), dtype=np.float64)

    def at(self, tasks: NDArray[np.bool_]) -> WeightedCell:
        return WeightedCell(self.weight, self.scores[tasks], self.rows[tasks])


Cells = Sequence[WeightedCell]


def scored(cells: Cells, units: Units) -> tuple[Cells, Units]:
    """Cells and units on the tasks that have a score in every cell."""
    known = np.all([cell.trials > 0 for cell in cells], axis=0)
    return [cell.at(known) for cell in cells], units[known]
