"""Main effects of the factors of the arms, and interactions of two, wherever arms cross them.

A factor is compared within strata: arms alike in every other factor. Each stratum holds both levels, so
that the cells are balanced and no other factor takes part. All are linear contrasts of task x cell means. In
a full crossing they are the effects of the linear model in effect coding (Box, Hunter & Hunter 2005, 5).
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise, product

from memtrial.analysis.estimands.contrast import Contrast
from memtrial.analysis.estimands.subset_effects import outcome_contrast

Factors = Sequence[tuple[str, tuple[str, ...]]]
"""Each with its levels, the one that others are held against first."""
Row = tuple[str, ...]
"""A level of each factor, in their order; of a stratum, of each factor that is not compared."""
Levels = Mapping[str, Row]
"""By arm."""
Step = tuple[int, str, str]
"""A factor, by its number, from one level to another."""
Sides = tuple[dict[str, None], dict[str, None]]
"""The arms of a stratum before a step and after it."""
FEWEST_STRATA = 2
"""With one stratum nothing is crossed: the effect is the difference of two arms."""
SCORE = "score"
"""The outcome that is the intact score; any other is the drop under the condition of that name."""
JOINED = " + "
"""Stands between factors that change only together, and between their levels."""


@dataclass(frozen=True, slots=True)
class FactorEffect:
    """A main effect: the mean at the second of two levels less the mean at the first, over the strata.

    Args:
        factor: its name; of factors that change only together, their names.
        weights: by arm; they add up to zero.
    """

    factor: str
    levels: tuple[str, str]
    weights: Mapping[str, float]

    @property
    def name(self) -> str:
        first, second = self.levels
        return f"{self.factor}: {second} − {first}"

    def contrast(self, outcome: str) -> Contrast:
        """The effect on the intact score, or on the drop under a condition."""
        return effect_on(outcome, self.name, self.weights)


@dataclass(frozen=True, slots=True)
class UncrossedFactor:
    """A factor whose two levels are not both there in every stratum.

    Args:
        strata: how many hold both; `lacking`: the arms, by their levels, that the others lack.
    """

    factor: str
    levels: tuple[str, str]
    strata: int
    lacking: tuple[Row, ...]


def effect_on(outcome: str, name: str, weights: Mapping[str, float]) -> Contrast:
    """A weighted sum over arms of the intact score, or of the drop under the condition of this name."""
    if outcome == SCORE:
        return outcome_contrast(name, weights, "utility", "intact")
    return outcome_contrast(name, weights, "drop", outcome)


def main_effects(factors: Factors, levels: Levels) -> tuple[FactorEffect, ...]:
    """Every main effect that two strata or more tell, of each two levels of a factor.

    Factors that change together count as one where no two arms differ in a part of them alone.
    """
    effects, changes = [], _changes(factors, levels)
    for steps, strata in changes.items():
        parts = (part for size in range(1, len(steps)) for part in combinations(steps, size))
        if len(strata) < FEWEST_STRATA or any(_forwards(factors, part) in changes for part in parts):
            continue
        named = [(factors[number][0], first, second) for number, first, second in steps]
        name, first, second = (JOINED.join(words) for words in zip(*named, strict=True))
        effects.append(FactorEffect(name, (first, second), _weigh(strata.values())))
    return tuple(effects)


def interactions(factors: Factors, levels: Levels) -> Iterator[tuple[str, Mapping[str, float]]]:
    """Names and weights of the interactions of two factors with main effects, where all four arms are there:
    half the difference of one factor's effect between the levels of the other."""
    changes = _changes(factors, levels)
    crossed = [steps for steps, strata in changes.items() if len(strata) >= FEWEST_STRATA]
    for first, second in combinations([steps[0] for steps in crossed if len(steps) == 1], 2):
        if first[0] == second[0]:
            continue
        corners = list(product(first[1:], second[1:]))
        squares: dict[Row, dict[tuple[str, str], list[str]]] = {}
        for arm, row in levels.items():
            corner = row[first[0]], row[second[0]]
            if corner in corners:
                squares.setdefault(_rest(row, (first[0], second[0])), {}).setdefault(corner, []).append(arm)
        whole = [square for square in squares.values() if len(square) == len(corners)]
        weights = {
            arm: sign / (2 * len(whole) * len(square[corner]))
            for square in whole
            for sign, corner in zip((1, -1, -1, 1), corners, strict=True)
            for arm in square[corner]
        }
        if weights:
            yield " × ".join(_name_step(factors, step) for step in (first, second)), weights


def find_uncrossed(factors: Factors, levels: Levels) -> Iterator[UncrossedFactor]:
    """The factors for which arms are missing: each two levels that some stratum holds, else the first two."""
    changes = _changes(factors, levels)
    for number, (name, own) in enumerate(factors):
        single = [steps[0] for steps in changes if [step[0] for step in steps] == [number]]
        pairs = [(first, second) for _, first, second in single]
        for pair in pairs or list(pairwise(own[:2])):
            there: dict[Row, dict[str, None]] = {}
            for row in levels.values():
                if row[number] in pair:
                    there.setdefault(_rest(row, (number,)), {})[row[number]] = None
            lacking = [
                (*rest[:number], level, *rest[number:])
                for rest, seen in there.items()
                for level in pair
                if level not in seen
            ]
            if lacking:
                whole = sum(len(seen) == len(pair) for seen in there.values())
                yield UncrossedFactor(name, pair, whole, tuple(lacking))


def _changes(factors: Factors, levels: Levels) -> dict[tuple[Step, ...], dict[Row, Sides]]:
    """By what two arms differ in, and by stratum, the arms on both sides; single factors first."""
    changes: dict[tuple[Step, ...], dict[Row, Sides]] = {}
    for pair in combinations(levels, 2):
        rows = [levels[arm] for arm in pair]
        apart = [number for number in range(len(factors)) if rows[0][number] != rows[1][number]]
        if not apart:
            continue
        there = tuple((number, rows[0][number], rows[1][number]) for number in apart)
        steps = _forwards(factors, there)
        sides = changes.setdefault(steps, {}).setdefault(_rest(rows[0], apart), ({}, {}))
        for side, arm in zip(sides, pair if steps == there else pair[::-1], strict=True):
            side[arm] = None
    return {steps: changes[steps] for steps in sorted(changes, key=lambda steps: _place(factors, steps))}


def _forwards(factors: Factors, steps: tuple[Step, ...]) -> tuple[Step, ...]:
    """The steps, or all of them reversed, so that the first goes from an earlier level to a later one."""
    number, first, second = steps[0]
    order = factors[number][1]
    if order.index(first) < order.index(second):
        return steps
    return tuple((number, second, first) for number, first, second in steps)


def _place(factors: Factors, steps: tuple[Step, ...]) -> tuple[int, list[tuple[int, int, int]]]:
    order = [(number, *map(factors[number][1].index, between)) for number, *between in steps]
    return len(steps), [(number, first, second) for number, first, second in order]


def _rest(row: Row, apart: Sequence[int]) -> Row:
    return tuple(level for number, level in enumerate(row) if number not in apart)


def _weigh(strata: Iterable[Sides]) -> dict[str, float]:
    """Every stratum alike, and inside it every arm of a side."""
    all_strata = list(strata)
    return {
        arm: sign / (len(all_strata) * len(side))
        for sides in all_strata
        for sign, side in zip((-1.0, 1.0), sides, strict=True)
        for arm in side
    }


def _name_step(factors: Factors, step: Step) -> str:
    """The factor, and which of its levels are meant where it has more than two."""
    number, first, second = step
    name, own = factors[number]
    return name if len(own) == 2 else f"{name} ({second} − {first})"
