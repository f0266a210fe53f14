"""Shares, ratios of shares and means with their 95 % intervals."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, fsum, inf, sqrt

from scipy.special import ndtri, stdtrit

LEVEL = 0.95
_TAIL = (1 + LEVEL) / 2


@dataclass(frozen=True, slots=True)
class MeterFigure:
    """A figure with its 95 % interval.

    Args:
        figure: a share, a ratio of two, or a mean.
        low: where the interval begins; minus infinity where nothing is known.
        high: where it ends.
    """

    figure: float
    low: float
    high: float
    n: int


def estimate_share(count: int, n: int) -> MeterFigure:
    """A share with Wilson's interval.

    Raises:
        ValueError: no trials, or more successes than trials.
    """
    if not 0 <= count <= n or not n:
        raise ValueError(f"a count out of 1 or more is needed; got {count} of {n}")
    z = float(ndtri(_TAIL))
    share, square = count / n, z * z / n
    middle = (share + square / 2) / (1 + square)
    half = z * sqrt(share * (1 - share) / n + square / (4 * n)) / (1 + square)
    # of none and of all the bound is the share itself, which rounding misses
    low = 0.0 if count == 0 else middle - half
    high = 1.0 if count == n else middle + half
    return MeterFigure(share, low, high, n)


def estimate_ratio(with_count: int, with_n: int, without_count: int, without_n: int) -> MeterFigure:
    """The ratio of two independent shares with the interval of its logarithm (Katz).

    Where it is not defined, as a count is 0, or is of no width, as all happened on both sides, a half is
    added to each of the four cells (Haldane).

    Raises:
        ValueError: no trials on a side, or more events than trials.
    """
    for count, n in ((with_count, with_n), (without_count, without_n)):
        if not 0 <= count <= n or not n:
            raise ValueError(f"a count out of 1 or more is needed on both sides; got {count} of {n}")
    full = with_count == with_n and without_count == without_n
    half = 0.0 if with_count and without_count and not full else 0.5
    a, m = with_count + half, with_n + 2 * half
    b, k = without_count + half, without_n + 2 * half
    ratio = (a / m) / (b / k)
    spread = float(ndtri(_TAIL)) * sqrt(1 / a - 1 / m + 1 / b - 1 / k)
    return MeterFigure(ratio, ratio * exp(-spread), ratio * exp(spread), with_n + without_n)


def estimate_mean(figures: Sequence[float]) -> MeterFigure:
    """A mean with Student's interval; of a single figure the interval is everything.

    Raises:
        ValueError: there are no figures.
    """
    n = len(figures)
    if not n:
        raise ValueError("a figure or more are needed for a mean; got none")
    mean = fsum(figures) / n
    if n == 1:
        return MeterFigure(mean, -inf, inf, n)
    deviation = sqrt(fsum((figure - mean) ** 2 for figure in figures) / (n - 1))
    half = float(stdtrit(n - 1, _TAIL)) * deviation / sqrt(n)
    return MeterFigure(mean, mean - half, mean + half, n)
