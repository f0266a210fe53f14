"""Power by simulation: generate tasks, run the real test on them and count the rejections."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np

from loadbearing.analysis.inference.sign_flip import flip_test
from loadbearing.analysis.planning.made_up_tasks import MadeUpTasks
from loadbearing.analysis.planning.variance import Clustering

FLIPS = 499


@dataclass(frozen=True, slots=True, eq=False)
class Simulation:
    """The sign flip with step-down max-T on simulated experiments.

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
            shown += bool(flip_test(contrasts, units, FLIPS, self.rng).p_adjusted[0] <= self.alpha)
        return shown / self.experiments

    def error(self, power: float) -> float:
        """Monte Carlo standard error of a simulated power, above zero even where the power is 0 or 1."""
        return sqrt(max(power * (1 - power), 1 / self.experiments) / self.experiments)
