"""The whole analysis: outcomes and a plan in, estimates with verdicts out."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from loadbearing.analysis.estimands.contrast import Contrast, same_text
from loadbearing.analysis.families import Family, families_of
from loadbearing.analysis.groups.pooled import pooled
from loadbearing.analysis.inference.contrast_inference import Evidence, gather
from loadbearing.analysis.plan import AnalysisPlan
from loadbearing.analysis.result import Analysis, Estimate
from loadbearing.analysis.verdicts.assemble import Book, Place, judge
from loadbearing.analysis.verdicts.positive_control import apply_positive_control
from loadbearing.analysis.wording import Verdict
from loadbearing.outcomes.outcomes import Outcomes
from loadbearing.outcomes.reserved_names import ALL

NOWHERE: Mapping[Place, str] = MappingProxyType({})


def analyse(outcomes: Outcomes, plan: AnalysisPlan, diverging: Mapping[Place, str] = NOWHERE) -> Analysis:
    """Estimate and judge every contrast of a run.

    Each family is tested over all backbones at once (analysis/families.py); within one the adjusted
    p-values bound the chance of a single false word. With two backbones or more, each family comes once
    more for the mean over them.

    Args:
        outcomes: all trials; arms and conditions outside the plan are left out of the tests.
        plan: what is compared, and by which rules.
        diverging: by place, why the agent's actions speak against `inert` there.
    """
    tables = {backbone: outcomes.cells(backbone) for backbone in outcomes.backbones}
    together = pooled(tables)
    families = families_of(plan, outcomes.backbones)
    if together is not None:
        tables[ALL] = together
    measured = [
        (family, gather(family.members, tables, plan, np.random.default_rng([plan.seed, family.stream])))
        for family in families
    ]
    evidence = {
        place: found for family, row in measured for place, found in zip(family.members, row, strict=True)
    }
    book = Book(outcomes, tables, plan, evidence, diverging)
    estimates = [
        _estimate(book, family, backbone, contrast, judge(book, backbone, contrast))
        for family in families
        for backbone, contrast in family.members
    ]
    judged, notes = apply_positive_control(estimates, plan)
    errors = outcomes.errors()
    return Analysis(judged, errors, outcomes.empty_slots(), notes + _faults(errors))


def _estimate(book: Book, family: Family, backbone: str, contrast: Contrast, verdict: Verdict) -> Estimate:
    table = book.tables[backbone]
    same = None
    if contrast.estimand == "contrast" and backbone != ALL:
        same = same_text(book.outcomes, backbone, contrast)
    n_errors = contrast.errors(table)
    worst = contrast.worst_case(table) if n_errors else None
    return row_of(
        backbone, contrast, family.name, book.evidence[backbone, contrast], verdict, same, n_errors, worst
    )


def row_of(
    backbone: str,
    contrast: Contrast,
    family: str,
    evidence: Evidence,
    verdict: Verdict,
    same: float | None,
    n_errors: int,
    worst: tuple[float, float] | None,
) -> Estimate:
    """One row of the results."""
    seen = evidence.inference
    return Estimate(
        estimand=contrast.estimand,
        backbone=backbone,
        arm=contrast.arm,
        versus=contrast.versus,
        condition=contrast.condition,
        share=contrast.share,
        family=family,
        n_tasks=evidence.n_tasks,
        n_clusters=evidence.n_units,
        n_missing=evidence.n_missing,
        n_informative=evidence.n_informative,
        estimate=evidence.estimate,
        low=seen.low if seen else None,
        high=seen.high if seen else None,
        low_family=seen.low_family if seen else None,
        high_family=seen.high_family if seen else None,
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
