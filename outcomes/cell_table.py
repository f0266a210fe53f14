"""The task x cell means of one backbone, and the trials behind them."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from loadbearing.outcomes.columns import Columns, first_rows, joint

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
        by_cell: score of every row by cell, then task, then repeat; NaN for an error, shape (n_rows,).
        nth: the place of each row's repeat, in the same order; empty where cells number theirs apart.
    """

    tasks: tuple[str, ...]
    clusters: tuple[str, ...]
    cells: tuple[Cell, ...]
    means: NDArray[np.float64]
    trials: NDArray[np.int64]
    errors: NDArray[np.int64]
    by_cell: NDArray[np.float64]
    nth: NDArray[np.int64]

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
        if len(self.by_cell) != self.trials.sum():
            raise ValueError("single trials are needed; this table holds means over several backbones")
        shown = np.full((len(self.tasks), self.repeats), np.nan)
        if cell in self.cells:
            column = self.cells.index(cell)
            counts = self.trials[:, column]
            start, size = int(self.trials[:, :column].sum()), int(counts.sum())
            here = slice(start, start + size)
            in_order = np.arange(size) - np.repeat(np.cumsum(counts) - counts, counts)
            within = self.nth[here] if len(self.nth) else in_order
            shown[np.repeat(np.arange(len(counts)), counts), within] = self.by_cell[here]
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


def averaged(columns: Columns, backbone: str, tasks: Sequence[str], clusters: Sequence[str]) -> CellTable:
    """Average one backbone's trials over repeats; errors are counted and never averaged.

    Args:
        tasks: all tasks of the outcome table, in the order wanted.
        clusters: the cluster of each of them.
    """
    mine = np.flatnonzero(columns.backbone.where(backbone))
    arm, condition = columns.arm.codes[mine], columns.condition.codes[mine]
    score, repeat = columns.score[mine], columns.repeat[mine]
    # texts that no row holds have no place, and none is looked up
    place = {task: index for index, task in enumerate(tasks)}
    ranks = np.array([place.get(name, -1) for name in columns.task.values], dtype=np.int64)
    task = ranks[columns.task.codes[mine]]
    pair = joint([arm, condition])
    firsts = first_rows(pair)
    order = np.argsort(pair[firsts])
    column = order[np.searchsorted(pair[firsts][order], pair)]
    shape = len(tasks), len(firsts)
    flat, size = task * len(firsts) + column, len(tasks) * len(firsts)
    lost = np.isnan(score)
    trials = np.bincount(flat, minlength=size).reshape(shape)
    errors = np.bincount(flat[lost], minlength=size).reshape(shape)
    total = np.bincount(flat, np.where(lost, 0.0, score), size).reshape(shape)
    scored = trials - errors
    rows = np.argsort(joint([column, task, repeat]), kind="stable")
    numbers = np.unique(repeat)
    # repeats numbered anew in every task have no common place
    common = len(numbers) <= trials.max(initial=0)
    arms, conditions = columns.arm.values, columns.condition.values
    return CellTable(
        tasks=tuple(tasks),
        clusters=tuple(clusters),
        cells=tuple((arms[arm[row]], conditions[condition[row]]) for row in firsts),
        means=total / np.where(scored > 0, scored, np.nan),
        trials=trials,
        errors=errors,
        by_cell=score[rows],
        nth=np.searchsorted(numbers, repeat[rows]) if common else np.empty(0, dtype=np.int64),
    )
