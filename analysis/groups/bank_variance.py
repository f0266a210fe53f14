"""Several banks: how far the estimate moves with the draw of the bank, and what holds for the condenser.

Where repeat r of every task shows the r-th bank, a column of the contrasts is a bank. Inference over tasks is
about these banks; what is here says what another draw of them might have given (STATISTICS 0b.5).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class BankSpread:
    """One contrast, bank by bank.

    Args:
        by_draw: mean over tasks with each bank, shape (n_draws,).
        estimate: their mean.
        n_tasks: tasks with a number for every bank; the others are left out.
        sd: between-bank standard deviation, beyond what chance gives; 0 where the banks differ by no more.
        sd_high: upper 1 - alpha limit of it. With few banks it is far away.
        p: F test of the banks being alike.
        low, high: 1 - alpha interval for other banks on these very tasks: t of the draw means.
        low_both, high_both: 1 - alpha interval for other banks and other tasks.
    """

    by_draw: tuple[float, ...]
    estimate: float
    n_tasks: int
    sd: float
    sd_high: float
    p: float
    low: float
    high: float
    low_both: float
    high_both: float


@dataclass(frozen=True, slots=True)
class _Parts:
    """Mean squares of the table tasks × banks.

    Args:
        draw, rest: between banks, and what is left beside tasks and banks.
    """

    draw: float
    rest: float


def spread_of_banks(
    contrasts: Array, alpha: float = 0.05, units: NDArray[np.int64] | None = None
) -> BankSpread | None:
    """How a contrast spreads over the draws of the bank.

    What chance gives is the variance that a draw mean would have if the banks were alike: what is left in
    the table of tasks × banks, over the number of tasks. Records that several tasks share and that turned out
    well in one bank and badly in another count as a difference of the banks.

    The interval for other banks and tasks clusters both ways: variance over tasks, plus variance over banks,
    less what both hold; its degrees of freedom are Satterthwaite's, and never fewer than those of the banks
    or the units.

    Args:
        contrasts: task × repeat, shape (n_tasks, n_draws), on [-1, 1]; NaN where a cell has no score.
        alpha: of the intervals.
        units: index of the unit of inference of each task, shape (n_tasks,); each task its own unless given.

    Returns:
        None with fewer than two banks, or fewer than two units with a number for every bank.

    Raises:
        ValueError: the shapes do not fit.

    Source: two-way random effects; Cameron, Gelbach & Miller 2011 (clustering both ways); Satterthwaite 1946.
    """
    if contrasts.ndim != 2 or (units is not None and len(units) != len(contrasts)):
        shape = None if units is None else units.shape
        raise ValueError(f"contrasts of tasks × banks are needed; got {contrasts.shape} with units {shape}")
    whole = ~np.isnan(contrasts).any(axis=1)
    table = contrasts[whole]
    n_tasks, n_draws = table.shape
    unit = np.arange(n_tasks) if units is None else np.unique(units[whole], return_inverse=True)[1]
    n_units = int(unit.max()) + 1 if n_tasks else 0
    if n_draws < 2 or n_units < 2:
        return None
    parts, means = _parts(table), table.mean(axis=0)
    estimate = float(table.mean())
    over_tasks = _robust_variance(table.mean(axis=1) - estimate, unit, n_units)
    over_draws, shared = parts.draw / (n_tasks * n_draws), parts.rest / (n_tasks * n_draws)
    both = max(over_tasks + over_draws - shared, over_tasks, over_draws)
    freedom = (n_units - 1, n_draws - 1, (n_tasks - 1) * (n_draws - 1))
    sd_high, p = _beyond_chance(parts, n_tasks, n_draws, alpha)
    these = _half(over_draws, n_draws - 1, alpha)
    # where the parts nearly cancel, Satterthwaite's figure falls to nothing; Cameron et al. take the least
    df = max(_satterthwaite(both, (over_tasks, over_draws, shared), freedom), min(freedom))
    others = _half(both, df, alpha)
    return BankSpread(
        by_draw=tuple(float(mean) for mean in means),
        estimate=estimate,
        n_tasks=n_tasks,
        sd=float(np.sqrt(max(0.0, parts.draw - parts.rest) / n_tasks)),
        sd_high=sd_high,
        p=p,
        low=estimate - these,
        high=estimate + these,
        low_both=estimate - others,
        high_both=estimate + others,
    )


def _parts(table: Array) -> _Parts:
    n_tasks, n_draws = table.shape
    centre = table.mean()
    rows, columns = table.mean(axis=1, keepdims=True), table.mean(axis=0, keepdims=True)
    rest = table - rows - columns + centre
    return _Parts(
        draw=float(n_tasks * ((columns - centre) ** 2).sum() / (n_draws - 1)),
        rest=float((rest**2).sum() / ((n_tasks - 1) * (n_draws - 1))),
    )


def _robust_variance(deviations: Array, unit: NDArray[np.int64], n_units: int) -> float:
    """Of the mean over tasks, by unit, with G/(G-1)."""
    sums = np.bincount(unit, weights=deviations, minlength=n_units)
    return float((sums**2).sum() * n_units / (n_units - 1) / len(deviations) ** 2)


def _beyond_chance(parts: _Parts, n_tasks: int, n_draws: int, alpha: float) -> tuple[float, float]:
    """Upper limit of the between-bank SD, and the p of the F test."""
    from scipy.stats import chi2, f

    most = parts.draw * (n_draws - 1) / chi2.ppf(alpha, n_draws - 1)
    high = float(np.sqrt(max(0.0, most - parts.rest) / n_tasks))
    if parts.rest == 0:
        return high, 1.0 if parts.draw == 0 else 0.0
    return high, float(f.sf(parts.draw / parts.rest, n_draws - 1, (n_tasks - 1) * (n_draws - 1)))


def _satterthwaite(whole: float, parts: tuple[float, ...], freedom: tuple[int, ...]) -> float:
    """Degrees of freedom of a sum of variances; infinity where there is no variance."""
    spread = sum(part**2 / df for part, df in zip(parts, freedom, strict=True))
    return whole**2 / spread if spread > 0 else float("inf")


def _half(variance: float, freedom: float, alpha: float) -> float:
    from scipy.stats import t

    return float(t.ppf(1 - alpha / 2, freedom) * np.sqrt(variance))
