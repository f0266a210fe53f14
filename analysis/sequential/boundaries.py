"""Boundaries of a z-score seen at several looks: O'Brien and Fleming's, and alpha spent as information comes.

Equally spaced looks have O'Brien and Fleming's boundaries, hard to cross early and nearly the ordinary test
at the end. Others spend alpha like them, by information (Lan & DeMets).
"""

from collections.abc import Sequence
from functools import lru_cache
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_NORMAL = NormalDist()
_NEVER = 1e-16  # alpha too small to be told from none
_NODES = 120  # Gauss-Legendre nodes of one look: 1e-9 of the probability for up to ten looks
_FAR = 9.0  # standard errors beyond which nothing is


def obrien_fleming(looks: int, alpha: float) -> Floats:
    """Boundaries of |z| for equally spaced looks, shape (looks,): c sqrt(looks / k) at the k-th.

    Source: O'Brien & Fleming 1979; constants of Jennison & Turnbull 1999, table 2.3 (2.040 for five looks
        at .05).
    """
    from scipy.optimize import brentq

    fractions = np.arange(1, looks + 1) / looks
    shape = 1 / np.sqrt(fractions)

    def too_much(c: float) -> float:
        return float(crossing(c * shape, fractions)[-1]) - alpha

    return np.asarray(brentq(too_much, 1e-3, 9.0, xtol=1e-9) * shape)


def obrien_fleming_p(z: float, look: int, looks: int) -> float:
    """The alpha at which the boundary for equally spaced looks passes through |z| at the k-th: repeated p.

    Source: Jennison & Turnbull 1999, section 9.5.
    """
    fractions = np.arange(1, looks + 1) / looks
    c = abs(z) * np.sqrt(look / looks)
    return 1.0 if c < 1e-3 else min(1.0, float(crossing(c / np.sqrt(fractions), fractions)[-1]))


def spent(fraction: float, alpha: float) -> float:
    """Two-sided alpha that may be used up by an information fraction: 2 - 2 Phi(z / sqrt(t)) on each side.

    Source: Lan & DeMets 1983, the spending function like O'Brien and Fleming's.
    """
    z = _NORMAL.inv_cdf(1 - alpha / 4)
    return min(alpha, 4 * (1 - _NORMAL.cdf(z / np.sqrt(fraction))))


def spending_boundaries(fractions: Sequence[float], alpha: float) -> Floats:
    """Boundaries of |z| at rising information fractions in (0, 1], shape (n_looks,).

    Infinite where next to nothing may be spent. What is left at the last look is spent there, also if its
    fraction is under 1.
    """
    from scipy.optimize import brentq

    found: list[float] = []
    used = 0.0
    for look, fraction in enumerate(fractions, 1):
        upto = alpha if look == len(fractions) else spent(float(fraction), alpha)
        if upto - used < _NEVER:
            found.append(float("inf"))
            continue

        def too_much(z: float, look: int = look, upto: float = upto) -> float:
            return float(crossing([*found[: look - 1], z], fractions[:look])[-1]) - upto

        found.append(float(brentq(too_much, 1e-6, 8.9, xtol=1e-9)))
        used = upto
    return np.asarray(found)


def spending_p(z: float, fractions: Sequence[float], look: int) -> float:
    """The alpha at which the spending boundary passes through |z| at the k-th look: repeated p."""
    from scipy.optimize import brentq

    def beyond(log_alpha: float) -> float:
        return float(spending_boundaries(fractions, float(np.exp(log_alpha)))[look - 1]) - abs(z)

    least, most = np.log(1e-10), np.log(0.99)
    if abs(z) > 8.0 or beyond(least) < 0:
        return float(np.exp(least))
    if beyond(most) > 0:
        return 1.0
    return float(np.exp(brentq(beyond, least, most, xtol=1e-6)))


def crossing(boundaries: Sequence[float] | Floats, fractions: Sequence[float] | Floats) -> Floats:
    """Chance that |z| has reached its boundary by each look, if there is no effect; shape (n_looks,), rising.

    The scores at the looks are a Brownian path at the information fractions. Its density inside the
    boundaries is carried from look to look by quadrature, which is exact to the digits shown.

    Boundaries are infinite where a look cannot reject; fractions of the information rise in (0, 1].

    Source: Armitage, McPherson & Rowe 1969; Jennison & Turnbull 1999, chapter 19.
    """
    from scipy.special import ndtr

    times = np.asarray(fractions, dtype=np.float64)
    nodes, weights = _rule()
    edges = np.minimum(np.asarray(boundaries, dtype=np.float64), _FAR) * np.sqrt(times)
    crossed = np.zeros(len(times))
    crossed[0] = 2 * ndtr(-float(boundaries[0]))
    place = nodes * edges[0]
    mass = _normal(place, np.sqrt(times[0])) * weights * edges[0]
    for look in range(1, len(times)):
        edge, step = edges[look], np.sqrt(times[look] - times[look - 1])
        out = mass @ (ndtr((place - edge) / step) + ndtr((-place - edge) / step))
        crossed[look] = crossed[look - 1] + out
        new = nodes * edge
        mass = (mass @ _normal(new[None, :] - place[:, None], step)) * weights * edge
        place = new
    return crossed


def _normal(values: Floats, sd: float) -> Floats:
    return np.asarray(np.exp(-0.5 * (values / sd) ** 2) / (sd * np.sqrt(2 * np.pi)))


@lru_cache(maxsize=1)
def _rule() -> tuple[Floats, Floats]:
    """Nodes and weights on [-1, 1]."""
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    return np.asarray(nodes), np.asarray(weights)
