"""Families: which contrasts are tested together, so that a single false word among them is bounded."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import product

from loadbearing.analysis.estimands.contrast import Contrast, drop, drops_apart, utility
from loadbearing.analysis.estimands.instructed import instructed_drop, instructed_utility, under_instruction
from loadbearing.analysis.plan import AnalysisPlan
from loadbearing.analysis.secondary.adherence import COUNTER, follow, follows_apart
from loadbearing.analysis.secondary.content_effect import beyond_placebo, content_effect, on_irrelevant
from loadbearing.analysis.secondary.dose import dose
from loadbearing.analysis.secondary.factorial import effects, full_crossing
from loadbearing.analysis.secondary.retention import CARRIES, PLACEBO, retention
from loadbearing.outcomes.reserved_names import ALL, INSTRUCTED


@dataclass(frozen=True, slots=True)
class Family:
    """Hypotheses that share one error rate.

    Args:
        name: in results and reports.
        members: backbone and contrast of each.
        stream: of the sign vectors, so that planning another family changes no other family's signs.
    """

    name: str
    members: tuple[tuple[str, Contrast], ...]
    stream: int


HYPOTHESES = "hypotheses"
"""The family of the contrasts under the primary conditions."""


def families_of(plan: AnalysisPlan, backbones: tuple[str, ...]) -> tuple[Family, ...]:
    """Every family of a run, those over all backbones together last.

    Args:
        plan: arms, conditions, pairs and primary conditions.
        backbones: as they are named; with two or more, each family comes once more for their mean.
    """
    kinds: tuple[tuple[str, tuple[Contrast, ...]], ...] = (
        ("utilities", tuple(utility(arm) for arm in plan.arms)),
        ("drops", _crossed(drop, plan.arms, plan.damages)),
        (HYPOTHESES, _apart(plan, primary=True)),
        ("other contrasts", _apart(plan, primary=False)),
        ("retention", _retention(plan)),
        ("content effects", _crossed(content_effect, plan.arms, _startled(plan))),
        ("beyond the placebo", _beyond(plan)),
        ("instructed", _instructed(plan)),
        ("factorial effects", _factorial(plan)),
        ("dose", tuple(found for found in (dose(plan.arms),) if found is not None)),
    )
    kinds = tuple((name, tuple(one for one in listed if _planned(one, plan))) for name, listed in kinds)
    named = [
        Family(name, tuple((backbone, one) for backbone in backbones for one in contrasts), stream)
        for stream, (name, contrasts) in enumerate(kinds)
    ]
    together = [
        Family(f"{name}, all backbones", tuple((ALL, one) for one in contrasts), len(kinds) + stream)
        for stream, (name, contrasts) in enumerate(kinds)
    ]
    return tuple(family for family in (*named, *(together if len(backbones) > 1 else ())) if family.members)


_FOLLOW_STREAM = 50


def follow_families(plan: AnalysisPlan, backbones: tuple[str, ...]) -> tuple[Family, ...]:
    """Whether agents do as they are told: of each arm and of each pair, those over all backbones last.

    Nothing is planned unless `counter` is among the conditions.
    """
    if COUNTER not in plan.conditions:
        return ()
    played = [arm for arm in plan.arms if not plan.cells or (arm, COUNTER) in plan.cells]
    kinds = (
        ("follow", [follow(arm) for arm in played]),
        ("follow, of two arms", [follows_apart(*pair) for pair in plan.pairs if set(pair) <= set(played)]),
    )
    groups = ((backbones, ""), *((((ALL,), ", all backbones"),) if len(backbones) > 1 else ()))
    return tuple(
        Family(name + of, tuple((backbone, one) for backbone in group for one in listed), stream)
        for stream, ((group, of), (name, listed)) in enumerate(product(groups, kinds), _FOLLOW_STREAM)
    )


def _planned(contrast: Contrast, plan: AnalysisPlan) -> bool:
    """All of its cells are to be played."""
    return not plan.cells or all(cell in plan.cells for cell, _ in contrast.weights)


def _crossed(
    make: Callable[[str, str], Contrast], arms: Iterable[str], conditions: Iterable[str]
) -> tuple[Contrast, ...]:
    listed = tuple(conditions)
    return tuple(make(arm, condition) for arm in arms for condition in listed)


def _apart(plan: AnalysisPlan, primary: bool) -> tuple[Contrast, ...]:
    hypotheses = plan.primary or plan.damages
    return tuple(
        drops_apart(treatment, control, condition)
        for treatment, control in plan.pairs
        for condition in plan.damages
        if (condition in hypotheses) == primary
    )


def _retention(plan: AnalysisPlan) -> tuple[Contrast, ...]:
    return tuple(
        retention(arm, condition, share)
        for arm in plan.arms
        for condition in plan.damages
        if condition != plan.placebo
        for share in (CARRIES, PLACEBO)
    )


def _startled(plan: AnalysisPlan) -> tuple[str, ...]:
    """Kinds of damage that are done to an irrelevant slot as well."""
    return tuple(name for name in plan.damages if on_irrelevant(name) in plan.conditions)


def _beyond(plan: AnalysisPlan) -> tuple[Contrast, ...]:
    if plan.placebo not in plan.damages:
        return ()
    return tuple(
        beyond_placebo(arm, condition, plan.placebo)
        for arm in plan.arms
        for condition in plan.damages
        if condition != plan.placebo
    )


def _factorial(plan: AnalysisPlan) -> tuple[Contrast, ...]:
    levels = dict(plan.levels)
    if not levels or not full_crossing(levels):
        return ()
    return tuple(effects(plan.factors, levels, plan.primary or plan.damages))


def _instructed(plan: AnalysisPlan) -> tuple[Contrast, ...]:
    if INSTRUCTED not in plan.conditions:
        return ()
    damaged = tuple(name for name in plan.damages if under_instruction(name) in plan.conditions)
    return tuple(
        contrast
        for arm in plan.arms
        for contrast in (instructed_utility(arm), *(instructed_drop(arm, name) for name in damaged))
    )
