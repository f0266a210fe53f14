"""Does the run still stand as it was locked? Every frozen key is computed anew and compared by name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from loadbearing.ledger.lock_facts import AMENDMENT, UNMASKED, attempts, identity_in_force, locked, numbered
from loadbearing.ledger.rows import TrialRow
from loadbearing.ledger.store import Ledger
from loadbearing.outcomes.count_words import how_many
from loadbearing.reports.base.escape import one_line, shortened
from loadbearing.reports.evidence.lock_contents import digest_of, flat, frozen_in, keys_of, shown_otherwise
from loadbearing.reports.inputs.planned import Plan

MOST_NAMED = 50
_LONGEST = 80
_DIGEST = re.compile(r"\b[0-9a-f]{64}\b")
UNLOCKED = "No plan was locked before the first trial: exploratory."
LEFT = (
    "Exploratory: a lock.json lies beside the ledger, which states no lock; whether anything was locked"
    " before the data were seen cannot be told."
)


@dataclass(frozen=True, slots=True)
class Beside:
    """What stands beside a ledger in its folder, and the code that reads it.

    Args:
        file: what lock.json holds; None where there is none, or where it cannot be read.
        file_fault: why it cannot be read; empty where it can, or where there is none.
        code: sha256 of the sources, by room.
        spec: spec.resolved.yaml, flat, without what is no part of the run's identity; None where it cannot be
            read.
    """

    file: Mapping[str, Any] | None
    code: Mapping[str, str]
    spec: Mapping[str, Any] | None
    file_fault: str = ""


@dataclass(frozen=True, slots=True)
class Difference:
    """One key that is not as it was locked.

    Args:
        where: lock.json, ledger, spec.resolved.yaml, code (that reads the ledger now), or code of a session
            (that played).
    """

    where: str
    key: str
    locked: Any
    found: Any

    @property
    def says(self) -> str:
        """In one line."""
        return f"{self.where}: {self.key}: locked {_short(self.locked)}, found {_short(self.found)}"


def lock_file(ledger: Ledger) -> dict[str, Any] | None:
    """What lock.json has to hold, from the ledger; None without a lock."""
    stated = locked(ledger)
    if stated is None:
        return None
    told = [{key: one[key] for key in ("made", "reason", "trials", "changes")} for one in _amendments(ledger)]
    return stated | {"amendments": told}


def lock_rows(
    ledger: Ledger, plan: Plan, trials: Iterable[TrialRow], beside: Beside | None, complete: bool
) -> dict[str, Any]:
    """The key `lock` of the results: what was locked, and what is not as it was.

    Args:
        plan: in force, with the arms' own names.
        trials: with the arms' own names.
        beside: what stands beside the ledger; None where nobody looked, which is a difference too.
        complete: the planned data are there, or the run stopped at a look.
    """
    stated = locked(ledger)
    if stated is None:
        left = beside is not None and (beside.file is not None or bool(beside.file_fault))
        return {"locked": False, "confirmatory": False, "says": LEFT if left else UNLOCKED, "file_left": left}
    found = differences(ledger, plan, tuple(trials), beside)
    amended = _amendments(ledger)
    late = int(stated["trials"])
    confirmatory = not found and not amended and not late
    return {
        "locked": True,
        "confirmatory": confirmatory,
        "says": _says(confirmatory, late, found, amended),
        "digest": stated["digest"],
        "trials_before": late,
        "complete": complete,
        "differences": [
            {"where": one.where, "key": one.key, "locked": one.locked, "found": one.found, "says": one.says}
            for one in found[:MOST_NAMED]
        ],
        "differences_in_all": len(found),
        "amendments": [
            {
                "reason": one["reason"],
                "trials": one["trials"],
                "changes": one["changes"],
                "says": _amendment(number, one),
            }
            for number, one in enumerate(amended, 1)
        ],
        "unmasked_looks": [{"trials": one["trials"], "by": one["by"]} for one in numbered(ledger, UNMASKED)],
        "exploratory_analyses": stated["frozen"].get("exploratory analyses", []),
    }


def differences(
    ledger: Ledger, plan: Plan, trials: tuple[TrialRow, ...], beside: Beside | None
) -> tuple[Difference, ...]:
    """Every key that is not as it was locked, single keys before slots and trials.

    Lock.json is compared with what the ledger states; the frozen keys in force with what the ledger's rows
    and the sources give now, with the sources of every session that played, and with spec.resolved.yaml.
    """
    wanted = lock_file(ledger) or {}
    if beside is None:
        return (Difference("lock.json", "the file", wanted.get("digest"), "not looked at"),)
    found = _file(wanted, beside)
    frozen = in_force(ledger)
    if digest_of(wanted["frozen"]) != wanted["digest"]:
        found.append(Difference("ledger", "digest", wanted["digest"], digest_of(wanted["frozen"])))
    now = frozen_in(ledger, plan, identity_in_force(ledger) or {})
    found += _apart("ledger", {key: frozen.get(key) for key in now}, now)
    found += _apart("code", frozen.get("code") or {}, beside.code)
    found += _played_by(ledger)
    if beside.spec is None:
        found.append(Difference("spec.resolved.yaml", "the file", "is there", None))
    else:
        spec = {key: value for key, value in frozen["spec"].items() if not key.startswith("digest of ")}
        found += _apart("spec.resolved.yaml", {"spec": spec}, {"spec": dict(beside.spec)})
    found += [
        Difference("trials", key, *pair) for key, pair in shown_otherwise(trials, frozen["slots"]).items()
    ]
    found += _trials(frozen["trials"], trials)
    found += [Difference("slot texts", f"slots: {one}", one, "another text") for one in _altered(ledger)]
    many = ("slots", "trials", "clusters", "checks")
    return tuple(sorted(found, key=lambda one: one.key.split(":")[0] in many))


def in_force(ledger: Ledger) -> dict[str, Any]:
    """What is frozen, with all amendments."""
    stated = locked(ledger) or {"frozen": {}}
    frozen: dict[str, Any] = dict(stated["frozen"])
    for one in numbered(ledger, AMENDMENT):
        frozen |= one["frozen"]
    return frozen


def _amendments(ledger: Ledger) -> tuple[dict[str, Any], ...]:
    return numbered(ledger, AMENDMENT)


def _file(wanted: Mapping[str, Any], beside: Beside) -> list[Difference]:
    file = beside.file
    if file is None:
        return [Difference("lock.json", "the file", wanted["digest"], beside.file_fault or None)]
    listed = {key: _listed(value) for key, value in wanted.items()}
    return _apart("lock.json", listed, {key: _listed(value) for key, value in file.items()}, "frozen: ")


def _listed(value: Any) -> Any:
    """A list of mappings, such as the amendments, as a mapping by number."""
    if isinstance(value, list) and any(isinstance(one, dict) for one in value):
        return {str(number): one for number, one in enumerate(value, 1)}
    return value


def _apart(
    where: str, wanted: Mapping[str, Any], found: Mapping[str, Any], drop: str = ""
) -> list[Difference]:
    """Leaves that differ, by name."""
    before, after = flat(dict(wanted)), flat(dict(found))
    return [
        Difference(where, _name(key, drop), before.get(key), after.get(key))
        for key in (*before, *(key for key in after if key not in before))
        if before.get(key) != after.get(key)
    ]


def _name(key: str, drop: str) -> str:
    """`frozen: digests, world` of the file is `digests: world`."""
    if not drop or not key.startswith(drop):
        return key
    first, comma, rest = key.removeprefix(drop).partition(", ")
    return f"{first}: {rest}" if comma else first


def _played_by(ledger: Ledger) -> list[Difference]:
    """Rooms whose sources were none that was locked while a session added trials.

    A session notes the digests of its sources and how many attempts there were when it began.
    """
    bodies = (locked(ledger), *numbered(ledger, AMENDMENT))
    allowed = [one["frozen"]["code"] for one in bodies if one is not None and "code" in one["frozen"]]
    sessions = ledger.sessions()
    begun = [one.settings.get("attempts", 0) for one in sessions]
    adding = [one for one, first, last in zip(sessions, begun, (*begun[1:], attempts(ledger)), strict=True)
              if last > first]  # fmt: skip
    found = []
    for one in adding:
        code = one.settings.get("code") or {}
        if allowed and code not in allowed:
            where = f"code of session {one.number}"
            found += _apart(where, allowed[-1], code)
    return found


def _trials(frozen: Mapping[str, Any], trials: Iterable[TrialRow]) -> list[Difference]:
    """Cells that are complete and hold other trials than were frozen, or more of them."""
    now = keys_of((one.backbone, one.arm, one.condition, one.key) for one in trials)
    return [
        Difference("ledger", f"trials: {cell}", frozen.get(cell), found)
        for cell, found in now.items()
        if found != frozen.get(cell) and found[0] >= (frozen.get(cell) or [0])[0]
    ]


def _altered(ledger: Ledger) -> list[str]:
    """Slots whose text no longer has the digest under which it is kept."""
    from hashlib import sha256

    return [digest for digest, text in ledger.slots() if sha256(text.encode()).hexdigest() != digest]


def _says(
    confirmatory: bool, late: int, found: tuple[Difference, ...], amended: tuple[dict[str, Any], ...]
) -> str:
    if confirmatory:
        return "The plan was locked before the first trial, and all of it stands as it was locked."
    parts = []
    if late:
        parts.append(f"the lock was made after {how_many(late, 'trial')}")
    if amended:
        parts.append(
            "the lock was amended: " + "; ".join(f"“{one_line(str(one['reason']))}”" for one in amended)
        )
    if found:
        more = f", and {len(found) - 1} more" if len(found) > 1 else ""
        parts.append(f"not as it was locked: {found[0].says}{more}")
    return f"Exploratory: {'; '.join(parts)}."


def _amendment(number: int, one: Mapping[str, Any]) -> str:
    changes = "; ".join(f"{key}: {_short(old)} → {_short(new)}" for key, (old, new) in one["changes"].items())
    when = f"after {how_many(one['trials'], 'trial')}" if one["trials"] else "before the first trial"
    return f"Amendment {number}, {when}: {one_line(str(one['reason']))} ({changes or 'no key changed'})"


def _short(value: Any) -> str:
    text = "nothing" if value is None else one_line(str(value))
    return shortened(_DIGEST.sub(lambda digest: digest[0][:12], text), _LONGEST)
