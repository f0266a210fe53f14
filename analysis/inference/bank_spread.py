"""How far a contrast moves with the draw of the bank."""

from dataclasses import dataclass

import numpy as np

from memtrial.analysis.arrays import Floats, Ints
from memtrial.analysis_rules import STANDARD_RULES


@dataclass(frozen=True, slots=True)
class BankSpread:
    """One contrast, bank by bank.

    Args:
        by_draw: mean over tasks with each bank, shape (n_draws,); `estimate` is their mean.
        n_tasks: tasks with a number for every bank; the others are left out.
        sd: standard deviation between banks, after the residual variance is subtracted; at least 0.
        sd_high: upper 1 - alpha limit of `sd`; very large with few banks.
        p: F test that all banks have the same mean.
        low, high: 1 - alpha interval for other banks on the same tasks: Student's t of the bank means.
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
    contrasts: Floats, alpha: float = STANDARD_RULES.alpha, units: Ints | None = None
) -> BankSpread | None:
    """Estimate how much a contrast varies between banks: repeat r of every task shows the r-th one.

    If all banks were equal, the variance of a bank's mean would be the residual mean square of the table of
    tasks × banks, divided by the number of tasks. The interval for other banks and tasks clusters both ways:
    variance over tasks, plus variance over banks, minus the part that is in both.

    Args:
        contrasts: task × repeat, shape (n_tasks, n_draws), on [-1, 1]; NaN where a cell has no score.
        units: index of the unit of inference of each task, shape (n_tasks,); by default each task is a unit.

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
    # mean squares: between banks, and residual
    draw = float(n_tasks * ((means - table.mean()) ** 2).sum() / (n_draws - 1))
    rest = float((left**2).sum() / ((n_tasks - 1) * (n_draws - 1)))
    # cluster-robust variance of the mean over tasks, with the factor G/(G-1)
    by_unit = np.bincount(unit, weights=of_tasks - estimate, minlength=n_units)
    over_tasks = float((by_unit**2).sum() * n_units / (n_units - 1) / n_tasks**2)
    over_draws, shared = draw / (n_tasks * n_draws), rest / (n_tasks * n_draws)
    both = max(over_tasks + over_draws - shared, over_tasks, over_draws)
    freedom = (n_units - 1, n_draws - 1, (n_tasks - 1) * (n_draws - 1))
    parts = zip((over_tasks, over_draws, shared), freedom, strict=True)
    spread = sum(part**2 / df for part, df in parts)
    # where the parts nearly cancel, Satterthwaite's df goes to 0; Cameron et al. use the smallest df
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
