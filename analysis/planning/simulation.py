"""Power by simulation: scores are drawn, the real test is run on them, rejections are counted."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np

from loadbearing.analysis.planning.bulk_flip import bulk_p_values
from loadbearing.analysis.planning.effective_tasks import Clustering
from loadbearing.analysis.planning.scenario import Scenario

FLIPS = 999
_SCORES = 2_000_000  # in memory at a time


@dataclass(frozen=True, slots=True)
class SimulatedPower:
    """Shares of simulated experiments.

    Args:
        alone: the first contrast is shown, tested on its own.
        in_family: it is shown in its family (step-down max-T).
        any: some contrast of the family is shown.
        n: experiments.
    """

    alone: float
    in_family: float
    any: float
    n: int

    @property
    def error(self) -> float:
        """Monte Carlo standard error, at most."""
        return sqrt(max(self.in_family * (1 - self.in_family), 1 / self.n) / self.n)


def simulated_power(
    scenario: Scenario,
    clusters: Clustering,
    repeats: int,
    experiments: int,
    rng: np.random.Generator,
    alpha: float = 0.05,
    flips: int = FLIPS,
) -> SimulatedPower:
    """Run the sign flip with step-down max-T on simulated experiments.

    Args:
        clusters: of the tasks; it says how many they are.
        experiments: at least 1; 2,000 tell power to .01.
        flips: sign vectors, the same for all experiments of one batch.

    Raises:
        ValueError: no experiment.
    """
    if experiments < 1:
        raise ValueError(f"at least one experiment is simulated; got {experiments}")
    counts = np.zeros(3)
    n_cells = len(scenario.shift)
    starts = np.cumsum((0, *clusters.sizes[:-1]))
    step = max(1, _SCORES // (clusters.n_tasks * n_cells))
    for start in range(0, experiments, step):
        n = min(step, experiments - start)
        contrasts = scenario.scores(n, clusters, repeats, rng) @ scenario.weights
        sums = np.add.reduceat(contrasts, starts, axis=1)
        p, adjusted = bulk_p_values(sums, flips, rng)
        counts += [
            (p[:, 0] <= alpha).sum(),
            (adjusted[:, 0] <= alpha).sum(),
            (adjusted <= alpha).any(axis=1).sum(),
        ]
    alone, in_family, some = counts / experiments
    return SimulatedPower(float(alone), float(in_family), float(some), experiments)
