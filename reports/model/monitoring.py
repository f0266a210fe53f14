"""What is seen of a run while it goes on: e-processes and looks, and what a judge read in the slots."""

from dataclasses import dataclass

from loadbearing.ledger.run_plan import Look


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
        boundaries: of |z| of a single hypothesis; None where a look cannot decide.
        levels: what the adjusted p-value of a hypothesis must not exceed.
    """

    planned: int
    in_force: bool
    rule: str
    spacing: str = ""
    counts: tuple[int, ...] = ()
    boundaries: tuple[float | None, ...] = ()
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
