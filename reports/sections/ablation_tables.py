"""The ablation of gates as tables, for the report, the terminal and LaTeX alike."""

from collections.abc import Iterable

from loadbearing.outcomes.count_words import how_many
from loadbearing.reports.base.numbers import MISSING, count, share, signed
from loadbearing.reports.model.gate_ablation import Ablation, GateEffect
from loadbearing.reports.text.table import Column, Table, fields, tabulate

SAME = "0: same data"


def effects_table(found: Ablation, several: bool) -> Table:
    """Every main effect; `several`: the run has several backbones."""
    rows = [one for one in found.effects if len(one.factors) == 1]
    return tabulate(
        "Main effects: mean with the gate less mean without it, over the subsets of the others. Intervals"
        " hold together over all effects. Calls a point: the gate's calls in this run for each 0.01 gained.",
        rows,
        *_row(found, several),
        *fields("shapley: Shapley"),
        Column("calls a point", "number", _points),
    )


def interactions_table(found: Ablation, several: bool, away: bool = False) -> Table:
    """Every interaction that the design tells, or those alone whose interval is `away` from 0."""
    pairs = (one for one in found.effects if len(one.factors) == 2)
    rows = [one for one in pairs if not away or one.away]
    about = "Interactions: half the difference of one gate's effect with and without the other."
    return tabulate(about, rows, *_row(found, several))


def cost_table(found: Ablation) -> Table:
    """What each gate cost and found."""
    return tabulate(
        f"Cost of the gates, each call once: {count(found.gate_calls)} in all. Hits: drafts in which a gate"
        " found something, by rule (no call) or by model; also per 1,000 calls and per US dollar.",
        found.cost.values(),
        *fields(
            "gate", "calls", "input_tokens: tokens in", "output_tokens: tokens out", "usd", "drafts", "hits"
        ),
        Column("per 1,000", "number", lambda one: _rounded(one.hits_per_1000_calls)),
        Column("per USD", "number", lambda one: _rounded(one.hits_per_usd)),
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


def _row(found: Ablation, several: bool) -> Iterable[Column]:
    yield from fields("gate", *(["backbone"] if several else []), "outcome")
    if len({one.condition for one in found.effects if one.outcome == "drop"}) > 1:
        yield from fields("condition: damage")
    yield Column("effect", "number", lambda one: SAME if one.unchanged else signed(one.effect))
    yield from fields("low..high: interval", "p_adjusted")


def _points(one: GateEffect) -> str:
    """Calls for a point, and where the interval's ends lie; without an upper end where it reaches 0."""
    if one.calls_per_point is None:
        return MISSING
    high = "∞" if one.calls_per_point_high is None else _rounded(one.calls_per_point_high)
    return f"{_rounded(one.calls_per_point)} [{_rounded(one.calls_per_point_low)}, {high}]"


def _rounded(value: float | None) -> str:
    return MISSING if value is None else f"{value:.1f}" if value < 10 else count(round(value))
