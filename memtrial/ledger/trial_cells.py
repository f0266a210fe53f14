"""What is counted of many trials: cells, tasks, and which tasks are looked for."""

from dataclasses import dataclass
from typing import Literal, NamedTuple

from memtrial.ledger.rows import Status, TrialRow

Cell = tuple[str, str]
"""Arm and condition."""
TaskOutcome = Literal["", "lost", "gained", "solved", "failed", "error"]
TaskSort = Literal["task", "family", "lost", "gained", "solved"]


class TrialScore(NamedTuple):
    """How a trial ended, without what was measured beside it: the fields of `TrialRow` of these names."""

    key: str
    backbone: str
    arm: str
    condition: str
    task: str
    repeat: int
    status: Status
    score: float | None


def score_of(row: TrialRow) -> TrialScore:
    """A trial without the rest."""
    return TrialScore(*(getattr(row, name) for name in TrialScore._fields))


class CellCount(NamedTuple):
    """Trials of one cell, or of one task in it.

    Args:
        lost: failed where the trial without memory of the same block solved the task; `gained`: the reverse.
    """

    backbone: str
    arm: str
    condition: str
    task: str
    trials: int
    solved: int
    errors: int
    lost: int
    gained: int

    @property
    def cell(self) -> Cell:
        return self.arm, self.condition


class TaskCount(NamedTuple):
    """One task over the cells that were asked about; `tasks`: how many there are in all."""

    task: str
    family: str
    lost: int
    gained: int
    solved: int
    trials: int
    tasks: int


class TaskTrial(NamedTuple):
    """One trial of a task, in few words.

    Args:
        flip: -1 where it is lost against the one without, 1 gained.
        mode: how its failure was coded; empty: it was not.
    """

    key: str
    arm: str
    condition: str
    repeat: int
    status: str
    score: float | None
    fired: int
    flip: int
    mode: str = ""


class CondensedCount(NamedTuple):
    """What a condenser made of one task: how many items, drafts dropped and findings that flag something.

    Args:
        number: under which it is read; `total`: how many there are in all.
    """

    number: int
    backbone: str
    condenser: str
    draw: int
    task: str
    items: int
    dropped: int
    flags: int
    total: int


class TimeCount(NamedTuple):
    """Requests of one stretch of time, from its beginning in seconds since 1970; faults among them.

    Args:
        at_once: how many were under way, on the mean; None where the ledger does not hold when they ended.
    """

    begun: float
    sent: int
    faults: int
    usd: float
    at_once: float | None


@dataclass(frozen=True, slots=True)
class TaskFilter:
    """Which tasks are looked for, of one backbone.

    Args:
        cells: what is counted; a task counts where one of its trials in them has the outcome.
        family: empty for any, and so for `outcome`.
        fired: an item fired in a trial of these; False: in none; None: either.
        mode: a failure in these was coded so.
    """

    backbone: str
    cells: tuple[Cell, ...]
    family: str = ""
    outcome: TaskOutcome = ""
    fired: bool | None = None
    sort: TaskSort = "task"
    mode: str = ""
