"""Every method on one estimate, side by side. The verdict rests on the primary one; these show how far."""

from dataclasses import replace

import numpy as np

from loadbearing.analysis.estimands.contrast import Contrast
from loadbearing.analysis.inference.contrast_inference import units_of
from loadbearing.analysis.plan import AnalysisPlan
from loadbearing.analysis.sensitivity.method import Reading, WeightedCell, scored
from loadbearing.analysis.sensitivity.task_methods import cluster_bootstrap, cr2, missing_bounds, sign_flip
from loadbearing.analysis.sensitivity.trial_methods import gee_logit, mcnemar, one_scale_only, these_tasks
from loadbearing.ledger.random_streams import Stream, generator
from loadbearing.outcomes.outcomes import CellTable

DRAWS = 9_999


def readings(contrast: Contrast, table: CellTable, plan: AnalysisPlan, at: int) -> tuple[Reading, ...]:
    """All readings of one contrast; methods that do not apply are left out, those that fail give a reason.

    Args:
        contrast: a utility, a drop or a contrast of drops.
        table: one backbone's cells, with single trials.
        at: index of the contrast; its random stream depends on it.
    """
    d, units, repeats = contrast.per_task(table), units_of(table), contrast.repeats(table)
    d = d[~np.isnan(d)]
    if not len(d):
        return ()
    cells = [
        WeightedCell(weight, table.scores(cell), table.trials[:, table.cells.index(cell)])
        for cell, weight in contrast.weights
    ]
    whole, unit = scored(cells, units)
    rng = generator(plan.seed, Stream.SENSITIVITY, at, spawn_key=(0, 1))
    points, odds = cr2(d, unit, plan.alpha), gee_logit(whole, unit, plan.alpha)
    warning = one_scale_only(points, odds)
    found = [
        points,
        sign_flip(d, unit, plan.flips, generator(plan.seed, Stream.SENSITIVITY, at, spawn_key=(0, 2))),
        cluster_bootstrap(d, unit, plan.alpha, DRAWS, rng),
        replace(odds, note=f"{odds.note}; {warning}") if warning else odds,
        mcnemar(whole, unit),
        these_tasks(whole, plan.alpha),
        *missing_bounds(cells, units, repeats, plan.alpha),
    ]
    return tuple(reading for reading in found if reading is not None)
