"""Outcome tables: one row a trial, and the task x cell means that the analysis works on."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Cell = tuple[str, str]
"""(arm, condition), the level at which repeats are averaged."""

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
    """

    tasks: tuple[str, ...]
    clusters: tuple[str, ...]
    cells: tuple[Cell, ...]
    means: NDArray[np.float64]
    trials: NDArray[np.int64]
    errors: NDArray[np.int64]

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


@dataclass(frozen=True, slots=True)
class Outcomes:
    """Every trial of a run, in any order.

    Raises:
        ValueError: a trial stands twice in the table (a repeat would be counted twice), or one task
            carries two clusters.
    """

    rows: tuple[OutcomeRow, ...]

    def __post_init__(self) -> None:
        counts = Counter((row.backbone, row.arm, row.condition, row.task, row.repeat) for row in self.rows)
        for key, count in counts.items():
            if count > 1:
                raise ValueError(
                    f"backbone, arm, condition, task, repeat = {key!r} has {count} rows; a trial has one"
                )
        for task, names in self._names().items():
            if len(names) > 1:
                raise ValueError(f"task {task!r} belongs to one cluster, got {sorted(names)}")

    @property
    def backbones(self) -> tuple[str, ...]:
        """Backbones in the order in which they first appear."""
        return tuple(dict.fromkeys(row.backbone for row in self.rows))

    @property
    def tasks(self) -> tuple[str, ...]:
        """All tasks of all backbones, sorted, so that no result depends on the order of the rows."""
        return tuple(sorted({row.task for row in self.rows}))

    @property
    def clusters(self) -> dict[str, str]:
        """The cluster of every task; a task without one is its own."""
        return {task: next(iter(names)) for task, names in self._names().items()}

    def cells(self, backbone: str) -> CellTable:
        """Average one backbone's trials over repeats; errors are counted and never averaged."""
        rows = [row for row in self.rows if row.backbone == backbone]
        tasks, cluster = self.tasks, self.clusters
        cells = tuple(dict.fromkeys((row.arm, row.condition) for row in rows))
        place = {task: index for index, task in enumerate(tasks)}
        column = {cell: index for index, cell in enumerate(cells)}
        total = np.zeros((len(tasks), len(cells)))
        trials = np.zeros(total.shape, dtype=np.int64)
        errors = np.zeros(total.shape, dtype=np.int64)
        for row in rows:
            at = place[row.task], column[row.arm, row.condition]
            trials[at] += 1
            if row.score is None:
                errors[at] += 1
            else:
                total[at] += row.score
        scored = trials - errors
        means = total / np.where(scored > 0, scored, np.nan)
        return CellTable(tasks, tuple(cluster[task] for task in tasks), cells, means, trials, errors)

    def errors(self) -> dict[str, int]:
        """Infrastructure errors per arm, over backbones, conditions and repeats."""
        counts = dict.fromkeys((row.arm for row in self.rows), 0)
        for row in self.rows:
            counts[row.arm] += row.score is None
        return counts

    def empty_slots(self) -> dict[str, float]:
        """Share of each arm's intact trials in which the slot was empty; `none` has no slot to fill."""
        shown: dict[str, list[bool]] = defaultdict(list)
        for row in self.rows:
            if row.condition == "intact":
                shown[row.arm].append(row.empty_slot)
        return {arm: sum(flags) / len(flags) for arm, flags in shown.items()}

    def slots(self, backbone: str, cell: Cell) -> dict[str, frozenset[str]]:
        """Digests of the texts shown in one cell, per task; tasks without a known digest are left out."""
        shown: dict[str, set[str]] = defaultdict(set)
        for row in self.rows:
            if row.backbone == backbone and (row.arm, row.condition) == cell and row.slot:
                shown[row.task].add(row.slot)
        return {task: frozenset(digests) for task, digests in shown.items()}

    def _names(self) -> dict[str, set[str]]:
        names: dict[str, set[str]] = defaultdict(set)
        for row in self.rows:
            names[row.task].add(row.cluster or row.task)
        return names
