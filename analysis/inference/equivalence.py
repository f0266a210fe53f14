"""Equivalence at a margin: the only road to `inert`."""

from __future__ import annotations

from math import ceil
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

_POWER = 0.80


def p_equivalence(sample: NDArray[np.float64], margin: float) -> float:
    """How well the data rule out a mean at or beyond the margin, the larger of two one-sided p-values.

    Args:
        sample: a plus-two sample, so that no variance does not pass for certainty.
        margin: half width of the zone of no consequence, in points of score.

    Source: Schuirmann 1987; Lakens 2017.
    """
    from statsmodels.stats.weightstats import DescrStatsW

    p, _, _ = DescrStatsW(sample).ttost_mean(-margin, margin)
    return float(p)


def units_to_settle(estimate: float, sd: float, margin: float, alpha: float, family: int) -> int:
    """Units at which an effect as large as the one seen would be settled with 80 % power.

    The nearer way out counts: an effect shown (the family's share of alpha, two-sided), or an effect
    ruled out at the margin (alpha, both sides of the zone). Normal theory, a guide for the next run.

    Args:
        estimate: the effect seen.
        sd: standard deviation of a unit's contrast, above zero.
        margin: half width of the zone of no consequence.
        alpha: error rate.
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
