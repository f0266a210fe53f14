"""The primary test: flip the signs of task contrasts, for a whole family at once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

EXACT_UP_TO = 13
"""Largest number of units for which all 2^n sign vectors are enumerated (8,192 at most)."""

TIE = 1e-9
"""Smaller differences are rounding: equal sums of multiples of 1/R can differ in floating point."""

_SIGNS = 1 << 20  # signs at a time: a busy machine makes each threaded matrix product wait
_LEAST = 64  # sign vectors at a time, at least, unless that exceeds _MOST
_MOST = 1 << 22  # signs in memory at any time
_MANY = 4_096  # with more units than this, equal ones are merged


@dataclass(frozen=True, slots=True, eq=False)
class FlipTest:
    """Two-sided p-values of a family, one per column; NaN for a column without data.

    Args:
        p: each column on its own.
        p_adjusted: by step-down max-T, which controls the family-wise error rate.
    """

    p: NDArray[np.float64]
    p_adjusted: NDArray[np.float64]


def flip_test(
    contrasts: NDArray[np.float64], units: NDArray[np.int64], flips: int, rng: np.random.Generator
) -> FlipTest:
    """Test the null hypothesis that the two sides of each contrast are exchangeable within a task.

    A unit's contrasts are summed and its sign is flipped as a whole, with the same sign in every column:
    this keeps what the columns share (the intact cell, the tasks, the backbones' common tasks). The
    statistic is |sum| / sqrt(sum of squares). Flips do not change the squares, so one matrix product gives
    all statistics; at equal n it orders columns and flips exactly as Student's t does.
    A missing contrast adds nothing to its column. With at most 13 informative units all sign vectors
    are used and p is exact; else p = (b + 1) / (flips + 1), never zero.

    Args:
        contrasts: one row a task, one column a hypothesis, shape (n_tasks, n_columns); NaN is missing.
        units: index of the unit (task or cluster) of each row, shape (n_tasks,), counted from 0.

    Source: Westfall & Young 1993; Romano & Wolf 2005 (step-down); Phipson & Smyth 2010 (b + 1).
    """
    known = ~np.isnan(contrasts).all(axis=0)
    sums = unit_sums(contrasts, units)
    scale = np.sqrt((sums**2).sum(axis=0))
    standard = sums / np.where(scale > 0, scale, 1.0)
    informative = standard[(standard != 0).any(axis=1)]
    drawn, exact = flipped(informative, flips, rng)
    observed = np.abs(informative.sum(axis=0))
    p = np.where(known, _share_reached(drawn, observed, exact), np.nan)
    # compare each column with the largest statistic among itself and the columns with a smaller observed one
    drawn, observed = drawn[:, known], observed[known]
    order = np.argsort(-observed, kind="stable")
    largest = np.maximum.accumulate(drawn[:, order[::-1]], axis=1)[:, ::-1]
    p_adjusted, stepped = p.copy(), np.empty(len(order))
    stepped[order] = np.maximum.accumulate(_share_reached(largest, observed[order], exact))
    p_adjusted[known] = stepped
    return FlipTest(p, p_adjusted)


def unit_sums(contrasts: NDArray[np.float64], units: NDArray[np.int64]) -> NDArray[np.float64]:
    """Sum of each unit's contrasts, shape (n_units, n_columns); a missing one adds nothing."""
    n_units = int(units.max(initial=-1)) + 1
    sums = np.empty((n_units, contrasts.shape[1]))
    for column, values in enumerate(contrasts.T):
        sums[:, column] = np.bincount(units, weights=np.nan_to_num(values, nan=0.0), minlength=n_units)
    # 1/3 - 2/3 + 1/3 is not zero in binary: a unit without a difference must not become informative
    sums[np.abs(sums) < TIE] = 0.0
    return sums


def flipped(
    rows: NDArray[np.float64], flips: int, rng: np.random.Generator
) -> tuple[NDArray[np.float64], bool]:
    """|sum of the signed rows| for each sign vector, and whether all 2^n sign vectors were used.

    Rows are units, shape (n_units, n_columns), without NaN; the sums have shape (n_vectors, n_columns).
    """
    n = len(rows)
    if n <= EXACT_UP_TO:
        every = np.arange(2**n)[:, None] >> np.arange(n) & 1
        return np.abs((2.0 * every - 1.0) @ rows), True
    drawn = np.empty((flips, rows.shape[1]))
    start = 0
    for sums in _random_sums(rows, flips, rng):
        np.abs(sums, out=drawn[start : start + len(sums)])
        start += len(sums)
    return drawn, False


def _random_sums(
    rows: NDArray[np.float64], flips: int, rng: np.random.Generator
) -> Iterator[NDArray[np.float64]]:
    """Signed sums, a batch of sign vectors at a time: with heads H in {0, 1}, 2 H @ rows - sum(rows)."""
    distinct, counts = _equal_rows(rows) if len(rows) > _MANY else (rows, None)
    n, twice = len(distinct), 2.0 * distinct
    all_rows = rows.sum(axis=0) if counts is None else counts @ distinct
    step = max(1, _SIGNS // n, min(_LEAST, _MOST // n))
    for start in range(0, flips, step):
        size = min(step, flips - start)
        if counts is None:
            width = (n + 7) // 8
            bits = np.frombuffer(rng.bytes(size * width), dtype=np.uint8).reshape(size, width)
            heads = np.unpackbits(bits, axis=1, count=n).astype(np.float64)
        else:
            heads = rng.binomial(counts, 0.5, size=(size, n)).astype(np.float64)
        yield heads @ twice - all_rows


def _equal_rows(rows: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.int64] | None]:
    """The distinct rows up to sign, and how often each occurs; all rows and None where few are equal.

    Of k equal units, Binomial(k, 1/2) keep their sign, so a million tasks with few distinct contrasts
    take little time.
    """
    first = np.argmax(rows != 0, axis=1)
    upright = rows * np.sign(rows[np.arange(len(rows)), first])[:, None]
    rounded = np.round(upright / TIE) if rows.shape[1] > 1 else np.round(upright[:, 0] / TIE)
    _, at, counts = np.unique(rounded, axis=0, return_index=True, return_counts=True)
    return (upright[at], counts) if len(at) * 16 < len(rows) else (rows, None)


def _share_reached(
    drawn: NDArray[np.float64], observed: NDArray[np.float64], exact: bool
) -> NDArray[np.float64]:
    """For each column, the share of sign vectors whose statistic is at least the observed one."""
    reached = (drawn >= observed - TIE).sum(axis=0)
    # with drawn signs, the observed vector counts as one of the sample
    return np.asarray(reached / len(drawn) if exact else (reached + 1) / (len(drawn) + 1))
