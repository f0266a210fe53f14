"""A question of a run: one contrast among its family, with the variance parts that a plan reckons with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import isnan

import numpy as np
from numpy.typing import NDArray

from loadbearing.analysis.estimands.contrast import Contrast
from loadbearing.analysis.families import Family
from loadbearing.analysis.planning.effective_tasks import Clustering
from loadbearing.analysis.planning.family_cost import correlations, each_alpha
from loadbearing.analysis.planning.pilot_variance import Reckoned
from loadbearing.analysis.planning.power import ALONE, Among, detectable, n_tasks, power
from loadbearing.analysis.planning.variance import NORMAL, Shape
from loadbearing.outcomes.outcomes import Cell

INTACT = "intact"


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """The cells under a family.

    Args:
        named: backbone and cell.
        weights: of each cell in each contrast, shape (n_cells, n_contrasts).
        damaged: cells that are not intact, shape (n_cells,).
    """

    named: tuple[tuple[str, Cell], ...]
    weights: NDArray[np.float64]
    damaged: NDArray[np.bool_]


def cells_of(family: Family) -> Cells:
    """The cells that the contrasts of a family rest on, each once."""
    named = tuple(
        dict.fromkeys((backbone, cell) for backbone, one in family.members for cell, _ in one.weights)
    )
    place = {cell: at for at, cell in enumerate(named)}
    weights = np.zeros((len(named), len(family.members)))
    for column, (backbone, one) in enumerate(family.members):
        for cell, weight in one.weights:
            weights[place[backbone, cell], column] = weight
    return Cells(named, weights, np.array([cell[1] != INTACT for _, cell in named]))


@dataclass(frozen=True, slots=True, eq=False)
class Question:
    """What a plan asks of one estimand.

    Args:
        family: the contrasts that are tested together with it.
        reckoned: variance parts of one of them.
        each: the level at which one of them is tested in its family.
        alpha: of the family.
        wanted: power.
        grain: smallest step of one score: 1 for success or failure, 0 for scores without steps.
        shapes: of a task's contrast, by repeats; those that are not there are taken as normal.
    """

    family: Family
    cells: Cells
    reckoned: Reckoned
    each: float
    alpha: float
    wanted: float
    grain: float
    shapes: Mapping[int, Shape] = field(default_factory=dict)

    @property
    def size(self) -> int:
        """Contrasts in the family."""
        return len(self.family.members)

    @property
    def contrast(self) -> Contrast:
        """One of them; all of an estimand have as many cells."""
        return self.family.members[0][1]

    def power(self, effect: float, n: int, repeats: int, clusters: Clustering, alone: bool = False) -> float:
        """Power at so many tasks; in the family unless alone."""
        alpha, grain, family = self._level(repeats, alone)
        parts, shape = self.reckoned.parts, self._shape(repeats)
        return power(effect, n, repeats, parts, alpha, clusters, grain, shape, family)

    def tasks(
        self, effect: float, repeats: int, clusters: Clustering, alone: bool = False, cautious: bool = False
    ) -> int | None:
        """Tasks for the wanted power; cautious: by the upper limit of the pilot's variance."""
        alpha, grain, family = self._level(repeats, alone)
        parts, shape = self.reckoned.upper if cautious else self.reckoned.parts, self._shape(repeats)
        return n_tasks(effect, repeats, parts, self.wanted, alpha, clusters, grain, shape, family)

    def detectable(self, n: int, repeats: int, clusters: Clustering, alone: bool = False) -> float | None:
        """Smallest effect with the wanted power; None where none has it."""
        alpha, grain, family = self._level(repeats, alone)
        parts, shape = self.reckoned.parts, self._shape(repeats)
        found = detectable(n, repeats, parts, self.wanted, alpha, clusters, grain, shape, family)
        return None if isnan(found) else found

    def informative(self, n: int, repeats: int, clusters: Clustering) -> float:
        """Units (tasks, or clusters of them) that can be expected to differ from zero, of so many tasks."""
        none = 1 - self._shape(repeats).informative
        return float((1 - none ** np.array(clusters.scaled(n).sizes, dtype=np.float64)).sum())

    def _shape(self, repeats: int) -> Shape:
        return self.shapes.get(repeats, NORMAL)

    def _level(self, repeats: int, alone: bool) -> tuple[float, float, Among]:
        step = self.grain / repeats
        if alone:
            return self.alpha, step, ALONE
        return self.each, step / self.size, Among(self.size, self.alpha)


def ask(
    family: Family,
    reckoned: Reckoned,
    repeats: int,
    alpha: float,
    wanted: float,
    grain: float,
    clusters: Clustering | None = None,
) -> Question:
    """The question of one family.

    Args:
        repeats: of the spec; how strongly its contrasts go together depends on them a little.
        clusters: of the plan's tasks, on which it depends too; none: each task stands for itself.
    """
    cells = cells_of(family)
    together = correlations(cells.weights, cells.damaged, reckoned.parts, repeats, clusters)
    level = each_alpha(together, alpha)
    return Question(family, cells, reckoned, level, alpha, wanted, grain)


def means_of(question: Question, effect: float, base: float, control_drop: float) -> NDArray[np.float64]:
    """Mean score of each cell where the first contrast alone has the effect, shape (n_cells,).

    Args:
        base: mean score of the intact cells.
        control_drop: by how much all damaged cells of a contrast of drops are lower anyhow.
    """
    cells = question.cells
    apart = question.contrast.estimand == "contrast"
    means = np.where(cells.damaged, base - control_drop * apart, base)
    # the treatment's damaged cell is the one that the first contrast subtracts
    lowered: NDArray[np.float64] = means - effect * (cells.damaged & (cells.weights[:, 0] < 0))
    return lowered
