"""Whether two arms on the same tasks, or independent rows, fail in the same ways."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
RESAMPLES = 9_999


@dataclass(frozen=True, slots=True)
class TableTest:
    """A test of a table; `statistic` and `freedom` are those of chi-square.

    Args:
        exact_p: Fisher-Freeman-Halton by Monte Carlo, never below 1 / 10,000; None for a paired table.
    """

    statistic: float
    freedom: int
    p: float
    exact_p: float | None = None


def paired(table: Floats) -> TableTest | None:
    """Stuart-Maxwell: whether the categories are as frequent in one arm as in the other.

    None where the arms differ in no task, or in too few ways for the test.

    Args:
        table: tasks by category in one arm (rows) and in the other (columns), shape (k, k).

    Source: Stuart 1955; Maxwell 1970.
    """
    from scipy.stats import chi2
    from statsmodels.stats.contingency_tables import SquareTable

    # a category in which no task moved makes the covariance singular
    moved = (table.sum(axis=0) + table.sum(axis=1) - 2 * np.diag(table)) > 0
    kept = table[np.ix_(moved, moved)]
    if len(kept) < 2 or np.linalg.matrix_rank(_covariance(kept)) < len(kept) - 1:
        return None
    found = SquareTable(kept, shift_zeros=False).homogeneity()
    statistic, freedom = float(found.statistic), int(found.df)
    return TableTest(statistic, freedom, float(chi2.sf(statistic, freedom)))


def independent(table: Floats, rng: np.random.Generator) -> TableTest | None:
    """Fisher-Freeman-Halton by Monte Carlo, and chi-square beside it; None without two rows and columns.

    Args:
        table: whole counts, a row a group, a column a mode, shape (r, c).

    Source: Freeman & Halton 1951.
    """
    from scipy.stats import MonteCarloMethod, chi2_contingency, fisher_exact

    counts = np.asarray(table, dtype=np.int64)
    counts = counts[counts.sum(axis=1) > 0]
    counts = counts[:, counts.sum(axis=0) > 0]
    if min(counts.shape) < 2:
        return None
    checked = chi2_contingency(counts, correction=False)
    method = None if counts.shape == (2, 2) else MonteCarloMethod(n_resamples=RESAMPLES, rng=rng)
    # of a table with a single case in each row or column SciPy returns an array of one
    exact = float(np.ravel(fisher_exact(counts, method=method).pvalue)[0])
    return TableTest(float(checked.statistic), int(checked.dof), float(checked.pvalue), exact)


def _covariance(table: Floats) -> Floats:
    """Of the differences of the margins but the last."""
    spread = -(table + table.T)
    np.fill_diagonal(spread, table.sum(axis=0) + table.sum(axis=1) - 2 * np.diag(table))
    return spread[:-1, :-1]
