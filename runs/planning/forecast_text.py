"""A forecast as a reader sees it: the answer first, what it rests on, the tables on request."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from loadbearing.outcomes.count_words import how_many
from loadbearing.reports.base.line_width import columns
from loadbearing.runs.planning.allocation import Budget
from loadbearing.runs.planning.forecast import Forecast
from loadbearing.runs.planning.power_table import PowerRow

NONE = "–"
"""No number of tasks is enough, or nothing to say."""
LIKELY, UNLIKELY = 0.5, 0.2
"""Powers below which an effect is missed more often than not, and nearly always."""
TERMS = (
    "Utility: score gained by having the memory. Drop: score lost when its content is damaged. Contrast: an"
    " arm's drop less that of the arm it is compared with."
)
Table = tuple[str, Sequence[Sequence[str]]]
"""Its title and its rows, of which the first are the heads."""


def forecast_lines(forecast: Forecast, details: bool, width: int | None = None) -> Iterator[str]:
    """What the design can show, what it costs and what would suffice; with details, the tables.

    Args:
        width: columns that a table may have; None for as many as it takes.
    """
    yield from _answer(forecast)
    yield ""
    yield from _grounds(forecast)
    if not details:
        yield "--details adds tables: cells, costs, power, and tasks against repeats."
        return
    for table_of in (_cells, _costs, _power, _allocation):
        title, rows = table_of(forecast)
        right = () if table_of is _cells else range(1, len(rows[0]))
        yield from ("", title, *columns(rows, width, right=right))


def _answer(forecast: Forecast) -> Iterator[str]:
    power, row = forecast.power, forecast.power.row(forecast.primary)
    effect = f"a {row.estimand} of {power.effect:g}"
    if row.no_room is not None:
        yield f"No design can show {effect}: {row.no_room}."
    else:
        among = f" ({row.family} tested together)" if row.family > 1 else ""
        chance = f"power {row.power:.2f}, wanted {power.power:g}"
        yield f"This design {_verb(row, power.power)} {effect}: {chance}{among}."
    named = [one for one in power.rows if one.estimand != "contrast" or forecast.primary == "contrast"]
    least = ", ".join(f"{one.estimand} {_share(one.detectable, 2)}" for one in reversed(named))
    yield f"Smallest effects it shows with power {power.power:g}: {least}."
    size = f"{_size(forecast.tasks, forecast.repeats)} x {how_many(len(forecast.cells), 'cell')}"
    yield f"Cost: {_whole(forecast)}; {size} = {forecast.episodes:,} episodes."
    if row.no_room is None and not _is_enough(row, power.power):
        yield from _sufficient(forecast, row)
    yield from (f"{_affordable(one)}{_apart(forecast)}." for one in forecast.budget)


def _verb(row: PowerRow, wanted: float) -> str:
    if _is_enough(row, wanted):
        return "can show"
    if row.power < UNLIKELY:
        return "cannot show"
    return "may miss" if row.power >= LIKELY else "will often miss"


def _is_enough(row: PowerRow, wanted: float) -> bool:
    """Whether the power is the wanted one, as far as the simulation can tell."""
    return row.power >= wanted - (0.0 if row.simulated is None else row.simulated.error)


def _sufficient(forecast: Forecast, row: PowerRow) -> Iterator[str]:
    """What would be enough for the wanted effect."""
    effect, worth = f"{forecast.power.effect:g}", forecast.effective_n
    if row.tasks is None:
        yield f"No number of tasks would show {effect}."
        return
    episodes = row.tasks * forecast.repeats * len(forecast.cells)
    usd = None if forecast.usd is None else forecast.usd.of(row.tasks, forecast.repeats)
    cost = "" if usd == 0 else f", cost {_dollars(usd)}"
    size, apart = _size(row.tasks, forecast.repeats), _apart(forecast)
    yield f"About {size} would show {effect}{apart}: {episodes:,} episodes{cost}."
    if row.tasks_upper is not None:
        yield f"At the upper 80 % limit of the pilot's variance it would take {row.tasks_upper:,} tasks."
    if apart and row.tasks_sharing is None:
        more = "families" if worth.unit == "family" else "training tasks (environment.train)"
        yield (
            "More test tasks alone are not enough: they would fall into the same"
            f" {how_many(worth.clusters, 'cluster')}. Add {more} as well."
        )
    elif apart:
        yield f"In the same {how_many(worth.clusters, 'cluster')} it would take {row.tasks_sharing:,} tasks."


def _apart(forecast: Forecast) -> str:
    """On which condition a number of tasks is enough, where some of the planned ones are correlated."""
    worth = forecast.effective_n
    return f" if no two of them share a {worth.unit}" if worth.clusters < worth.tasks else ""


def _affordable(one: Budget) -> str:
    """What a budget can show."""
    amount = how_many(int(one.amount), "episode")
    if one.unit == "usd":
        amount = f"${one.amount:,.2f}".removesuffix(".00")
    if one.best is None or one.best.tasks is None or one.detectable is None:
        return f"{amount} can show no contrast at all"
    size = _size(one.best.tasks, one.best.repeats)
    return f"{amount} can show a contrast of {one.detectable:.2f} at best, with {size}"


def _grounds(forecast: Forecast) -> Iterator[str]:
    """What the words mean, and what the answer rests on."""
    power, drop, worth = forecast.power, forecast.power.row("drop"), forecast.effective_n
    yield TERMS
    more = ""
    if drop.inert < power.power and drop.inert_tasks is not None:
        more = f"; for {power.power:g} it takes {_size(drop.inert_tasks, forecast.repeats)}"
    inert = f"A drop of 0 would be found inert (within ±{power.margin:g}) with a chance of {drop.inert:.2f}"
    yield f"{inert}{more}."
    if worth.clusters < forecast.tasks:
        yield (
            f"{forecast.tasks:,} tasks in {how_many(worth.clusters, 'cluster')} tell as much as"
            f" {worth.drop:.1f} independent ones about a drop, {worth.contrast:.1f} about a contrast:"
            f" {worth.how}."
        )
    found = power.row(forecast.primary).simulated
    how = "by the closed form (--simulate 1000 runs the real test)"
    if found is not None:
        experiments = how_many(found.experiments, "made-up experiment")
        how = f"simulated, {experiments} with the real test (±{found.error:.3f})"
    yield f"Power: {how}. Variance: {power.parts_are}."
    if forecast.draws > 1:
        yield f"{forecast.draws} banks of each condenser that asks a model, one a repeat."
    yield f"Calls: {forecast.calls:,} at most; collecting and condensing come on top."
    yield f"{forecast.control}; {forecast.cue}; prices of {forecast.prices.date}."


def _cells(forecast: Forecast) -> Table:
    rows: dict[tuple[str, str], list[str]] = {}
    for cell in forecast.cells:
        rows.setdefault((cell.backbone, cell.arm), []).append(cell.condition)
    table = [(*place, ", ".join(conditions)) for place, conditions in rows.items()]
    return f"Cells of {forecast.name}", [("backbone", "arm", "conditions"), *table]


def _costs(forecast: Forecast) -> Table:
    whole = {**forecast.cost_usd, "preparation": forecast.preparation_usd, "in all": forecast.total_usd}
    rows = []
    for name, cost in whole.items():
        one, decision = forecast.per_decision_usd.get(name), NONE
        if one is not None:
            decision = _dollars(one.drop if one.contrast is None else one.contrast)
        rows.append((name, *map(_dollars, (cost.low, cost.likely, cost.high)), decision))
    title = (
        f"Cost, {forecast.cost_is}. One decision: a contrast of {forecast.power.effect:g} with the arm's"
        " control, or a drop where it has none, at the tasks needed."
    )
    return title, [("", "low", "likely", "high", "one decision"), *rows]


def _power(forecast: Forecast) -> Table:
    power, rows = forecast.power, forecast.power.rows
    shown = (f"{one.power:.3f}{'*' * (one.simulated is not None)}" for one in rows)
    table = [
        ("tested together", *(str(one.family) for one in rows)),
        (f"power for {power.effect:g}", *shown),
        ("smallest effect shown", *(_share(one.detectable) for one in rows)),
        ("smallest, by itself", *(_share(one.detectable_alone) for one in rows)),
        ("tasks needed", *(_count(one.tasks) for one in rows)),
        ("tasks, cautious (pilot)", *(_count(one.tasks_upper) for one in rows)),
        ("tasks, same clusters", *(_count(one.tasks_sharing) for one in rows)),
        ("chance that 0 is inert", *(f"{one.inert:.3f}" for one in rows)),
        ("tasks for inert", *(_count(one.inert_tasks) for one in rows)),
        ("episodes, paired", *(_count(one.paired_episodes) for one in rows)),
        ("episodes, unpaired", *(_count(one.unpaired_episodes) for one in rows)),
    ]
    title = (
        f"Power at {how_many(forecast.repeats, 'repeat')} (*: simulated; the rest by the closed form)."
        f" Episodes: for {power.effect:g} in one test by itself, at 1 repeat, with the same tasks or other"
        " tasks in each cell."
    )
    return title, [("", *(one.estimand for one in rows)), *table]


def _allocation(forecast: Forecast) -> Table:
    rows = [
        (str(one.repeats), _count(one.tasks), _count(one.episodes), _dollars(one.usd) if one.tasks else NONE)
        for one in forecast.allocation
    ]
    apart = ", if no two tasks share a cluster" if forecast.effective_n.clusters < forecast.tasks else ""
    title = f"Tasks or repeats for a contrast of {forecast.power.effect:g}, by the closed form{apart}"
    return title, [("repeats", "tasks", "episodes", "cost"), *rows]


def _size(tasks: int, repeats: int) -> str:
    return f"{how_many(tasks, 'task')} x {how_many(repeats, 'repeat')}"


def _whole(forecast: Forecast) -> str:
    """The whole cost, likely and in the range it may have."""
    unknown, whole = forecast.prices.unknown, forecast.total_usd
    if unknown:
        return f"unknown (no price is known for {', '.join(unknown)}: give budget.prices)"
    if not whole.high:
        return "$0 (simulated models)" if forecast.simulated else "$0"
    return f"about {_dollars(whole.likely)} ({_dollars(whole.low)} to {_dollars(whole.high)})"


def _dollars(value: float | None) -> str:
    return "unknown" if value is None else f"${value:,.2f}" if value else "$0"


def _share(value: float | None, digits: int = 3) -> str:
    return "none" if value is None else f"{value:.{digits}f}"


def _count(n: int | None) -> str:
    return NONE if n is None else f"{n:,}"
