"""The ablation of gates as tables, for the report, the terminal and LaTeX alike."""

from collections.abc import Callable, Iterable

from loadbearing.outcomes.count_words import how_many
from loadbearing.outcomes.reserved_names import ALL
from loadbearing.reports.base.numbers import MISSING, count, dollars, ends, probability, share, signed
from loadbearing.reports.model.gate_ablation import Ablation, GateCost, GateEffect
from loadbearing.reports.text.table import Column, Table, tabulate

SAME = "0: same data"


def effects_table(found: Ablation, several: bool) -> Table:
    """Every main effect; `several`: the run has several backbones."""
    rows = [one for one in found.effects if len(one.factors) == 1]
    return tabulate(
        "Main effects: mean with the gate less mean without it, over the subsets of the others. Intervals"
        " hold together over all effects. Calls a point: the gate's calls in this run for each 0.01 gained.",
        rows,
        *_whose(found, several),
        *_numbers(),
        Column("Shapley", "number", lambda one: signed(one.shapley)),
        Column("calls a point", "number", _points),
    )


def interactions_table(found: Ablation, several: bool, away: bool = False) -> Table:
    """Every interaction that the design tells, or those alone whose interval is `away` from 0."""
    pairs = (one for one in found.effects if len(one.factors) == 2)
    rows = [one for one in pairs if not away or one.away]
    about = "Interactions: half the difference of one gate's effect with and without the other."
    return tabulate(about, rows, *_whose(found, several), *_numbers())


def cost_table(found: Ablation) -> Table:
    """What each gate cost and found; the last row is all gates'."""
    rows: list[tuple[str, GateCost]] = list(found.cost.items())

    def cell(show: Callable[[GateCost], str]) -> Callable[[tuple[str, GateCost]], str]:
        return lambda row: show(row[1])

    return tabulate(
        f"Cost of the gates, each call once: {count(found.gate_calls)} in all. Hits: drafts in which a gate"
        " found something, by rule (no call) or by model; also per 1,000 calls and per US dollar.",
        rows,
        Column("gate", "name", lambda row: row[0]),
        Column("calls", "number", cell(lambda one: count(one.calls))),
        Column("tokens in", "number", cell(lambda one: count(one.input_tokens))),
        Column("tokens out", "number", cell(lambda one: count(one.output_tokens))),
        Column("usd", "number", cell(lambda one: dollars(one.usd))),
        Column("drafts", "number", cell(lambda one: count(one.drafts))),
        Column("hits", "number", cell(lambda one: count(one.hits))),
        Column("per 1,000", "number", cell(lambda one: _rounded(one.hits_per_1000_calls))),
        Column("per USD", "number", cell(lambda one: _rounded(one.hits_per_usd))),
    )


def sharing_line(found: Ablation) -> str:
    """How many banks were the same, and how many episodes that saved."""
    one = found.sharing
    saved = share(one.shared / one.episodes) if one.episodes else MISSING
    return (
        f"{how_many(len(found.subsets), 'subset')} gave {one.different} different banks of {one.banks};"
        f" {one.shared:,} of {one.episodes:,} episodes ({saved}) had the prompts of another cell of their"
        " block, and were played once for both."
    )


def _whose(found: Ablation, several: bool) -> Iterable[Column]:
    damages = len({one.condition for one in found.effects if one.outcome == "drop"})
    yield Column("gate", "name", lambda one: one.gate)
    if several:
        yield Column("backbone", "name", lambda one: "mean of all" if one.backbone == ALL else one.backbone)
    yield Column("outcome", "text", lambda one: one.outcome)
    if damages > 1:
        yield Column("damage", "text", lambda one: "" if one.outcome == "utility" else one.condition)


def _numbers() -> tuple[Column, ...]:
    return (
        Column("effect", "number", lambda one: SAME if one.unchanged else signed(one.effect)),
        Column("interval", "number", lambda one: ends(one.low, one.high)),
        Column("p adjusted", "number", lambda one: probability(one.p_adjusted)),
    )


def _points(one: GateEffect) -> str:
    """Calls for a point, and where the interval's ends lie; without an upper end where it reaches 0."""
    if one.calls_per_point is None:
        return MISSING
    high = "∞" if one.calls_per_point_high is None else _rounded(one.calls_per_point_high)
    return f"{_rounded(one.calls_per_point)} [{_rounded(one.calls_per_point_low)}, {high}]"


def _rounded(value: float | None) -> str:
    """A rate as it is read: whole from ten on."""
    return MISSING if value is None else f"{value:.1f}" if value < 10 else count(round(value))
