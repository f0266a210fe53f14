"""Every method on one estimate, side by side. The verdict rests on the primary one; these show how far."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from loadbearing.analysis.sensitivity.cluster_bootstrap import cluster_bootstrap
from loadbearing.analysis.sensitivity.cr2 import cr2
from loadbearing.analysis.sensitivity.gee_logit import gee_logit
from loadbearing.analysis.sensitivity.logit_scale import logit_scale
from loadbearing.analysis.sensitivity.mcnemar import mcnemar
from loadbearing.analysis.sensitivity.method import Reading
from loadbearing.analysis.sensitivity.mid_p import mid_p
from loadbearing.analysis.sensitivity.missing_bounds import missing_bounds
from loadbearing.analysis.sensitivity.students_t import students_t
from loadbearing.analysis.sensitivity.these_tasks import these_tasks
from loadbearing.analysis.sensitivity.trial_scores import Cells


def readings(
    d: NDArray[np.float64],
    units: NDArray[np.int64],
    cells: Cells,
    *,
    repeats: int,
    alpha: float,
    flips: int,
    draws: int,
    rng: np.random.Generator,
) -> tuple[Reading, ...]:
    """All readings of one estimate, methods that do not apply left out, those that fail with a reason.

    Args:
        d: one contrast a task, shape (n_tasks,); NaN is missing.
        units: index of the cluster of each task, counted from 0, shape (n_tasks,).
        cells: the cells of the contrast with their trials, tasks as in `d`; empty where trials are not
            at hand (a mean over backbones), which leaves out every method that needs them.
        repeats: trials behind a cell's mean.
        alpha: the intervals hold 1 - alpha.
        flips: sign vectors of the mid-p.
        draws: of the bootstraps.
        rng: spawns one stream a method, so that none shifts another's.
    """
    known = ~np.isnan(d)
    values, unit = d[known], units[known]
    flip_stream, mean_stream, odds_stream = rng.spawn(3)
    by_task = (
        students_t(values, alpha),
        cr2(values, unit, alpha),
        mid_p(values, unit, flips, flip_stream),
        cluster_bootstrap(values, unit, alpha, draws, mean_stream),
    )
    if not len(cells):
        return by_task
    return (
        *by_task,
        gee_logit(cells, units, alpha),
        logit_scale(cells, units, alpha, draws, odds_stream),
        *mcnemar(cells, units),
        these_tasks(cells, alpha),
        *missing_bounds(cells, units, repeats, alpha),
    )
