"""Several banks: how far the estimate moves with the draw of the bank, and what holds for the condenser.

Where repeat r of every task shows the r-th bank, a column of the contrasts is a bank. Inference over tasks is
about these banks; what is here says what another draw of them might have given (STATISTICS 0b.5).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


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


def spread_of_banks(
    contrasts: NDArray[np.float64], alpha: float = 0.05, units: NDArray[np.int64] | None = None
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
        units: index of the unit of inference of each task, shape (n_tasks,); each task its own unless given.

    Returns:
        None with fewer than two banks, or fewer than two units with a number for every bank.

    Source: two-way random effects; Cameron, Gelbach & Miller 2011 (clustering both ways); Satterthwaite 1946.
    """
    from scipy.stats import chi2, f, t

    whole = ~np.isnan(contrasts).any(axis=1)
    table = contrasts[whole]
    n_tasks, n_draws = table.shape
    unit = np.arange(n_tasks) if units is None else np.unique(units[whole], return_inverse=True)[1]
    n_units = int(unit.max()) + 1 if n_tasks else 0
    if n_draws < 2 or n_units < 2:
        return None
    estimate, of_tasks, means = float(table.mean()), table.mean(axis=1), table.mean(axis=0)
    left = table - of_tasks[:, None] - means + table.mean()
    # mean squares between banks, and of what is left beside tasks and banks
    draw = float(n_tasks * ((means - table.mean()) ** 2).sum() / (n_draws - 1))
    rest = float((left**2).sum() / ((n_tasks - 1) * (n_draws - 1)))
    # of the mean over tasks, by unit, with G/(G-1)
    by_unit = np.bincount(unit, weights=of_tasks - estimate, minlength=n_units)
    over_tasks = float((by_unit**2).sum() * n_units / (n_units - 1) / n_tasks**2)
    over_draws, shared = draw / (n_tasks * n_draws), rest / (n_tasks * n_draws)
    both = max(over_tasks + over_draws - shared, over_tasks, over_draws)
    freedom = (n_units - 1, n_draws - 1, (n_tasks - 1) * (n_draws - 1))
    parts = zip((over_tasks, over_draws, shared), freedom, strict=True)
    spread = sum(part**2 / df for part, df in parts)
    # where the parts nearly cancel, Satterthwaite's figure falls to nothing; Cameron et al. take the least
    df = max(both**2 / spread if spread > 0 else float("inf"), min(freedom))
    these = float(t.ppf(1 - alpha / 2, n_draws - 1) * np.sqrt(over_draws))
    others = float(t.ppf(1 - alpha / 2, df) * np.sqrt(both))
    most = draw * (n_draws - 1) / chi2.ppf(alpha, n_draws - 1)
    p = float(f.sf(draw / rest, n_draws - 1, freedom[2])) if rest else float(draw == 0)
    return BankSpread(
        by_draw=tuple(float(mean) for mean in means),
        estimate=estimate,
        n_tasks=n_tasks,
        sd=float(np.sqrt(max(0.0, draw - rest) / n_tasks)),
        sd_high=float(np.sqrt(max(0.0, most - rest) / n_tasks)),
        p=p,
        low=estimate - these,
        high=estimate + these,
        low_both=estimate - others,
        high_both=estimate + others,
    )
