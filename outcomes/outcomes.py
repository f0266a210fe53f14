"""Outcome tables: every trial of a run or of anyone's table, one row each."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from loadbearing.outcomes.cell_table import Cell, CellTable, averaged
from loadbearing.outcomes.columns import (
    Coded,
    Columns,
    cluster_of_each_task,
    first_rows,
    joint,
    refuse_doubled,
)

__all__ = ["WITHOUT", "Cell", "CellTable", "OutcomeRow", "Outcomes"]

WITHOUT: Cell = ("none", "without")
"""The one cell without memory. Every arm is compared with it."""


@dataclass(frozen=True, slots=True)
class OutcomeRow:
    """How one trial ended.

    Args:
        arm: condenser x injection; `none` for the cell without memory.
        condition: `intact`, `without` (arm `none` only) or the name of a perturbation.
        cluster: what correlates tasks (source record, template, family, house). Empty: the
            task is independent.
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


class Outcomes:
    """Every trial of a run, in any order. Frozen: nothing changes it once it is made.

    Raises:
        ValueError: a trial stands twice in the table (a repeat would be counted twice), or one task
            carries two clusters.
    """

    __slots__ = ("_clusters", "_columns", "_tables")

    def __init__(self, rows: Iterable[OutcomeRow]) -> None:
        held = tuple(rows)
        scores = [np.nan if row.score is None else row.score for row in held]
        self._take(
            Columns(
                backbone=Coded.of(row.backbone for row in held),
                arm=Coded.of(row.arm for row in held),
                condition=Coded.of(row.condition for row in held),
                task=Coded.of(row.task for row in held),
                cluster=Coded.of(row.cluster for row in held),
                repeat=np.array([row.repeat for row in held], dtype=np.int64),
                score=np.array(scores, dtype=np.float64),
                slot=Coded.of(row.slot for row in held),
                empty_slot=np.array([row.empty_slot for row in held], dtype=np.bool_),
            )
        )

    @classmethod
    def from_columns(cls, columns: Columns) -> Outcomes:
        """The same from columns; a million trials take a second.

        Raises:
            ValueError: as for rows, and for a score outside [0, 1] or `none` and `without` mixed up; the
                first such row is named.
        """
        outside = (columns.score < 0.0) | (columns.score > 1.0)
        mixed = columns.arm.where(WITHOUT[0]) != columns.condition.where(WITHOUT[1])
        for row in np.flatnonzero(outside | mixed)[:1]:
            # a row refuses itself
            _, arm, condition, task, repeat = columns.place(int(row))
            OutcomeRow(
                "", arm, condition, task, "", repeat, float(columns.score[row]) if outside[row] else None
            )
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
        return self._columns.backbone.texts()

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
            clusters = [self._clusters[name] for name in self.tasks]
            self._tables[backbone] = averaged(self._columns, backbone, self.tasks, clusters)
        return self._tables[backbone]

    def errors(self) -> dict[str, int]:
        """Infrastructure errors per arm, over backbones, conditions and repeats."""
        arm, lost = self._columns.arm, np.isnan(self._columns.score)
        return {name: int((arm.where(name) & lost).sum()) for name in arm.texts()}

    def empty_slots(self) -> dict[str, float]:
        """Share of each arm's intact trials in which the slot was empty; `none` has no slot to fill."""
        columns = self._columns
        intact = columns.condition.where("intact")
        arms = Coded(columns.arm.codes[intact], columns.arm.values)
        return {name: float(columns.empty_slot[intact][arms.where(name)].mean()) for name in arms.texts()}

    def slots(self, backbone: str, cell: Cell) -> dict[str, frozenset[str]]:
        """Digests of the texts shown in one cell, per task; tasks without a known digest are left out."""
        columns, slot = self._columns, self._columns.slot
        here = columns.arm.where(cell[0]) & columns.condition.where(cell[1])
        rows = np.flatnonzero(columns.backbone.where(backbone) & here & ~slot.where(""))
        shown: dict[str, set[str]] = defaultdict(set)
        for row in rows[first_rows(joint([columns.task.codes[rows], slot.codes[rows]]))]:
            shown[columns.task.values[columns.task.codes[row]]].add(slot.values[slot.codes[row]])
        return {task: frozenset(digests) for task, digests in shown.items()}
