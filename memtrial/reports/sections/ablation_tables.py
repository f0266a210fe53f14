"""Tables and lines of an ablation: effects of gates, their interactions, what they cost, failure modes."""

from collections.abc import Iterable

from memtrial.outcomes.count_words import how_many
from memtrial.reports.text.text_table import Column, TextTable, fields, tabulate
from memtrial.views import numbers
from memtrial.views.rows.ablation_results import Ablation, GateEffect

SAME = "0: same data"
_EFFECT = Column(
    "effect", "number", lambda effect: SAME if effect.unchanged else numbers.with_sign(effect.effect)
)


def effects_table(ablation: Ablation, several: bool) -> TextTable:
    """Every main effect; `several`: the run has several backbones."""
    rows = [effect for effect in ablation.effects if len(effect.factors) == 1 and not effect.of_mode]
    return tabulate(
        "Main effects: mean with the gate less mean without it, over the subsets of the others. Intervals"
        " hold together over all effects. Calls a point: the gate's calls in this run for each 0.01 gained;"
        " where the interval reaches 0 only the least is known.",
        rows,
        *_row(ablation, several),
        *fields("shapley: Shapley"),
        Column("calls a point", "number", _points),
    )


def modes_table(ablation: Ablation, several: bool) -> TextTable:
    """The effect of each gate on each failure mode; no row where failures are not coded."""
    return tabulate(
        "Failure modes: share of the tasks solved without memory that fail in this way, with the gate less"
        " without it. Below 0 the gate prevents such failures. Intervals hold together over this table.",
        [effect for effect in ablation.effects if effect.of_mode],
        *fields("gate", *(["backbone"] if several else []), "outcome: failure mode"),
        _EFFECT,
        *fields("low..high: interval", "p_adjusted", "n_tasks: tasks"),
    )


def modes_line(ablation: Ablation) -> str:
    """Which gates are shown to change the rate of which modes; empty where failures are not coded."""
    rows = [effect for effect in ablation.effects if effect.of_mode]
    shown = [
        f"{effect.gate} {'prevents' if (effect.effect or 0) < 0 else 'brings'} {effect.outcome}"
        f" ({numbers.with_sign(effect.effect)}, {effect.backbone})"
        for effect in rows
        if effect.away
    ]
    if not rows:
        return ""
    return f"Shown of failure modes: {'; '.join(shown) or 'no gate changes the rate of any'}."


def interactions_table(ablation: Ablation, several: bool, away: bool = False) -> TextTable:
    """Every interaction that the design tells, or those alone whose interval is `away` from 0."""
    pairs = (effect for effect in ablation.effects if len(effect.factors) == 2)
    rows = [effect for effect in pairs if not away or effect.away]
    about = "Interactions: half the difference of one gate's effect with and without the other."
    return tabulate(about, rows, *_row(ablation, several))


def interactions_line(ablation: Ablation) -> str:
    """How many interactions are away from 0, and how large one must be for this design to see it."""
    pairs = [effect for effect in ablation.effects if len(effect.factors) == 2]
    if not pairs:
        return "No interaction is told."
    line = f"{sum(effect.away for effect in pairs)} of {how_many(len(pairs), 'interaction')} are away from 0."
    sizes = [effect.detectable for effect in pairs if effect.detectable is not None]
    if not sizes:
        return f"{line} What this design can see is not known."
    least, most = (f"{size:.2f}" for size in (min(sizes), max(sizes)))
    narrowest = "" if least == most else f" (in its narrowest row, of {least})"
    return f"{line} With 80 % power this run shows one of {most}{narrowest}; smaller ones are not ruled out."


def cost_table(ablation: Ablation) -> TextTable:
    """What each gate cost and found."""
    return tabulate(
        f"Cost of the gates, each call once: {numbers.count(ablation.gate_calls)} in all. Hits: drafts in"
        " which a gate found something, by its program or its judge; also per 1,000 calls and per US dollar.",
        ablation.cost.values(),
        *fields(
            "gate", "calls", "input_tokens: tokens in", "output_tokens: tokens out", "usd", "drafts", "hits"
        ),
        Column("per 1,000", "number", lambda cost: _round_text(cost.hits_per_1000_calls)),
        Column("per USD", "number", lambda cost: _round_text(cost.hits_per_usd)),
    )


def sharing_line(ablation: Ablation) -> str:
    """How many banks were the same, and how many episodes that saved."""
    sharing = ablation.sharing
    saved = numbers.share(sharing.shared / sharing.episodes) if sharing.episodes else numbers.MISSING
    return (
        f"{how_many(len(ablation.subsets), 'subset')} gave {sharing.different} different banks of"
        f" {sharing.banks}; {sharing.shared:,} of {sharing.episodes:,} episodes ({saved}) had the prompts of"
        " another cell of their block, and were played once for both."
    )


def _row(ablation: Ablation, several: bool) -> Iterable[Column]:
    yield from fields("gate", *(["backbone"] if several else []), "outcome")
    if len({effect.condition for effect in ablation.effects if effect.outcome == "drop"}) > 1:
        yield from fields("condition: damage")
    yield _EFFECT
    yield from fields("low..high: interval", "p_adjusted")


def _points(effect: GateEffect) -> str:
    """Calls for a point with its interval; the least alone where the effect's interval reaches 0."""
    if effect.calls_per_point is None:
        return numbers.MISSING
    least = _round_text(effect.calls_per_point_low)
    if effect.calls_per_point_high is None:
        return f"at least {least}"
    return f"{_round_text(effect.calls_per_point)} [{least}, {_round_text(effect.calls_per_point_high)}]"


def _round_text(value: float | None) -> str:
    return numbers.MISSING if value is None else f"{value:.1f}" if value < 10 else numbers.count(round(value))
