"""Cost as an outcome: how many times as much a condition uses as another, paired by task, in logarithms."""

from dataclasses import dataclass
from math import exp, log, sqrt
from typing import Literal

import numpy as np

from memtrial.analysis.arrays import Floats
from memtrial.analysis.inference.interval import quantile

CostWord = Literal["more", "less", "as much", "open"]
COST_MARGIN = 1.10
"""A smaller ratio, either way, counts as none."""
_TIE = 1e-9  # less is rounding


@dataclass(frozen=True, slots=True)
class CostRatio:
    """The geometric mean, over tasks, of what one condition used for what another did.

    Args:
        low, high: its 1 - alpha interval.
        p: against a ratio of 1; `p_equivalence`: against one at or beyond the margin, either way.
        word: by both within the family; `open` where neither is shown.
    """

    n_tasks: int
    ratio: float
    low: float
    high: float
    p: float
    p_equivalence: float
    word: CostWord


def compare_costs(
    first: Floats, second: Floats, alpha: float, family: int = 1, margin: float = COST_MARGIN
) -> CostRatio | None:
    """Compare what two conditions used in the same tasks: Student's t on differences of logarithms.

    Args:
        first, second: of each task, above zero, shape (n_tasks,).
        family: how many such ratios are looked at together; the words are Bonferroni's.

    Returns:
        None below two tasks.

    Source: paired t on logarithms and two one-sided tests, as for bioequivalence (Schuirmann 1987).
    """
    from scipy.special import stdtr

    if len(first) < 2:
        return None
    apart = np.log(first) - np.log(second)
    mean, freedom, edge = float(apart.mean()), len(apart) - 1.0, log(margin)
    error = float(apart.std(ddof=1)) / sqrt(len(apart))
    if error < _TIE:  # all tasks agree
        p, p_equivalence = float(abs(mean) < _TIE), float(abs(mean) >= edge)
    else:
        p = float(2 * stdtr(freedom, -abs(mean) / error))
        p_equivalence = float(stdtr(freedom, -(edge - abs(mean)) / error))
    reach = quantile(freedom, alpha) * error
    word: CostWord = "open"
    if p_equivalence * family <= alpha:
        word = "as much"
    elif p * family <= alpha:
        word = "more" if mean > 0 else "less"
    return CostRatio(len(apart), exp(mean), exp(mean - reach), exp(mean + reach), p, p_equivalence, word)
