"""Does the run still stand as it was locked, key by key?"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from itertools import pairwise

from pydantic import JsonValue

from memtrial.console.escape import brief, one_line
from memtrial.ledger.rows import Json, TrialRow, part
from memtrial.ledger.run_plan import (
    Amendment,
    Lock,
    RunPlan,
    UnmaskedLook,
    attempts,
    frozen_in_force,
    identity_in_force,
    read_lock,
    read_numbered,
)
from memtrial.outcomes.count_words import how_many
from memtrial.protocol.lock_contents import digest_of, flat, frozen_in, keys_of, list_changes
from memtrial.protocol.monitoring_rows import AmendmentRow, LockDifference, LockState, UnmaskedRow
from memtrial.protocols import LedgerStore

MOST_NAMED = 50
UNLOCKED = "No plan was locked before the first trial: exploratory."
LEFT = (
    "Exploratory: a lock.json lies beside the ledger, which states no lock; whether anything was locked"
    " before the data were seen cannot be told."
)
_DIGEST = re.compile(r"\b[0-9a-f]{64}\b")


@dataclass(frozen=True, slots=True)
class Beside:
    """What stands beside a ledger in its folder, and the code that reads it.

    Args:
        file: what lock.json holds; None where it is missing or, as `file_fault` says, cannot be read.
        code: sha256 of the sources, by room.
        spec: spec.resolved.yaml, flat, without what is no part of the run's identity; None where unreadable.
    """

    file: Json | None
    code: Mapping[str, str]
    spec: Json | None
    file_fault: str = ""


def check_lock(
    ledger: LedgerStore,
    plan: RunPlan,
    trials: tuple[TrialRow, ...],
    beside: Beside | None,
    complete: bool,
    unmask: bool = False,
) -> LockState:
    """The key `lock` of the results: what was locked, whether it stands, and the sentences that say so.

    Args:
        plan, trials: with the arms' own names.
        beside: None where nobody looked, which is a difference too.
        complete: the planned data are there, or the run stopped at a look.
    """
    lock = read_lock(ledger)
    if lock is None:
        left = beside is not None and (beside.file is not None or bool(beside.file_fault))
        return LockState(locked=False, confirmatory=False, says=LEFT if left else UNLOCKED, file_left=left)
    amended, looks = read_numbered(ledger, Amendment), read_numbered(ledger, UnmaskedLook)
    differences = _differences(ledger, lock, plan, trials, beside)
    listed = lock.frozen.get("exploratory analyses")
    return LockState(
        locked=True,
        confirmatory=not differences and not amended and not lock.trials,
        says=_says(lock, amended, differences),
        digest=lock.digest,
        trials_before=lock.trials,
        complete=complete,
        differences=differences[:MOST_NAMED],
        differences_in_all=len(differences),
        amendments=tuple(_amendment_row(number, amendment) for number, amendment in enumerate(amended, 1)),
        unmasked_looks=tuple(UnmaskedRow(trials=look.trials, by=look.by) for look in looks),
        exploratory_analyses=tuple(map(str, listed)) if isinstance(listed, list) else (),
        masked=not complete and not unmask,
    )


def lock_file(lock: Lock, amended: Iterable[Amendment]) -> dict[str, JsonValue]:
    """What lock.json has to hold."""
    fields = {"made", "reason", "trials", "changes"}
    return lock.facts | {
        "amendments": [amendment.model_dump(mode="json", include=fields) for amendment in amended]
    }


def _says(lock: Lock, amended: tuple[Amendment, ...], differences: tuple[LockDifference, ...]) -> str:
    parts = []
    if lock.trials:
        parts.append(f"the lock was made after {how_many(lock.trials, 'trial')}")
    if amended:
        parts.append(
            "the lock was amended: " + "; ".join(f"“{one_line(amendment.reason)}”" for amendment in amended)
        )
    if differences:
        more = f", and {len(differences) - 1} more" if len(differences) > 1 else ""
        parts.append(f"not as it was locked: {differences[0].says}{more}")
    if not parts:
        return "The plan was locked before the first trial, and all of it stands as it was locked."
    return f"Exploratory: {'; '.join(parts)}."


def _amendment_row(number: int, amendment: Amendment) -> AmendmentRow:
    changes = "; ".join(
        f"{key}: {_short(old)} → {_short(new)}" for key, (old, new) in amendment.changes.items()
    )
    when = f"after {how_many(amendment.trials, 'trial')}" if amendment.trials else "before the first trial"
    says = f"Amendment {number}, {when}: {one_line(amendment.reason)} ({changes or 'no key changed'})"
    return AmendmentRow(
        reason=amendment.reason, trials=amendment.trials, changes=dict(amendment.changes), says=says
    )


def _differences(
    ledger: LedgerStore, lock: Lock, plan: RunPlan, trials: tuple[TrialRow, ...], beside: Beside | None
) -> tuple[LockDifference, ...]:
    """Every key that is not as it was locked, single keys before slots and trials.

    Lock.json is compared with what the ledger states; the frozen keys in force with what the ledger's rows
    and the sources give now, with the sources of every session that played, and with spec.resolved.yaml.
    """
    if beside is None:
        return tuple(_apart("lock.json", {"the file": lock.digest}, {"the file": "not looked at"}))
    frozen, amended = frozen_in_force(ledger), read_numbered(ledger, Amendment)
    now = frozen_in(ledger, plan, identity_in_force(ledger) or {})
    # digests of texts and files stand in the identity alone
    spec = {key: value for key, value in part(frozen, "spec").items() if not key.startswith("digest of ")}
    there: tuple[Json, Json] = {"the file": "is there"}, {}
    if beside.spec is not None:
        there = {"spec": spec}, {"spec": dict(beside.spec)}
    slots = flat({"slots": frozen.get("slots")})
    shown: dict[str, JsonValue] = {
        f"slots: {row.backbone}, {row.arm}, {row.condition}, {row.task}, repeat {row.repeat}": row.slot
        for row in trials
    }
    both = [key for key in shown if key in slots]
    digests = {digest: sha256(text.encode()).hexdigest() for digest, text in ledger.slots()}
    altered = {f"slots: {digest}": digest for digest, digest_now in digests.items() if digest != digest_now}
    wanted, here = _by_name(lock_file(lock, amended)), beside.file
    missing: tuple[Json, Json] = {"the file": lock.digest}, {"the file": beside.file_fault or None}
    differences = (
        *(_apart("lock.json", *missing) if here is None else _apart("lock.json", wanted, _by_name(here))),
        *_apart("ledger", {"digest": lock.digest}, {"digest": digest_of(lock.frozen)}),
        *_apart("ledger", {key: frozen.get(key) for key in now}, now),
        *_apart("code", part(frozen, "code"), beside.code),
        *_played_by(ledger, (lock.frozen, *(amendment.frozen for amendment in amended))),
        *_apart("spec.resolved.yaml", *there),
        *_apart("trials", {key: slots[key] for key in both}, {key: shown[key] for key in both}),
        *_trials(part(frozen, "trials"), trials),
        *_apart("slot texts", altered, dict.fromkeys(altered, "another text")),
    )
    many = ("slots", "trials", "clusters", "checks")
    return tuple(sorted(differences, key=lambda difference: difference.key.split(":")[0] in many))


def _apart(where: str, before: Json, after: Json) -> Iterator[LockDifference]:
    for key, (old, new) in list_changes(flat(before), flat(after)).items():
        says = f"{where}: {key}: locked {_short(old)}, found {_short(new)}"
        yield LockDifference(where=where, key=key, locked=old, found=new, says=says)


def _by_name(file: Json) -> dict[str, JsonValue]:
    """What a lock.json holds, frozen keys by their own names and amendments by number."""
    amendments = file.get("amendments")
    by_number = (
        {str(number): amendment for number, amendment in enumerate(amendments, 1)}
        if isinstance(amendments, list)
        else {}
    )
    top = {key: value for key, value in file.items() if key != "frozen"}
    return top | {"amendments": by_number or amendments} | part(file, "frozen")


def _played_by(ledger: LedgerStore, locks: Iterable[Json]) -> Iterator[LockDifference]:
    """Rooms whose sources were none that was locked while a session added trials.

    A session notes the digests of its sources and how many attempts there were when it began.
    """
    allowed = [part(lock_value, "code") for lock_value in locks if "code" in lock_value]
    sessions = ledger.sessions()
    begun = [session.attempts for session in sessions]
    for session, (first, last) in zip(sessions, pairwise((*begun, attempts(ledger))), strict=True):
        if last > first and allowed and session.code not in allowed:
            yield from _apart(f"code of session {session.number}", allowed[-1], session.code)


def _trials(wanted: Json, trials: Iterable[TrialRow]) -> Iterator[LockDifference]:
    """Cells that are complete and hold other trials than were frozen, or more of them."""
    for cell, counted in keys_of(
        (trial.backbone, trial.arm, trial.condition, trial.key) for trial in trials
    ).items():
        match wanted.get(cell):
            case [int(n), *_] if counted[0] < n:
                continue
            case planned:
                yield from _apart("ledger", {f"trials: {cell}": planned}, {f"trials: {cell}": list(counted)})


def _short(value: JsonValue) -> str:
    """A value in a few words; of a digest, its beginning."""
    text = "nothing" if value is None else one_line(str(value))
    return brief(_DIGEST.sub(lambda digest: digest[0][:12], text), 80)
