"""The effects of an ablation: estimates with intervals that hold together, and Shapley values."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from loadbearing.analysis.estimands.contrast import Contrast
from loadbearing.analysis.estimands.subset_effects import Outcome, SubsetCells, outcome_contrast
from loadbearing.analysis.families import with_pooled
from loadbearing.analysis.groups import tables_of
from loadbearing.analysis.inference.contrast_inference import gather
from loadbearing.analysis.plan import AnalysisPlan
from loadbearing.analysis.result import Estimate
from loadbearing.ledger.random_streams import Stream, generator
from loadbearing.outcomes.outcomes import WITHOUT, Outcomes

Asked = tuple[tuple[str, ...], Outcome, str]
"""The factors of an effect, the outcome, and the condition."""


@dataclass(frozen=True, slots=True)
class SubsetEffect:
    """One effect, of one factor or two, on one outcome.

    Args:
        row: its numbers; of its intervals, those of the family hold together.
        shapley: of a main effect, where the design tells it.
        unchanged: no task differs: the data of the cells are the same. That is no proof of no effect.
    """

    factors: tuple[str, ...]
    outcome: Outcome
    row: Estimate
    shapley: Estimate | None
    unchanged: bool


def subset_effects(outcomes: Outcomes, cells: SubsetCells, plan: AnalysisPlan) -> tuple[SubsetEffect, ...]:
    """Every effect that the design tells, on utility, and on drop and retention under each damage.

    All of them, over all backbones, are one family of tests; the means over several backbones are another.
    """
    kinds: list[tuple[Outcome, str]] = [("utility", WITHOUT[1])]
    kinds += [(kind, name) for kind in ("drop", "retention") for name in plan.damages]
    asked: list[Asked] = [(term, *kind) for kind in kinds for term in cells.terms]
    contrasts = [_named(one, cells.effect(one[0])) for one in asked]
    alone = [(one, cells.shapley(one[0][0])) for one in asked if len(one[0]) == 1]
    values = {one: _named(one, weights) for one, weights in alone if weights is not None}
    tables = tables_of(outcomes)

    def measured(name: str, stream: Stream, of: Sequence[Contrast]) -> list[Estimate]:
        measurements: list[Estimate] = []
        for family in with_pooled([(name, stream, of)], outcomes.backbones):
            rng = generator(plan.seed, family.stream)
            measurements += gather(family.name, family.members, tables, plan, rng)
        return measurements

    rows = measured("effects of gates", Stream.SUBSET_EFFECTS, contrasts)
    credit = measured("Shapley values", Stream.SHAPLEY, list(values.values()))
    of_factor = {
        (row.backbone, *one): row
        for row, one in zip(credit, list(values) * (len(credit) // max(1, len(values))), strict=True)
    }
    found = []
    for place, row in enumerate(rows):
        one = asked[place % len(asked)]
        column = contrasts[place % len(asked)].per_task(tables[row.backbone])
        known = column[~np.isnan(column)]
        same = len(known) > 0 and bool(np.abs(known).max() < 1e-9)
        found.append(SubsetEffect(one[0], one[1], row, of_factor.get((row.backbone, *one)), same))
    return tuple(found)


def _named(asked: Asked, weights: dict[str, float]) -> Contrast:
    factors, outcome, condition = asked
    return outcome_contrast(" × ".join(factors), weights, outcome, condition)
