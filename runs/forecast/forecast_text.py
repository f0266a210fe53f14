"""A forecast as a reader sees it: the answer, what it rests on, and on request tables and the power curve."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from textwrap import wrap

from memtrial.analysis.verdicts.undecidable import open_cell_lines
from memtrial.console.line_width import columns
from memtrial.faults import SpecFault, refused
from memtrial.outcomes.count_words import how_many
from memtrial.private_file import write_whole
from memtrial.reports.figures.power_curve import power_curve_page
from memtrial.runs.forecast.counter_share import counter_lines
from memtrial.runs.forecast.planned_comparisons import channel_line, factor_lines
from memtrial.runs.forecast.power_table import PowerRow
from memtrial.runs.forecast.spec_forecast import Forecast
from memtrial.views.evidence.bundle_audit import pair_sentences, sentence

NONE = "–"
"""No number of tasks is enough, or nothing to say."""
UNLIKELY = 0.2
"""The power below which an effect is nearly always missed."""
TERMS = (
    "Utility: score gained by having the memory. Drop: score lost when its content is damaged. Contrast: an"
    " arm's drop less that of the arm it is compared with."
)
DONORS = (
    "irrelevant_swap takes whole items of another record, with the same headings, about as long. Where none"
    " fits, a slot is not applicable: `memtrial lock` says where and why, before the first trial."
)
Table = tuple[str, Sequence[Sequence[str]]]
"""Its title and its rows, of which the first are the heads."""


def forecast_lines(forecast: Forecast, details: bool, width: int | None = None) -> Iterator[str]:
    """What the design can show, what it costs and what would suffice; with details, the tables."""
    yield from _answer(forecast)
    yield ""
    yield from _grounds(forecast)
    if not details:
        yield "--details adds tables: cells, costs, power, and tasks against repeats."
        return
    every = dict.fromkeys((row.arm, row.versus) for row in forecast.audit)
    yield from ("", "First requests, rendered", *(sentence(forecast.audit, pair) for pair in every))
    cells: dict[tuple[str, str], list[str]] = {}
    for cell in forecast.cells:
        cells.setdefault((cell.backbone, cell.arm), []).append(cell.condition)
    rows = [("backbone", "arm", "conditions")]
    rows += [(*place, ", ".join(conditions)) for place, conditions in cells.items()]
    yield from ("", f"Cells of {forecast.name}", *columns(rows, width))
    yield from ("", "Factors of the arms", *channel_line(forecast.compared), *factor_lines(forecast.compared))
    made = [("condenser", "how it makes its items"), *forecast.condensers.items()]
    yield from ("", "Condensers", *columns(made, width))
    if any("irrelevant_swap" in cell.condition for cell in forecast.cells):
        yield from wrap(DONORS, width or len(DONORS))
    for title, numbers in (_costs(forecast), _power(forecast), _allocation(forecast)):
        yield from ("", title, *columns(numbers, width, right=range(1, len(numbers[0]))))


def write_figure(forecast: Forecast, path: Path) -> None:
    """Write the power curve, its grounds and its data as a page; SpecFault where it cannot be written."""
    if path.suffix != ".html" or not path.parent.is_dir():
        raise SpecFault(f"--figure takes a file .html in a folder that is there; got {str(path)!r}")
    sentences = [
        f"Plan of {forecast.name}: a contrast of drops in its family, by the closed form.",
        f"Variance: {forecast.variance}.",
        f"{forecast.clusters_how[0].upper()}{forecast.clusters_how[1:]}.",
    ]
    page = power_curve_page(forecast.curve, forecast.effect, forecast.power, forecast.tasks, sentences)
    with refused(OSError, prefix="--figure cannot be written: "):
        write_whole(path, page)


def _answer(forecast: Forecast) -> Iterator[str]:
    name, wanted, row = forecast.primary, forecast.power, forecast.estimands[forecast.primary]
    effect, repeats = f"a {name} of {forecast.effect:g}", how_many(forecast.repeats, "repeat")
    enough = row.power >= wanted - row.error
    if row.no_room is not None:
        yield f"No design can show {effect}: {row.no_room}."
    else:
        verb = "can show" if enough else "cannot show" if row.power < UNLIKELY else "may miss"
        among = f" ({row.family} tested together)" if row.family > 1 else ""
        yield f"This design {verb} {effect}: power {row.power:.2f}, wanted {wanted:g}{among}."
    shown = ("contrast", "drop", "utility") if name == "contrast" else ("drop", "utility")
    least = ", ".join(f"{name} {_share(forecast.estimands[name].detectable, 2)}" for name in shown)
    yield f"Smallest effects it shows with power {wanted:g}: {least}."
    size = f"{how_many(forecast.tasks, 'task')} x {repeats} x {how_many(len(forecast.cells), 'cell')}"
    yield f"Cost: {_whole(forecast)}; {size} = {forecast.episodes:,} episodes."
    if row.no_room is None and not enough:
        yield from _sufficient_lines(forecast, row)
    budget = forecast.budget
    if budget is not None:
        shows = "no contrast at all"
        if budget.detectable is not None:
            size = f"{how_many(budget.tasks, 'task')} x {how_many(budget.repeats, 'repeat')}"
            shows = f"a contrast of {budget.detectable:.2f} at best, with {size}{_apart(forecast)}"
        yield f"{_dollars(budget.usd)} can show {shows}."


def _sufficient_lines(forecast: Forecast, row: PowerRow) -> Iterator[str]:
    """What would be enough for the wanted effect."""
    effect, repeats, apart = f"{forecast.effect:g}", forecast.repeats, _apart(forecast)
    if row.tasks is None:
        yield f"No number of tasks would show {effect}."
        return
    if not apart and row.tasks <= forecast.tasks:
        yield f"A few more tasks would show {effect}: the closed form asks for {row.tasks:,}."
        return
    size = f"{how_many(row.tasks, 'task')} x {how_many(repeats, 'repeat')}"
    episodes, cost = _episodes_and_cost(forecast, row.tasks, repeats)
    yield f"About {size} would show {effect}{apart}: {episodes} episodes, cost {cost}."
    if row.tasks_upper is not None:
        yield f"At the upper 80 % limit of the pilot's variance it would take {row.tasks_upper:,} tasks."
    if apart:
        clusters = how_many(forecast.clusters, "cluster")
        more = "families" if forecast.cluster_unit == "family" else "training tasks (environment.train)"
        alone = "more test tasks are not enough"
        if row.tasks_sharing is not None:
            alone = f"it would take {row.tasks_sharing:,} test tasks"
        yield f"In the same {clusters}, {alone}: add {more} as well."


def _apart(forecast: Forecast) -> str:
    """On which condition a number of tasks is enough, where some of the planned ones are correlated."""
    return f" if no two of them share a {forecast.cluster_unit}" if forecast.clusters < forecast.tasks else ""


def _grounds(forecast: Forecast) -> Iterator[str]:
    """What the words mean, and what the answer rests on."""
    drop, contrast = forecast.estimands["drop"], forecast.estimands["contrast"]
    yield TERMS
    more = ""
    if drop.inert < forecast.power and drop.inert_tasks is not None:
        more = f"; for {forecast.power:g} it takes {how_many(drop.inert_tasks, 'task')}"
    yield from (
        f"Never load-bearing, whatever the scores: {line}" for line in open_cell_lines(forecast.open_cells)
    )
    yield (
        f"A drop of 0 would be found inert (within ±{forecast.margin:g}) with a chance of"
        f" {drop.inert:.2f}{more}."
    )
    if forecast.clusters < forecast.tasks:
        yield (
            f"{forecast.tasks:,} tasks in {how_many(forecast.clusters, 'cluster')} tell as much as"
            f" {drop.effective_tasks:.1f} independent ones about a drop, {contrast.effective_tasks:.1f} about"
            f" a contrast: {forecast.clusters_how}."
        )
    row = forecast.estimands[forecast.primary]
    how = "by the closed form (--simulate 1000 runs the real test)"
    if row.experiments:
        experiments = how_many(row.experiments, "made-up experiment")
        how = f"simulated, {experiments} with the real test (±{row.error:.3f})"
    yield f"Power: {how}. Variance: {forecast.variance}."
    if forecast.draws > 1:
        yield f"{forecast.draws} banks of each condenser that asks a model, one a repeat."
    yield from (f"First requests: {sentence}" for sentence in pair_sentences(forecast.audit, ()))
    if forecast.damage_note:
        note, usd = forecast.damage_note, forecast.damage_usd.likely
        yield f"{note[0].upper()}{note[1:]}{f'; about {_dollars(usd)}' if usd else ''}."
    yield from counter_lines(forecast.counters)
    yield from forecast.unplayed
    yield f"Calls: {forecast.calls:,} at most; collecting and condensing come on top."
    yield f"{forecast.control}; {forecast.cue}; prices of {forecast.prices_of}."


def _costs(forecast: Forecast) -> Table:
    whole = {**forecast.cost_usd, "preparation": forecast.preparation_usd, "in all": forecast.total_usd}
    rows = []
    for name, cost in whole.items():
        decision = _dollars(forecast.decision_usd[name]) if name in forecast.decision_usd else NONE
        rows.append((name, *map(_dollars, (cost.low, cost.likely, cost.high)), decision))
    title = (
        f"Cost, {forecast.cost_is}. One decision: a contrast of {forecast.effect:g} with the arm's"
        " control, or a drop where it has none, at the tasks needed."
    )
    return title, [("", "low", "likely", "high", "one decision"), *rows]


def _power(forecast: Forecast) -> Table:
    rows = forecast.estimands.values()
    shown = (f"{row.power:.3f}{'*' * (row.experiments > 0)}" for row in rows)
    title = f"Power at {how_many(forecast.repeats, 'repeat')} (*: simulated; the rest by the closed form)"
    return title, [
        ("", *forecast.estimands),
        ("tested together", *(str(row.family) for row in rows)),
        (f"power for {forecast.effect:g}", *shown),
        ("smallest effect shown", *(_share(row.detectable) for row in rows)),
        ("smallest, by itself", *(_share(row.detectable_alone) for row in rows)),
        ("tasks needed", *(_count(row.tasks) for row in rows)),
        ("tasks, cautious (pilot)", *(_count(row.tasks_upper) for row in rows)),
        ("tasks, same clusters", *(_count(row.tasks_sharing) for row in rows)),
        ("chance that 0 is inert", *(f"{row.inert:.3f}" for row in rows)),
        ("tasks for inert", *(_count(row.inert_tasks) for row in rows)),
    ]


def _allocation(forecast: Forecast) -> Table:
    rows = []
    for repeats, tasks in forecast.allocation.items():
        size = (NONE, NONE) if tasks is None else _episodes_and_cost(forecast, tasks, repeats)
        rows.append((str(repeats), _count(tasks), *size))
    title = f"Tasks or repeats for a contrast of {forecast.effect:g}{_apart(forecast)}, by the closed form"
    return title, [("repeats", "tasks", "episodes", "cost"), *rows]


def _episodes_and_cost(forecast: Forecast, tasks: int, repeats: int) -> tuple[str, str]:
    usd = None if forecast.usd is None else forecast.usd.of(tasks, repeats)
    return f"{tasks * repeats * len(forecast.cells):,}", _dollars(usd)


def _whole(forecast: Forecast) -> str:
    """The whole cost, likely and in the range it may have."""
    unknown, whole = forecast.unpriced, forecast.total_usd
    if unknown and set(unknown) == set(forecast.own_servers):
        return "no price, as a server of your own is asked (budget.max_calls and max_hours bound a run)"
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
