"""Bands: how far an observed rate may lie from its promise before the instrument is called broken."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import NDArray

LUCK = 0.001
"""Chance that a sound instrument leaves a band, two-sided where the band has two ends."""


@dataclass(frozen=True, slots=True)
class Check:
    """One promise held against simulated experiments.

    Args:
        name: what is promised, of whom, at which size.
        observed: a rate, a mean error, or a difference.
        low: least value that keeps the promise.
        high: largest value that keeps it.
    """

    name: str
    observed: float
    low: float
    high: float

    @property
    def passed(self) -> bool:
        """The observed value lies in the band."""
        return self.low <= self.observed <= self.high


def at_most(name: str, hits: NDArray[np.bool_], rate: float, slack: float = 0.0) -> Check:
    """An error rate that has to be kept; fewer errors are welcome.

    Args:
        name: of the check.
        hits: one per experiment, shape (n_experiments,).
        rate: promised.
        slack: allowed beyond chance, for a known approximation.
    """
    from scipy.stats import binom

    high = float(binom.ppf(1 - LUCK, len(hits), rate)) / len(hits) + slack
    return Check(name, float(hits.mean()), 0.0, high)


def at_least(name: str, hits: NDArray[np.bool_], rate: float, slack: float = 0.0) -> Check:
    """A coverage or a power that has to be reached; more is welcome."""
    from scipy.stats import binom

    low = float(binom.ppf(LUCK, len(hits), rate)) / len(hits) - slack
    return Check(name, float(hits.mean()), max(low, 0.0), 1.0)


def near(name: str, hits: NDArray[np.bool_], rate: float, slack: float) -> Check:
    """A rate that was promised as such; `slack` is allowed beyond chance on both sides.

    Raises:
        ValueError: the promise is no share.
    """
    from scipy.stats import binom

    if not 0.0 <= rate <= 1.0:
        raise ValueError(f"{name}: a promised rate is a share in [0, 1], got {rate!r}")
    low, high = binom.ppf([LUCK / 2, 1 - LUCK / 2], len(hits), rate) / len(hits)
    return Check(name, float(hits.mean()), max(float(low) - slack, 0.0), min(float(high) + slack, 1.0))


def unbiased(name: str, estimates: NDArray[np.float64], true: float) -> Check:
    """The mean of the estimates is the truth; observed is their mean error."""
    from scipy.stats import norm

    reach = float(norm.isf(LUCK / 2)) * float(estimates.std(ddof=1)) / sqrt(len(estimates))
    return Check(name, float(estimates.mean()) - true, -reach, reach)
