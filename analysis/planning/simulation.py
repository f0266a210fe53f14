"""Power by simulation: generate tasks, run the real test on them and count the rejections."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, sqrt
from statistics import NormalDist

import numpy as np

from loadbearing.analysis.inference.simultaneous import student_max_t
from loadbearing.analysis.planning.effective_tasks import Clustering, independent
from loadbearing.analysis.planning.made_up_tasks import MadeUpTasks

FLIPS = 499
_ROUNDS = 5
_MOST_SCORES = 100_000  # most tasks x cells of one simulated experiment
_REACH = 2.4  # normal quantile of a small family's level: only the speed of the search depends on it


@dataclass(frozen=True, slots=True, eq=False)
class Simulation:
    """Student's t with step-down max-T on simulated experiments.

    `alpha` is the family's. With 2,000 `experiments` (at least 1) the standard error of power is about .01.
    """

    tasks: MadeUpTasks
    repeats: int
    alpha: float
    experiments: int
    rng: np.random.Generator

    def power(self, clusters: Clustering) -> float:
        """Share of experiments in which the family's first contrast is significant (adjusted p <= alpha)."""
        shown, units = 0, clusters.index
        for _ in range(self.experiments):
            contrasts = self.tasks.contrasts(clusters, self.repeats, self.rng)
            shown += bool(student_max_t(contrasts, units, FLIPS, self.rng)[0] <= self.alpha)
        return shown / self.experiments

    def error(self, power: float) -> float:
        """Monte Carlo standard error of a simulated power, above zero even where the power is 0 or 1."""
        return sqrt(max(power * (1 - power), 1 / self.experiments) / self.experiments)

    def enough(self, wanted: float, first: int) -> int | None:
        """The fewest independent tasks tried that have the wanted power; None where none was found.

        Each next number assumes that precision (1 / variance) is proportional to n.

        Args:
            first: number of tasks to try first, from the closed form.
        """
        normal, sufficient, tried, n = NormalDist(), set[int](), set[int](), first
        while len(tried) < _ROUNDS and n not in tried and n * len(self.tasks.shift) <= _MOST_SCORES:
            tried.add(n)
            found = self.power(independent(n))
            if found >= wanted - self.error(found):
                sufficient.add(n)
            if abs(found - wanted) <= self.error(found):
                break
            reached = normal.inv_cdf(min(max(found, 0.02), 0.98))
            ratio = (normal.inv_cdf(wanted) + _REACH) / max(reached + _REACH, 0.3)
            n = max(2, ceil(n * min(max(ratio**2, 0.5), 2.0)))
        return min(sufficient, default=None)
