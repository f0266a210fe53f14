"""Power in closed form, for orientation: it serves where twenty or more units of like size can be expected to
differ; elsewhere simulation with the real test (analysis/planning/simulation.py) is the answer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil, inf, sqrt
from statistics import NormalDist

import numpy as np

from loadbearing.analysis.planning.effective_tasks import Clustering, independent
from loadbearing.analysis.planning.variance import Parts

MOST_TASKS = 1_000_000
"""Where a search for tasks ends."""
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
        alpha: of the test; in a family, the share that one contrast has.
        grain: smallest step of a task's contrast; 1/R unless named. 0 gives the power of Student's t.
        clusters: how tasks share records or families, scaled to the number asked about; none: not at all.

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
        """Chance that the test rejects, of either sign of the effect; 0 with fewer than two units."""
        from scipy.stats import nct, t

        se, units = self.standard_error(n_tasks)
        step = 1.0 / self.repeats if self.grain is None else self.grain
        shift = max(abs(effect) - step / n_tasks, 0.0)
        if units < 2 or self.alpha * 2.0 ** min(units - 1, 60) < 1.0:
            return 0.0  # all signs alike are one of 2^(units - 1) ways: no p-value is that small
        if se == 0:
            return 1.0 if shift > 0 else 0.0
        reach, distance = float(t.isf(self.alpha / 2, units - 1)), shift / se
        if distance > _CERTAIN:
            return 1.0 if distance > 2 * reach else 0.0
        # the wrong side: nothing beyond some distance, where scipy no longer finds it either
        wrong = float(nct.cdf(-reach, units - 1, distance)) if distance < _WRONG_SIDE else 0.0
        return min(float(nct.sf(reach, units - 1, distance)) + wrong, 1.0)

    def tasks(self, effect: float, wanted: float = 0.80) -> int | None:
        """The fewest tasks that show an effect, other than 0, with the wanted power, above alpha.

        None where no number has it: tasks that fall into few clusters are worth no more than the clusters.
        """
        return _fewest(lambda n: self.power(effect, n) >= wanted)

    def detectable(self, n_tasks: int, wanted: float = 0.80) -> float | None:
        """The smallest effect with the wanted power, in points of score; None where none up to 2 has it."""
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
        """The fewest tasks with which no effect is found to be none; None where no number is enough."""
        return _fewest(lambda n: self.equivalence_power(margin, n) >= wanted)


def best_repeats(parts: Parts, task: float, block: float) -> float:
    """The number of repeats that buys the most precision; infinite where tasks do not differ.

    Args:
        task: what a further task costs besides its episodes.
        block: what one repeat of one task costs, all its cells.

    Source: two-stage sampling, Cochran 1977, section 10.6; STATISTICS 4.
    """
    if not task * parts.repeat:
        return 1.0
    return max(1.0, sqrt(parts.repeat * task / (parts.task * block))) if parts.task * block else inf


def unpaired_episodes(effect: float, rates: Sequence[float], alpha: float, wanted: float) -> int:
    """Episodes of the same comparison with tasks of its own in each cell of mean score `rates`, all together.

    Source: normal theory for independent proportions; STATISTICS 4.
    """
    normal = NormalDist()
    reach = normal.inv_cdf(1 - alpha / 2) + normal.inv_cdf(wanted)
    return len(rates) * ceil(reach**2 * sum(rate * (1 - rate) for rate in rates) / effect**2)


def _fewest(enough: Callable[[int], bool]) -> int | None:
    """The smallest number of tasks, from 2 to a million, that is enough, where more are never worse."""
    low, high = 1, 2
    while not enough(high):
        low, high = high, 2 * high
        if high > MOST_TASKS:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high
