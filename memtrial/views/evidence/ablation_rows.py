"""The effects of an ablation of gates and what each gate cost, from the ledger."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from memtrial.analysis.analyse import SubsetEffect, subset_effects
from memtrial.analysis.analysis_plan import AnalysisPlan
from memtrial.analysis.estimands.subset_effects import SubsetCells, Told
from memtrial.analysis.failures.mode_effects import ArmModes, mode_effects
from memtrial.analysis.failures.shares import MODES
from memtrial.ledger.accounts import Spending
from memtrial.ledger.rows import CondensationRow, TrialRow
from memtrial.ledger.run_plan import RunPlan
from memtrial.outcomes.grouping import group_by
from memtrial.outcomes.outcomes import Outcomes
from memtrial.outcomes.reserved_names import INTACT
from memtrial.views.evidence.mode_rates import Codes, mode_rates, units_of_tasks
from memtrial.views.rows.ablation_results import Ablation, GateCost, GateEffect, SharedBanks

Coded = tuple[str, Codes]
"""Who coded failures, and what was said of each case."""
CODED = (
    "Failure modes, coded by {coder}: rates in intact trials, per task that is solved without memory; below 0"
    " the gate prevents them. They are a family of their own, so that coding them changes no other p."
)
NOT_CODED = (
    "Failures are not coded. `memtrial failures RUN --coder rules`, or a model, codes them; then the effect"
    " of each gate on each failure mode stands here."
)
TOLD: Mapping[Told, str] = {
    "all": "Full design: every subset was played, and each effect is told from all others.",
    "two-way": "Half of a full design (resolution V): each effect is told from all others but one of higher"
    " order, which is taken as none. So are interactions of three in the Shapley values, which are then the"
    " main effects; no cell has every gate off.",
    "main": "Screening (Plackett-Burman): main effects are told from each other, but not from interactions of"
    " two. It chooses the gates for a full design; Shapley values are not told.",
}


def ablation_rows(
    plan: RunPlan,
    rules: AnalysisPlan,
    outcomes: Outcomes,
    trials: Sequence[TrialRow],
    condensed: Iterable[CondensationRow],
    spent: Sequence[Spending],
    coded: Coded | None = None,
) -> Ablation | None:
    """What an ablation found; None of a run that is none, or whose subsets are not all there yet.

    With failures that somebody has `coded`, also what each gate does to the rate of each mode.
    """
    cells = SubsetCells(tuple(plan.gate_factors), plan.gate_subsets)
    played = {trial.arm for trial in trials}
    if not plan.gate_factors or not played.issuperset(cells.on):
        return None
    memories = {plan.levels[arm][0] for arm in cells.on}
    rows = [row for row in condensed if row.condenser in memories]
    effects = subset_effects(outcomes, cells, rules)
    of_gates = [spending for spending in spent if spending.purpose.kind == "gate"]
    cost = _costs(rows, of_gates)
    calls = {gate: spent_on.calls for gate, spent_on in cost.items()}
    own = {
        factor: sum(calls.get(gate, 0) for gate in gates)
        for factor, gates in plan.gate_factors.items()
        if calls.keys() & gates
    }
    family = [effect for effect in effects if effect.row.backbone in plan.backbones]
    notes = (
        TOLD[cells.told],
        f"Intervals hold together, and p is adjusted, over all {len(family)} effects.",
        "A gate's calls are those that judge; revisions that it asks for stand under condense.",
        "`0: same data`: the compared cells differ in no task; the interval says what that cannot rule out.",
        *(
            f"{name} is a negative control: it looks at wording alone, and ought to make no difference."
            for name in plan.negative_controls
        ),
        NOT_CODED if coded is None else CODED.format(coder=coded[0]),
    )
    modes = () if coded is None else _mode_effects(plan, rules, cells, trials, coded[1])
    return Ablation(
        told=cells.told,
        factors=dict(plan.gate_factors),
        subsets=dict(plan.gate_subsets),
        effects=(*(_effect(effect, own.get(effect.factors[0])) for effect in effects), *modes),
        cost=cost,
        gate_calls=sum(spending.calls for spending in of_gates),
        sharing=_shared_banks(rows, [trial for trial in trials if trial.arm in cells.on]),
        notes=notes,
    )


def _effect(effect: SubsetEffect, calls: int | None) -> GateEffect:
    row, credit = effect.row, effect.shapley
    calls = calls if len(effect.factors) == 1 else None
    same = ("backbone", "condition", "n_tasks", "n_clusters", "p", "p_adjusted")
    return GateEffect(
        **{name: getattr(row, name) for name in same},
        gate=row.arm,
        factors=effect.factors,
        outcome=effect.outcome,
        effect=row.estimate,
        low=row.low_family,
        high=row.high_family,
        shapley=credit.estimate if credit else None,
        shapley_low=credit.low if credit else None,
        shapley_high=credit.high if credit else None,
        unchanged=effect.unchanged,
        detectable=effect.detectable,
        # the better the effect, the fewer calls a point
        calls_per_point=_per_point(calls, row.estimate),
        calls_per_point_low=_per_point(calls, row.high_family),
        calls_per_point_high=_per_point(calls, row.low_family),
    )


def _mode_effects(
    plan: RunPlan, rules: AnalysisPlan, cells: SubsetCells, trials: Sequence[TrialRow], codes: Codes
) -> Iterator[GateEffect]:
    """On the rate of each failure mode in intact trials; of backbones on which every subset was played."""
    measured = [
        ArmModes(
            rates.backbone,
            rates.base,
            # the first column is success, the last one every other failure
            {arm: rates.cells[arm, INTACT].rates[:, 1 : 1 + len(MODES)] for arm in cells.on},
        )
        for rates in mode_rates(trials, plan, codes)
        if all((arm, INTACT) in rates.cells for arm in cells.on)
    ]
    for effect in mode_effects(measured, cells, units_of_tasks(trials, plan), plan.repeats, rules.rules):
        yield GateEffect(
            gate=effect.factor,
            factors=(effect.factor,),
            backbone=effect.backbone,
            outcome=effect.mode,
            condition=INTACT,
            n_tasks=effect.n_tasks,
            n_clusters=effect.n_clusters,
            effect=effect.estimate,
            low=effect.low,
            high=effect.high,
            p=effect.p,
            p_adjusted=effect.p_adjusted,
            shapley=None,
            shapley_low=None,
            shapley_high=None,
            unchanged=effect.unchanged,
            detectable=effect.detectable,
        )


def _per_point(calls: int | None, effect: float | None) -> float | None:
    """Source: STATISTICS 7."""
    return None if calls is None or effect is None or effect <= 0 else calls / (100 * effect)


def _costs(rows: Iterable[CondensationRow], of_gates: Iterable[Spending]) -> dict[str, GateCost]:
    """By gate: its calls under all condensers, and the different drafts that it judged and found fault with.

    A rule judges without a call.
    """
    judged: dict[str, dict[tuple[str, int, str, str], bool]] = {}
    for row in rows:
        for finding in row.body["findings"]:
            if finding["finding"] in ("PASS", "WARN", "FAIL"):
                draft = (row.backbone, row.draw, row.task, finding["draft"])
                judged.setdefault(finding["gate"], {})[draft] = finding["finding"] != "PASS"
    paid = group_by(of_gates, lambda spending: spending.purpose.gate)
    return {
        gate: _gate_cost(gate, paid.get(gate, []), list(judged.get(gate, {}).values()))
        for gate in sorted(judged.keys() | paid.keys())
    }


def _gate_cost(gate: str, paid: Sequence[Spending], flags: Sequence[bool]) -> GateCost:
    calls, hits = sum(spending.calls for spending in paid), sum(flags)
    known = [spending.usd for spending in paid if spending.usd is not None]
    usd = sum(known) if len(known) == len(paid) else None
    return GateCost(
        gate=gate,
        calls=calls,
        input_tokens=sum(spending.input_tokens for spending in paid),
        output_tokens=sum(spending.output_tokens for spending in paid),
        usd=usd,
        drafts=len(flags),
        hits=hits,
        hits_per_1000_calls=1000 * hits / calls if calls else None,
        hits_per_usd=hits / usd if usd else None,
    )


def _shared_banks(rows: Iterable[CondensationRow], trials: Sequence[TrialRow]) -> SharedBanks:
    banks = group_by(rows, lambda row: (row.backbone, row.draw, row.condenser))
    texts = {
        (*place[:2], *sorted((row.task, *(item["markdown"] for item in row.body["items"])) for row in own))
        for place, own in banks.items()
    }
    shared = sum(bool(trial.shared) for trial in trials)
    return SharedBanks(banks=len(banks), different=len(texts), episodes=len(trials), shared=shared)
