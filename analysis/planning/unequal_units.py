"""The sign flip on units of unequal size: its critical value, and how likely the units' sums reach it.

The test divides the sum of all units by the root of their squares, which are taken around zero. Where units
differ in size, an effect makes their sums differ, and those squares grow with it: power falls far below that
of Student's t with as many units. It falls too because few units carry the flips.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from math import floor, sqrt

import numpy as np
from numpy.typing import NDArray

from loadbearing.analysis.inference.sign_flip import EXACT_UP_TO
from loadbearing.analysis.planning.effective_tasks import Clustering
from loadbearing.analysis.planning.variance import Parts

_NODES = 160
_SCALE = 3.0  # of the integral, in standard deviations of the quadratic form


@dataclass(frozen=True, slots=True, eq=False)
class Units:
    """Sums of the units, normally distributed; units of one size are alike.

    Args:
        number: units of each size, shape (n_sizes,).
        mean: of the sum of one unit of that size.
        variance: of that sum.
    """

    number: NDArray[np.float64]
    mean: NDArray[np.float64]
    variance: NDArray[np.float64]

    @property
    def n(self) -> int:
        """All units."""
        return int(self.number.sum())

    @property
    def carrying(self) -> float:
        """Units that carry the flips: as many equal ones give flipped sums of the same kurtosis.

        Without an effect it is `n` for equal units. It falls where few large ones outweigh the others, and
        rises where an effect leaves all sums nearly equal.
        """
        square = self.variance + self.mean**2
        fourth = 3 * self.variance**2 + 6 * self.variance * self.mean**2 + self.mean**4
        whole, fourths = self.number @ square, self.number @ fourth
        spread = self.number @ (fourth - square**2)
        return max(3 * float((whole**2 + spread) / fourths) - 2, 1.5) if fourths > 0 else float(self.n)


def units_of(effect: float, parts: Parts, repeats: int, clusters: Clustering) -> Units:
    """The sums of clusters of tasks with this mean contrast and these variance parts."""
    size, number = np.unique(np.array(clusters.sizes, dtype=np.float64), return_counts=True)
    variance = size * parts.total(repeats) + size * (size - 1) * parts.cluster
    return Units(number.astype(np.float64), size * effect, variance)


def attained(alpha: float, n: int) -> float:
    """The level that the test attains: with few units p is a multiple of 1 / 2^(n - 1)."""
    if n > EXACT_UP_TO:
        return alpha
    ways: int = 2 ** (n - 1)
    return floor(alpha * ways + 1e-9) / ways


def critical(units: Units, alpha: float, size: int = 1) -> float:
    """What |sum| / sqrt(sum of squares) has to reach, typically; the flips decide it anew in each experiment.

    In a family it is the largest of the flipped sums that has to be reached, and all others but one are those
    of contrasts without an effect: averaged over experiments, they are spread as the statistic itself is
    where there is none.

    Args:
        alpha: of this test; in a family, the share that `each_alpha` gives it.
        size: of the family.

    Source: quantile of a studentised sum of random signs, by its kurtosis (Student's t with the units that
        carry the flips); the largest value, all signs alike, is always within reach.
    """
    own = min(_by_kurtosis(units, alpha), (units.n - 1) / sqrt(units.n))
    if size == 1:
        return own
    return (own + (size - 1) * _without_effect(units, alpha)) / size


def _by_kurtosis(units: Units, alpha: float) -> float:
    from scipy.stats import t

    carry = units.carrying
    square = float(t.isf(alpha / 2, carry - 1)) ** 2
    return sqrt(square * carry / (carry - 1 + square))


def _without_effect(units: Units, alpha: float) -> float:
    """What the statistic exceeds with chance alpha where no unit has an effect."""
    from scipy.optimize import brentq

    still = Units(units.number, np.zeros_like(units.mean), units.variance)
    first = _by_kurtosis(still, alpha)
    if len(units.number) == 1:
        return first  # Student's t
    low, high = 0.7 * first, min(1.4 * first, sqrt(units.n))
    if reached(still, low) <= alpha or reached(still, high) >= alpha:
        return first
    return float(brentq(lambda value: reached(still, value) - alpha, low, high, xtol=2e-3))


def reached(units: Units, value: float) -> float:
    """Chance that |sum| / sqrt(sum of squares) reaches a value.

    The event is that a quadratic form in normal deviates lies above zero: sum^2 - value^2 x squares.

    Args:
        units: none with variance 0.

    Source: Imhof 1961, Biometrika 48, distribution of quadratic forms in normal variables, eq. 3.2.
    """
    root, spread = np.sqrt(units.number), np.sqrt(units.variance)
    # of the units of one size only their mean meets the others; the rest of their variance is its own
    form = np.outer(root * spread, root * spread) - np.diag(value**2 * units.variance)
    weights, vectors = np.linalg.eigh(form)
    shifted = (vectors.T @ (root * units.mean / spread)) ** 2
    weights = np.concatenate([weights, -(value**2) * units.variance])[:, None]
    shifted = np.concatenate([shifted, np.zeros(len(spread))])[:, None]
    times = np.concatenate([np.ones(len(spread)), units.number - 1])
    scale = sqrt(float((2 * times * (weights**2 * (1 + 2 * shifted))[:, 0]).sum()))
    nodes, shares = _rule()
    at = _SCALE * nodes / (1 - nodes) / scale
    width = _SCALE * shares / (1 - nodes) ** 2 / scale
    bent = 1 + (weights * at) ** 2
    angle = times @ (np.arctan(weights * at) + shifted * weights * at / bent) / 2
    decay = times @ (np.log(bent) / 4 + shifted * (weights * at) ** 2 / bent / 2)
    found = 0.5 + float((width * np.sin(angle) / at * np.exp(-decay)).sum()) / np.pi
    return min(max(found, 0.0), 1.0)


@cache
def _rule() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Nodes and weights of Gauss and Legendre between 0 and 1."""
    nodes, shares = np.polynomial.legendre.leggauss(_NODES)
    return (nodes + 1) / 2, shares / 2
