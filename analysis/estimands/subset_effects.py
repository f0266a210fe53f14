"""Effects of factors with two levels, gates on or off among them: main, interactions, Shapley values.

All are linear contrasts of task x cell means over arms, so that the engine is the same as for a drop.
Source: STATISTICS 7; Box, Hunter & Hunter 2005, chapters 5 and 6.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from math import factorial, prod
from typing import Literal

import numpy as np

from memtrial.analysis.arrays import Floats
from memtrial.analysis.estimands.contrast import CARRIES, Contrast, drop_weights, sum_weights
from memtrial.outcomes.outcomes import Cell

Told = Literal["all", "two-way", "main"]
"""What a design tells apart: every effect; main effects and interactions of two; main effects alone."""
Outcome = Literal["utility", "drop", "retention"]


@dataclass(frozen=True, slots=True)
class SubsetCells:
    """Which arm plays which subset.

    Args:
        factors: their names, in order.
        on: by arm, the factors that are on.
    """

    factors: tuple[str, ...]
    on: Mapping[str, tuple[str, ...]]

    @property
    def told(self) -> Told:
        columns = [self.signs(chosen) for size in (0, 1, 2) for chosen in combinations(self.factors, size)]
        matrix = np.stack(columns)
        if not np.array_equal(matrix @ matrix.T, len(self.on) * np.eye(len(columns))):
            return "main"
        return "all" if len(set(self.on.values())) == 2 ** len(self.factors) else "two-way"

    @property
    def terms(self) -> tuple[tuple[str, ...], ...]:
        sizes = (1,) if self.told == "main" else (1, 2)
        return tuple(chosen for size in sizes for chosen in combinations(self.factors, size))

    def signs(self, term: tuple[str, ...]) -> Floats:
        """The product of a term's factors in each subset, -1 for off and +1 for on, shape (n_subsets,)."""
        rows = ((1.0 if name in on else -1.0 for name in term) for on in self.on.values())
        return np.array([prod(row, start=1.0) for row in rows])

    def effect(self, term: tuple[str, ...]) -> dict[str, float]:
        """Weights by arm: mean where a factor is on less mean where it is off; of two, by their product."""
        return dict(zip(self.on, 2 * self.signs(term) / len(self.on), strict=True))

    def shapley(self, factor: str) -> dict[str, float] | None:
        """Weights by arm of a factor's Shapley value; None where the design does not tell it.

        Of every subset: sum over S without the factor of |S|! (k - |S| - 1)! / k! x (v(S + factor) - v(S)).
        Where interactions of two are told and those of three are taken as none, it is the main effect.
        """
        design, k = self.told, len(self.factors)
        if design == "main":
            return None
        if design == "two-way":
            return self.effect((factor,))
        weights = {}
        for arm, on in self.on.items():
            others = len(on) - (factor in on)
            share = factorial(others) * factorial(k - others - 1) / factorial(k)
            weights[arm] = share if factor in on else -share
        return weights


def outcome_contrast(name: str, weights: Mapping[str, float], outcome: Outcome, condition: str) -> Contrast:
    """A weighted sum over arms, of weights that sum to zero, of an outcome; `name` is the effect's.

    What does not hang on the arm cancels: of a utility, the cell without memory.
    """

    def cells(arm: str, weight: float) -> Iterator[tuple[Cell, float]]:
        if outcome == "utility":
            yield (arm, "intact"), weight
        else:
            yield from drop_weights(arm, condition, weight)
        if outcome == "retention":
            yield (arm, "intact"), -CARRIES * weight

    weighted = sum_weights(*(cell for arm, weight in weights.items() for cell in cells(arm, weight)))
    return Contrast(
        "factorial", name, "intact", condition, weighted, CARRIES if outcome == "retention" else None
    )
