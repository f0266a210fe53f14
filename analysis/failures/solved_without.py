"""Tasks that are solved without memory and failed with it, and whether arms fail in the same ways."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from memtrial.analysis.arrays import Floats, Ints, Rng
from memtrial.analysis.failures.shares import CODES, SUCCESS
from memtrial.analysis.inference.interval import p_zero, t_interval, unit_sample
from memtrial.analysis.inference.sign_flip import family_p, flip_test

CATEGORIES = (SUCCESS, *CODES)


@dataclass(frozen=True, slots=True)
class Estimated:
    """A mean over tasks, its interval and p-values; None where too few units were measured."""

    estimate: float | None
    low: float | None = None
    high: float | None = None
    p: float | None = None
    p_adjusted: float | None = None


@dataclass(frozen=True, slots=True)
class Flow:
    """What memory breaks and mends, as shares of all tasks.

    Args:
        harm: solved without memory and failed with it; gain: the reverse.
        chance: either of them between two repeats without memory; None without repeats.
        excess_harm, excess_gain: less chance, paired by task; None without repeats.
    """

    harm: float
    gain: float
    chance: float | None
    excess_harm: Estimated | None
    excess_gain: Estimated | None


def flow(without: Floats, solved: Floats, repeats: Floats, units: Ints, alpha: float) -> Flow:
    """Harm and gain of one cell beside those of chance.

    Chance is unbiased: of m solved repeats of R, m (R - m) of the R (R - 1) ordered pairs are solved first
    and failed then. Tasks with one repeat say nothing of it and are left out of the excess.

    Args:
        without, solved: share of the repeats that were solved without and with memory, by task, shape (n,).
        repeats: without memory, by task.
        units: the unit of inference of each task.
    """
    harm, gain = without * (1 - solved), (1 - without) * solved
    twice = repeats > 1
    if not twice.any():
        return Flow(float(harm.mean()), float(gain.mean()), None, None, None)
    r, m = repeats[twice], without[twice]
    chance = r / (r - 1) * m * (1 - m)
    more = [
        _estimate(difference[twice] - chance, units[twice], int(r.max()), alpha)
        for difference in (harm, gain)
    ]
    return Flow(float(harm.mean()), float(gain.mean()), float(chance.mean()), *more)


def count_moves(base: Floats, first: Floats, second: Floats) -> Floats:
    """Tasks by category in two cells, shape (k, k); each task has its weight in the base set.

    Args:
        base: the weight of each task: the share of its repeats that were solved without memory, shape (n,).
        first, second: share of the repeats in each of `CATEGORIES`, shape (n, k).
    """
    return np.asarray(np.einsum("t,ti,tj->ij", base, first, second), dtype=np.float64)


def compare_rates(
    pairs: Sequence[tuple[Floats, Floats, Floats]],
    units: Ints,
    repeats: int,
    rules: tuple[float, int],
    rng: Rng,
) -> list[list[Estimated]]:
    """Differences of the rates of each mode, per task of the base set, for a family of pairs of cells.

    Args:
        pairs: base, first and second as for `count_moves`, each over all tasks of the family; a task that one
            lacks has a base of NaN.
        units: the unit of each task.
        rules: alpha, and the random sign flips of the test.

    Returns:
        For each pair the difference of each of `CODES`, p adjusted over all pairs and modes by max-T.
    """
    columns, estimates = [], []
    for base, first, second in pairs:
        kept = base > 0
        scale = base[kept].mean() if kept.any() else np.nan
        differences = (base[:, None] / scale * (first - second))[:, 1:]
        differences[~kept] = np.nan
        columns.append(differences)
        estimates.append(
            [_estimate(column[kept], units[kept], repeats, rules[0]) for column in differences.T]
            if kept.any()
            else [Estimated(None)] * len(CODES)
        )
    stacked = np.hstack(columns)
    p = np.array([np.nan if estimate.p is None else estimate.p for row in estimates for estimate in row])
    adjusted = family_p(p, flip_test(stacked, units, rules[1], rng))[0].reshape(len(pairs), -1)
    return [
        [
            replace(estimate, p_adjusted=None if np.isnan(p) else float(p))
            for estimate, p in zip(*both, strict=True)
        ]
        for both in zip(estimates, adjusted, strict=True)
    ]


def _estimate(values: Floats, units: Ints, repeats: int, alpha: float) -> Estimated:
    if len(np.unique(units)) < 2:
        return Estimated(float(values.mean()))
    reach = max(1.0, float(np.abs(values).max()))
    sample = unit_sample(values, units, repeats, (-reach, reach))
    return Estimated(float(sample.mean), *t_interval(sample, alpha), float(p_zero(sample)))


RESAMPLES = 9_999


@dataclass(frozen=True, slots=True)
class TableTest:
    """A test of a table; `statistic` and `freedom` are those of chi-square.

    Args:
        exact_p: Fisher-Freeman-Halton; None for a paired table.
        draws: tables drawn for `exact_p`, which is then never below 1 / (draws + 1); 0 where it is exact.
    """

    statistic: float
    freedom: int
    p: float
    exact_p: float | None = None
    draws: int = 0


def stuart_maxwell(table: Floats) -> TableTest | None:
    """Stuart-Maxwell: whether the categories are as frequent in one arm as in the other.

    None where the arms differ in no task, or in too few ways for the test.

    Args:
        table: tasks by category in one arm (rows) and in the other (columns), shape (k, k).

    Source: Stuart 1955; Maxwell 1970.
    """
    from scipy.stats import chi2
    from statsmodels.stats.contingency_tables import SquareTable

    # a category in which no task moved makes the covariance singular
    in_motion = (table.sum(axis=0) + table.sum(axis=1) - 2 * np.diag(table)) > 0
    kept = table[np.ix_(in_motion, in_motion)]
    if len(kept) < 2 or np.linalg.matrix_rank(_covariance(kept)) < len(kept) - 1:
        return None
    homogeneity = SquareTable(kept, shift_zeros=False).homogeneity()
    statistic, freedom = float(homogeneity.statistic), int(homogeneity.df)
    return TableTest(statistic, freedom, float(chi2.sf(statistic, freedom)))


def fisher_freeman_halton(table: Floats, rng: Rng) -> TableTest | None:
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
    draws = RESAMPLES if method else 0
    return TableTest(float(checked.statistic), int(checked.dof), float(checked.pvalue), exact, draws)


def _covariance(table: Floats) -> Floats:
    """Of the differences of the margins but the last."""
    spread = -(table + table.T)
    np.fill_diagonal(spread, table.sum(axis=0) + table.sum(axis=1) - 2 * np.diag(table))
    return spread[:-1, :-1]
