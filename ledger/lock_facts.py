"""What a ledger states about its lock: the frozen plan, amendments to it, looks taken, unmasked looks."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from loadbearing.ledger.run_plan import RunPlan, plan_from
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


def plan_in_force(ledger: Ledger) -> RunPlan | None:
    """The plan with all amendments to it; None before the first trial.

    Raises:
        LedgerFault: what is stated as the plan is none of this version's.
    """
    stated = _amended(ledger, "plan")
    return None if stated is None else plan_from(stated)


def stated_plan(ledger: Ledger) -> RunPlan:
    """The plan with all amendments to it, of a run that is at its first trial or past it.

    Raises:
        LedgerFault: none is stated, or none of this version's.
    """
    plan = plan_in_force(ledger)
    if plan is None:
        raise LedgerFault("a ledger with a plan is needed; this one states none")
    return plan


def identity_in_force(ledger: Ledger) -> Any:
    """What the run is, with all amendments."""
    return _amended(ledger, "identity")


def state_plan(ledger: Ledger, plan: RunPlan) -> None:
    """State the plan once; on a ledger with amendments it has to be the plan as amended.

    Raises:
        LedgerFault: it was stated otherwise.
    """
    if plan_in_force(ledger) != plan:
        ledger.state("plan", plan.facts)


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
