"""The sign flip of task contrasts, for a whole family at once: how many tests it counts as, and mid-p."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from memtrial.analysis.arrays import Bools, Floats, Ints, Rng
from memtrial.analysis.inference.interval import p_zero, unit_sample

EXACT_UP_TO = 13
"""Largest number of units for which all 2^n sign vectors are enumerated (8,192 at most)."""

LEAST_INFORMATIVE = 6
"""With fewer informative units, and so at most 32 sign vectors, the tail of max-T is too coarse."""

TIE = 1e-9
"""Smaller differences are rounding: equal sums of multiples of 1/R can differ in floating point."""

_SIGNS = 1 << 20  # signs at a time: a busy machine makes each threaded matrix product wait
_LEAST = 64  # sign vectors at a time, at least, unless that exceeds _MOST
_MOST = 1 << 22  # signs in memory at any time
_FINEST, _ROUNDING = 60, 1e-6


@dataclass(frozen=True, slots=True, eq=False)
class FlipTest:
    """Two-sided p-values of a family, one per column; NaN for a column without data.

    Args:
        p: each column on its own; exact, or (b + 1) / (flips + 1).
        p_mid: the same, with the sign vectors that only equal the observed sum counted half.
        p_adjusted: p_mid by step-down max-T, which controls the family-wise error rate.
        error: Monte Carlo standard error of p and p_mid; 0 where they are exact.
        tests: as how many tests the family counts for a column: `family_p`; infinite where not known.
        tests_error: relative Monte Carlo standard error of `tests`; 0 where the signs were enumerated.
    """

    p: Floats
    p_mid: Floats
    p_adjusted: Floats
    error: Floats
    tests: Floats
    tests_error: Floats


def flip_test(contrasts: Floats, units: Ints, flips: int, rng: Rng) -> FlipTest:
    """Test the null hypothesis that the two sides of each contrast are exchangeable within a task.

    A unit's contrasts are summed and its sign is flipped as a whole, with the same sign in every column,
    which keeps what the columns share. The statistic is |sum| / sqrt(sum of squares); flips do not change
    the squares, so that one matrix product gives all. A missing contrast adds nothing. With at most 13
    informative units all sign vectors are used and p is exact; else p = (b + 1) / (flips + 1).

    Args:
        contrasts: one row a task, one column a hypothesis, shape (n_tasks, n_columns); NaN is missing.
        units: index of the unit (task or cluster) of each row, shape (n_tasks,), counted from 0.

    Source: Westfall & Young 1993; Romano & Wolf 2005 (step-down); Phipson & Smyth 2010 (b + 1); Lancaster
        1961 (mid-p).
    """
    known: Bools = np.asarray(~np.isnan(contrasts).all(axis=0))
    sums = unit_sums(contrasts, units)
    scale = np.sqrt((sums**2).sum(axis=0))
    standard = sums / np.where(scale > 0, scale, 1.0)
    informative = standard[(standard != 0).any(axis=1)]
    drawn, enumerated = flip_signs(informative, flips, rng)
    observed = np.abs(informative.sum(axis=0))
    p, own = _shares(drawn, observed, enumerated)
    own[scale == 0] = 1.0  # no unit differs
    error = np.sqrt(own * (1 - own) / len(drawn)) * (not enumerated)
    # compare each column with the largest statistic among itself and the columns with a smaller observed one
    order = np.argsort(-np.where(known, observed, -1.0), kind="stable")[: int(known.sum())]
    largest = np.maximum.accumulate(drawn[:, order[::-1]], axis=1)[:, ::-1]
    joint = np.maximum(_shares(largest, observed[order], enumerated)[1], own[order])
    left = np.arange(len(order), 0, -1)  # hypotheses not yet stepped over
    coarse = len(informative) < LEAST_INFORMATIVE
    tests, relative, p_adjusted = (np.full(len(known), np.nan) for _ in range(3))
    ratio = joint / own[order]
    if not enumerated:
        # one more sign vector that every test reaches apart: where few reach it, Holm's number
        ratio = (joint * len(drawn) + left) / (own[order] * len(drawn) + 1)
    tests[order] = np.inf if coarse else np.clip(ratio, 1.0, left)
    spread = np.maximum(1 / own[order] - 1 / joint, 0.0) / len(drawn)
    relative[order] = 0.0 if enumerated else np.sqrt(spread)
    p_adjusted[order] = np.maximum.accumulate(joint)
    return FlipTest(
        *(np.where(known, column, np.nan) for column in (p, own, p_adjusted, error, tests, relative))
    )


def family_p(p: Floats, test: FlipTest) -> tuple[Floats, Floats]:
    """P-values adjusted for their family, and their Monte Carlo standard errors.

    Sign flips say how often the largest statistic of the hypotheses that are left reaches a column's own,
    relative to how often that column's does: as so many tests the family counts, and each p-value is
    multiplied by that number, in steps. With fewer than 6 informative units it is Holm's number.

    Args:
        p: of each column, by Student's t; NaN where there is none.

    Source: Westfall & Young 1993, algorithm 2.8 (step-down); the number of tests after Nyholt 2004.
    """
    adjusted, error = np.full(len(p), np.nan), np.full(len(p), np.nan)
    order = np.argsort(p, kind="stable")[: int((~np.isnan(p)).sum())]
    tests = np.minimum(test.tests[order], np.arange(len(order), 0, -1))
    adjusted[order] = np.maximum.accumulate(np.minimum(p[order] * tests, 1.0))
    error[order] = adjusted[order] * test.tests_error[order]
    return adjusted, error


def unit_sums(contrasts: Floats, units: Ints) -> Floats:
    """Sum of each unit's contrasts, shape (n_units, n_columns); a missing one adds nothing."""
    n_units = int(units.max(initial=-1)) + 1
    sums = np.empty((n_units, contrasts.shape[1]))
    for column, values in enumerate(np.where(np.isnan(contrasts), 0.0, contrasts).T):
        sums[:, column] = np.bincount(units, weights=values, minlength=n_units)
    # 1/3 - 2/3 + 1/3 is not zero in binary: a unit without a difference must not become informative
    sums[np.abs(sums) < TIE] = 0.0
    return sums


def flip_signs(rows: Floats, flips: int, rng: Rng) -> tuple[Floats, bool]:
    """|sum of signed rows| of each sign vector, shape (n_vectors, n_columns); whether all 2^n were used."""
    n = len(rows)
    if n <= EXACT_UP_TO:
        every = np.arange(2**n)[:, None] >> np.arange(n) & 1
        return np.abs((2.0 * every - 1.0) @ rows), True
    return np.abs(np.concatenate(list(_random_sums(rows, flips, rng)))), False


def _random_sums(rows: Floats, flips: int, rng: Rng) -> Iterator[Floats]:
    """Signed sums, a batch of sign vectors at a time: with heads H in {0, 1}, 2 H @ rows - sum(rows)."""
    n, twice, all_rows = len(rows), 2.0 * rows, rows.sum(axis=0)
    width, step = (n + 7) // 8, max(1, _SIGNS // n, min(_LEAST, _MOST // n))
    for start in range(0, flips, step):
        size = min(step, flips - start)
        bits = np.frombuffer(rng.bytes(size * width), dtype=np.uint8).reshape(size, width)
        yield np.unpackbits(bits, axis=1, count=n).astype(np.float64) @ twice - all_rows


def _shares(drawn: Floats, observed: Floats, enumerated: bool) -> tuple[Floats, Floats]:
    """For each column, the share of sign vectors that reach the observed one; equal ones whole, and half."""
    above = (drawn > observed + TIE).sum(axis=0)
    equal = (drawn >= observed - TIE).sum(axis=0) - above
    if enumerated:
        return (above + equal) / len(drawn), (above + equal / 2) / len(drawn)
    # with drawn signs, the observed vector counts as one of the sample
    return (above + equal + 1) / (len(drawn) + 1), (above + (equal + 1) / 2) / (len(drawn) + 1)


def exact_flip(contrasts: Floats, units: Ints) -> tuple[float, float] | None:
    """p and mid-p of one contrast over all sign vectors, at any number of units.

    The distribution of the sum is built by adding one unit at a time. None where the units' sums are no
    multiples of 1 / k for a k up to 60, or where it would take long.

    Args:
        contrasts, units: one a task, nothing missing, shape (n_tasks,).

    Source: Pagano & Tritchler 1983.
    """
    sums = unit_sums(contrasts[:, None], units)[:, 0]
    sums = sums[sums != 0]
    if not len(sums):
        return 1.0, 1.0
    for k in range(1, _FINEST + 1):
        steps = np.round(sums * k)
        if np.abs(sums * k - steps).max() < _ROUNDING:
            break
    else:
        return None
    sizes, reached = np.abs(steps).astype(np.int64), int(abs(steps.sum()))
    total = int(sizes.sum())
    if total * len(sizes) > _MOST:
        return None
    chance = np.zeros(2 * total + 1)  # of each sum from -total to total
    chance[total] = 1.0
    for step in sizes.tolist():
        moved = np.zeros_like(chance)
        moved[step:] = chance[:-step]
        moved[:-step] += chance[step:]
        chance = moved / 2
    apart = np.abs(np.arange(-total, total + 1))
    above, equal = float(chance[apart > reached].sum()), float(chance[apart == reached].sum())
    return above + equal, above + equal / 2


def student_max_t(contrasts: Floats, units: Ints, flips: int, rng: Rng) -> Floats:
    """Adjusted p-values of a family without missing contrasts, as `gather` gives them; see `flip_test`."""
    # no p-value depends on the repeats or the bounds
    p = p_zero(unit_sample(contrasts, units, 1, (-1.0, 1.0)))
    return family_p(p, flip_test(contrasts, units, flips, rng))[0]


def simultaneous_quantile(
    contrasts: Floats, units: Ints, freedom: Floats, alpha: float, flips: int, rng: Rng
) -> Floats:
    """Half width, in standard errors, of the intervals of a family, so that all hold at once.

    The signs of each unit's deviation from its column's mean are flipped, the same in every column; the
    result is the 1 - alpha quantile of the largest |t|, kept between Student's quantile for one interval and
    Bonferroni's for all, because with few units t takes few values.

    Args:
        contrasts, units, flips, rng: as for `flip_test`.
        freedom: degrees of freedom of each column's error.

    Returns:
        for `interval_at` on each column's sample, shape (n_columns,); NaN below two units.

    Source: Westfall & Young 1993; Romano & Wolf 2005; STATISTICS 3.
    """
    from scipy.special import stdtrit

    known = ~np.isnan(contrasts)
    sizes = unit_sums(known.astype(np.float64), units)
    n_units = (sizes > 0).sum(axis=0)
    usable = n_units >= 2
    n_columns = int(usable.sum())
    reach = np.full(len(usable), np.nan)
    if not n_columns:
        return reach
    df = freedom[usable]
    alone, bonferroni = -stdtrit(df, alpha / 2), -stdtrit(df, alpha / (2 * n_columns))
    if n_columns == 1:
        reach[usable] = alone
        return reach
    sums = unit_sums(contrasts[:, usable], units)
    apart = sums - sizes[:, usable] * (sums.sum(axis=0) / sizes[:, usable].sum(axis=0))
    scale = np.sqrt((apart**2).sum(axis=0))
    spread = scale > TIE
    standard = apart[:, spread] / scale[spread]
    z, exact = flip_signs(standard[(standard != 0).any(axis=1)], flips, rng)
    n = n_units[usable][spread]
    students = z * np.sqrt((n - 1) / np.maximum(n - z**2, TIE))
    largest = np.sort(students.max(axis=1, initial=0.0))
    rank = int(np.ceil((1 - alpha) * (len(largest) + (not exact)))) - 1
    common = largest[min(rank, len(largest) - 1)]
    reach[usable] = np.clip(common, alone, bonferroni)
    return reach
