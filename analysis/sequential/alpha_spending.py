"""Boundaries for looks that are not equally spaced: alpha is spent as information comes in."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from loadbearing.analysis.sequential.crossing_probability import crossing

_NORMAL = NormalDist()
_NEVER = 1e-16  # alpha too small to be told from none


def spent(fraction: float, alpha: float) -> float:
    """Two-sided alpha that may be used up by an information fraction: 2 - 2 Phi(z / sqrt(t)) on each side.

    Args:
        fraction: in (0, 1].
        alpha: two-sided, over all looks; each side spends half of it.

    Source: Lan & DeMets 1983, the spending function like O'Brien and Fleming's.
    """
    z = _NORMAL.inv_cdf(1 - alpha / 4)
    return min(alpha, 4 * (1 - _NORMAL.cdf(z / np.sqrt(fraction))))


def spending_boundaries(fractions: Sequence[float], alpha: float) -> NDArray[np.float64]:
    """Boundaries of |z| at these information fractions, shape (n_looks,).

    Infinite where next to nothing may be spent. What is left at the last look is spent there, also if its
    fraction is under 1.

    Args:
        fractions: rising, in (0, 1].
        alpha: two-sided error rate over all looks together.

    Raises:
        ValueError: fractions that do not rise, or alpha outside (0, 1).
    """
    if not 0.0 < alpha < 1.0:
        raise ValueError(f"alpha lies in (0, 1), got {alpha}")
    from scipy.optimize import brentq

    found: list[float] = []
    used = 0.0
    for look, fraction in enumerate(fractions, 1):
        upto = alpha if look == len(fractions) else spent(float(fraction), alpha)
        if upto - used < _NEVER:
            crossing([*found, np.inf], fractions[:look])
            found.append(float("inf"))
            continue
        before, now = tuple(found), fractions[:look]

        def too_much(
            z: float, before: tuple[float, ...] = before, now: Sequence[float] = now, upto: float = upto
        ) -> float:
            return float(crossing([*before, z], now)[-1]) - upto

        found.append(float(brentq(too_much, 1e-6, 8.9, xtol=1e-9)))
        used = upto
    return np.asarray(found)


def overall_p(z: float, fractions: Sequence[float], look: int) -> float:
    """The alpha at which the spending boundary passes through z at the k-th look: repeated p.

    Args:
        z: |z| as seen.
        fractions: of all looks planned.
        look: counted from 1.
    """
    from scipy.optimize import brentq

    def beyond(log_alpha: float) -> float:
        return float(spending_boundaries(fractions, float(np.exp(log_alpha)))[look - 1]) - abs(z)

    least, most = np.log(1e-10), np.log(0.99)
    if abs(z) > 8.0 or beyond(least) < 0:
        return float(np.exp(least))
    if beyond(most) > 0:
        return 1.0
    return float(np.exp(brentq(beyond, least, most, xtol=1e-6)))
