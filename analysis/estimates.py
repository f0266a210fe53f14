"""The whole analysis: outcomes and a plan in, estimates with verdicts out."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from analysis.contrast import Contrast, drop, drops_apart, same_text, utility
from analysis.evidence import Evidence, gather
from analysis.plan import AnalysisPlan
from analysis.positive_control import apply_positive_control
from analysis.result import Analysis, Estimate
from analysis.verdict import Headroom, Verdict, judge_contrast, judge_drop, judge_utility
from ledger.outcomes import WITHOUT, CellTable, Outcomes


def analyse(outcomes: Outcomes, plan: AnalysisPlan) -> Analysis:
    """Estimate and judge every utility, drop and contrast of a run.

    Four families, each over all backbones: the utilities, the drops, the contrasts under the primary
    conditions (the hypotheses), the other contrasts. Within one the
    adjusted p-values bound the chance of a single false `helps`, `load-bearing` or `reversed`.

    Args:
        outcomes: all trials; arms and conditions outside the plan are left out of the tests.
        plan: what is compared, and by which rules.
    """
    tables = {backbone: outcomes.cells(backbone) for backbone in outcomes.backbones}
    gains = [(backbone, utility(arm)) for backbone in tables for arm in plan.arms]
    drops = [
        (backbone, drop(arm, condition))
        for backbone in tables
        for arm in plan.arms
        for condition in plan.conditions
    ]
    primary = plan.primary or plan.conditions
    apart, apart_too = (
        [
            (backbone, drops_apart(treatment, control, condition))
            for backbone in tables
            for treatment, control in plan.pairs
            for condition in plan.conditions
            if (condition in primary) == hypothesis
        ]
        for hypothesis in (True, False)
    )
    # one stream a family, so that planning another contrast changes no other family's signs
    gain_evidence, drop_evidence, apart_evidence, apart_too_evidence = (
        gather(family, tables, plan, np.random.default_rng([plan.seed, stream]))
        for stream, family in enumerate((gains, drops, apart, apart_too))
    )
    gain_of: dict[tuple[str, str], tuple[Evidence, Verdict]] = {}
    estimates: list[Estimate] = []
    for (backbone, contrast), evidence in zip(gains, gain_evidence, strict=True):
        verdict = judge_utility(evidence, plan)
        gain_of[backbone, contrast.arm] = evidence, verdict
        estimates.append(_estimate(backbone, contrast, tables, evidence, verdict, None))
    for (backbone, contrast), evidence in zip(drops, drop_evidence, strict=True):
        gain, gain_verdict = gain_of[backbone, contrast.arm]
        room = _headroom(contrast, tables[backbone])
        verdict = judge_drop(evidence, room, gain.inference, gain_verdict.word, plan)
        estimates.append(_estimate(backbone, contrast, tables, evidence, verdict, None))
    contrasts = zip(apart + apart_too, (*apart_evidence, *apart_too_evidence), strict=True)
    for (backbone, contrast), evidence in contrasts:
        same = same_text(outcomes, backbone, contrast)
        words = (gain_of[backbone, contrast.arm][1].word, gain_of[backbone, contrast.versus][1].word)
        verdict = judge_contrast(evidence, _headroom(contrast, tables[backbone]), words, same, plan)
        estimates.append(_estimate(backbone, contrast, tables, evidence, verdict, same))
    judged, notes = apply_positive_control(estimates, plan)
    errors = outcomes.errors()
    return Analysis(judged, errors, outcomes.empty_slots(), notes + _faults(errors))


def _headroom(contrast: Contrast, table: CellTable) -> Headroom:
    """Room for a drop, over the tasks that the contrast rests on."""
    tasks = ~np.isnan(contrast.per_task(table))
    if not tasks.any():
        return Headroom(0.0, False)
    arms = (contrast.arm,) if contrast.estimand == "drop" else (contrast.arm, contrast.versus)
    intact = [table.mean((arm, "intact"))[tasks] for arm in arms]
    full = [bool((scores == 1.0).all()) for scores in (*intact, table.mean(WITHOUT)[tasks])]
    return Headroom(min(float(scores.mean()) for scores in intact), all(full))


def _estimate(
    backbone: str,
    contrast: Contrast,
    tables: Mapping[str, CellTable],
    evidence: Evidence,
    verdict: Verdict,
    same: float | None,
) -> Estimate:
    table, seen = tables[backbone], evidence.inference
    n_errors = contrast.errors(table)
    worst = contrast.worst_case(table) if n_errors else None
    return Estimate(
        estimand=contrast.estimand,
        backbone=backbone,
        arm=contrast.arm,
        versus=contrast.versus,
        condition=contrast.condition,
        n_tasks=evidence.n_tasks,
        n_clusters=evidence.n_units,
        n_missing=evidence.n_missing,
        n_informative=evidence.n_informative,
        estimate=evidence.estimate,
        low=seen.low if seen else None,
        high=seen.high if seen else None,
        sd=seen.sd if seen else None,
        p=seen.p if seen else None,
        p_adjusted=seen.p_adjusted if seen else None,
        p_equivalence=seen.p_equivalence if seen else None,
        tasks_to_settle=seen.tasks_to_settle if seen else None,
        same_text=same,
        n_errors=n_errors,
        worst_low=worst[0] if worst else None,
        worst_high=worst[1] if worst else None,
        verdict=verdict.word,
        reason=verdict.reason,
    )


def _faults(errors: Mapping[str, int]) -> tuple[str, ...]:
    named = ", ".join(f"{arm} {count}" for arm, count in errors.items() if count)
    if not named:
        return ()
    return (
        f"infrastructure errors per arm: {named}; they are in no mean, and worst-case bounds stand beside",
    )
