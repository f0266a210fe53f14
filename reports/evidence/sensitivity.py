"""The contrasts that matter most, by other methods: how far a verdict hangs on the one it rests on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from loadbearing.analysis.estimands.contrast import Contrast, utility
from loadbearing.analysis.families import HYPOTHESES
from loadbearing.analysis.inference.contrast_inference import units_of
from loadbearing.analysis.plan import AnalysisPlan
from loadbearing.analysis.sensitivity.content_share import content_share
from loadbearing.analysis.sensitivity.cr2 import METHOD
from loadbearing.analysis.sensitivity.logit_scale import one_scale_only
from loadbearing.analysis.sensitivity.method import Reading
from loadbearing.analysis.sensitivity.panel import readings
from loadbearing.analysis.sensitivity.trial_scores import WeightedCell
from loadbearing.outcomes.outcomes import CellTable, Outcomes
from loadbearing.reports.inputs.contrasts import named, shown_contrasts

DRAWS = 9_999
_STREAM = 300
_ODDS = "log-odds"


def sensitivity_rows(outcomes: Outcomes, plan: AnalysisPlan) -> list[dict[str, Any]]:
    """`sensitivity` of the results: utilities, drops under the primary conditions, hypotheses by each method.

    Args:
        outcomes: all trials.
        plan: what is compared.
    """
    tables = {backbone: outcomes.cells(backbone) for backbone in outcomes.backbones}
    found = []
    for at, (backbone, contrast) in enumerate(_chosen(plan, outcomes.backbones)):
        table = tables[backbone]
        rng = np.random.default_rng([plan.seed, _STREAM, at])
        said = _readings(contrast, table, plan, rng)
        warning = _scales(said)
        for one in said:
            note = "; ".join(filter(None, (one.note, warning if one.scale == _ODDS else "")))
            found.append(
                named(contrast, backbone)
                | {
                    "method": one.method,
                    "scale": one.scale,
                    "estimate": one.estimate,
                    "low": one.low,
                    "high": one.high,
                    "p": one.p,
                    "note": note,
                }
            )
    return found


def _chosen(plan: AnalysisPlan, backbones: tuple[str, ...]) -> Iterator[tuple[str, Contrast]]:
    primary = plan.primary or plan.damages
    for family, backbone, contrast in shown_contrasts(plan, backbones):
        drop = contrast.estimand == "drop" and contrast.condition in primary
        if family.name in (HYPOTHESES, "utilities") or drop:
            yield backbone, contrast


def _readings(
    contrast: Contrast, table: CellTable, plan: AnalysisPlan, rng: np.random.Generator
) -> tuple[Reading, ...]:
    column, units = contrast.per_task(table), units_of(table)
    if np.isnan(column).all():
        return ()
    cells = [
        WeightedCell(weight, table.scores(cell), table.trials[:, table.cells.index(cell)])
        for cell, weight in contrast.weights
    ]
    panel, share = rng.spawn(2)
    said = readings(
        column,
        units,
        cells,
        repeats=contrast.repeats(table),
        alpha=plan.alpha,
        flips=plan.flips,
        draws=DRAWS,
        rng=panel,
    )
    if contrast.estimand != "drop":
        return said
    gain = utility(contrast.arm).per_task(table)
    return (*said, content_share(column, gain, units, contrast.repeats(table), plan.alpha, DRAWS, share))


def _scales(said: tuple[Reading, ...]) -> str:
    """Whether the effect shows on one scale only."""
    points = next((one for one in said if one.method == METHOD), None)
    odds = next((one for one in said if one.scale == _ODDS and one.estimate is not None), None)
    return (one_scale_only(points, odds) or "") if points is not None and odds is not None else ""
