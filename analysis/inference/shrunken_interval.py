"""An interval that leans towards what other groups show, and holds whatever they show."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from memtrial.analysis.arrays import Floats
from memtrial.analysis.inference.interval import UnitSample, quantile

_STEPS = 40
"""Halvings of a bracket of a few standard errors."""
_TIE = 1e-9  # less is rounding
_LEAST = 0.1
"""Of a group's error: a smaller spread of the others counts as this. The interval then reaches to their mean,
and hardly gains."""


@dataclass(frozen=True, slots=True)
class Leaning:
    """What the other groups say of one, from none of its own tasks: their mean and spread, and the error of a
    mean of as many tasks as it has."""

    mean: float
    spread: float
    error: float


def lean_intervals(
    groups: Sequence[tuple[UnitSample, Leaning]], alpha: float
) -> tuple[tuple[float, float], ...]:
    """Of each group the 1 - alpha interval that is shortest, in the mean, if the others are right about it.

    A value theta is kept where Student's t against it lies between the quantiles alpha w and
    1 - alpha (1 - w). Any w(theta) that the group's own tasks have no part in gives an interval that holds:
    where the others mislead, it is longer, and not wrong. The w taken here solves

        g(w) = 2 error (theta - mean) / spread^2,   g(w) = z(alpha w) - z(alpha (1 - w))

    and within the possible range as all intervals are.

    Source: Pratt 1963; Yu & Hoff 2018 (Biometrika 105); Hoff & Yu 2019 (Electronic Journal of Statistics 13).
    """
    from scipy.special import stdtrit

    value, error, freedom, mean, slope, reach = (
        np.array([_lean(sample, leaning, alpha) for sample, leaning in groups], dtype=np.float64)
        .reshape(-1, 6)
        .T
    )
    shares, heights = _share_curve(alpha)

    def share(theta: Floats) -> Floats:
        return np.interp(slope * (theta - mean), heights, shares)

    high, beyond = value, np.maximum(value, mean) + reach
    low, below = value, np.minimum(value, mean) - reach
    for _ in range(_STEPS):
        middle = (high + beyond) / 2
        out = middle + error * stdtrit(freedom, alpha * share(middle)) > value
        high, beyond = np.where(out, high, middle), np.where(out, middle, beyond)
        middle = (low + below) / 2
        out = middle - error * stdtrit(freedom, alpha * (1 - share(middle))) < value
        low, below = np.where(out, low, middle), np.where(out, middle, below)
    bounds = (sample.bounds for sample, _ in groups)
    ends = zip(below.tolist(), beyond.tolist(), bounds, strict=True)
    return tuple((max(first, least), min(last, greatest)) for first, last, (least, greatest) in ends)


def _lean(sample: UnitSample, leaning: Leaning, alpha: float) -> tuple[float, ...]:
    """A group's mean, error and freedom, the others' mean, how steeply it leans, and the reach of its own
    interval."""
    error, spread = float(sample.wider), max(leaning.spread, _LEAST * leaning.error)
    # where tasks never differ nothing tells how far to lean: the interval is the group's own
    slope = 2 * leaning.error / spread**2 if spread > _TIE else 0.0
    freedom = float(sample.freedom)
    return float(sample.mean), error, freedom, leaning.mean, slope, error * quantile(sample.freedom, alpha)


@lru_cache(maxsize=8)
def _share_curve(alpha: float) -> tuple[Floats, Floats]:
    """Shares w, from near 0 to near 1, and g(w), which grows with them."""
    from scipy.special import ndtri

    logit = np.linspace(-18.0, 18.0, 721)
    shares = 1 / (1 + np.exp(-logit))
    return shares, ndtri(alpha * shares) - ndtri(alpha * (1 - shares))
