"""The task x cell means of one backbone, and the trials behind them."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

Cell = tuple[str, str]
"""Arm and condition: the level at which repeats are averaged."""


@dataclass(frozen=True, slots=True, eq=False)
class CellTable:
    """The cells of one backbone, averaged over repeats.

    Args:
        tasks: all tasks of the outcome table, sorted; the same for every backbone.
        clusters: the cluster of each task, in the same order.
        cells: the columns.
        means: mean score over the repeats that have one, shape (n_tasks, n_cells); NaN where none has.
        trials: number of rows behind each mean, errors among them, same shape.
        errors: how many of those rows are errors, same shape.
        single: every trial, by the index of its `column`, `at` (task) and `within` (repeat), with its score.
    """

    tasks: tuple[str, ...]
    clusters: tuple[str, ...]
    cells: tuple[Cell, ...]
    means: NDArray[np.float64]
    trials: NDArray[np.int64]
    errors: NDArray[np.int64]
    single: pl.DataFrame

    @property
    def repeats(self) -> int:
        """Repeats planned for a cell: the most rows that any cell has, at least 1."""
        return max(1, int(self.trials.max(initial=0)))

    @property
    def played(self) -> NDArray[np.bool_]:
        """Tasks with at least one row of this backbone, shape (n_tasks,)."""
        return np.asarray(self.trials.any(axis=1))

    def mean(self, cell: Cell) -> NDArray[np.float64]:
        """One cell's mean per task, shape (n_tasks,); all NaN for a cell that was never played."""
        if cell not in self.cells:
            return np.full(len(self.tasks), np.nan)
        return self.means[:, self.cells.index(cell)]

    def scores(self, cell: Cell) -> NDArray[np.float64]:
        """One cell's trial scores, shape (n_tasks, repeats), one column a repeat.

        Where cells number their repeats apart, a task's trials stand in their order. NaN is an error of
        the infrastructure, or a trial that was never played.

        Raises:
            ValueError: the table does not hold single trials, as a mean over backbones does not.
        """
        if self.single.height != self.trials.sum():
            raise ValueError("single trials are needed; this table holds means over several backbones")
        shown = np.full((len(self.tasks), self.repeats), np.nan)
        if cell in self.cells:
            here = self.single.filter(pl.col("column") == self.cells.index(cell))
            shown[here["at"].to_numpy(), here["within"].to_numpy()] = here["score"].to_numpy()
        return shown

    def bounds(self, cell: Cell) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The mean per task if every error had scored 0, and if every error had scored 1.

        NaN only where the cell has no row at all.
        """
        if cell not in self.cells:
            return self.mean(cell), self.mean(cell)
        column = self.cells.index(cell)
        rows, errors = self.trials[:, column], self.errors[:, column]
        scored = np.where(rows > errors, self.means[:, column], 0.0) * (rows - errors)
        count = np.where(rows > 0, rows, np.nan)
        return scored / count, (scored + errors) / count


def averaged(trials: pl.DataFrame, clusters: Mapping[str, str]) -> CellTable:
    """Average one backbone's trials over repeats; errors are counted and never averaged.

    Args:
        clusters: the cluster of every task of the outcome table, in the order wanted.
    """
    tasks = tuple(clusters)
    cells = trials.select("arm", "condition").unique(maintain_order=True)
    rows = trials.join(
        cells.with_row_index("column"), on=["arm", "condition"], how="left", maintain_order="left"
    ).with_columns(pl.col("task").cast(pl.Enum(tasks)).to_physical().alias("at"))
    score, lost = rows["score"].to_numpy(), rows["score"].is_null().to_numpy()
    shape, size = (len(tasks), cells.height), len(tasks) * cells.height
    flat = rows["at"].to_numpy().astype(np.int64) * cells.height + rows["column"].to_numpy()
    counts = np.bincount(flat, minlength=size).reshape(shape)
    errors = np.bincount(flat[lost], minlength=size).reshape(shape)
    total = np.bincount(flat, np.where(lost, 0.0, score), size).reshape(shape)
    scored = counts - errors
    # repeats numbered anew in every task have no common place
    common = rows["repeat"].n_unique() <= counts.max(initial=0)
    repeat = pl.col("repeat")
    place = repeat.rank("dense") if common else repeat.rank("ordinal").over("column", "at")
    return CellTable(
        tasks=tasks,
        clusters=tuple(clusters.values()),
        cells=tuple(cells.rows()),
        means=total / np.where(scored > 0, scored, np.nan),
        trials=counts,
        errors=errors,
        single=rows.select("column", "at", (place - 1).alias("within"), "score"),
    )
