"""Approximate power in closed form, where at least twenty units of similar size are expected to differ;
elsewhere simulate with the real test (analysis/planning/made_up_tasks.py).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import inf, isnan, sqrt

import numpy as np

from memtrial.analysis.arrays import Bools, Floats
from memtrial.analysis.hypothesis_families import HypothesisFamily
from memtrial.analysis.planning.variance import Clustering, Parts, without_clusters
from memtrial.analysis_rules import STANDARD_RULES
from memtrial.outcomes.reserved_names import INTACT

MOST_TASKS = 1_000_000
"""Largest number of tasks that a search tries."""
_CERTAIN, _WRONG_SIDE = 38.0, 4.0  # standard errors
_NODES = 400


@dataclass(frozen=True, slots=True)
class ClosedForm:
    """Student's t of one contrast, and its test of equivalence, at any number of tasks.

    Args:
        alpha: level of the test; in a family, the level for one contrast.
        clusters: how tasks share records or families, scaled to the number of tasks; None: independent tasks.

    Source: noncentral t; STATISTICS 4.
    """

    repeats: int
    parts: Parts
    alpha: float = STANDARD_RULES.alpha
    clusters: Clustering | None = None

    def standard_error(self, n_tasks: int) -> tuple[float, int]:
        """Standard error of the mean over tasks, and the number of units (Kish 1965, section 8.2)."""
        held = without_clusters(n_tasks) if self.clusters is None else self.clusters.scale_to(n_tasks)
        variance = self.parts.total(self.repeats) + (held.kish_size - 1) * self.parts.cluster
        return sqrt(variance / n_tasks), held.n_clusters

    def freedom(self, n_tasks: int) -> float:
        """Satterthwaite's degrees of freedom, as in `unit_sample`; at least two units."""
        if self.clusters is None or self.clusters.kish_size == 1:
            return n_tasks - 1.0
        held = np.array(self.clusters.scale_to(n_tasks).sizes) / n_tasks
        b = held**2 / (1 - held)
        return 1 / float((held**2).sum() + b.sum() ** 2 - (b**2).sum())

    def power(self, effect: float, n_tasks: int) -> float:
        """Probability that the test rejects, on either side; 0 with fewer than two units."""
        from scipy.special import (
            stdtrit,
        )  # scipy.stats asks after every argument, which takes most of the time

        se, units = self.standard_error(n_tasks)
        if units < 2:
            return 0.0
        if se == 0:
            return 1.0 if effect else 0.0
        freedom = self.freedom(n_tasks)
        reach, distance = -float(stdtrit(freedom, self.alpha / 2)), abs(effect) / se
        if distance > _CERTAIN:
            return 1.0 if distance > 2 * reach else 0.0
        # rejection on the wrong side: negligible at large distances
        wrong = _below(-reach, freedom, distance) if distance < _WRONG_SIDE else 0.0
        return min(1.0 - _below(reach, freedom, distance) + wrong, 1.0)

    def tasks(self, effect: float, wanted: float = 0.80) -> int | None:
        """The fewest tasks that show an effect; None where no number does, as with few clusters."""
        return _fewest(lambda n: self.power(effect, n) >= wanted)

    def detectable(self, n_tasks: int, wanted: float = 0.80) -> float | None:
        """The smallest effect with the wanted power, in points of score; None if it is above 2."""
        from scipy.optimize import brentq

        if self.power(2.0, n_tasks) < wanted:
            return None
        return float(brentq(lambda effect: self.power(effect, n_tasks) - wanted, 0.0, 2.0, xtol=1e-7))

    def equivalence_power(self, margin: float, n_tasks: int, truth: float = 0.0) -> float:
        """Chance that an effect at or beyond the margin is ruled out on both sides, with two pseudo tasks.

        Source: Schuirmann 1987; Phillips 1990 (the variance integrated out); STATISTICS 2 and 4.
        """
        from scipy.special import gammaincinv, ndtr, stdtrit

        true_se, units = self.standard_error(n_tasks)
        if units < 2:
            return 0.0
        chances = (np.arange(_NODES) + 0.5) / _NODES  # of a spread at most as large, evenly
        freedom = self.freedom(n_tasks)
        variance = true_se**2 * 2 * gammaincinv(freedom / 2, chances) / freedom
        se = np.sqrt(variance + 2 / (self.repeats * n_tasks) ** 2) * n_tasks / (n_tasks + 2)
        reach = (margin + stdtrit(freedom, self.alpha) * se) * (n_tasks + 2) / n_tasks
        if true_se == 0:
            return float((reach > abs(truth)).mean())
        inside = ndtr((reach - truth) / true_se) - ndtr((-reach - truth) / true_se)
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


def _below(value: float, freedom: float, distance: float) -> float:
    """Chance of a noncentral t below a value; 0 far out, where scipy has no number."""
    from scipy.special import nctdtr

    chance = float(nctdtr(freedom, distance, value))
    return 0.0 if isnan(chance) else chance


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


CERTAINTY = 0.8
"""Confidence that the true variance lies below the upper limit from a pilot."""


@dataclass(frozen=True, slots=True, eq=False)
class Question:
    """One estimand to plan for.

    Args:
        family: the contrasts that are tested together, at `alpha`; the question is about the first one.
        parts: variance parts of one of them.
        grain: smallest step of one score: 1 for success or failure, 0 for scores without steps.
        pilot_units: independent units (clusters of tasks) of the pilot behind the parts; 0: assumed parts.
    """

    family: HypothesisFamily
    parts: Parts
    alpha: float
    grain: float
    pilot_units: int = 0

    @property
    def size(self) -> int:
        return len(self.family.members)

    @property
    def each(self) -> float:
        """Sidak's level. Step-down max-T tests at it or higher, so that power at it is a lower bound."""
        return min(1.0 - float((1 - self.alpha) ** (1 / self.size)), self.alpha)

    def cautious(self) -> Question:
        """The same question with the upper 80 % limit of the pilot's variance; needs two pilot units.

        Source: chi-square limit of a variance; Browne 1995 (pilots of 20 to 30).
        """
        from scipy.special import gammaincinv

        df = self.pilot_units - 1
        return replace(self, parts=self.parts.times(df / float(2 * gammaincinv(df / 2, 1 - CERTAINTY))))

    def in_family(self, repeats: int, clusters: Clustering | None = None) -> ClosedForm:
        return ClosedForm(repeats, self.parts, self.each, clusters)

    def alone(self, repeats: int, clusters: Clustering | None = None) -> ClosedForm:
        return ClosedForm(repeats, self.parts, self.alpha, clusters)


def weights_of(family: HypothesisFamily) -> tuple[Floats, Bools]:
    """Weight of each cell in each contrast, shape (n_cells, n_contrasts); which cells are not intact."""
    cells = dict.fromkeys(
        (backbone, cell) for backbone, contrast in family.members for cell, _ in contrast.weights
    )
    place = {cell: number for number, cell in enumerate(cells)}
    weights = np.zeros((len(place), len(family.members)))
    for column, (backbone, contrast) in enumerate(family.members):
        for cell, weight in contrast.weights:
            weights[place[backbone, cell], column] = weight
    return weights, np.array([cell[1] != INTACT for _, cell in place])
