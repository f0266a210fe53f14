"""An interval that holds over time, and the stop for lack of effect that it allows."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

BURN_IN = 20
"""Units before which the normal approximation is not trusted and no interval is given."""


def confidence_sequence(contrasts: Array, alpha: float, planned: int) -> tuple[Array, Array]:
    """Ends of the asymptotic confidence sequence after each unit, shapes (n_units,).

    All of its intervals hold the mean at once with a chance of about 1 - alpha. Infinite during the
    burn-in of 20 units.

    Args:
        contrasts: one number a unit, in the order of the plan; nothing missing.
        alpha: two-sided.
        planned: units of the whole run; the sequence is made tight there.

    Raises:
        ValueError: alpha outside (0, 1), or no unit planned.

    Source: Waudby-Smith, Arbour, Sinha, Kennedy & Ramdas 2024, theorem 2.2; rho by their equation for the
        time at which the width is least.
    """
    if not 0.0 < alpha < 1.0 or planned < 1:
        raise ValueError(f"alpha in (0, 1) and at least one unit are needed, got {alpha} and {planned}")
    d = np.asarray(contrasts, dtype=np.float64)
    t = np.arange(1, len(d) + 1)
    mean = np.cumsum(d) / t
    variance = np.maximum(np.cumsum(d**2) / t - mean**2, 0.0)
    # units that are all alike so far are no certainty: what one unit of size 1 would add
    variance = variance + 1.0 / t**2
    rho2 = (-2 * np.log(alpha) + np.log(-2 * np.log(alpha) + 1)) / planned
    width = np.sqrt(variance * 2 * (t * rho2 + 1) / (t**2 * rho2) * np.log(np.sqrt(t * rho2 + 1) / alpha))
    width = np.where(t < BURN_IN, np.inf, width)
    return mean - width, mean + width


def stops_inert(contrasts: Array, margin: float, planned: int, alpha: float = 0.10) -> int | None:
    """After how many units an effect as large as the margin is ruled out; None where it is not yet.

    Args:
        contrasts: one number a unit, in the order of the plan.
        margin: half width of the zone of no consequence.
        planned: units of the whole run.
        alpha: of the sequence; .10 gives two one-sided tests at .05, as in the equivalence test.
    """
    low, high = confidence_sequence(contrasts, alpha, planned)
    inside = (low > -margin) & (high < margin)
    return int(np.argmax(inside)) + 1 if inside.any() else None
