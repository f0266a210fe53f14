"""Outcome tables: one row a trial, and the task x cell means that the analysis works on."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from loadbearing.outcomes.cell_means import averaged
from loadbearing.outcomes.columns import (
    Coded,
    Columns,
    cluster_of_each_task,
    coded,
    first_rows,
    joint,
    refuse_doubled,
)

Cell = tuple[str, str]  # (arm, condition), the level at which repeats are averaged

WITHOUT: Cell = ("none", "without")
"""The one cell without memory. Every arm is compared with it."""


@dataclass(frozen=True, slots=True)
class OutcomeRow:
    """How one trial ended.

    Args:
        backbone: the language model that played.
        arm: condenser x injection; `none` for the cell without memory.
        condition: `intact`, `without` (arm `none` only) or the name of a perturbation.
        task: the task played. Tasks are shared by arms, conditions and backbones.
        cluster: what makes tasks hang together (source record, template, family, house). Empty: the
            task stands for itself.
        repeat: index of the block; (backbone, arm, condition, task, repeat) is unique in a table.
        score: in [0, 1]; a failure of the agent is a score of 0. None: an error of the infrastructure,
            which says nothing about the agent.
        slot: digest of the text shown, empty where it is not known.
        empty_slot: the record held no items, so that this trial was played as if without memory.

    Raises:
        ValueError: the score is outside [0, 1] or not a number, or memory and `without` are mixed up.
    """

    backbone: str
    arm: str
    condition: str
    task: str
    cluster: str
    repeat: int
    score: float | None
    slot: str = ""
    empty_slot: bool = False

    def __post_init__(self) -> None:
        if self.score is not None and not 0.0 <= self.score <= 1.0:
            raise ValueError(
                f"task {self.task!r}: a score lies in [0, 1], got {self.score!r}; "
                f"rescale it, or write None where the infrastructure failed"
            )
        if (self.arm == WITHOUT[0]) != (self.condition == WITHOUT[1]):
            raise ValueError(
                f"task {self.task!r}: arm 'none' and condition 'without' are one shared cell, "
                f"got arm {self.arm!r} with condition {self.condition!r}"
            )


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
            start = int(self.trials[:, :column].sum())
            here = slice(start, start + int(counts.sum()))
            packed = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
            within = self.nth[here] if len(self.nth) else packed
            rows = self.by_cell[here]
            shown[np.repeat(np.arange(len(counts)), counts), within] = rows
        return shown

    def bounds(self, cell: Cell) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The mean per task if every error had scored 0, and if every error had scored 1.

        NaN only where the cell has no row at all.
        """
        if cell not in self.cells:
            nothing = np.full(len(self.tasks), np.nan)
            return nothing, nothing
        column = self.cells.index(cell)
        rows, errors = self.trials[:, column], self.errors[:, column]
        scored = np.where(rows > errors, self.means[:, column], 0.0) * (rows - errors)
        count = np.where(rows > 0, rows, np.nan)
        return scored / count, (scored + errors) / count


class Outcomes:
    """Every trial of a run, in any order. Frozen: nothing changes it once it is made.

    Args:
        rows: the trials.

    Raises:
        ValueError: a trial stands twice in the table (a repeat would be counted twice), or one task
            carries two clusters.
    """

    __slots__ = ("_clusters", "_columns", "_tables")

    def __init__(self, rows: Iterable[OutcomeRow]) -> None:
        self._take(_columns_of(tuple(rows)))

    @classmethod
    def from_columns(
        cls,
        *,
        backbone: Coded | Iterable[str],
        arm: Coded | Iterable[str],
        condition: Coded | Iterable[str],
        task: Coded | Iterable[str],
        score: NDArray[np.float64],
        cluster: Coded | Iterable[str] | None = None,
        repeat: NDArray[np.int64] | None = None,
        slot: Coded | Iterable[str] | None = None,
        empty_slot: NDArray[np.bool_] | None = None,
    ) -> Outcomes:
        """The same from columns of equal length; a million trials take a second.

        Args:
            score: shape (n_rows,), in [0, 1]; NaN is an error of the infrastructure.
            cluster: empty where a task stands for itself.
            repeat: zero everywhere unless given.

        Raises:
            ValueError: as for rows, and for a score outside [0, 1] or `none` and `without` mixed up.
        """
        n = len(score)
        blank = Coded.same("", n) if n else Coded.of(())
        columns = Columns(
            backbone=coded(backbone),
            arm=coded(arm),
            condition=coded(condition),
            task=coded(task),
            cluster=blank if cluster is None else coded(cluster),
            repeat=np.zeros(n, dtype=np.int64) if repeat is None else np.asarray(repeat, dtype=np.int64),
            score=np.asarray(score, dtype=np.float64),
            slot=blank if slot is None else coded(slot),
            empty_slot=np.zeros(n, dtype=np.bool_)
            if empty_slot is None
            else np.asarray(empty_slot, np.bool_),
        )
        _refuse_impossible(columns)
        made = cls.__new__(cls)
        made._take(columns)
        return made

    def _take(self, columns: Columns) -> None:
        refuse_doubled(columns)
        self._columns = columns
        self._tables: dict[str, CellTable] = {}
        self._clusters = cluster_of_each_task(columns.task, columns.cluster)

    @property
    def backbones(self) -> tuple[str, ...]:
        """Backbones in the order in which they first appear."""
        return _named(self._columns.backbone)

    @property
    def tasks(self) -> tuple[str, ...]:
        """All tasks of all backbones, sorted, so that no result depends on the order of the rows."""
        return tuple(sorted(self._clusters))

    @property
    def clusters(self) -> dict[str, str]:
        """The cluster of every task; a task without one is its own."""
        return dict(self._clusters)

    def cells(self, backbone: str) -> CellTable:
        """Average one backbone's trials over repeats; errors are counted and never averaged."""
        if backbone not in self._tables:
            tasks = self.tasks
            clusters = tuple(self._clusters[name] for name in tasks)
            self._tables[backbone] = CellTable(tasks, clusters, *averaged(self._columns, backbone, tasks))
        return self._tables[backbone]

    def errors(self) -> dict[str, int]:
        """Infrastructure errors per arm, over backbones, conditions and repeats."""
        arm = self._columns.arm
        counts = np.bincount(arm.codes[np.isnan(self._columns.score)], minlength=len(arm.values))
        return {arm.values[code]: int(counts[code]) for code in arm.appearing()}

    def empty_slots(self) -> dict[str, float]:
        """Share of each arm's intact trials in which the slot was empty; `none` has no slot to fill."""
        arm, intact = self._columns.arm, self._columns.condition.where("intact")
        codes, empty = arm.codes[intact], self._columns.empty_slot[intact]
        rows = np.bincount(codes, minlength=len(arm.values))
        counts = np.bincount(codes[empty], minlength=len(arm.values))
        return {arm.values[code]: int(counts[code]) / int(rows[code]) for code in arm.appearing(intact)}

    def slots(self, backbone: str, cell: Cell) -> dict[str, frozenset[str]]:
        """Digests of the texts shown in one cell, per task; tasks without a known digest are left out."""
        columns, slot = self._columns, self._columns.slot
        rows = np.flatnonzero(
            columns.backbone.where(backbone)
            & columns.arm.where(cell[0])
            & columns.condition.where(cell[1])
            & ~slot.where("")
        )
        shown: dict[str, set[str]] = defaultdict(set)
        for row in rows[first_rows(joint([columns.task.codes[rows], slot.codes[rows]]))]:
            shown[columns.task.values[columns.task.codes[row]]].add(slot.values[slot.codes[row]])
        return {task: frozenset(digests) for task, digests in shown.items()}


def _named(column: Coded) -> tuple[str, ...]:
    return tuple(column.values[code] for code in column.appearing())


def _columns_of(rows: tuple[OutcomeRow, ...]) -> Columns:
    """Rows, which checked themselves, as columns."""
    return Columns(
        backbone=Coded.of(row.backbone for row in rows),
        arm=Coded.of(row.arm for row in rows),
        condition=Coded.of(row.condition for row in rows),
        task=Coded.of(row.task for row in rows),
        cluster=Coded.of(row.cluster for row in rows),
        repeat=np.array([row.repeat for row in rows], dtype=np.int64),
        score=np.array([np.nan if row.score is None else row.score for row in rows], dtype=np.float64),
        slot=Coded.of(row.slot for row in rows),
        empty_slot=np.array([row.empty_slot for row in rows], dtype=np.bool_),
    )


def _refuse_impossible(columns: Columns) -> None:
    """What a row refuses for itself, for all rows at once: the first of them is named, the rest counted."""
    with np.errstate(invalid="ignore"):
        inside = (columns.score >= 0.0) & (columns.score <= 1.0)
    outside = np.flatnonzero(~inside & ~np.isnan(columns.score))
    mixed = np.flatnonzero(columns.arm.where(WITHOUT[0]) != columns.condition.where(WITHOUT[1]))
    for rows in filter(len, (outside, mixed)):
        _, arm, condition, task, repeat = columns.place(int(rows[0]))
        try:
            OutcomeRow("", arm, condition, task, "", repeat, float(columns.score[rows[0]]))
        except ValueError as fault:
            more = f" ({len(rows) - 1} more rows like it)" if len(rows) > 1 else ""
            raise ValueError(f"{fault}{more}") from None
