"""Effects that differ between tasks: gains and losses that cancel in the mean are not no effect."""

from __future__ import annotations

import numpy as np

from analysis.contrast import Contrast
from analysis.evidence import units_of
from analysis.plan import AnalysisPlan
from ledger.outcomes import CellTable

_STREAM = 100
_DRAWS = 1_999  # the p-value is only held against alpha


def uneven(contrast: Contrast, table: CellTable, plan: AnalysisPlan) -> str:
    """Why a drop near zero may hide gains and losses that cancel; empty where that is not above A/A.

    Args:
        contrast: of two cells, whole minus damaged.
        table: with the trials behind each cell.
        plan: margin, alpha, number of draws and seed.

    Source: STATISTICS 0c.3.
    """
    from analysis.behaviour.cancellation import cancellation

    (whole, _), (damaged, _) = contrast.weights
    found = cancellation(
        table.scores(whole),
        table.scores(damaged),
        units_of(table),
        plan.margin,
        plan.alpha,
        min(plan.flips, _DRAWS),
        np.random.default_rng([plan.seed, _STREAM]),
        paired=plan.draws > 1,
    )
    return found.reason if found.verdict in ("present", "not measurable") else ""
