"""What stands beside each estimate: its tasks, other methods, the draw of the bank."""

from collections.abc import Iterator
from dataclasses import asdict

import numpy as np

from memtrial.analysis.analysis_plan import AnalysisPlan
from memtrial.analysis.arrays import Floats
from memtrial.analysis.estimands.contrast import Contrast
from memtrial.analysis.hypothesis_families import HYPOTHESES, HypothesisFamily, families_of
from memtrial.analysis.inference.bank_spread import spread_of_banks
from memtrial.analysis.inference.contrast_inference import units_of
from memtrial.analysis.sensitivity.method_panel import readings
from memtrial.ledger.run_plan import RunPlan
from memtrial.outcomes.outcomes import Outcomes
from memtrial.views.rows.evidence_rows import BankRow, DifferenceRow, OfContrast, SensitivityRow

MOST_VALUES = 201


def difference_rows(outcomes: Outcomes, plan: AnalysisPlan) -> tuple[DifferenceRow, ...]:
    """For each utility, drop and contrast: `values`, pairs of a task's difference and its number of tasks.

    A contrast that takes more than 201 different values (dense scores) is given by 201 quantiles of its
    tasks, so that the results stay small; `exact` says which it is.
    """
    tables = {backbone: outcomes.cells(backbone) for backbone in outcomes.backbones}
    rows = []
    for _, backbone, contrast in shown_contrasts(plan, outcomes.backbones):
        column = contrast.per_task(tables[backbone])
        values, exact = _condense_column(column[~np.isnan(column)])
        if values:
            rows.append(DifferenceRow(**dict(_name_contrast(contrast, backbone)), exact=exact, values=values))
    return tuple(rows)


def sensitivity_rows(outcomes: Outcomes, plan: AnalysisPlan) -> tuple[SensitivityRow, ...]:
    """Utilities, drops under the primary conditions and hypotheses, by each method."""
    primary = plan.primary or plan.damages
    chosen = [
        (backbone, contrast)
        for family, backbone, contrast in shown_contrasts(plan, outcomes.backbones)
        if family.name in (HYPOTHESES, "utilities")
        or (contrast.estimand == "drop" and contrast.condition in primary)
    ]
    return tuple(
        SensitivityRow(**dict(_name_contrast(contrast, backbone)), **asdict(reading))
        for number, (backbone, contrast) in enumerate(chosen)
        for reading in readings(contrast, outcomes.cells(backbone), plan, number)
    )


def bank_rows(outcomes: Outcomes, rules: AnalysisPlan, plan: RunPlan) -> tuple[BankRow, ...]:
    """How far a contrast moves with the bank; repeat r was played with the r-th. None where all show one."""
    tables = {name: outcomes.cells(name) for name in outcomes.backbones if plan.draws > 1}
    rows = []
    for _, backbone, contrast in shown_contrasts(rules, tuple(tables)):
        table = tables[backbone]
        spread = spread_of_banks(contrast.per_repeat(table), rules.rules.alpha, units_of(table))
        if spread is not None:
            rows.append(BankRow(**dict(_name_contrast(contrast, backbone)), **asdict(spread)))
    return tuple(rows)


def _name_contrast(contrast: Contrast, backbone: str) -> OfContrast:
    return OfContrast(
        estimand=contrast.estimand,
        backbone=backbone,
        arm=contrast.arm,
        versus=contrast.versus,
        condition=contrast.condition,
    )


def shown_contrasts(
    plan: AnalysisPlan, backbones: tuple[str, ...]
) -> Iterator[tuple[HypothesisFamily, str, Contrast]]:
    """Every utility, drop and contrast of each named backbone with its family, in the families' order."""
    for family in families_of(plan, backbones):
        for backbone, contrast in family.members:
            if backbone in backbones and contrast.estimand in ("utility", "drop", "contrast"):
                yield family, backbone, contrast


def _condense_column(column: Floats) -> tuple[tuple[tuple[float, float], ...], bool]:
    """Distinct values with their counts, rounded to what a figure can show, from low to high."""
    levels, counts = np.unique(np.round(column, 6) + 0.0, return_counts=True)
    if len(levels) <= MOST_VALUES:
        return tuple((float(v), float(n)) for v, n in zip(levels, counts, strict=True)), True
    cut = np.quantile(column, (np.arange(MOST_VALUES) + 0.5) / MOST_VALUES)
    share = len(column) / MOST_VALUES
    return tuple((float(round(v, 6)), float(round(share, 6))) for v in cut), False
