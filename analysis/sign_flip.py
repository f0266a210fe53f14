"""The primary test: flip the signs of task contrasts, for a whole family at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

EXACT_UP_TO = 13
"""Units up to which all 2^n sign vectors are enumerated (8,192 at most)."""

_TIE = 1e-9  # sums of multiples of 1/R are equal on paper and differ by rounding
_CHUNK = 2_048  # flips in memory at a time


@dataclass(frozen=True, slots=True, eq=False)
class FlipTest:
    """Two-sided p-values of a family, one per column; NaN for a column without a single number.

    Args:
        p: each column on its own.
        p_adjusted: step-down max-T, for the chance of any false rejection in the family.
    """

    p: NDArray[np.float64]
    p_adjusted: NDArray[np.float64]


def flip_test(
    contrasts: NDArray[np.float64], units: NDArray[np.int64], flips: int, rng: np.random.Generator
) -> FlipTest:
    """Test that the two sides of each contrast may trade places inside a task.

    A unit's contrasts are summed and its sign is flipped as a whole, with the same sign in every column:
    this keeps what the columns share (the intact cell, the tasks, the backbones' common tasks). The
    statistic is |sum| / sqrt(sum of squares). Flips leave the squares alone, so it is a studentised sum
    that needs one matrix product; at equal n it orders columns and flips exactly as Student's t does.
    A missing contrast adds nothing to its column. With at most 13 informative units all sign vectors
    are used and p is exact; else p = (b + 1) / (flips + 1), never zero.

    Args:
        contrasts: one row a task, one column a hypothesis, shape (n_tasks, n_columns); NaN is missing.
        units: index of the unit (task or cluster) of each row, shape (n_tasks,), counted from 0.
        flips: random sign vectors when there are too many to enumerate.
        rng: source of the signs.

    Raises:
        ValueError: rows and units differ in number.

    Source: Westfall & Young 1993; Romano & Wolf 2005 (step-down); Phipson & Smyth 2010 (b + 1).
    """
    if len(units) != len(contrasts):
        raise ValueError(f"one unit per task: got {len(units)} units for {len(contrasts)} rows")
    known = ~np.isnan(contrasts).all(axis=0)
    sums = unit_sums(contrasts, units)
    scale = np.sqrt((sums**2).sum(axis=0))
    standard = sums / np.where(scale > 0, scale, 1.0)
    informative = standard[(standard != 0).any(axis=1)]
    drawn, exact = _flipped(informative, flips, rng)
    observed = np.abs(informative.sum(axis=0))
    p = _share_reached(drawn, observed, exact)
    adjusted = _step_down(drawn[:, known], observed[known], exact)
    p_adjusted = np.full(p.shape, np.nan)
    p_adjusted[known] = adjusted
    p[~known] = np.nan
    return FlipTest(p, p_adjusted)


def unit_sums(contrasts: NDArray[np.float64], units: NDArray[np.int64]) -> NDArray[np.float64]:
    """Sum of each unit's contrasts, shape (n_units, n_columns); a missing one adds nothing."""
    sums = np.zeros((int(units.max(initial=-1)) + 1, contrasts.shape[1]))
    np.add.at(sums, units, np.nan_to_num(contrasts, nan=0.0))
    # 1/3 - 2/3 + 1/3 is not zero in binary: a unit without a difference must not become informative
    sums[np.abs(sums) < _TIE] = 0.0
    return sums


def _flipped(
    rows: NDArray[np.float64], flips: int, rng: np.random.Generator
) -> tuple[NDArray[np.float64], bool]:
    """|sums| under the sign vectors, shape (n_vectors, n_columns), and whether these are all there are."""
    n = len(rows)
    if n <= EXACT_UP_TO:
        every = np.arange(2**n)[:, None] >> np.arange(n) & 1
        return np.abs((2.0 * every - 1.0) @ rows), True
    drawn = np.empty((flips, rows.shape[1]))
    for start in range(0, flips, _CHUNK):
        stop = min(start + _CHUNK, flips)
        heads = rng.integers(0, 2, size=(stop - start, n), dtype=np.int8)
        drawn[start:stop] = np.abs((2.0 * heads - 1.0) @ rows)
    return drawn, False


def _share_reached(
    drawn: NDArray[np.float64], observed: NDArray[np.float64], exact: bool
) -> NDArray[np.float64]:
    """Share of the sign vectors under which a column is at least as far out as it was observed."""
    reached = (drawn >= observed - _TIE).sum(axis=0)
    share = reached / len(drawn) if exact else (reached + 1) / (len(drawn) + 1)
    return np.asarray(share, dtype=np.float64)


def _step_down(drawn: NDArray[np.float64], observed: NDArray[np.float64], exact: bool) -> NDArray[np.float64]:
    """Compare each column with the largest among those that are not further out than it."""
    order = np.argsort(-observed, kind="stable")
    largest = np.maximum.accumulate(drawn[:, order[::-1]], axis=1)[:, ::-1]
    ordered = np.maximum.accumulate(_share_reached(largest, observed[order], exact))
    adjusted = np.empty_like(ordered)
    adjusted[order] = ordered
    return adjusted
