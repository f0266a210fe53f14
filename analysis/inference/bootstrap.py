"""Cluster bootstrap: units drawn with replacement, the same draws for every column."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from loadbearing.analysis.inference.sign_flip import TIE

Floats = NDArray[np.float64]
Units = NDArray[np.int64]

_PLACES = 1 << 15  # places drawn at a time: few enough to stay in a core's cache
_BLOCK = 1 << 20  # counts in memory at a time: a busy machine makes each threaded matrix product wait
_MANY = 4_096  # units from which it pays to look for equal ones


def bootstrap_means(columns: Floats, units: Units, draws: int, rng: np.random.Generator) -> Floats:
    """Means over tasks when units (tasks or clusters) are drawn with replacement.

    A draw's mean is the sum over the units drawn by their number of tasks, so that each task weighs the
    same however large its cluster. All columns share the draws: a function of several columns (a ratio,
    a difference) keeps what they have in common.

    Args:
        columns: one row a task, shape (n_tasks, n_columns); NaN is missing and left out of its column.
        units: index of the unit of each row, any integers, shape (n_tasks,).

    Returns:
        shape (draws, n_columns); NaN where a draw holds no task of the column.

    Source: Efron & Tibshirani 1993, section 8; Davison & Hinkley 1997, section 3.8 (clusters).
    """
    means = np.full((draws, columns.shape[1]), np.nan)
    if not columns.size:
        return means
    labels, unit = np.unique(units, return_inverse=True)
    known = ~np.isnan(columns)
    sums = _by_unit(np.where(known, columns, 0.0), unit, len(labels))
    sizes = _by_unit(known.astype(np.float64), unit, len(labels))
    number = np.ones(len(labels), dtype=np.int64)
    if len(labels) > _MANY:
        sums, sizes, number = _equal_units(sums, sizes)
    # columns with the same tasks share their count, so that most tables need one
    patterns, which = np.unique(sizes, axis=1, return_inverse=True)
    even = patterns[0, 0] > 0 and np.ptp(patterns) == 0  # then every draw holds as many tasks as the table
    start = 0
    for weights in _weights(number, draws, rng):
        rows = slice(start, start + len(weights))
        if even:
            means[rows] = weights @ sums / (number.sum() * patterns[0, 0])
        else:
            counts = (weights @ patterns)[:, which]
            np.divide(weights @ sums, counts, out=means[rows], where=counts > 0)
        start = rows.stop
    return means


def percentile_interval(drawn: Floats, alpha: float) -> Floats:
    """The 1 - alpha percentile interval of each column of draws, shape (2, n_columns).

    A draw without a value is left out; NaN where there is none with one.
    """
    ends = np.full((2, drawn.shape[1]), np.nan)
    some = ~np.isnan(drawn).all(axis=0)
    if some.any():
        ends[:, some] = np.nanquantile(drawn[:, some], [alpha / 2, 1 - alpha / 2], axis=0)
    return ends


def bootstrap_p(drawn: Floats) -> float:
    """Smallest alpha at which the percentile interval of one column of draws leaves zero out; never zero."""
    below, above = int((drawn <= 0).sum()), int((drawn >= 0).sum())
    return min(1.0, 2 * (min(below, above) + 1) / (int((~np.isnan(drawn)).sum()) + 1))


def _by_unit(values: Floats, unit: Units, n_units: int) -> Floats:
    """Sum of each unit's rows, shape (n_units, n_columns)."""
    return np.column_stack([np.bincount(unit, weights=column, minlength=n_units) for column in values.T])


def _equal_units(sums: Floats, sizes: Floats) -> tuple[Floats, Floats, Units]:
    """Units that are equal in every column, once each, with their number; as they came where few are."""
    rounded = np.round(np.column_stack([sums / TIE, sizes]))
    _, at, number = np.unique(rounded, axis=0, return_index=True, return_counts=True)
    if len(at) * 16 > len(sums):
        return sums, sizes, np.ones(len(sums), dtype=np.int64)
    return sums[at], sizes[at], number


def _weights(number: Units, draws: int, rng: np.random.Generator) -> Iterator[Floats]:
    """How often each unit, or one of `number` equal ones, was drawn; some draws at a time."""
    n_units, n_rows = int(number.sum()), len(number)
    step = max(1, _BLOCK // n_rows)
    for start in range(0, draws, step):
        size = min(step, draws - start)
        if n_rows < n_units:
            yield rng.multinomial(n_units, number / n_units, size=size).astype(np.float64)
        else:
            yield _counts(n_units, size, rng)


def _counts(n_units: int, draws: int, rng: np.random.Generator) -> Floats:
    """How often each unit was drawn, shape (draws, n_units)."""
    block = np.empty((draws, n_units))
    kind = np.uint16 if n_units <= 1 << 16 else np.int64  # the fewer random bits the faster
    step = max(1, _PLACES // n_units)
    for start in range(0, draws, step):
        size = min(step, draws - start)
        drawn = rng.integers(0, n_units, size=(size, n_units), dtype=kind)
        stretches = np.arange(size)[:, None] * n_units  # of counts, one a draw
        counts = np.bincount((drawn + stretches).ravel(), minlength=size * n_units)
        block[start : start + size] = counts.reshape(size, n_units)
    return block
