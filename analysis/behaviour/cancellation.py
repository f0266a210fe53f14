"""Effects that cancel between tasks: a mean drop near zero is no absence of effect where they do."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, sqrt
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from loadbearing.analysis.behaviour.splits import pick, splits

Word = Literal["ruled out", "not above chance", "present", "not measurable"]

_CHUNK = 512  # draws in memory at a time
_TIE = 1e-9


@dataclass(frozen=True, slots=True)
class Cancellation:
    """Whether the effect of damage differs between tasks.

    Args:
        p: of the hypothesis that every task has the same effect; None where no task has two trials a cell.
        spread_sd: estimated standard deviation of the effect between tasks, in points of score; 0 where the
            estimate of its square is negative, None where there is none.
        mean_abs_high: upper end of the 1 - alpha interval for the mean size of the effect, whichever its
            sign; None with fewer than two units.
        n_tasks: tasks on which p rests.
        verdict: `ruled out`: effects of the margin's size are excluded even without their sign; `present`:
            they differ between tasks; `not above chance`: no more than repeats of one cell do.
        reason: one sentence.
    """

    p: float | None
    spread_sd: float | None
    mean_abs_high: float | None
    n_tasks: int
    verdict: Word
    reason: str


@dataclass(frozen=True, slots=True)
class _Tasks:
    """Tasks with the same numbers of trials under all of their relabellings.

    Args:
        drop: mean of the first label minus mean of the second, shape (n_tasks, n_splits).
        noise: unbiased variance of it within the task, same shape.
    """

    drop: NDArray[np.float64]
    noise: NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Limits:
    """What an effect is held against.

    Args:
        margin: smallest effect that matters, in points of score.
        alpha: error rate.
        draws: random relabellings.
    """

    margin: float
    alpha: float
    draws: int


def cancellation(
    intact: NDArray[np.float64],
    damaged: NDArray[np.float64],
    units: NDArray[np.int64],
    limits: Limits,
    rng: np.random.Generator,
    paired: bool = False,
) -> Cancellation:
    """Test whether a drop varies between tasks, and bound its mean size.

    Per task (d - mean d)^2 n/(n-1) - w, where w is the variance of d estimated from the repeats of the two
    cells: its mean is the variance of the effect between tasks, whatever the effect's mean and however the
    variances differ. It is divided by its standard error and compared with the same figure after labels were
    permuted inside each task: exact where damage does nothing at all, and right in large samples where it
    does the same everywhere (a drop changes the variance of a binary score, which the figure without its
    standard error would take for heterogeneity, or hide it).

    The bound needs no repeats: E|d| is at least the mean size of the effect. With repeats, d^2 - w bounds the
    mean square as well, and the smaller of the two bounds counts.

    Args:
        intact: scores, shape (n_tasks, repeats); NaN for a trial that is missing or was an error.
        damaged: scores of the same tasks in the same order, shape (n_tasks, any).
        units: index of the unit (task or cluster) of each task, shape (n_tasks,). Relabelling stays inside
            tasks; the bound goes over units.
        limits: margin, error rate and number of random relabellings.
        rng: draws them.
        paired: a task's i-th trials of both cells share a bank. Labels then trade places inside these pairs
            alone, and w is the variance of the pairs' differences.

    Raises:
        ValueError: the numbers of tasks differ.

    Source: STATISTICS 0c.3; studentised permutation: Janssen 1997, Chung & Romano 2013.
    """
    if not len(intact) == len(damaged) == len(units):
        counts = f"{len(intact)} and {len(damaged)} tasks, {len(units)} units"
        raise ValueError(f"intact and damaged are of the same tasks, one unit each; got {counts}")
    if paired:
        intact, damaged = _pairs(intact, damaged)
    n_intact, n_damaged = (~np.isnan(intact)).sum(axis=1), (~np.isnan(damaged)).sum(axis=1)
    both = (n_intact > 0) & (n_damaged > 0)
    high = _mean_size_high(intact[both], damaged[both], units[both], limits.alpha, paired)
    repeated = (n_intact > 1) & (n_damaged > 1)
    n = int(repeated.sum())
    if n < 2:
        return without_repeats(high, n, limits.margin)
    groups = _relabelled(intact[repeated], damaged[repeated], rng, paired)
    p, variance = _test(groups, n, limits.draws, rng)
    spread = sqrt(max(0.0, variance))
    return Cancellation(p, spread, high, n, *worded(p, spread, high, limits.margin, limits.alpha))


def worded(p: float, spread: float, high: float | None, margin: float, alpha: float) -> tuple[Word, str]:
    """The verdict on a test of spread, and its sentence."""
    if high is not None and high < margin:
        return "ruled out", _bounded(high, margin)
    if p <= alpha:
        return "present", (
            f"effects differ between tasks (standard deviation {spread:.2f}, p = {p:.3g}), "
            f"so that a mean near zero may hide gains and losses that cancel"
        )
    left = "" if high is None else f"; that they average up to {high:.2f} in size is not excluded"
    return "not above chance", (
        f"effects differ between tasks by no more than repeats of one cell do "
        f"(standard deviation {spread:.2f}, p = {p:.3g}){left}"
    )


def without_repeats(high: float | None, n: int, margin: float) -> Cancellation:
    """What can be said where no task has two trials a cell."""
    if high is not None and high < margin:
        return Cancellation(None, None, high, n, "ruled out", _bounded(high, margin))
    reason = (
        "whether effects cancel between tasks cannot be measured: at least two tasks with two trials "
        "in each of the two cells are needed"
    )
    return Cancellation(None, None, high, n, "not measurable", reason)


def _bounded(high: float, margin: float) -> str:
    return f"effects average at most {high:.3f} in size, whichever their sign, which is under {margin:.2f}"


def _relabelled(
    intact: NDArray[np.float64], damaged: NDArray[np.float64], rng: np.random.Generator, paired: bool
) -> list[tuple[NDArray[np.int64], _Tasks]]:
    """Tasks by their numbers of trials, each with every relabelling; with the places of these tasks."""
    # trials that are there stand first; pairs stay pairs
    order = np.argsort(np.isnan(intact), axis=1, kind="stable")
    first = np.take_along_axis(intact, order, axis=1)
    if not paired:
        order = np.argsort(np.isnan(damaged), axis=1, kind="stable")
    second = np.take_along_axis(damaged, order, axis=1)
    counts = np.column_stack([(~np.isnan(first)).sum(axis=1), (~np.isnan(second)).sum(axis=1)])
    groups = []
    for n_first, n_second in np.unique(counts, axis=0):
        at = np.flatnonzero((counts == (n_first, n_second)).all(axis=1))
        scores = np.column_stack([first[at, :n_first], second[at, :n_second]])
        chosen = splits(int(n_first), int(n_second), rng, paired).astype(np.float64)
        groups.append((at, _under(scores, chosen, paired)))
    return groups


def _pairs(
    intact: NDArray[np.float64], damaged: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Trials whose partner has a score as well."""
    width = min(intact.shape[1], damaged.shape[1])
    lacking = np.isnan(intact[:, :width]) | np.isnan(damaged[:, :width])
    return np.where(lacking, np.nan, intact[:, :width]), np.where(lacking, np.nan, damaged[:, :width])


def _under(scores: NDArray[np.float64], first: NDArray[np.float64], paired: bool) -> _Tasks:
    if paired:
        n = first.shape[1] // 2
        apart = scores[:, :n] - scores[:, n:]
        drop = apart @ (2 * first[:, :n] - 1).T / n
        square = (apart**2).mean(axis=1)[:, None]
        return _Tasks(drop, np.maximum(square - drop**2, 0.0) / (n - 1))
    means, noise = [], np.zeros((len(scores), len(first)))
    for label in (first, 1 - first):
        n = label[0].sum()
        mean = scores @ label.T / n
        square = scores**2 @ label.T / n
        noise += np.maximum(square - mean**2, 0.0) / (n - 1)
        means.append(mean)
    return _Tasks(means[0] - means[1], noise)


def _test(
    groups: list[tuple[NDArray[np.int64], _Tasks]], n: int, draws: int, rng: np.random.Generator
) -> tuple[float, float]:
    """One-sided p of the studentised variance between tasks, and the variance itself."""
    true = [(tasks.drop[:, :1], tasks.noise[:, :1]) for _, tasks in groups]
    variance, observed = _studentised(true, n)
    reached = 0
    for start in range(0, draws, _CHUNK):
        size = min(_CHUNK, draws - start)
        drawn = []
        for at, tasks in groups:
            place = pick(rng.random((len(at), size)), tasks.drop.shape[1])
            row = np.arange(len(at))[:, None]
            drawn.append((tasks.drop[row, place], tasks.noise[row, place]))
        reached += int((_studentised(drawn, n)[1] >= observed[0] - _TIE).sum())
    return (reached + 1) / (draws + 1), float(variance[0])


def _studentised(
    parts: list[tuple[NDArray[np.float64], NDArray[np.float64]]], n: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Variance between tasks, and the same over its standard error; one entry a column."""
    drop = np.concatenate([part for part, _ in parts])
    noise = np.concatenate([part for _, part in parts])
    each = (drop - drop.mean(axis=0)) ** 2 * (n / (n - 1)) - noise
    mean, sd = each.mean(axis=0), each.std(axis=0, ddof=1)
    flat = sd < _TIE
    signs = np.where(mean > _TIE, inf, np.where(mean < -_TIE, -inf, 0.0))
    return mean, np.where(flat, signs, mean / np.where(flat, 1.0, sd / sqrt(n)))


def _mean_size_high(
    intact: NDArray[np.float64],
    damaged: NDArray[np.float64],
    units: NDArray[np.int64],
    alpha: float,
    paired: bool,
) -> float | None:
    """Upper end of the 1 - alpha interval for the mean of |effect|."""
    if len(np.unique(units)) < 2:
        return None
    drop = np.nanmean(intact, axis=1) - np.nanmean(damaged, axis=1)
    highs = [mean_high(np.abs(drop), units, alpha)]
    repeated = ((~np.isnan(intact)).sum(axis=1) > 1) & ((~np.isnan(damaged)).sum(axis=1) > 1)
    if repeated.all():
        sides = (intact - damaged,) if paired else (intact, damaged)
        noise = np.sum([_variance_of_mean(side) for side in sides], axis=0)
        highs.append(sqrt(max(0.0, mean_high(drop**2 - noise, units, alpha))))
    return min(highs)


def _variance_of_mean(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    variance: NDArray[np.float64] = np.nanvar(scores, axis=1, ddof=1) / (~np.isnan(scores)).sum(axis=1)
    return variance


def mean_high(values: NDArray[np.float64], units: NDArray[np.int64], alpha: float) -> float:
    """Upper end for the mean of values of at most 1, with two pseudo tasks, 0 and 1, each a unit of its own.

    They take the place of the +1/R and -1/R of the primary interval: sizes have one sign, and none seen in n
    tasks does not exclude a rare one of size 1.
    """
    from scipy.stats import t

    labels, unit = np.unique(units, return_inverse=True)
    size = np.append(np.bincount(unit, minlength=len(labels)), [1.0, 1.0])
    sums = np.append(np.bincount(unit, weights=values, minlength=len(labels)), [0.0, 1.0])
    n_units, total = len(size), size.sum()
    mean = sums.sum() / total
    rest = sums - size * mean
    error = sqrt(n_units / (n_units - 1) * float((rest**2).sum())) / total
    return float(mean + t.ppf(1 - alpha / 2, n_units - 1) * error)
