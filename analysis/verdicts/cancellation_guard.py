"""Effects that differ between tasks: gains and losses that cancel in the mean are not no effect."""

from __future__ import annotations

import numpy as np

from loadbearing.analysis.behaviour.cancellation import cancellation
from loadbearing.analysis.behaviour.spread import spread
from loadbearing.analysis.estimands.contrast import Contrast
from loadbearing.analysis.inference.contrast_inference import units_of
from loadbearing.analysis.plan import AnalysisPlan
from loadbearing.outcomes.outcomes import CellTable

_STREAM = 100
_DRAWS = 1_999  # the p-value is only held against alpha


def uneven(contrast: Contrast, table: CellTable, plan: AnalysisPlan) -> str:
    """Why a mean near zero may hide gains and losses that cancel; empty where that is not above A/A.

    Args:
        contrast: of two cells, whose labels may trade places inside a task, or of more.
        table: with the trials behind each cell.
        plan: margin, alpha, number of draws and seed.

    Source: STATISTICS 0c.3.
    """
    units, paired = units_of(table), plan.draws > 1
    cells = [(weight, table.scores(cell)) for cell, weight in contrast.weights]
    if len(cells) == 2:
        (_, whole), (_, damaged) = cells
        draws, rng = min(plan.flips, _DRAWS), np.random.default_rng([plan.seed, _STREAM])
        found = cancellation(whole, damaged, units, plan.margin, plan.alpha, draws, rng, paired)
    else:
        found = spread(cells, units, plan.margin, plan.alpha, paired)
    return found.reason if found.verdict in ("present", "not measurable") else ""
