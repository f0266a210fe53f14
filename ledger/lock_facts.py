"""What a ledger states about its lock: the frozen plan, amendments to it, looks taken, unmasked looks."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

from loadbearing.ledger.store import Ledger
from loadbearing.ledger.stored import LedgerFault

LOCK, AMENDMENT, LOOK, UNMASKED = "lock", "amendment", "look", "unmasked"


def locked(ledger: Ledger) -> dict[str, Any] | None:
    """The lock as it was stated; None where there is none.

    Raises:
        LedgerFault: what is stated there is none.
    """
    found = ledger.fact(LOCK)
    if found is not None and not (isinstance(found, dict) and isinstance(found.get("frozen"), dict)):
        raise LedgerFault("a ledger that is whole is needed; what it states as its lock is none")
    return found


def numbered(ledger: Ledger, name: str) -> tuple[dict[str, Any], ...]:
    """What was stated under a name again and again: amendments, looks, unmasked looks, in order."""
    found: list[dict[str, Any]] = []
    while (one := ledger.fact(f"{name} {len(found) + 1}")) is not None:
        found.append(one)
    return tuple(found)


def add_numbered(ledger: Ledger, name: str, body: dict[str, Any]) -> None:
    """State one more under a name, with the time."""
    number = len(numbered(ledger, name)) + 1
    ledger.state(f"{name} {number}", {"made": now(), **body})


def plan_in_force(ledger: Ledger) -> Any:
    """The plan with all amendments to it; None before the first trial."""
    return _amended(ledger, "plan")


def identity_in_force(ledger: Ledger) -> Any:
    """What the run is, with all amendments."""
    return _amended(ledger, "identity")


def state_plan(ledger: Ledger, facts: dict[str, Any]) -> None:
    """State the plan once; on a ledger with amendments it has to be the plan as amended.

    Raises:
        LedgerFault: it was stated otherwise.
    """
    if numbered(ledger, AMENDMENT) and plan_in_force(ledger) == json.loads(json.dumps(facts)):
        return
    ledger.state("plan", facts)


def played(ledger: Ledger) -> int:
    """Trials that were ever played, errors and those that do not count any more among them."""
    query = "SELECT count(DISTINCT json_extract(name, '$[3]')) FROM seals WHERE of_table = 'trials'"
    return int(ledger.connection.execute(query).fetchone()[0])


def attempts(ledger: Ledger) -> int:
    """Rows of trials that were ever written, every attempt of each."""
    query = "SELECT count(*) FROM seals WHERE of_table = 'trials'"
    return int(ledger.connection.execute(query).fetchone()[0])


def now() -> str:
    """ISO 8601, UTC."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def _amended(ledger: Ledger, name: str) -> Any:
    stated = ledger.fact(name)
    if not isinstance(stated, dict):
        return stated
    for one in numbered(ledger, AMENDMENT):
        stated = stated | (one.get(name) or {})
    return stated
