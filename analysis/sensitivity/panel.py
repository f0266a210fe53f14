"""Every method on one estimate, side by side. The verdict rests on the primary one; these show how far."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from loadbearing.analysis.estimands.contrast import Contrast, utility
from loadbearing.analysis.inference.contrast_inference import units_of
from loadbearing.analysis.plan import AnalysisPlan
from loadbearing.analysis.sensitivity.method import Reading
from loadbearing.analysis.sensitivity.missing_bounds import missing_bounds
from loadbearing.analysis.sensitivity.task_methods import cluster_bootstrap, content_share, cr2
from loadbearing.analysis.sensitivity.trial_methods import gee_logit, mcnemar, one_scale_only, these_tasks
from loadbearing.analysis.sensitivity.trial_scores import WeightedCell
from loadbearing.ledger.random_streams import Stream, generator
from loadbearing.outcomes.outcomes import CellTable

DRAWS = 9_999
_MEANS, _SHARES = (0, 1), (1,)  # each bootstrap has a stream of its own, so that none shifts another's


def readings(contrast: Contrast, table: CellTable, plan: AnalysisPlan, at: int) -> tuple[Reading, ...]:
    """All readings of one contrast; methods that do not apply are left out, those that fail give a reason.

    Args:
        contrast: a utility, a drop or a contrast of drops.
        table: one backbone's cells, with single trials.
        plan: alpha and seed.
        at: place of the contrast among those that are read; its random streams depend on it.
    """
    d, units, repeats = contrast.per_task(table), units_of(table), contrast.repeats(table)
    known = ~np.isnan(d)
    if not known.any():
        return ()
    cells = [
        WeightedCell(weight, table.scores(cell), table.trials[:, table.cells.index(cell)])
        for cell, weight in contrast.weights
    ]
    means, shares = (generator(plan.seed, Stream.SENSITIVITY, at, spawn_key=key) for key in (_MEANS, _SHARES))
    points, odds = cr2(d[known], units[known], plan.alpha), gee_logit(cells, units, plan.alpha)
    warning = one_scale_only(points, odds)
    found = [
        points,
        cluster_bootstrap(d[known], units[known], plan.alpha, DRAWS, means),
        replace(odds, note=f"{odds.note}; {warning}") if warning else odds,
        mcnemar(cells, units),
        these_tasks(cells, plan.alpha),
        *missing_bounds(cells, units, repeats, plan.alpha),
    ]
    if contrast.estimand == "drop":
        gain = utility(contrast.arm).per_task(table)
        found.append(content_share(d, gain, units, repeats, plan.alpha, DRAWS, shares))
    return tuple(reading for reading in found if reading is not None)
