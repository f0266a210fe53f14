"""What was fixed before the first trial, and what is seen of a run while it goes on."""

from dataclasses import dataclass

from pydantic import JsonValue

from memtrial.ledger.run_plan import Look
from memtrial.result_record import ResultRecord


@dataclass(frozen=True, slots=True)
class EProcess:
    """The evidence against no effect on one hypothesis, as it may be read at any time.

    Args:
        n_units: complete tasks, or clusters where tasks share one.
        e: it is 1 at the start and, without an effect, reaches 1/alpha with a chance of at most alpha.
        anytime_p: 1 over the largest e so far.
    """

    backbone: str
    treatment: str
    control: str
    condition: str
    n_units: int
    e: float
    anytime_p: float


@dataclass(frozen=True, slots=True)
class LookState:
    """The looks of a run; none is taken unless a lock fixed them.

    Args:
        rule: the run stops when `all` or `any` hypotheses are decided.
        counts, next: tasks at each look, and at the next one.
        boundaries: of |z| of a single hypothesis; 9 where a look cannot decide.
        levels: what the adjusted p-value of a hypothesis must not exceed.
    """

    planned: int
    in_force: bool
    rule: str
    spacing: str = ""
    counts: tuple[int, ...] = ()
    boundaries: tuple[float, ...] = ()
    levels: tuple[float, ...] = ()
    taken: tuple[Look, ...] = ()
    next: int | None = None


@dataclass(frozen=True, slots=True)
class Monitoring:
    """What is seen of the hypotheses while a run goes on; e is held against the threshold, 1/alpha."""

    threshold: float
    tasks_complete: int
    hypotheses: tuple[EProcess, ...]
    looks: LookState


@dataclass(frozen=True, slots=True)
class AdviceRow:
    """What a judge says that the slots of one arm advise under one condition: a row of `decision`.

    Args:
        asked: slots read both intact and damaged.
        advising: those whose intact text advises an action.
        changed: those among these whose damaged text advises another or none.
        twice, twice_changed: intact slots read once more, and those with another answer: the judge's noise.
        faults: slots that could not be read.
        untestable: the damage, or the placebo, did not do to the advice what it is there for.
    """

    backbone: str
    arm: str
    condition: str
    asked: int
    advising: int
    changed: int
    twice: int
    twice_changed: int
    faults: int
    untestable: bool
    reason: str


class LockDifference(ResultRecord):
    """One key that is not as it was locked."""

    where: str
    """lock.json, ledger, spec.resolved.yaml, code (that reads the ledger now), code of a session (that
    played), trials (what they showed) or slot texts."""
    key: str
    locked: JsonValue
    found: JsonValue
    says: str


class AmendmentRow(ResultRecord):
    """A change of the locked plan that was stated with its reason."""

    reason: str
    trials: int
    """Played when it was made."""
    changes: dict[str, tuple[JsonValue, JsonValue]]
    """By full name of a frozen key: what it was, and what it is."""
    says: str


class UnmaskedRow(ResultRecord):
    """Somebody looked at the arms' names before the data were complete."""

    trials: int
    by: str


class LockState(ResultRecord):
    """The lock of a run; of one without a lock only `locked`, `confirmatory`, `says` and `file_left`."""

    locked: bool
    confirmatory: bool
    says: str
    file_left: bool = False
    """A lock.json stands in the folder of a run that has no lock."""
    digest: str = ""
    trials_before: int = 0
    """Trials played before the lock was made."""
    complete: bool = False
    differences: tuple[LockDifference, ...] = ()
    """The first of them."""
    differences_in_all: int = 0
    amendments: tuple[AmendmentRow, ...] = ()
    unmasked_looks: tuple[UnmaskedRow, ...] = ()
    exploratory_analyses: tuple[str, ...] = ()
    masked: bool = False
    """The names of the arms are hidden in all that rests on scores."""
