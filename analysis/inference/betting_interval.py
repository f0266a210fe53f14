"""The betting interval: exact for any bounded contrast, and wide. For tables in which no task differs."""

from __future__ import annotations

from math import log

import numpy as np
from numpy.typing import NDArray

from loadbearing.ledger.random_streams import fixed_generator

_BET = 0.75  # largest share of the capital that a bet may lose
_STEPS = 60  # halvings of the range: to the last digit


def differing_share_bound(n: int, alpha: float) -> float:
    """Upper 1 - alpha bound on the share of tasks that differ when none of n independent ones did.

    Clopper & Pearson's bound at zero, 1 - alpha^(1/n); 0.072 at n = 40.

    Raises:
        ValueError: no task.
    """
    if n < 1:
        raise ValueError(f"a bound on a share needs at least one task, got {n}")
    return float(1 - alpha ** (1 / n))


def betting_interval(
    d: NDArray[np.float64], bounds: tuple[float, float], alpha: float, rng: np.random.Generator
) -> tuple[float, float]:
    """Interval for the mean of independent bounded numbers that holds at every n, without approximation.

    For each candidate mean a gambler starts with 1 and bets on every number in turn that the mean is
    higher, and another that it is lower; stakes follow the numbers seen so far. No candidate that is
    true lets either gambler reach 2/alpha with a chance above alpha/2 (Ville), so candidates at which
    one does are left out.

    Args:
        d: one contrast a unit, shape (n_units,), nothing missing; the units independent.
        bounds: the least and the greatest value that a contrast can take: (-1, 1) for a drop, (-2, 2)
            for a contrast of drops.
        alpha: the interval holds at least 1 - alpha.
        rng: the order in which the numbers are seen, so that the table's order is without influence.

    Raises:
        ValueError: no number, or one outside the bounds.

    Source: Waudby-Smith & Ramdas 2024, JRSSB 86, section 4.1 (predictable plug-in, hedged).
    """
    least, greatest = bounds
    if not len(d) or d.min() < least - 1e-9 or d.max() > greatest + 1e-9:
        came = f"{d.min():g} to {d.max():g}" if len(d) else "none"
        raise ValueError(f"a betting interval needs numbers in [{least:g}, {greatest:g}], got {came}")
    x = np.clip((rng.permutation(d) - least) / (greatest - least), 0.0, 1.0)
    stakes = _stakes(x, alpha)
    width = greatest - least
    low = _end(x, stakes, alpha)
    high = 1 - _end(1 - x, stakes, alpha)
    return least + width * low, least + width * high


def _stakes(x: NDArray[np.float64], alpha: float) -> NDArray[np.float64]:
    """Stake on each number, from those before it; the first as if one number with sd 1/2 had been seen."""
    seen = np.arange(1, len(x) + 1)
    mean = (0.5 + np.cumsum(x)) / (seen + 1)
    variance = (0.25 + np.cumsum((x - mean) ** 2)) / (seen + 1)
    before = np.append(0.25, variance[:-1])
    return np.sqrt(2 * log(2 / alpha) / (before * len(x)))


def _end(x: NDArray[np.float64], stakes: NDArray[np.float64], alpha: float) -> float:
    """Lower end: the smallest mean at which betting on more never reached 2/alpha, by bisection."""
    inside, outside = 1.0, 0.0
    if _best(x, stakes, outside) < log(2 / alpha):
        return 0.0
    for _ in range(_STEPS):
        middle = (inside + outside) / 2
        if _best(x, stakes, middle) < log(2 / alpha):
            inside = middle
        else:
            outside = middle
    return outside


def _best(x: NDArray[np.float64], stakes: NDArray[np.float64], mean: float) -> float:
    """Largest log-capital of the gambler who bets on more than `mean`. It falls as `mean` rises."""
    staked = np.minimum(stakes, _BET / mean) if mean > 0 else stakes
    return float(np.cumsum(np.log1p(staked * (x - mean))).max())


def all_zero_interval(n: int, bounds: tuple[float, float], alpha: float) -> tuple[float, float]:
    """The betting interval of n contrasts that are all zero; their order is without influence."""
    return betting_interval(np.zeros(n), bounds, alpha, fixed_generator())
