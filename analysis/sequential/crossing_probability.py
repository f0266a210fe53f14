"""The chance that a z-score seen at several looks ever crosses its boundary, with no effect."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

_NODES = 120  # Gauss-Legendre nodes of one look: 1e-9 of the probability for up to ten looks
_FAR = 9.0  # standard errors beyond which nothing is


def crossing(boundaries: Sequence[float] | Array, fractions: Sequence[float] | Array) -> Array:
    """Chance that |z| has reached its boundary by each look, if there is no effect.

    The scores at the looks are a Brownian path at the information fractions. Its density inside the
    boundaries is carried from look to look by quadrature, which is exact to the digits shown.

    Args:
        boundaries: of |z|, one a look; infinite where a look cannot reject.
        fractions: share of the information at each look, rising, in (0, 1].

    Returns:
        shape (n_looks,), rising.

    Raises:
        ValueError: another number of boundaries than of fractions, or fractions that do not rise.

    Source: Armitage, McPherson & Rowe 1969; Jennison & Turnbull 1999, chapter 19.
    """
    times = np.asarray(fractions, dtype=np.float64)
    if len(boundaries) != len(times) or not len(times):
        raise ValueError(f"one boundary a look: got {len(boundaries)} for {len(times)} looks")
    if times[0] <= 0 or (np.diff(times) <= 0).any() or times[-1] > 1 + 1e-9:
        raise ValueError(f"information fractions rise from above 0 to 1, got {list(fractions)}")
    from scipy.special import ndtr

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


def _normal(values: Array, sd: float) -> Array:
    return np.asarray(np.exp(-0.5 * (values / sd) ** 2) / (sd * np.sqrt(2 * np.pi)))


@lru_cache(maxsize=1)
def _rule() -> tuple[Array, Array]:
    """Nodes and weights on [-1, 1]."""
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    return np.asarray(nodes), np.asarray(weights)
