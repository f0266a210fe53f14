"""A question of a run: one contrast in its family, with the variance parts used to plan it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from loadbearing.analysis.families import Family
from loadbearing.analysis.planning.power import ClosedForm
from loadbearing.analysis.planning.variance import Clustering, Parts
from loadbearing.outcomes.reserved_names import INTACT

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

    family: Family
    parts: Parts
    alpha: float
    grain: float
    pilot_units: int = 0

    @property
    def size(self) -> int:
        """Contrasts in the family."""
        return len(self.family.members)

    @property
    def each(self) -> float:
        """The level at which one contrast is tested while no other of its family has been rejected.

        Sidak's level. Step-down max-T uses the correlation of the contrasts, and tests those that remain
        after a rejection at a higher level. So power at this level is a lower bound.
        """
        return min(1.0 - float((1 - self.alpha) ** (1 / self.size)), self.alpha)

    def cautious(self) -> Question:
        """The same question with the upper 80 % limit of the pilot's variance; needs two pilot units.

        Source: chi-square limit of a variance; Browne 1995 (pilots of 20 to 30).
        """
        from scipy.stats import chi2

        df = self.pilot_units - 1
        return replace(self, parts=self.parts.times(df / float(chi2.ppf(1 - CERTAINTY, df))))

    def in_family(self, repeats: int, clusters: Clustering | None = None) -> ClosedForm:
        """Closed-form power of the contrast tested in its family."""
        return ClosedForm(repeats, self.parts, self.each, clusters)

    def alone(self, repeats: int, clusters: Clustering | None = None) -> ClosedForm:
        """Closed-form power of the contrast tested alone."""
        return ClosedForm(repeats, self.parts, self.alpha, clusters)


def weights_of(family: Family) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Weight of each cell in each contrast, shape (n_cells, n_contrasts); which cells are not intact."""
    cells = dict.fromkeys((backbone, cell) for backbone, one in family.members for cell, _ in one.weights)
    place = {cell: at for at, cell in enumerate(cells)}
    weights = np.zeros((len(place), len(family.members)))
    for column, (backbone, one) in enumerate(family.members):
        for cell, weight in one.weights:
            weights[place[backbone, cell], column] = weight
    return weights, np.array([cell[1] != INTACT for _, cell in place])
