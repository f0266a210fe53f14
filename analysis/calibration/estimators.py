"""The real estimators, on many simulated experiments at once.

The sign vectors and the signed sums are those of `flip_test`. Interval and equivalence test are the formulas
of `interval` and `equivalence` on the columns of a matrix. A test holds all of it against the functions that
judge real data, experiment by experiment.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from loadbearing.analysis.calibration.experiments import Trials
from loadbearing.analysis.inference.sign_flip import TIE, flipped
from loadbearing.analysis.plan import AnalysisPlan
from loadbearing.ledger.random_streams import fixed_generator

_AT_ONCE = 500  # experiments in one call: signed sums of all of them are held in memory


@dataclass(frozen=True, slots=True, eq=False)
class Measured:
    """One contrast in many experiments; every array has shape (n_experiments,).

    Args:
        estimate: mean over tasks.
        low, high: the 1 - alpha plus-two interval.
        p: sign-flip p-value.
        p_equivalence: against an effect at or beyond the margin.
    """

    estimate: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    p: NDArray[np.float64]
    p_equivalence: NDArray[np.float64]


Measure = Callable[[Trials, tuple[float, ...], NDArray[np.int64], AnalysisPlan], Measured]
"""Trials, the weight of each cell, the unit of each task (from 0), the rules → what is measured."""


def measure(
    trials: Trials, weights: tuple[float, ...], unit: NDArray[np.int64], plan: AnalysisPlan
) -> Measured:
    """Estimate one linear contrast in every experiment: a `Measure`."""
    from statsmodels.stats.weightstats import DescrStatsW

    contrasts = np.einsum("ecn,c->ne", trials.mean(axis=3), np.asarray(weights))
    labels, place = np.unique(unit, return_inverse=True)
    members = (place == np.arange(len(labels))[:, None]).astype(np.float64)
    sums = members @ contrasts
    columns = DescrStatsW(_plus_two(sums, members.sum(axis=1), trials.shape[3]))
    low, high = columns.tconfint_mean(alpha=plan.alpha)
    p_equivalence, _, _ = columns.ttost_mean(-plan.margin, plan.margin)
    ends = np.asarray(low), np.asarray(high)
    return Measured(contrasts.mean(axis=0), *ends, _flip_p(sums, plan), np.asarray(p_equivalence))


def _flip_p(sums: NDArray[np.float64], plan: AnalysisPlan) -> NDArray[np.float64]:
    """The p-value of each column, each as `flip_test` gives it for that column alone with the plan's seed.

    Units without a difference get no sign. Columns with equally many others share their signs, whichever
    units these are, so they are packed to the top and tested in one call.
    """
    informative = np.abs(sums) > TIE
    counts = informative.sum(axis=0)
    p = np.ones(sums.shape[1])
    for count in np.unique(counts[counts > 0]).tolist():
        here = np.flatnonzero(counts == count)
        for start in range(0, len(here), _AT_ONCE):
            columns = here[start : start + _AT_ONCE]
            top = np.argsort(~informative[:, columns], axis=0, kind="stable")[:count]
            packed = np.take_along_axis(sums[:, columns], top, axis=0)
            packed /= np.sqrt((packed**2).sum(axis=0))
            drawn, exact = flipped(packed, plan.flips, fixed_generator(plan.seed))
            reached = (drawn >= np.abs(packed.sum(axis=0)) - TIE).sum(axis=0)
            # where signs are drawn, the observed vector is one of the sample
            p[columns] = reached / len(drawn) if exact else (reached + 1) / (len(drawn) + 1)
    return p


def _plus_two(sums: NDArray[np.float64], size: NDArray[np.float64], repeats: int) -> NDArray[np.float64]:
    """`plus_two_sample` of each column, shape (n_units + 2, n_columns)."""
    step = np.full((1, sums.shape[1]), size.mean() / repeats)
    longer = np.vstack([sums, step, -step])
    sizes = np.append(size, [size.mean(), size.mean()])[:, None]
    centre = longer.sum(axis=0) / sizes.sum()
    return np.asarray(centre + (longer - sizes * centre) * len(sizes) / sizes.sum())
