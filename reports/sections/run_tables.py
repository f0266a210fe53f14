"""How a run was carried out, as tables: losses, failures, cost, models, delivery, history."""

from __future__ import annotations

from collections.abc import Mapping
from operator import attrgetter

from loadbearing.ledger.calls import Answering
from loadbearing.reports.base import numbers
from loadbearing.reports.base.lookup import in_order
from loadbearing.reports.model.history import History
from loadbearing.reports.model.results import Results
from loadbearing.reports.text.table import CONDITION, Column, Kind, Table, by_arm, number, tabulate, text

_TOKENS = ("calls", "input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens")


def losses(results: Results) -> Table:
    """By arm: what the infrastructure lost, how the agent failed, and what there was nothing to show for."""
    arms = in_order(results.arms, (*results.attrition, *results.errors, *results.agent_failures))
    rows = tuple(_loss(results, arm) for arm in arms)
    heads = ("arm", "trials", "planned", "errors", "share lost", "causes", "own failures", "empty slots")
    # a column is shown where it says something of some arm
    told = [at for at, _ in enumerate(heads) if not at or any(row[at] for row in rows)]
    kinds: dict[str, Kind] = {"arm": "name", "causes": "text", "own failures": "text"}
    caption = ["Errors of the infrastructure are in no mean."]
    if results.agent_failures:
        caption.append("The agent's own failures are scores.")
    if results.empty_slots:
        caption.append("Empty slots: share of intact trials without an item to show; they count.")
    return Table(
        " ".join(caption),
        tuple(Column(heads[at], kinds.get(heads[at], "number")) for at in told),
        tuple(tuple(row[at] for at in told) for row in rows),
    )


def _loss(results: Results, arm: str) -> tuple[str, ...]:
    lost = results.attrition.get(arm)
    failed = results.agent_failures.get(arm, {})
    empty = results.empty_slots.get(arm)
    return (
        arm,
        numbers.count(lost.trials) if lost else "",
        numbers.count(lost.planned) if lost else "",
        numbers.count(results.errors.get(arm, 0)),
        numbers.share(lost.share) if lost and lost.errors else "",
        counted(lost.causes) if lost else "",
        counted(failed),
        numbers.share(empty) if empty is not None else "",
    )


def counted(causes: Mapping[str, int]) -> str:
    """Causes with their counts in a line."""
    return ", ".join(f"{cause} {numbers.count(n)}" for cause, n in causes.items())


def cost(results: Results) -> Table:
    """Calls, tokens and dollars of each arm."""
    counts = ((field.replace("_", " "), attrgetter(field)) for field in _TOKENS)
    return by_arm(
        results,
        results.cost,
        "Model calls by arm, as if the run had been played in one go. Input tokens are those neither read "
        "from nor written to the provider's prompt cache.",
        *((head, lambda one, of=of: numbers.count(of(one))) for head, of in counts),
        ("usd", lambda one: numbers.dollars(one.usd)),
    )


def preparation(results: Results) -> Table:
    """What was spent before the first trial, by purpose."""
    return tabulate(
        "Preparation, by purpose: collecting, condensing, gates. Each call counts once, however often its "
        "answer was used.",
        results.preparation,
        text("purpose", "name"),
        *(number(field, numbers.count) for field in _TOKENS),
        number("usd", numbers.dollars),
    )


def cost_sentence(results: Results) -> str:
    """What the whole run cost; an unknown price makes the sum unknown, never less."""
    parts = [one.usd for one in results.cost.values()] + [one.usd for one in results.preparation]
    if not parts:
        return ""
    known = [usd for usd in parts if numbers.is_known(usd)]
    total = numbers.dollars(sum(known) if len(known) == len(parts) else None)
    said = f"Arms and preparation together: {total}."
    if len(known) < len(parts):
        said += f" The parts that are priced come to {numbers.dollars(sum(known))}."
    return said


def models(results: Results) -> Table:
    """What was asked for, what answered, and what was really sent."""
    return tabulate(
        "Models as they were asked for and as they named themselves. Temperatures: those really sent. "
        "Altered: calls in whose request a text did not stand verbatim.",
        results.models,
        text("asked", "name", "asked for"),
        text("answered", "name"),
        number("calls", numbers.count),
        ("temperatures", "number", _temperatures),
        number("batched", numbers.count),
        number("altered", numbers.count),
    )


def _temperatures(row: Answering) -> str:
    return ", ".join("none" if one is None else f"{one:g}" for one in row.temperatures)


def undelivered(results: Results) -> Table:
    """The first trials in whose requests memory text was missing."""
    return tabulate(
        "The first trials in whose requests memory text was missing; `show` reads one back by its key.",
        results.delivery.trials if results.delivery else (),
        text("backbone", "name"),
        text("arm", "name"),
        CONDITION,
        text("task", "name"),
        number("repeat", numbers.count),
        number("undelivered", numbers.count, "requests without it"),
        text("key", "text", "trial"),
    )


def sessions(past: History) -> Table:
    """The `run` commands on this folder."""
    return tabulate(
        "One row for each `run` command on this folder; times are UTC.",
        past.sessions,
        number("number", numbers.count, "session"),
        text("begun", "text"),
        text("ended", "text"),
        text("how", "text", "how it ended"),
    )
