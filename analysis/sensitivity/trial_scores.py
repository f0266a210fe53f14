"""Trial-level scores of the cells of one contrast."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class WeightedCell:
    """One cell of a contrast, with all its trials.

    Args:
        weight: in the contrast, not zero.
        scores: in [0, 1], shape (n_tasks, repeats); NaN is an error or was never played.
        rows: trials that the table holds of each task, errors among them, shape (n_tasks,).
    """

    weight: float
    scores: NDArray[np.float64]
    rows: NDArray[np.int64]

    @property
    def trials(self) -> NDArray[np.int64]:
        """Scored trials of each task, shape (n_tasks,)."""
        return np.asarray((~np.isnan(self.scores)).sum(axis=1), dtype=np.int64)

    @property
    def totals(self) -> NDArray[np.float64]:
        """Sum of each task's scores, shape (n_tasks,); zero without any."""
        return np.asarray(np.nansum(self.scores, axis=1), dtype=np.float64)

    @property
    def means(self) -> NDArray[np.float64]:
        """Mean of each task's scores, shape (n_tasks,); NaN without any."""
        trials = self.trials
        return self.totals / np.where(trials > 0, trials, np.nan)

    def at(self, tasks: NDArray[np.bool_]) -> WeightedCell:
        """The cell on some tasks."""
        return WeightedCell(self.weight, self.scores[tasks], self.rows[tasks])


Cells = Sequence[WeightedCell]


def per_task(cells: Cells) -> NDArray[np.float64]:
    """The contrast of each task, shape (n_tasks,); NaN where one of the cells has no score."""
    total = np.zeros(len(cells[0].scores))
    for cell in cells:
        total = total + cell.weight * cell.means
    return total
