"""The key `lock` of the results: what was locked, whether it stands, and the sentences that say so."""

from __future__ import annotations

from collections.abc import Iterable

from loadbearing.ledger.lock_facts import Amendment, Lock, UnmaskedLook, locked, numbered
from loadbearing.ledger.rows import TrialRow
from loadbearing.ledger.run_plan import RunPlan
from loadbearing.ledger.store import Ledger
from loadbearing.outcomes.count_words import how_many
from loadbearing.reports.base.escape import one_line
from loadbearing.reports.evidence.lock_check import Beside, differences, short
from loadbearing.reports.model.lock import AmendmentRow, LockDifference, LockState, UnmaskedRow

MOST_NAMED = 50
UNLOCKED = "No plan was locked before the first trial: exploratory."
LEFT = (
    "Exploratory: a lock.json lies beside the ledger, which states no lock; whether anything was locked"
    " before the data were seen cannot be told."
)


def check_lock(
    ledger: Ledger,
    plan: RunPlan,
    trials: Iterable[TrialRow],
    beside: Beside | None,
    complete: bool,
    unmask: bool = False,
) -> LockState:
    """Compare a run with its lock.

    Args:
        plan: in force, with the arms' own names.
        trials: with the arms' own names.
        beside: what stands beside the ledger; None where nobody looked, which is a difference too.
        complete: the planned data are there, or the run stopped at a look.
        unmask: the arms' names are shown all the same.
    """
    lock = locked(ledger)
    if lock is None:
        left = beside is not None and (beside.file is not None or bool(beside.file_fault))
        return LockState(locked=False, confirmatory=False, says=LEFT if left else UNLOCKED, file_left=left)
    amended = numbered(ledger, Amendment)
    found = differences(ledger, lock, plan, tuple(trials), beside)
    listed = lock.frozen.get("exploratory analyses")
    confirmatory = not found and not amended and not lock.trials
    return LockState(
        locked=True,
        confirmatory=confirmatory,
        says=_says(lock, amended, found),
        digest=lock.digest,
        trials_before=lock.trials,
        complete=complete,
        differences=found[:MOST_NAMED],
        differences_in_all=len(found),
        amendments=tuple(
            AmendmentRow(
                reason=one.reason,
                trials=one.trials,
                changes=dict(one.changes),
                says=_amendment(number, one),
            )
            for number, one in enumerate(amended, 1)
        ),
        unmasked_looks=tuple(
            UnmaskedRow(trials=one.trials, by=one.by) for one in numbered(ledger, UnmaskedLook)
        ),
        exploratory_analyses=tuple(map(str, listed)) if isinstance(listed, list) else (),
        masked=not complete and not unmask,
    )


def _says(lock: Lock, amended: tuple[Amendment, ...], found: tuple[LockDifference, ...]) -> str:
    parts = []
    if lock.trials:
        parts.append(f"the lock was made after {how_many(lock.trials, 'trial')}")
    if amended:
        parts.append("the lock was amended: " + "; ".join(f"“{one_line(one.reason)}”" for one in amended))
    if found:
        more = f", and {len(found) - 1} more" if len(found) > 1 else ""
        parts.append(f"not as it was locked: {found[0].says}{more}")
    if not parts:
        return "The plan was locked before the first trial, and all of it stands as it was locked."
    return f"Exploratory: {'; '.join(parts)}."


def _amendment(number: int, one: Amendment) -> str:
    changes = "; ".join(f"{key}: {short(old)} → {short(new)}" for key, (old, new) in one.changes.items())
    when = f"after {how_many(one.trials, 'trial')}" if one.trials else "before the first trial"
    return f"Amendment {number}, {when}: {one_line(one.reason)} ({changes or 'no key changed'})"
