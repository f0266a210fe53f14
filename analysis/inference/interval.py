"""The primary interval, test and test of equivalence: Student's t on units, and two pseudo tasks."""

from dataclasses import dataclass
from math import ceil, log, sqrt
from statistics import NormalDist

import numpy as np

from memtrial.analysis.arrays import Floats, Ints

POWER = 0.80
"""That of the tasks which would settle a question, and of the effects that a design can see."""
_TIE = 1e-9  # less is rounding


@dataclass(frozen=True, slots=True, eq=False)
class UnitSample:
    """The mean of a contrast over tasks, and its error between units; numbers, or one a column.

    Args:
        error: standard error of the mean, above zero.
        wider: the larger of `error` and the one with two pseudo tasks.
        freedom: Satterthwaite's degrees of freedom of `error`.
        most_error: the error if half of the units had a contrast of -1 and half of 1.
        bounds: the least and the greatest possible contrast of a task.
    """

    mean: Floats
    error: Floats
    wider: Floats
    freedom: float
    most_error: float
    bounds: tuple[float, float]


def unit_sample(contrasts: Floats, units: Ints, repeats: int, bounds: tuple[float, float]) -> UnitSample:
    """Mean and error of contrasts whose tasks form units: tasks, or clusters of them.

    With e_g the sum of unit g's deviations from the mean, n_g its tasks out of n, and h_g = n_g / n,

        error^2 = sum_g e_g^2 / (1 - h_g) / n^2
        freedom = 1 / (sum_g h_g^2 + sum_{g != k} b_g b_k),   b_g = h_g^2 / (1 - h_g)

    With units of one size this is Student's t on the units' means. The pseudo tasks are units of their own
    and hold +c and -c, the size of a difference: c = sum d^2 / sum |d|, or 1/R where no task differs.

    Where all units agree the error would be zero. Of single tasks it is then the one with the pseudo tasks,
    whose p is close to the mid-p of the sign flip; sums of clusters get the error of rounding to a step c.

    Args:
        contrasts: one row a task, shape (n_tasks,) or (n_tasks, n_columns), nothing missing.
        units: index of the unit of each task, any integers; at least two different ones.
        repeats: trials behind a cell's mean.
        bounds: as in `Contrast.bounds`.

    Source: Bell & McCaffrey 2002; Pustejovsky & Tipton 2018 (CR2); pseudo tasks after Agresti & Min 2005 and
        Bonett & Price 2012; rounding after Sheppard 1898. The whole was chosen by simulation.
    """
    labels, unit = np.unique(units, return_inverse=True)
    size = np.bincount(unit).astype(np.float64)
    # of one contrast in an order that does not hang on the tasks', so that no digit does
    order = np.lexsort((contrasts, unit)) if contrasts.ndim == 1 else np.argsort(unit, kind="stable")
    sums = np.add.reduceat(contrasts[order], np.searchsorted(unit[order], np.arange(len(labels))), axis=0)
    if contrasts.ndim == 1:
        contrasts, order = np.sort(contrasts), np.lexsort((sums, size))
        sums, size = sums[order], size[order]
    total = np.abs(contrasts).sum(axis=0)
    differs = total > _TIE
    step = np.where(differs, (contrasts**2).sum(axis=0) / np.where(differs, total, 1.0), 1.0 / repeats)
    mean, error, freedom = _robust(sums, size)
    _, longer, _ = _robust(np.concatenate([sums, step[None], -step[None]]), np.append(size, [1.0, 1.0]))
    rounding = step * sqrt(len(labels) / 12) / len(units)
    error = np.where(error > _TIE, error, longer if len(labels) == len(units) else rounding)
    most_error = float(np.sqrt((size**2).sum()) / len(units))
    return UnitSample(mean, error, np.maximum(error, longer), freedom, most_error, bounds)


def _robust(sums: Floats, size: Floats) -> tuple[Floats, Floats, float]:
    """Mean, CR2 standard error and Satterthwaite's degrees of freedom, from each unit's sum and size."""
    n = size.sum()
    held = size / n
    mean = sums.sum(axis=0) / n
    mean = np.where(np.abs(mean) < _TIE, 0.0, mean)  # contrasts that cancel on paper leave a rest in binary
    wide = (-1,) + (1,) * (sums.ndim - 1)  # one number a unit, for every column
    apart = (sums - size.reshape(wide) * mean) / np.sqrt(1 - held).reshape(wide)
    b = held**2 / (1 - held)
    freedom = 1 / float((held**2).sum() + b.sum() ** 2 - (b**2).sum())
    return mean, np.sqrt((apart**2).sum(axis=0)) / n, freedom


def ends_at(sample: UnitSample, reach: float | Floats) -> tuple[Floats, Floats]:
    """Ends of the intervals of +- `reach` standard errors, of every column; within the bounds.

    The error is the wider one: where few tasks differ, Student's t alone is too narrow (coverage .67 to .92
    near 0 and 1). Zero is left out exactly where the error of the test leaves it out. No variance exceeds
    (b - theta)(theta - a) / n where the mean is theta in [a, b]: values of theta that would need a larger
    one are left out as well, and so no end is outside the possible range.

    Source: Bhatia & Davis 2000 (largest variance); Wilson 1927 (solved for theta).
    """
    shown = np.abs(sample.mean) > reach * sample.error
    low, high = sample.mean - reach * sample.wider, sample.mean + reach * sample.wider
    low = np.where(shown & (sample.mean > 0) & (low <= 0), sample.mean - reach * sample.error, low)
    high = np.where(shown & (sample.mean < 0) & (high >= 0), sample.mean + reach * sample.error, high)
    least, greatest = sample.bounds
    k = (reach * sample.most_error) ** 2
    middle = sample.mean + k * (least + greatest) / 2
    root = np.sqrt(np.maximum(middle**2 - (1 + k) * (sample.mean**2 + k * least * greatest), 0.0))
    low = np.maximum(low, np.maximum((middle - root) / (1 + k), least))
    high = np.minimum(high, np.minimum((middle + root) / (1 + k), greatest))
    return np.where(shown, low, np.minimum(low, 0.0)), np.where(shown, high, np.maximum(high, 0.0))


def interval_at(sample: UnitSample, reach: float) -> tuple[float, float]:
    """The interval of one contrast at +- `reach` standard errors."""
    low, high = ends_at(sample, reach)
    return float(low), float(high)


def t_interval(sample: UnitSample, alpha: float) -> tuple[float, float]:
    """Two-sided 1 - alpha interval of one contrast; it leaves zero out exactly where `p_zero` <= alpha."""
    return interval_at(sample, quantile(sample.freedom, alpha))


def quantile(freedom: float, alpha: float) -> float:
    """Student's quantile, two-sided."""
    from scipy.special import stdtrit

    return -float(stdtrit(freedom, alpha / 2))


def p_zero(sample: UnitSample) -> Floats:
    """Two-sided p-value of Student's t against a mean of zero."""
    from scipy.special import stdtr  # what `scipy.stats.t` calls, at a tenth of its time

    return np.asarray(2 * stdtr(sample.freedom, -np.abs(sample.mean) / sample.error))


def p_equivalence(sample: UnitSample, margin: float) -> Floats:
    """P-value against a mean at or beyond the margin, by two one-sided tests with the wider error.

    Source: Schuirmann 1987; Lakens 2017.
    """
    from scipy.special import stdtr

    return np.asarray(stdtr(sample.freedom, -(margin - np.abs(sample.mean)) / sample.wider))


def units_to_settle(estimate: float, sd: float, margin: float, alpha: float, family: int) -> int:
    """Ints that would show an effect as large as the one seen, or rule one out at the margin: the fewer.

    With 80 % power at the family's share of alpha; normal theory. `sd` is that of a unit's contrast.
    """
    normal = NormalDist()
    effect = abs(estimate)
    ways = []
    if effect > 0:
        reach = normal.inv_cdf(1 - alpha / (2 * family)) + normal.inv_cdf(POWER)
        ways.append((reach * sd / effect) ** 2)
    if effect < margin:
        reach = normal.inv_cdf(1 - alpha / family) + normal.inv_cdf(1 - (1 - POWER) / 2)
        ways.append((reach * sd / (margin - effect)) ** 2)
    return ceil(min(ways))


_BET = 0.75  # largest share of the capital that a bet may lose


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


def _end(x: Floats, stakes: Floats, alpha: float) -> float:
    """The largest mean that the gambler who bets on more leaves out; 0 where there is none."""
    from scipy.optimize import brentq

    def capital(mean: float) -> float:
        """Its logarithm, less that of enough: as all numbers are the same, it never falls on the way."""
        return float(np.log1p(np.minimum(stakes, _BET / mean) * (x - mean)).sum()) - log(2 / alpha)

    least = 1e-12
    return float(brentq(capital, least, x[0])) if x[0] > least and capital(least) > 0 else 0.0
