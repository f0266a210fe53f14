"""A forecast as a reader sees it: the answer first, the tables on request."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from loadbearing.outcomes.count_words import how_many
from loadbearing.reports.base.line_width import columns
from loadbearing.runs.planning.forecast import Forecast
from loadbearing.runs.planning.power_table import PowerRow

NONE = "–"
"""No number of tasks is enough, or nothing to say."""
Table = tuple[str, Sequence[Sequence[str]]]
"""Its title and its rows, of which the first are the heads."""


def forecast_lines(forecast: Forecast, details: bool, width: int | None = None) -> Iterator[str]:
    """What the design can show, what it costs and what would suffice; with details, the tables.

    Args:
        width: columns that a table may have; None for as many as it takes.
    """
    yield from _answer(forecast)
    yield from _grounds(forecast)
    if not details:
        return
    for table_of in (_cells, _costs, _power, _allocation):
        title, rows = table_of(forecast)
        right = () if table_of is _cells else range(1, len(rows[0]))
        yield from ("", title, *columns(rows, width, right=right))


def _answer(forecast: Forecast) -> Iterator[str]:
    """What the design can and cannot show, what it costs, what would suffice."""
    power, row = forecast.power, forecast.power.row(forecast.primary)
    chance = "can" if row.power >= power.power else "may fail to" if row.power >= 0.5 else "cannot"
    if row.no_room is not None:
        yield f"{row.estimand}: {row.no_room}"
    else:
        among = f"{row.family} tested together" if row.family > 1 else "tested by itself"
        effect = f"a {row.estimand} of {power.effect:g} ({among}; wanted {power.power:g})"
        yield f"Power {row.power:.2f} for {effect}: this design {chance} show it."
    named = [one for one in power.rows if one.estimand != "contrast" or forecast.primary == "contrast"]
    least = ", ".join(f"{one.estimand} {_share(one.detectable)}" for one in reversed(named))
    yield f"Smallest effects it shows with power {power.power:g}: {least}."
    size = f"{_size(forecast.tasks, forecast.repeats)} x {how_many(len(forecast.cells), 'cell')}"
    yield f"Cost: {_whole(forecast)}; {size} = {forecast.episodes:,} episodes."
    if row.no_room is None and row.power < power.power:
        yield from _sufficient(forecast, row)


def _sufficient(forecast: Forecast, row: PowerRow) -> Iterator[str]:
    """What would be enough for the wanted effect."""
    effect, clusters = f"{forecast.power.effect:g}", forecast.clusters
    if row.tasks is None:
        yield f"No number of tasks would suffice for {effect}."
    else:
        episodes = row.tasks * forecast.repeats * len(forecast.cells)
        usd = None if forecast.usd is None else forecast.usd.of(row.tasks, forecast.repeats)
        yield (
            f"{_size(row.tasks, forecast.repeats)} would suffice for {effect}, if no two"
            f" share a record or family: {episodes:,} episodes, cost {_dollars(usd)}."
        )
    if row.tasks_sharing is None and clusters < forecast.tasks:
        more = "families" if "family" in forecast.clusters_are else "training tasks (environment.train)"
        yield (
            f"{how_many(clusters, 'cluster')} cannot show {effect}, however many test tasks fall into them:"
            f" add {more} along with test tasks."
        )


def _grounds(forecast: Forecast) -> Iterator[str]:
    """What else a reader has to know, and what the answer rests on."""
    power, drop = forecast.power, forecast.power.row("drop")
    for one in forecast.budget:
        amount = _dollars(one.amount) if one.unit == "usd" else how_many(int(one.amount), "episode")
        shows = "no contrast at all"
        if one.best is not None and one.detectable is not None:
            size = _size(one.best.tasks or 0, one.best.repeats)
            shows = f"at best a contrast of {one.detectable:.3f}, with {size}"
        yield f"What {amount} can show: {shows}."
    enough = "no number of tasks" if drop.inert_tasks is None else _size(drop.inert_tasks, forecast.repeats)
    yield (
        f"Where a drop is 0, it is found inert (within {power.margin:g}) with a chance of {drop.inert:.2f};"
        f" power {power.power:g} takes {enough}."
    )
    if forecast.clusters < forecast.tasks:
        apart = power.row("contrast").effective_tasks
        yield (
            f"{forecast.tasks:,} tasks in {how_many(forecast.clusters, 'cluster')} tell as much as"
            f" {drop.effective_tasks:.1f} independent ones about a drop, {apart:.1f} about a contrast:"
            f" {forecast.clusters_are}."
        )
    found, how = power.row(forecast.primary).simulated, "by the closed form"
    if found is not None:
        how = f"simulated, {found.experiments:,} experiments with the real test (±{found.error:.3f})"
    yield f"Power {how}; variance parts {power.parts_are}."
    if forecast.draws > 1:
        yield f"{forecast.draws} banks of each condenser that asks a model, one a repeat"
    yield f"{forecast.calls:,} calls at most; collecting and condensing come on top."
    yield f"{forecast.control}; {forecast.cue}; prices of {forecast.prices_date}"
    yield "--details prints cells, costs, power, and tasks against repeats."


def _cells(forecast: Forecast) -> Table:
    rows: dict[tuple[str, str], list[str]] = {}
    for cell in forecast.cells:
        rows.setdefault((cell.backbone, cell.arm), []).append(cell.condition)
    table = [(*place, ", ".join(conditions)) for place, conditions in rows.items()]
    return f"Plan of {forecast.name}", [("backbone", "arm", "conditions"), *table]


def _costs(forecast: Forecast) -> Table:
    whole = {**forecast.cost_usd, "preparation": forecast.preparation_usd, "in all": forecast.total_usd}
    rows = []
    for name, cost in whole.items():
        one, decision = forecast.per_decision_usd.get(name), NONE
        if one is not None:
            decision = _dollars(one.drop if one.contrast is None else one.contrast)
        rows.append((name, *map(_dollars, (cost.low, cost.likely, cost.high)), decision))
    title = (
        f"Cost {forecast.cost_is}; decision: of one about {forecast.power.effect:g}, at the tasks that it"
        " takes (a contrast, or a drop where the arm is compared with none)"
    )
    return title, [("", "low", "likely", "high", "decision"), *rows]


def _power(forecast: Forecast) -> Table:
    power, rows = forecast.power, forecast.power.rows
    table = [
        ("tested together", *(str(one.family) for one in rows)),
        (
            f"power for {power.effect:g}",
            *(f"{one.power:.3f}{'*' * (one.simulated is not None)}" for one in rows),
        ),
        ("detects", *(_share(one.detectable) for one in rows)),
        ("detects, by itself", *(_share(one.detectable_alone) for one in rows)),
        ("tasks needed", *(_count(one.tasks) for one in rows)),
        ("in the same clusters", *(_count(one.tasks_sharing) for one in rows)),
        ("power of inert", *(f"{one.inert:.3f}" for one in rows)),
        ("tasks for inert", *(_count(one.inert_tasks) for one in rows)),
        ("episodes, by itself, paired", *(_count(one.paired_episodes) for one in rows)),
        ("episodes, by itself, unpaired", *(_count(one.unpaired_episodes) for one in rows)),
    ]
    at = how_many(forecast.repeats, "repeat")
    title = f"At {at} (*: simulated; the rest by the closed form, a lower bound)"
    return title, [("", *(one.estimand for one in rows)), *table]


def _allocation(forecast: Forecast) -> Table:
    rows = [
        (str(one.repeats), _count(one.tasks), _count(one.episodes), _dollars(one.usd) if one.tasks else NONE)
        for one in forecast.allocation
    ]
    title = f"Tasks or repeats for a contrast of {forecast.power.effect:g}, if no two tasks share a cluster"
    return title, [("repeats", "tasks", "episodes", "cost"), *rows]


def _size(tasks: int, repeats: int) -> str:
    return f"{how_many(tasks, 'task')} x {how_many(repeats, 'repeat')}"


def _whole(forecast: Forecast) -> str:
    """The whole cost, likely and in the range it may have."""
    unknown, whole = forecast.unpriced, forecast.total_usd
    if unknown:
        return f"unknown (no price is known for {', '.join(unknown)}: give budget.prices)"
    if not whole.high:
        return "$0"
    return f"about {_dollars(whole.likely)} ({_dollars(whole.low)} to {_dollars(whole.high)})"


def _dollars(value: float | None) -> str:
    return "unknown" if value is None else f"${value:,.2f}" if value else "$0"


def _share(value: float | None) -> str:
    return "none" if value is None else f"{value:.3f}"


def _count(n: int | None) -> str:
    return NONE if n is None else f"{n:,}"
