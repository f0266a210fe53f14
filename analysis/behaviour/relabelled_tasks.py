"""Trials of tasks under other labels: what effects look like where labels mean nothing."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb, inf, sqrt

import numpy as np

from memtrial.analysis.arrays import Bools, Floats, Ints, Rng

_CHUNK = 512  # draws in memory at a time
_ROWS = 50  # tasks at a time: few enough to stay in a core's cache
_FEW = 1 << 12
"""With at most so many outcomes a draw is kept as how many tasks have each of them."""
_TIE = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class RelabelledTasks:
    """Tasks under their relabellings, by the outcomes that there can be.

    Args:
        places: each task's outcome under each relabelling, the true one first, shape (n_tasks, n_splits).
        drops: of each outcome.
        noise: of each outcome, the unbiased variance of the drop within the task.
    """

    places: Ints
    drops: Floats
    noise: Floats


def relabel(intact: Floats, damaged: Floats, rng: Rng, paired: bool) -> list[RelabelledTasks]:
    """Tasks by their numbers of trials, each with every relabelling.

    Args:
        intact, damaged: scores, shape (n_tasks, repeats); NaN for a trial that is missing or an error.
        paired: see `splits`.
    """
    # trials that are there stand first; pairs stay pairs
    order = np.argsort(np.isnan(intact), axis=1, kind="stable")
    first = np.take_along_axis(intact, order, axis=1)
    if not paired:
        order = np.argsort(np.isnan(damaged), axis=1, kind="stable")
    second = np.take_along_axis(damaged, order, axis=1)
    counts = np.column_stack([(~np.isnan(first)).sum(axis=1), (~np.isnan(second)).sum(axis=1)])
    groups = []
    for n_first, n_second in np.unique(counts, axis=0):
        rows = np.flatnonzero((counts == (n_first, n_second)).all(axis=1))
        scores = np.column_stack([first[rows, :n_first], second[rows, :n_second]])
        chosen = splits(int(n_first), int(n_second), rng, paired)
        if paired or not np.isin(scores, (0.0, 1.0)).all():
            drops, noise = _under(scores, chosen.astype(np.float64), paired)
            places = np.arange(drops.size).reshape(drops.shape)
            groups.append(RelabelledTasks(places, drops.ravel(), noise.ravel()))
        else:
            groups.append(_count_solved(scores, chosen))
    return groups


def _under(scores: Floats, first: Floats, paired: bool) -> tuple[Floats, Floats]:
    """Drop and noise of each task under each relabelling."""
    if paired:
        n = first.shape[1] // 2
        apart = scores[:, :n] - scores[:, n:]
        drop = apart @ (2 * first[:, :n] - 1).T / n
        square = (apart**2).mean(axis=1)[:, None]
        return drop, np.maximum(square - drop**2, 0.0) / (n - 1)
    means, noise = [], np.zeros((len(scores), len(first)))
    for label in (first, 1 - first):
        n = label[0].sum()
        mean = scores @ label.T / n
        square = scores**2 @ label.T / n
        noise += np.maximum(square - mean**2, 0.0) / (n - 1)
        means.append(mean)
    return means[0] - means[1], noise


def _count_solved(scores: Floats, first: Bools) -> RelabelledTasks:
    """Of scores of 0 and 1 the outcome is how many are solved, in all and under the first label."""
    n, n_first = first.shape[1], int(first[0].sum())
    under = scores.astype(np.float32) @ first.T.astype(np.float32)  # whole numbers, and so exact
    # of a thousand and more relabellings small numbers stay in a core's cache
    kind = np.int16 if (n + 1) * (n_first + 1) < 1 << 15 else np.int64
    places = under.astype(kind) + scores.sum(axis=1).astype(kind)[:, None] * (n_first + 1)
    solved, there = np.mgrid[: n + 1, : n_first + 1].reshape(2, -1)
    sizes = n_first, n - n_first
    means = there / sizes[0], np.clip(solved - there, 0, sizes[1]) / sizes[1]
    noise = sum(np.maximum(mean - mean**2, 0.0) / (n - 1) for mean, n in zip(means, sizes, strict=True))
    return RelabelledTasks(places, means[0] - means[1], np.asarray(noise))


def permute(groups: Sequence[RelabelledTasks], n: int, draws: int, rng: Rng) -> tuple[float, float]:
    """One-sided p of the studentised variance between tasks, and the variance itself."""
    drops, noise = (np.concatenate([getattr(group, name) for group in groups]) for name in ("drops", "noise"))
    starts = np.cumsum([0, *(len(group.drops) for group in groups)])[:-1]
    true = np.concatenate([group.places[:, :1] + start for group, start in zip(groups, starts, strict=True)])
    variance, observed = _studentise(drops[true], noise[true], n)
    few, reached = len(drops) <= _FEW, 0
    space = np.empty(n * min(_CHUNK, draws), dtype=np.int64)
    for begun in range(0, draws, _CHUNK):
        size = min(_CHUNK, draws - begun)
        drawn = space[: n * size].reshape(n, size)
        place = 0
        for group, start in zip(groups, starts, strict=True):
            _draw(group.places, start, rng, drawn[place : (place := place + len(group.places))])
        if few:
            drawn *= size
            drawn += np.arange(size)
            tasks = np.bincount(drawn.ravel(), minlength=len(drops) * size).reshape(-1, size)
            statistic = _studentise(drops[:, None], noise[:, None], n, tasks)[1]
        else:
            statistic = _studentise(drops[drawn], noise[drawn], n)[1]
        reached += int((statistic >= observed[0] - _TIE).sum())
    return (reached + 1) / (draws + 1), float(variance[0])


def _draw(places: Ints, start: int, rng: Rng, drawn: Ints) -> None:
    """Fill in the outcome of each task in each draw, shape (n_tasks, n_draws), counted from `start`."""
    for begun in range(0, len(places), _ROWS):
        rows, into = places[begun : begun + _ROWS], drawn[begun : begun + _ROWS]
        chosen = pick(rng.random(into.shape), rows.shape[1])
        chosen += np.arange(len(rows))[:, None] * rows.shape[1]
        np.add(rows.ravel()[chosen], start, out=into)


def _studentise(drops: Floats, noise: Floats, n: int, tasks: Ints | int = 1) -> tuple[Floats, Floats]:
    """Variance between n tasks, and the same over its standard error; one entry a column.

    Args:
        tasks: how many tasks each row stands for.
    """
    each = (drops - (drops * tasks).sum(axis=0) / n) ** 2 * (n / (n - 1)) - noise
    mean = (each * tasks).sum(axis=0) / n
    sd = np.sqrt(((each - mean) ** 2 * tasks).sum(axis=0) / (n - 1))
    flat = sd < _TIE
    signs = np.where(mean > _TIE, inf, np.where(mean < -_TIE, -inf, 0.0))
    return mean, np.where(flat, signs, mean / np.where(flat, 1.0, sd / sqrt(n)))


MOST_SPLITS = 1_000
"""Most relabellings used for one task; with up to six trials a side, all of them are used."""


def splits(n_first: int, n_second: int, rng: Rng, paired: bool = False) -> Bools:
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


def pick(uniform: Floats, n_splits: int) -> Ints:
    """Turn numbers in [0, 1) into indices of a list of splits; equal lengths give equal indices."""
    return np.minimum((uniform * n_splits).astype(np.int64), n_splits - 1)
