"""A question of a run: one contrast in its family, with the variance parts that it is planned with."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from loadbearing.analysis.families import Family
from loadbearing.analysis.planning.effective_tasks import Clustering
from loadbearing.analysis.planning.power import ClosedForm
from loadbearing.analysis.planning.variance import Parts
from loadbearing.outcomes.reserved_names import INTACT

CERTAINTY = 0.8
"""That a pilot's variance lies below its upper limit."""


@dataclass(frozen=True, slots=True, eq=False)
class Question:
    """What a plan asks of one estimand.

    Args:
        family: the contrasts that are tested together, at `alpha`; the first one is asked about.
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

        Sidak's: step-down max-T uses what the contrasts have in common, and tests those that remain after a
        rejection at a higher level. So a power at this level is a lower bound.
        """
        return min(1.0 - float((1 - self.alpha) ** (1 / self.size)), self.alpha)

    def cautious(self) -> Question:
        """The same question by the upper 80 % limit of the pilot's variance.

        Source: chi-square limit of a variance from so many units; Browne 1995 (pilots of 20 to 30).
        """
        from scipy.stats import chi2

        df = self.pilot_units - 1
        return replace(self, parts=self.parts.times(df / float(chi2.ppf(1 - CERTAINTY, df))))

    def in_family(self, repeats: int, clusters: Clustering | None = None) -> ClosedForm:
        """The test in its family."""
        # in a family the steps of the others blur those of the largest
        return ClosedForm(repeats, self.parts, self.each, self.grain / repeats / self.size, clusters)

    def alone(self, repeats: int, clusters: Clustering | None = None) -> ClosedForm:
        """The test by itself."""
        return ClosedForm(repeats, self.parts, self.alpha, self.grain / repeats, clusters)


def weights_of(family: Family) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Weight of each cell in each contrast, shape (n_cells, n_contrasts); which cells are not intact."""
    cells = dict.fromkeys((backbone, cell) for backbone, one in family.members for cell, _ in one.weights)
    place = {cell: at for at, cell in enumerate(cells)}
    weights = np.zeros((len(place), len(family.members)))
    for column, (backbone, one) in enumerate(family.members):
        for cell, weight in one.weights:
            weights[place[backbone, cell], column] = weight
    return weights, np.array([cell[1] != INTACT for _, cell in place])
