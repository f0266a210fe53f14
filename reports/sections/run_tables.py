"""How a run was carried out, as tables: losses, failures, cost, models, delivery, history."""

from __future__ import annotations

from collections.abc import Mapping
from operator import attrgetter

from loadbearing.reports.base import numbers
from loadbearing.reports.model.history import History
from loadbearing.reports.model.play import ModelRow
from loadbearing.reports.model.results import Results
from loadbearing.reports.text.table import CONDITION, Table, by_arm, number, tabulate, text

_TOKENS = ("calls", "input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens")


def attrition(results: Results) -> Table:
    """Infrastructure errors by arm, apart from all means."""
    if results.attrition or results.table:
        caption = (
            "Trials that the infrastructure lost. They are in no mean; an agent's own failures are scores."
        )
        return by_arm(
            results,
            results.attrition,
            caption,
            ("trials", lambda one: numbers.count(one.trials)),
            ("planned", lambda one: numbers.count(one.planned)),
            ("errors", lambda one: numbers.count(one.errors)),
            ("share", lambda one: numbers.share(one.share)),
            ("causes", lambda one: counted(one.causes)),
        )
    return by_arm(results, results.errors, "Trials that the infrastructure lost.", ("errors", numbers.count))


def failures(results: Results) -> Table:
    """The agent's own failures by arm and cause."""
    return by_arm(
        results,
        results.agent_failures,
        "How often the agent itself failed, by cause. These are scores, and none of them is an error.",
        ("failures", lambda causes: numbers.count(sum(causes.values()))),
        ("causes", counted),
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


def _temperatures(row: ModelRow) -> str:
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
