"""The sign-flip test of thousands of simulated experiments at once: the same p-values, one matrix product."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from loadbearing.analysis.inference.sign_flip import EXACT_UP_TO, TIE, flip_test

_NUMBERS = 2**23  # flipped sums in memory at a time


def bulk_p_values(
    sums: NDArray[np.float64], flips: int, rng: np.random.Generator
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """p and step-down max-T p of many experiments of one size.

    What `flip_test` computes for each of them, with the same sign vectors for all: the p-values of one
    experiment are those of the test, and those of two experiments share its Monte Carlo error. With few
    informative units it enumerates, and so does this.

    Args:
        sums: contrasts summed over each unit, shape (n_experiments, n_units, n_columns), nothing missing.
        flips: random sign vectors.
        rng: source of the signs.

    Returns:
        p and p_adjusted, shape (n_experiments, n_columns) each.
    """
    n_experiments, n_units, n_columns = sums.shape
    sums = np.where(np.abs(sums) < TIE, 0.0, sums)
    p = np.ones((n_experiments, n_columns))
    adjusted = np.ones((n_experiments, n_columns))
    informative = (sums != 0).any(axis=2).sum(axis=1)
    own = np.arange(n_units)
    for at in np.flatnonzero(informative <= EXACT_UP_TO):
        test = flip_test(sums[at], own, flips, rng)
        p[at], adjusted[at] = test.p, test.p_adjusted
    many: NDArray[np.int64] = np.flatnonzero(informative > EXACT_UP_TO)
    if not len(many):
        return p, adjusted
    signs = 2.0 * rng.integers(0, 2, size=(flips, n_units), dtype=np.int8).astype(np.float64) - 1.0
    step = max(1, _NUMBERS // (flips * n_columns))
    for start in range(0, len(many), step):
        some = many[start : start + step]
        p[some], adjusted[some] = _of_several(sums[some], signs)
    return p, adjusted


def _of_several(
    sums: NDArray[np.float64], signs: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    scale = np.sqrt((sums**2).sum(axis=1, keepdims=True))
    standard = sums / np.where(scale > 0, scale, 1.0)
    n_experiments, n_units, n_columns = standard.shape
    flat = standard.transpose(1, 0, 2).reshape(n_units, n_experiments * n_columns)
    drawn = np.abs(signs @ flat).reshape(len(signs), n_experiments, n_columns)
    observed = np.abs(standard.sum(axis=1))
    p = _share(drawn, observed)
    if n_columns == 1:
        return p, p
    order = np.argsort(-observed, axis=1, kind="stable")
    # the largest of those that are not further out than each, from the least upwards
    upwards = np.take_along_axis(drawn, order[None, :, ::-1], axis=2)
    largest = np.maximum.accumulate(upwards, axis=2)[:, :, ::-1]
    ordered = _share(largest, np.take_along_axis(observed, order, axis=1))
    adjusted = np.empty_like(ordered)
    np.put_along_axis(adjusted, order, np.maximum.accumulate(ordered, axis=1), axis=1)
    return p, adjusted


def _share(drawn: NDArray[np.float64], observed: NDArray[np.float64]) -> NDArray[np.float64]:
    reached = (drawn >= observed - TIE).sum(axis=0)
    share: NDArray[np.float64] = (reached + 1) / (len(drawn) + 1)
    return share
