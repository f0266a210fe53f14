"""The betting interval, exact for bounded contrasts, where no task differs."""

from math import log

import numpy as np
from numpy.typing import NDArray

_BET = 0.75  # largest share of the capital that a bet may lose
_STEPS = 60  # halvings of the range: to the last digit


def all_zero_interval(n: int, bounds: tuple[float, float], alpha: float) -> tuple[float, float]:
    """1 - alpha interval for the mean of independent bounded numbers of which n are seen, all of them zero.

    For each candidate mean one gambler bets on every number in turn that the mean is higher, another that it
    is lower. A true candidate lets either reach 2/alpha with a chance of at most alpha/2 (Ville): candidates
    at which one does are left out. `bounds` are the least and the greatest possible value.

    Source: Waudby-Smith & Ramdas 2024, JRSSB 86, section 4.1 (predictable plug-in, hedged).
    """
    least, greatest = bounds
    width = greatest - least
    x = np.full(n, -least / width)
    # from the numbers before; the first as if one number with sd 1/2 had been seen
    seen = np.arange(1, n + 1)
    mean = (0.5 + np.cumsum(x)) / (seen + 1)
    variance = (0.25 + np.cumsum((x - mean) ** 2)) / (seen + 1)
    stakes = np.sqrt(2 * log(2 / alpha) / (np.append(0.25, variance[:-1]) * n))
    low, high = _end(x, stakes, alpha), 1 - _end(1 - x, stakes, alpha)
    return least + width * low, least + width * high


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
