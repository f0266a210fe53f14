"""Relabellings: the ways to split the trials of one task into intact and damaged."""

from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

MOST_SPLITS = 1_000
"""Most relabellings used for one task; with up to six trials a side, all of them are used."""


def splits(n_first: int, n_second: int, rng: np.random.Generator, paired: bool = False) -> NDArray[np.bool_]:
    """Ways to choose which trials of a task carry the first label, the true one in row 0.

    Args:
        n_first, n_second: number of trials with each label; those with the first label come first.
        rng: samples the ways if there are more than 1,000.
        paired: labels are exchanged only between the i-th trials of the two sides, which share a bank.

    Returns:
        shape (n_splits, n_first + n_second), True for the first label; each of equal probability.
    """
    n = n_first + n_second
    if paired:
        if 2**n_first <= MOST_SPLITS:
            swapped = np.arange(2**n_first)[:, None] >> np.arange(n_first) & 1
        else:
            drawn = rng.integers(0, 2, (MOST_SPLITS - 1, n_first))
            swapped = np.concatenate([np.zeros((1, n_first), dtype=np.int64), drawn])
        return np.concatenate([swapped == 0, swapped == 1], axis=1)
    if comb(n, n_first) <= MOST_SPLITS:
        chosen = np.array(list(combinations(range(n), n_first)), dtype=np.int64).reshape(-1, n_first)
    else:
        drawn = rng.permuted(np.tile(np.arange(n), (MOST_SPLITS - 1, 1)), axis=1)[:, :n_first]
        chosen = np.concatenate([np.arange(n_first)[None, :], drawn])
    first = np.zeros((len(chosen), n), dtype=np.bool_)
    np.put_along_axis(first, chosen, True, axis=1)
    return first


def pick(uniform: NDArray[np.float64], n_splits: int) -> NDArray[np.int64]:
    """Turn numbers in [0, 1) into indices of a list of splits; equal lengths give equal indices."""
    return np.minimum((uniform * n_splits).astype(np.int64), n_splits - 1)
