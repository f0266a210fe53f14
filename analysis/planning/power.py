"""Approximate power in closed form, where at least twenty units of similar size are expected to differ;
elsewhere simulate with the real test (analysis/planning/simulation.py).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil, inf, sqrt
from statistics import NormalDist

import numpy as np

from loadbearing.analysis.planning.variance import Clustering, Parts, independent

MOST_TASKS = 1_000_000
"""Largest number of tasks that a search tries."""
_CERTAIN, _WRONG_SIDE = 38.0, 4.0  # standard errors
_NODES = 400


@dataclass(frozen=True, slots=True)
class ClosedForm:
    """The two-sided sign flip of one contrast, and its test of equivalence, at any number of tasks.

    A flipped sign moves the sum by steps of 2/R, and a p-value that counts ties loses half a step: the
    effect is lowered by `grain` / n, Yates' correction. It is the 5 % more tasks of STATISTICS 11.

    Args:
        repeats: of each cell, at least 1.
        parts: variance parts of the contrast.
        alpha: level of the test; in a family, the level for one contrast.
        grain: smallest step of a task's contrast; by default 1/R. 0 gives the power of Student's t.
        clusters: how tasks share records or families, scaled to the number of tasks; None: independent tasks.

    Source: noncentral t; correction for steps after Yates 1934; STATISTICS 4.
    """

    repeats: int
    parts: Parts
    alpha: float = 0.05
    grain: float | None = None
    clusters: Clustering | None = None

    def standard_error(self, n_tasks: int) -> tuple[float, int]:
        """Standard error of the mean over tasks, each of the same weight, and the number of units.

        Source: variance of a mean over clusters of different size, Kish 1965, section 8.2.
        """
        held = independent(n_tasks) if self.clusters is None else self.clusters.scaled(n_tasks)
        variance = self.parts.total(self.repeats) + (held.kish_size - 1) * self.parts.cluster
        return sqrt(variance / n_tasks), held.n_clusters

    def power(self, effect: float, n_tasks: int) -> float:
        """Probability that the test rejects, on either side; 0 with fewer than two units."""
        from scipy.stats import nct, t

        se, units = self.standard_error(n_tasks)
        step = 1.0 / self.repeats if self.grain is None else self.grain
        shift = max(abs(effect) - step / n_tasks, 0.0)
        if units < 2 or self.alpha * 2.0 ** min(units - 1, 60) < 1.0:
            return 0.0  # the smallest possible p-value, 2^(1 - units), is above alpha
        if se == 0:
            return 1.0 if shift > 0 else 0.0
        reach, distance = float(t.isf(self.alpha / 2, units - 1)), shift / se
        if distance > _CERTAIN:
            return 1.0 if distance > 2 * reach else 0.0
        # rejection on the wrong side: negligible at large distances, where scipy fails as well
        wrong = float(nct.cdf(-reach, units - 1, distance)) if distance < _WRONG_SIDE else 0.0
        return min(float(nct.sf(reach, units - 1, distance)) + wrong, 1.0)

    def tasks(self, effect: float, wanted: float = 0.80) -> int | None:
        """The fewest tasks that show an effect (not 0) with the wanted power (above alpha).

        None where no number has it: with few clusters, more tasks do not help.
        """
        return _fewest(lambda n: self.power(effect, n) >= wanted)

    def detectable(self, n_tasks: int, wanted: float = 0.80) -> float | None:
        """The smallest effect with the wanted power, in points of score; None if it is above 2."""
        from scipy.optimize import brentq

        if self.power(2.0, n_tasks) < wanted:
            return None
        return float(brentq(lambda effect: self.power(effect, n_tasks) - wanted, 0.0, 2.0, xtol=1e-7))

    def equivalence_power(self, margin: float, n_tasks: int, truth: float = 0.0) -> float:
        """Chance that an effect at or beyond the margin is ruled out on both sides, by the plus-two sample.

        Source: Schuirmann 1987; Phillips 1990 (the variance integrated out); STATISTICS 2 and 4.
        """
        from scipy.stats import chi2, norm, t

        true_se, units = self.standard_error(n_tasks)
        if units < 2:
            return 0.0
        chances = (np.arange(_NODES) + 0.5) / _NODES  # of a spread at most as large, evenly
        squares = true_se**2 * units * chi2.ppf(chances, units - 1) + 2 / self.repeats**2
        se = np.sqrt(squares / ((units + 1) * (units + 2)))
        reach = (margin - t.isf(self.alpha, units + 1) * se) * (units + 2) / units
        if true_se == 0:
            return float((reach > abs(truth)).mean())
        inside = norm.cdf((reach - truth) / true_se) - norm.cdf((-reach - truth) / true_se)
        return float(np.where(reach > 0, inside, 0.0).mean())

    def tasks_equivalent(self, margin: float, wanted: float = 0.80) -> int | None:
        """The fewest tasks that show equivalence if the effect is 0; None where no number is enough."""
        return _fewest(lambda n: self.equivalence_power(margin, n) >= wanted)


def best_repeats(parts: Parts, task: float, block: float) -> float:
    """The number of repeats with the most precision for its cost; infinite where tasks do not differ.

    Args:
        task: cost of one more task, without its episodes.
        block: cost of one repeat of one task in all its cells.

    Source: two-stage sampling, Cochran 1977, section 10.6; STATISTICS 4.
    """
    if not task * parts.repeat:
        return 1.0
    return max(1.0, sqrt(parts.repeat * task / (parts.task * block))) if parts.task * block else inf


def unpaired_episodes(effect: float, rates: Sequence[float], alpha: float, wanted: float) -> int:
    """Total episodes of the same comparison if each cell had its own tasks; `rates` are the mean scores.

    Source: normal theory for independent proportions; STATISTICS 4.
    """
    normal = NormalDist()
    reach = normal.inv_cdf(1 - alpha / 2) + normal.inv_cdf(wanted)
    return len(rates) * ceil(reach**2 * sum(rate * (1 - rate) for rate in rates) / effect**2)


def _fewest(enough: Callable[[int], bool]) -> int | None:
    """The smallest number of tasks, from 2 to a million, that is enough; more must never be worse."""
    low, high = 1, 2
    while not enough(high):
        low, high = high, 2 * high
        if high > MOST_TASKS:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high
