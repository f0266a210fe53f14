"""The contrasts that matter most, by other methods: how far a verdict hangs on the one it rests on."""

from __future__ import annotations

from dataclasses import asdict

from loadbearing.analysis.families import HYPOTHESES
from loadbearing.analysis.plan import AnalysisPlan
from loadbearing.analysis.sensitivity.panel import readings
from loadbearing.outcomes.outcomes import Outcomes
from loadbearing.reports.inputs.contrasts import named, shown_contrasts
from loadbearing.reports.model.rows import SensitivityRow


def sensitivity_rows(outcomes: Outcomes, plan: AnalysisPlan) -> tuple[SensitivityRow, ...]:
    """`sensitivity` of the results: utilities, drops under the primary conditions, hypotheses by each method.

    Args:
        outcomes: all trials.
        plan: what is compared.
    """
    primary = plan.primary or plan.damages
    chosen = [
        (backbone, contrast)
        for family, backbone, contrast in shown_contrasts(plan, outcomes.backbones)
        if family.name in (HYPOTHESES, "utilities")
        or (contrast.estimand == "drop" and contrast.condition in primary)
    ]
    return tuple(
        SensitivityRow(**dict(named(contrast, backbone)), **asdict(reading))
        for at, (backbone, contrast) in enumerate(chosen)
        for reading in readings(contrast, outcomes.cells(backbone), plan, at)
    )
