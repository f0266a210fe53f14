"""How a run was carried out, as tables: losses, failures, cost, models, delivery, history."""

from __future__ import annotations

from collections.abc import Mapping

from loadbearing.reports.base import numbers
from loadbearing.reports.base.lookup import in_order
from loadbearing.reports.model.play import History
from loadbearing.reports.model.results import Results
from loadbearing.reports.sections.tables import counted
from loadbearing.reports.text.table import ARM, BACKBONE, CONDITION, Column, Table, number, tabulate, text

_TOKENS = counted("calls", "input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens")
_USD = number("usd", numbers.dollars)


def losses(results: Results) -> Table:
    """By arm: what the infrastructure lost, how the agent failed, and what there was nothing to show for."""
    arms = in_order(results.arms, (*results.attrition, *results.errors, *results.agent_failures))
    lost, empty = results.attrition, results.empty_slots
    columns = (
        Column("arm", "name", str),
        Column("trials", "number", lambda arm: numbers.count(lost[arm].trials) if arm in lost else ""),
        Column("planned", "number", lambda arm: numbers.count(lost[arm].planned) if arm in lost else ""),
        Column("errors", "number", lambda arm: numbers.count(results.errors.get(arm, 0))),
        Column("share lost", "number", lambda arm: _share_lost(results, arm)),
        Column("causes", "text", lambda arm: _causes(lost[arm].causes) if arm in lost else ""),
        Column("own failures", "text", lambda arm: _causes(results.agent_failures.get(arm, {}))),
        Column("empty slots", "number", lambda arm: numbers.share(empty[arm]) if arm in empty else ""),
    )
    caption = "Errors of the infrastructure are in no mean."
    if results.agent_failures:
        caption += " The agent's own failures are scores."
    if empty:
        caption += " Empty slots: share of intact trials without an item to show; they count."
    # a column is shown where it says something of some arm
    return tabulate(caption, arms, *(one for one in columns if not arms or any(map(one.fill, arms))))


def _share_lost(results: Results, arm: str) -> str:
    lost = results.attrition.get(arm)
    return numbers.share(lost.share) if lost and lost.errors else ""


def _causes(causes: Mapping[str, int]) -> str:
    return ", ".join(f"{cause} {numbers.count(n)}" for cause, n in causes.items())


def cost(results: Results) -> Table:
    """Calls, tokens and dollars of each arm."""
    arms = in_order(results.arms, results.cost)
    found = tabulate(
        "Model calls by arm, as if the run had been played in one go. Input tokens are those neither read "
        "from nor written to the provider's prompt cache.",
        [results.cost[arm] for arm in arms],
        *_TOKENS,
        _USD,
    )
    rows = ((arm, *row) for arm, row in zip(arms, found.rows, strict=True))
    return Table(found.caption, (Column("arm", "name", str), *found.columns), tuple(rows))


def preparation(results: Results) -> Table:
    """What was spent before the first trial, by purpose."""
    return tabulate(
        "Preparation, by purpose: collecting, condensing, gates. Each call counts once, however often its "
        "answer was used.",
        results.preparation,
        text("purpose", "name"),
        *_TOKENS,
        _USD,
    )


def cost_sentence(results: Results) -> str:
    """What the whole run cost; an unknown price makes the sum unknown, never less."""
    parts = [one.usd for one in results.cost.values()] + [one.usd for one in results.preparation]
    if not parts:
        return ""
    known = [usd for usd in parts if numbers.is_known(usd)]
    if len(known) == len(parts):
        return f"Arms and preparation together: {numbers.dollars(sum(known))}."
    priced = numbers.dollars(sum(known))
    return f"Arms and preparation together: unknown. The parts that are priced come to {priced}."


def models(results: Results) -> Table:
    """What was asked for, what answered, and what was really sent."""

    def temperatures(sent: tuple[float | None, ...]) -> str:
        return ", ".join("none" if one is None else f"{one:g}" for one in sent)

    return tabulate(
        "Models as they were asked for and as they named themselves. Temperatures: those really sent. "
        "Altered: calls in whose request a text did not stand verbatim.",
        results.models,
        text("asked", "name", "asked for"),
        text("answered", "name"),
        *counted("calls"),
        number("temperatures", temperatures),
        *counted("batched", "altered"),
    )


def undelivered(results: Results) -> Table:
    """The first trials in whose requests memory text was missing."""
    return tabulate(
        "The first trials in whose requests memory text was missing; `show` reads one back by its key.",
        results.delivery.trials if results.delivery else (),
        *(BACKBONE, ARM, CONDITION),
        text("task", "name"),
        *counted("repeat"),
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
