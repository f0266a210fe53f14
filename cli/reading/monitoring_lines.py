"""The monitoring part of `status`: the e-process and the looks, under the names that may be shown."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from loadbearing.ledger.lock_facts import Amendment, TakenLook, UnmaskedLook, locked, numbered
from loadbearing.ledger.run_plan import RunPlan
from loadbearing.ledger.store import Ledger
from loadbearing.reports.base.numbers import probability
from loadbearing.reports.evidence.monitoring import look_from, monitoring
from loadbearing.reports.inputs.masking import Mask
from loadbearing.reports.inputs.trials import read_played
from loadbearing.reports.model.monitoring import LookState, Monitoring


@dataclass(frozen=True, slots=True)
class LockState:
    """The lock of a run, how often somebody looked under the arms' own names, and whether they are masked."""

    made: str
    digest: str
    amendments: int
    unmasked_looks: int
    masked: bool


def lock_state(ledger: Ledger, mask: Mask) -> LockState | None:
    """The lock; None where there is none."""
    stated = locked(ledger)
    if stated is None:
        return None
    counts = len(numbered(ledger, Amendment)), len(numbered(ledger, UnmaskedLook))
    return LockState(stated.made, stated.digest, *counts, bool(mask))


def monitored(ledger: Ledger, plan: RunPlan | None, mask: Mask) -> Monitoring | None:
    """What is seen so far; None where no hypothesis is planned or nothing is seen yet."""
    if plan is None or not plan.trials or not plan.task_order:
        return None
    trials = mask.rows(read_played(ledger, plan))
    taken = tuple(look_from(one, mask) for one in numbered(ledger, TakenLook))
    stands = locked(ledger) is not None and not numbered(ledger, Amendment)
    seen = monitoring(trials, mask.plan(plan), taken, stands)
    return seen if seen.hypotheses else None


def stopped_early(seen: Monitoring | None, plan: RunPlan | None) -> bool:
    """A look ended the run before its last task."""
    if seen is None or plan is None or not seen.looks.taken:
        return False
    last = seen.looks.taken[-1]
    return last.stop and last.tasks < plan.tasks


def monitored_lines(lock: LockState | None, seen: Monitoring | None) -> Iterator[str]:
    """The same in words. Without a lock an e-value is shown and no decision is spoken of."""
    if lock is not None:
        changed = f", amended {lock.amendments} times" if lock.amendments else ""
        names = "; arms are masked until the locked data are complete" if lock.masked else ""
        yield f"locked {lock.made}, digest {lock.digest[:12]}{changed}{names}"
    if seen is None:
        return
    yield f"e-process after {seen.tasks_complete} complete tasks (against no effect, safe at any time):"
    for one in seen.hypotheses:
        passed = lock is not None and not lock.amendments and one.anytime_p <= 1 / seen.threshold
        yield (
            f"  {one.backbone}, {one.treatment} - {one.control}, {one.condition}: E {one.e:.3g}, anytime p"
            f" {probability(one.anytime_p)}{f'; has passed 1/alpha = {seen.threshold:g}' if passed else ''}"
        )
    looks = seen.looks
    if looks.planned > 1 and not looks.in_force:
        yield f"{looks.planned} looks are asked for, and no lock stands that fixed them: none is taken"
    elif looks.planned > 1:
        yield from _looks(looks)


def _looks(looks: LookState) -> Iterator[str]:
    edges = ["no boundary" if one is None else f"boundary |z| {one:.3f}" for one in looks.boundaries]
    for one in looks.taken:
        ended = "; the run stopped here" if one.stop and one.number < looks.planned else ""
        crossed = f"{sum(seen.crossed for seen in one.seen)} of {len(one.seen)} hypotheses"
        over = f"over their {edges[one.number - 1]}{ended}"
        yield f"look {one.number} of {looks.planned}, {one.tasks} tasks: {crossed} {over}"
    if looks.next is not None:
        at = len(looks.taken)
        edge = f"{edges[at]} (p {looks.levels[at]:.2g})"
        yield f"next look: {at + 1} of {looks.planned}, after {looks.next} tasks, {edge}"
