"""What a ledger states about its lock: the frozen plan, amendments to it, looks taken, unmasked looks."""

import json
from collections.abc import Mapping
from typing import ClassVar, Literal, TypeVar

from pydantic import JsonValue

from loadbearing.ledger.rows import Json
from loadbearing.ledger.run_plan import Recorded, RunPlan, read_as
from loadbearing.ledger.store import Ledger
from loadbearing.ledger.stored import LedgerFault, mapping

Hypothesis = tuple[str, str, str, str]
"""(backbone, treatment, control, condition)."""


class Lock(Recorded):
    """What was fixed before the first trial; `trials` were played before, `digest` is of what is frozen."""

    made: str
    trials: int
    digest: str
    frozen: Json


class Numbered(Recorded):
    """A fact that is stated again and again, at a time in UTC: `NAME 1`, `NAME 2`, and so on."""

    NAME: ClassVar[str]
    made: str


class Amendment(Numbered):
    """What is to hold from now on: `changes` say of a frozen key what it was and is, others what it is."""

    NAME = "amendment"
    reason: str
    trials: int
    changes: Mapping[str, tuple[JsonValue, JsonValue]]
    frozen: Json
    identity: Json
    plan: Json


class Seen(Recorded, strict=False):
    """One hypothesis at one look: p within its family, the repeated p of this look, whether it is decided."""

    place: Hypothesis
    estimate: float | None
    p_adjusted: float | None
    overall: float
    crossed: bool


class Look(Recorded, strict=False):
    """A look that was taken, counted from 1.

    `level` is the largest p_adjusted that decides a hypothesis; `stop`: the run ends here, by the fixed rule.
    """

    number: int
    tasks: int
    level: float
    seen: tuple[Seen, ...]
    stop: bool


class TakenLook(Look, Numbered):
    """A look as the ledger states it."""

    NAME = "look"


class UnmaskedLook(Numbered):
    """Scores were seen under the arms' own names, by a command, before the locked data were complete."""

    NAME = "unmasked"
    trials: int
    by: str


Fact = TypeVar("Fact", bound=Numbered)


def locked(ledger: Ledger) -> Lock | None:
    """The lock as it was stated; None where there is none."""
    text = ledger.fact_text("lock")
    return None if text is None else read_as(Lock, text, "lock")


def stated_lock(ledger: Ledger) -> Lock:
    """The lock of a run that is locked. Raises LedgerFault: none is stated."""
    lock = locked(ledger)
    if lock is None:
        raise LedgerFault("a ledger with a lock is needed; this one states none")
    return lock


def numbered(ledger: Ledger, kind: type[Fact]) -> tuple[Fact, ...]:
    """All facts of one kind that were stated, in order."""
    found: list[Fact] = []
    while (text := ledger.fact_text(name := f"{kind.NAME} {len(found) + 1}")) is not None:
        found.append(read_as(kind, text, name))
    return tuple(found)


def add_numbered(ledger: Ledger, fact: Numbered) -> None:
    """State one more of its kind."""
    ledger.state(f"{fact.NAME} {len(numbered(ledger, type(fact))) + 1}", fact.facts)


def plan_in_force(ledger: Ledger) -> RunPlan | None:
    """The plan with all amendments to it; None before the first trial."""
    stated = _in_force(ledger, "plan")
    return None if stated is None else read_as(RunPlan, json.dumps(stated), "plan")


def stated_plan(ledger: Ledger) -> RunPlan:
    """The plan in force of a run that is at its first trial or past it; a LedgerFault where none is."""
    plan = plan_in_force(ledger)
    if plan is None:
        raise LedgerFault("a ledger with a plan is needed; this one states none")
    return plan


def identity_in_force(ledger: Ledger) -> dict[str, JsonValue] | None:
    """What the run is, with all amendments; None where nothing is stated yet."""
    return _in_force(ledger, "identity")


def state_plan(ledger: Ledger, plan: RunPlan) -> None:
    """State the plan once, with amendments as amended. Raises LedgerFault: it was stated otherwise."""
    if plan_in_force(ledger) != plan:
        ledger.state("plan", plan.facts)


def frozen_in_force(ledger: Ledger) -> dict[str, JsonValue]:
    """What is frozen, with all amendments, of a run that is locked."""
    amended = (one.frozen for one in numbered(ledger, Amendment))
    return {key: value for stated in (stated_lock(ledger).frozen, *amended) for key, value in stated.items()}


def played(ledger: Ledger) -> int:
    """Trials that were ever played, errors and those that do not count any more among them."""
    query = "SELECT count(DISTINCT json_extract(name, '$[3]')) FROM seals WHERE of_table = 'trials'"
    return int(ledger.connection.execute(query).fetchone()[0])


def attempts(ledger: Ledger) -> int:
    """Rows of trials that were ever written, every attempt of each."""
    query = "SELECT count(*) FROM seals WHERE of_table = 'trials'"
    return int(ledger.connection.execute(query).fetchone()[0])


def _in_force(ledger: Ledger, name: Literal["plan", "identity"]) -> dict[str, JsonValue] | None:
    """A fact that is a JSON object with its amendments; None where it is not stated."""
    text = ledger.fact_text(name)
    if text is None:
        return None
    amended = (one.plan if name == "plan" else one.identity for one in numbered(ledger, Amendment))
    return {key: value for stated in (mapping(text), *amended) for key, value in stated.items()}
