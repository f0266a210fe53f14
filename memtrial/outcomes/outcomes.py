"""Outcomes: how every trial ended, in one typed table, and averaged over repeats in cells."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from memtrial.outcomes.grouping import codes_of, count_keys, keys_of, number_keys, rank_keys

if TYPE_CHECKING:
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
        import numpy as np

        return np.asarray(self.trials.any(axis=1))

    def mean(self, cell: Cell) -> NDArray[np.float64]:
        """One cell's mean per task, shape (n_tasks,); all NaN for a cell that was never played."""
        import numpy as np

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
        import numpy as np

        if self.single.height != self.trials.sum():
            raise ValueError("single trials are needed; this table holds means over several backbones")
        shown = np.full((len(self.tasks), self.repeats), np.nan)
        if cell in self.cells:
            here = self.single["column"].to_numpy() == self.cells.index(cell)  # `filter` is ten times slower
            places, within, score = (self.single[name].to_numpy()[here] for name in ("at", "within", "score"))
            shown[places, within] = score
        return shown

    def bounds(self, cell: Cell) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The mean per task if every error had scored 0, and if every error had scored 1.

        NaN only where the cell has no row at all.
        """
        import numpy as np

        if cell not in self.cells:
            return self.mean(cell), self.mean(cell)
        column = self.cells.index(cell)
        rows, errors = self.trials[:, column], self.errors[:, column]
        scored = np.where(rows > errors, self.means[:, column], 0.0) * (rows - errors)
        count = np.where(rows > 0, rows, np.nan)
        return scored / count, (scored + errors) / count


def average_repeats(trials: pl.DataFrame, clusters: Mapping[str, str]) -> CellTable:
    """Average one backbone's trials over repeats; errors are counted and never averaged.

    Args:
        clusters: the cluster of every task of the outcome table, in the order wanted.
    """
    import numpy as np
    import polars as pl

    tasks = tuple(clusters)
    cells = trials.select("arm", "condition").unique(maintain_order=True)
    # cells and repeats as numbers: grouping by texts takes most of the time of a large table
    column = number_keys(keys_of([codes_of(trials[name]) for name in ("arm", "condition")]))
    at = trials["task"].cast(pl.Enum(tasks)).to_physical().to_numpy().astype(np.int64)
    score, lost = trials["score"].to_numpy(), trials["score"].is_null().to_numpy()
    shape, size = (len(tasks), cells.height), len(tasks) * cells.height
    flat = at * cells.height + column
    counts = np.bincount(flat, minlength=size).reshape(shape)
    errors = np.bincount(flat[lost], minlength=size).reshape(shape)
    total = np.bincount(flat, np.where(lost, 0.0, score), size).reshape(shape)
    scored = counts - errors
    # repeats numbered anew in every task have no common place
    within = rank_keys(codes_of(trials["repeat"]))
    single = pl.DataFrame({"column": column, "at": at, "within": within, "score": trials["score"]})
    if within.max(initial=-1) >= counts.max(initial=0):
        single = single.with_columns(pl.col("within").rank("ordinal").over("column", "at") - 1)
    return CellTable(
        tasks=tasks,
        clusters=tuple(clusters.values()),
        cells=tuple(cells.rows()),
        means=total / np.where(scored > 0, scored, np.nan),
        trials=counts,
        errors=errors,
        single=single,
    )


WITHOUT: Cell = ("none", "without")
"""The one cell without memory. Every arm is compared with it."""
_TRIAL = ("backbone", "arm", "condition", "task", "repeat")


@dataclass(frozen=True, slots=True)
class OutcomeRow:
    """How one trial ended.

    Args:
        arm: condenser x injection; `none` for the cell without memory.
        condition: `intact`, `without` (arm `none` only) or the name of a perturbation.
        cluster: what correlates tasks (source record, template, family, house); empty: nothing.
        repeat: index of the block; (backbone, arm, condition, task, repeat) is unique in a table.
        score: in [0, 1]; a failure of the agent is 0. None: an error of the infrastructure.
        slot: digest of the text shown, empty where it is not known.
        empty_slot: the record held no items, so that this trial was played as if without memory.
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


_KINDS: dict[str, Any] = {"score": float, "repeat": int, "empty_slot": bool}
OUTCOME_ROW: dict[str, Any] = {field.name: _KINDS.get(field.name, str) for field in fields(OutcomeRow)}
"""The columns of an outcome table and their types."""


class Outcomes:
    """Every trial of a run, in any order. Frozen: nothing changes it once it is made.

    Args:
        trials: rows, or a frame with the same columns, in which `cluster`, `repeat`, `slot` and `empty_slot`
            may be missing and a score that is null or NaN is an error. A million trials take a second.

    Raises:
        ValueError: a trial stands twice in the table (a repeat would be counted twice), one task carries
            two clusters, a score is outside [0, 1], or memory and `without` are mixed up.
    """

    __slots__ = ("_tables", "_trials", "clusters")

    def __init__(self, trials: Iterable[OutcomeRow] | pl.DataFrame) -> None:
        import polars as pl

        if isinstance(trials, pl.DataFrame):
            spare = {"cluster": "", "repeat": 0, "slot": "", "empty_slot": False}
            rest = [pl.lit(value).alias(name) for name, value in spare.items() if name not in trials.columns]
            frame = trials.with_columns(*rest, pl.col("score").fill_nan(None)).select(*OUTCOME_ROW)
        else:
            frame = pl.DataFrame(
                list(map(attrgetter(*OUTCOME_ROW), trials)), schema=OUTCOME_ROW, orient="row"
            )
        _refuse_impossible(frame)
        _refuse_doubled(frame)
        self._trials = frame
        self._tables: dict[str, CellTable] = {}
        self.clusters = _cluster_of_each_task(frame)
        """The cluster of every task, sorted by task; a task without one is its own."""

    @property
    def backbones(self) -> tuple[str, ...]:
        return tuple(self._trials["backbone"].unique(maintain_order=True))

    @property
    def tasks(self) -> tuple[str, ...]:
        """All tasks of all backbones, sorted, so that no result depends on the order of the rows."""
        return tuple(self.clusters)

    def cells(self, backbone: str) -> CellTable:
        import polars as pl

        if backbone not in self._tables:
            mine = self._trials
            if self.backbones != (backbone,):
                mine = mine.filter(pl.col("backbone") == backbone)
            self._tables[backbone] = average_repeats(mine, self.clusters)
        return self._tables[backbone]

    def errors(self) -> dict[str, int]:
        """Infrastructure errors per arm, over backbones, conditions and repeats."""
        import polars as pl

        lost = pl.col("score").null_count()
        return dict(self._trials.group_by("arm", maintain_order=True).agg(lost).rows())

    def empty_slots(self) -> dict[str, float]:
        """Share of each arm's intact trials in which the slot was empty; `none` has no slot to fill."""
        import polars as pl

        intact = self._trials.filter(pl.col("condition") == "intact")
        return dict(intact.group_by("arm", maintain_order=True).agg(pl.col("empty_slot").mean()).rows())

    def slots(self, backbone: str, cell: Cell) -> dict[str, frozenset[str]]:
        """Digests of the texts shown in one cell, per task; tasks without a known digest are left out."""
        import polars as pl

        known = (pl.col("backbone") == backbone) & (pl.col("slot") != "")
        here = (pl.col("arm") == cell[0]) & (pl.col("condition") == cell[1])
        shown = self._trials.filter(known & here).group_by("task", maintain_order=True).agg("slot")
        return {task: frozenset(digests) for task, digests in shown.rows()}


def _refuse_impossible(trials: pl.DataFrame) -> None:
    import polars as pl

    for task, score in (
        trials.filter(~pl.col("score").is_between(0, 1)).select("task", "score").head(1).rows()
    ):
        raise ValueError(
            f"task {task!r}: a score lies in [0, 1], got {score!r}; rescale it, or write None where the"
            " infrastructure failed"
        )
    mixed = trials.filter((pl.col("arm") == WITHOUT[0]) != (pl.col("condition") == WITHOUT[1]))
    for task, arm, condition in mixed.select("task", "arm", "condition").head(1).rows():
        raise ValueError(
            f"task {task!r}: arm 'none' and condition 'without' are one shared cell, got arm {arm!r} with"
            f" condition {condition!r}"
        )


def _refuse_doubled(trials: pl.DataFrame) -> None:
    if count_keys(keys_of([codes_of(trials[name]) for name in _TRIAL])) == trials.height:
        return
    doubled = trials.filter(trials.select(_TRIAL).is_duplicated())
    counts = doubled.group_by(_TRIAL, maintain_order=True).len()
    *place, n = counts.row(0)
    more = f", and {counts.height - 1} more have several" if counts.height > 1 else ""
    raise ValueError(f"{', '.join(_TRIAL)} = {tuple(place)!r} has {n} rows{more}; a trial has one")


def _cluster_of_each_task(trials: pl.DataFrame) -> dict[str, str]:
    by_task: dict[str, str] = {}
    for task, cluster in trials.select("task", "cluster").unique(maintain_order=True).rows():
        mine = cluster or task
        if by_task.setdefault(task, mine) != mine:
            raise ValueError(f"task {task!r} belongs to one cluster, got {sorted((by_task[task], mine))}")
    return dict(sorted(by_task.items()))
