"""P-values and intervals that hold for a whole family at once: max |t| instead of Student's."""

import numpy as np
from numpy.typing import NDArray

from loadbearing.analysis.inference.interval import p_zero, unit_sample
from loadbearing.analysis.inference.sign_flip import family_p, flip_test, flipped, unit_sums

_TIE = 1e-9  # a smaller spread is rounding


def student_max_t(
    contrasts: NDArray[np.float64], units: NDArray[np.int64], flips: int, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Adjusted p-values of a family without missing contrasts, as `gather` gives them.

    Args:
        contrasts, units, flips, rng: as for `flip_test`.
    """
    # no p-value depends on the repeats or the bounds
    p = p_zero(unit_sample(contrasts, units, 1, (-1.0, 1.0)))
    return family_p(p, flip_test(contrasts, units, flips, rng))[0]


def simultaneous_quantile(
    contrasts: NDArray[np.float64],
    units: NDArray[np.int64],
    freedom: NDArray[np.float64],
    alpha: float,
    flips: int,
    rng: np.random.Generator,
) -> NDArray[np.float64]:
    """Half width, in standard errors, of the intervals of a family, so that all hold at once.

    The signs of each unit's deviation from its column's mean are flipped, the same in every column; the
    result is the 1 - alpha quantile of the largest |t|, kept between Student's quantile for one interval and
    Bonferroni's for all, because with few units t takes few values.

    Args:
        contrasts, units, flips, rng: as for `flip_test`.
        freedom: degrees of freedom of each column's error.

    Returns:
        for `interval_at` on each column's sample, shape (n_columns,); NaN below two units.

    Source: Westfall & Young 1993; Romano & Wolf 2005; STATISTICS 3.
    """
    from scipy.stats import t

    known = ~np.isnan(contrasts)
    sizes = unit_sums(known.astype(np.float64), units)
    n_units = (sizes > 0).sum(axis=0)
    usable = n_units >= 2
    n_columns = int(usable.sum())
    reach = np.full(len(usable), np.nan)
    if not n_columns:
        return reach
    df = freedom[usable]
    alone, bonferroni = t.isf(alpha / 2, df), t.isf(alpha / (2 * n_columns), df)
    if n_columns == 1:
        reach[usable] = alone
        return reach
    sums = unit_sums(contrasts[:, usable], units)
    apart = sums - sizes[:, usable] * (sums.sum(axis=0) / sizes[:, usable].sum(axis=0))
    scale = np.sqrt((apart**2).sum(axis=0))
    spread = scale > _TIE
    standard = apart[:, spread] / scale[spread]
    z, exact = flipped(standard[(standard != 0).any(axis=1)], flips, rng)
    n = n_units[usable][spread]
    students = z * np.sqrt((n - 1) / np.maximum(n - z**2, _TIE))
    largest = np.sort(students.max(axis=1, initial=0.0))
    rank = int(np.ceil((1 - alpha) * (len(largest) + (not exact)))) - 1
    common = largest[min(rank, len(largest) - 1)]
    reach[usable] = np.clip(common, alone, bonferroni)
    return reach
