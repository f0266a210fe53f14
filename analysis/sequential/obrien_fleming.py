"""O'Brien-Fleming boundaries: hard to cross early, nearly the ordinary test at the end."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from loadbearing.analysis.sequential.crossing_probability import crossing


def obrien_fleming(looks: int, alpha: float) -> NDArray[np.float64]:
    """Boundaries of |z| for equally spaced looks, shape (looks,): c sqrt(looks / k) at the k-th.

    Args:
        looks: at least 1.
        alpha: two-sided error rate over all looks together.

    Raises:
        ValueError: no look, or alpha outside (0, 1).

    Source: O'Brien & Fleming 1979; constants of Jennison & Turnbull 1999, table 2.3 (2.040 for five looks
        at .05).
    """
    if looks < 1 or not 0.0 < alpha < 1.0:
        raise ValueError(f"at least one look and alpha in (0, 1) are needed, got {looks} and {alpha}")
    from scipy.optimize import brentq

    fractions = np.arange(1, looks + 1) / looks
    shape = 1 / np.sqrt(fractions)

    def too_much(c: float) -> float:
        return float(crossing(c * shape, fractions)[-1]) - alpha

    c = brentq(too_much, 1e-3, 9.0, xtol=1e-9)
    return np.asarray(c * shape)


def overall_p(z: float, look: int, looks: int) -> float:
    """The alpha at which the boundary for equally spaced looks passes through z at the k-th: repeated p.

    Args:
        z: |z| as seen.
        look: counted from 1.
        looks: planned.

    Source: Jennison & Turnbull 1999, section 9.5.
    """
    fractions = np.arange(1, looks + 1) / looks
    c = abs(z) * np.sqrt(look / looks)
    return 1.0 if c < 1e-3 else min(1.0, float(crossing(c / np.sqrt(fractions), fractions)[-1]))
