"""How a run was carried out, as tables: losses, failures, cost, models, delivery, history."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from loadbearing.reports.base import numbers
from loadbearing.reports.base.lookup import Results, Row, rows
from loadbearing.reports.text.table import (
    CONDITION,
    Column,
    Filling,
    Table,
    by_arm,
    entry_number,
    number,
    tabulate,
    text,
)

_TOKENS = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens")


def attrition(results: Results) -> Table:
    """Infrastructure errors by arm, apart from all means."""
    if not results.get("attrition"):
        if results.get("table"):
            return Table(_LOST, (Column("arm", "name"),), ())
        return by_arm(results, "errors", _LOST, ("errors", numbers.count))
    return tabulate(
        _LOST,
        ({"arm": arm, **_mapping(entry)} for arm, entry in results["attrition"].items()),
        text("arm", "name"),
        number("trials", numbers.count),
        number("planned", numbers.count),
        number("errors", numbers.count),
        number("share", numbers.share),
        ("causes", "text", lambda row: counted(row.get("causes"))),
    )


_LOST = "Trials that the infrastructure lost. They are in no mean; an agent's own failures are scores."


def failures(results: Results) -> Table:
    """The agent's own failures by arm and cause."""
    return Table(
        "How often the agent itself failed, by cause. These are scores, and none of them is an error.",
        (Column("arm", "name"), Column("failures"), Column("causes", "text")),
        tuple(
            (str(arm), numbers.count(sum(_mapping(causes).values())), counted(causes))
            for arm, causes in (results.get("agent_failures") or {}).items()
        ),
    )


def counted(causes: Any) -> str:
    """Causes with their counts in a line."""
    return ", ".join(f"{cause} {numbers.count(n)}" for cause, n in _mapping(causes).items())


def cost(results: Results) -> Table:
    """Calls, tokens and dollars of each arm."""
    return by_arm(
        results,
        "cost",
        "Model calls by arm, as if the run had been played in one go. Input tokens are those neither read "
        "from nor written to the provider's prompt cache.",
        *(entry_number(key, numbers.count) for key in ("calls", *_TOKENS)),
        entry_number("usd", numbers.dollars),
    )


def preparation(results: Results) -> Table:
    """What was spent before the first trial, by purpose."""
    return tabulate(
        "Preparation, by purpose: collecting, condensing, gates. Each call counts once, however often its "
        "answer was used.",
        rows(results, "preparation"),
        text("purpose", "name"),
        *(number(key, numbers.count, key.replace("_", " ")) for key in ("calls", *_TOKENS)),
        number("usd", numbers.dollars),
    )


def cost_sentence(results: Results) -> str:
    """What the whole run cost; an unknown price makes the sum unknown, never less."""
    parts = [_mapping(entry).get("usd") for entry in (results.get("cost") or {}).values()]
    parts += [row.get("usd") for row in rows(results, "preparation")]
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
        rows(results, "models"),
        text("asked", "name", "asked for"),
        text("answered", "name"),
        number("calls", numbers.count),
        _TEMPERATURES,
        number("batched", numbers.count),
        number("altered", numbers.count),
    )


def _temperatures(row: Row) -> str:
    sent = row.get("temperatures") or ()
    return ", ".join(f"{one:g}" if numbers.is_known(one) else "none" for one in sent)


_TEMPERATURES: Filling = ("temperatures", "number", _temperatures)


def undelivered(results: Results) -> Table:
    """The first trials in whose requests memory text was missing."""
    return tabulate(
        "The first trials in whose requests memory text was missing; `show` reads one back by its key.",
        rows(_mapping(results.get("delivery")), "trials"),
        text("backbone", "name"),
        text("arm", "name"),
        CONDITION,
        text("task", "name"),
        number("repeat", numbers.count),
        number("undelivered", numbers.count, "requests without it"),
        text("key", "text", "trial"),
    )


def sessions(past: Row) -> Table:
    """The `run` commands on this folder."""
    return tabulate(
        "One row for each `run` command on this folder; times are UTC.",
        rows(past, "sessions"),
        number("number", numbers.count, "session"),
        text("begun", "text"),
        text("ended", "text"),
        text("how", "text", "how it ended"),
    )


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
