"""The primary interval and the test of equivalence: Student's t on the contrasts and two pseudo units."""

from __future__ import annotations

from math import ceil
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

_POWER = 0.80


def plus_two_sample(
    contrasts: NDArray[np.float64], units: NDArray[np.int64], repeats: int
) -> NDArray[np.float64]:
    """One number a unit, and two pseudo units, shape (n_units + 2,); every t statistic is computed on it.

    The pseudo units hold +1/R and -1/R, the smallest nonzero contrasts of a task. They keep the coverage
    where nearly every contrast is zero, and widen the interval little elsewhere.

    Where tasks form clusters, the unit is the cluster and a pseudo unit is a cluster of average size.
    The numbers are then the linearised cluster sums: their mean is the mean over tasks (each task
    weighs the same, however large its cluster), and their standard error is the cluster-robust one
    with G/(G-1), on G-1 degrees of freedom. With one task a cluster they are the contrasts themselves.
    With few clusters of very different sizes the interval is somewhat too narrow, like all of this kind.

    Args:
        contrasts: one number a task, shape (n_tasks,), nothing missing.
        units: index of the unit (task or cluster) of each task, any integers, shape (n_tasks,).
        repeats: trials behind a cell's mean.

    Source: Agresti & Min 2005; Bonett & Price 2012; unit 1/R by the project's simulations.
    """
    labels, unit = np.unique(units, return_inverse=True)
    size = np.bincount(unit, minlength=len(labels)).astype(np.float64)
    sums = np.bincount(unit, weights=contrasts, minlength=len(labels))
    typical = size.mean() if len(size) else 1.0
    size = np.append(size, [typical, typical])
    sums = np.append(sums, [typical / repeats, -typical / repeats])
    centre = sums.sum() / size.sum()
    sample: NDArray[np.float64] = centre + (sums - size * centre) * len(size) / size.sum()
    return sample


def t_interval(sample: NDArray[np.float64], alpha: float) -> tuple[float, float]:
    """Two-sided 1 - alpha interval for the mean of a plus-two sample."""
    from statsmodels.stats.weightstats import DescrStatsW

    low, high = DescrStatsW(sample).tconfint_mean(alpha=alpha)
    return float(low), float(high)


def interval_at(sample: NDArray[np.float64], reach: float) -> tuple[float, float]:
    """Interval of +- `reach` standard errors around the mean of a plus-two sample.

    With `reach` from `simultaneous_quantile` all intervals of a family hold at once.
    """
    centre, half = float(sample.mean()), float(reach * sample.std(ddof=1) / np.sqrt(len(sample)))
    return centre - half, centre + half


def p_equivalence(sample: NDArray[np.float64], margin: float) -> float:
    """P-value against a mean at or beyond the margin: the larger of two one-sided p-values.

    Only a small one can give `inert`. In a plus-two sample, equal contrasts do not give a p-value of 0.

    Source: Schuirmann 1987; Lakens 2017.
    """
    from statsmodels.stats.weightstats import DescrStatsW

    p, _, _ = DescrStatsW(sample).ttost_mean(-margin, margin)
    return float(p)


def units_to_settle(estimate: float, sd: float, margin: float, alpha: float, family: int) -> int:
    """Units at which an effect as large as the one seen would be settled with 80 % power.

    The smaller of two numbers: to show an effect (the family's share of alpha, two-sided), or to rule out
    an effect at the margin (alpha, on both sides). Normal theory; a guide for the next run.

    Args:
        sd: standard deviation of a unit's contrast, above zero.
        family: number of hypotheses that share alpha, at least 1.
    """
    normal = NormalDist()
    effect = abs(estimate)
    ways = []
    if effect > 0:
        reach = normal.inv_cdf(1 - alpha / (2 * family)) + normal.inv_cdf(_POWER)
        ways.append((reach * sd / effect) ** 2)
    if effect < margin:
        reach = normal.inv_cdf(1 - alpha) + normal.inv_cdf(1 - (1 - _POWER) / 2)
        ways.append((reach * sd / (margin - effect)) ** 2)
    return ceil(min(ways))
