"""Bands: how far an observed rate may lie from its promise before the instrument is called broken."""

from collections.abc import Callable
from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import NDArray

CHANCE = 0.001
"""Chance that a sound instrument leaves a band, two-sided where the band has two ends."""

Values = NDArray[np.bool_] | NDArray[np.float64]
"""What was seen in each experiment, shape (n_experiments,): a hit or none, or an error of the estimate."""

Band = Callable[[Values], tuple[float, float]]
"""Values → the least and the largest mean of them that keeps the promise."""


@dataclass(frozen=True, slots=True)
class Check:
    """One promise held against simulated experiments: it is kept from `low` to `high`."""

    name: str
    observed: float
    low: float
    high: float

    @property
    def passed(self) -> bool:
        """The observed value lies in the band."""
        return self.low <= self.observed <= self.high


def at_most(rate: float, slack: float = 0.0) -> Band:
    """An error rate that has to be kept; `slack` is allowed beyond chance, for a known approximation."""
    return lambda hits: (0.0, _chance(hits, rate, 1 - CHANCE) + slack)


def at_least(rate: float, slack: float = 0.0) -> Band:
    """A coverage or a power that has to be reached; more is welcome."""
    return lambda hits: (max(_chance(hits, rate, CHANCE) - slack, 0.0), 1.0)


def near(rate: float, slack: float) -> Band:
    """A rate that was promised as such; `slack` is allowed beyond chance on both sides."""
    return lambda hits: (
        max(_chance(hits, rate, CHANCE / 2) - slack, 0.0),
        min(_chance(hits, rate, 1 - CHANCE / 2) + slack, 1.0),
    )


def unbiased(errors: Values) -> tuple[float, float]:
    """The band of errors whose mean is zero."""
    from scipy.stats import norm

    reach = float(norm.isf(CHANCE / 2)) * float(errors.std(ddof=1)) / sqrt(len(errors))
    return -reach, reach


def near_zero(slack: float) -> Band:
    """Errors whose mean is zero; `slack` is allowed beyond chance on both sides."""

    def band(errors: Values) -> tuple[float, float]:
        low, high = unbiased(errors)
        return low - slack, high + slack

    return band


def _chance(hits: Values, rate: float, quantile: float) -> float:
    from scipy.stats import binom

    return float(binom.ppf(quantile, len(hits), rate)) / len(hits)
