"""Relabellings: in how many ways the trials of one task can be parted into intact and damaged."""

from __future__ import annotations

from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

MOST_SPLITS = 1_000
"""Relabellings of one task that are looked at; all of them up to six trials a side."""


def splits(n_first: int, n_second: int, rng: np.random.Generator, paired: bool = False) -> NDArray[np.bool_]:
    """Ways to choose which trials of a task carry the first label, the true one in row 0.

    Args:
        n_first, n_second: trials with either label; those with the first stand first.
        rng: draws among the ways where there are more than 1,000.
        paired: labels trade places only between the i-th trial of either side, which share a bank.

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
    """Numbers in [0, 1) as places in a list of splits; lists of one length are entered at the same place."""
    return np.minimum((uniform * n_splits).astype(np.int64), n_splits - 1)
