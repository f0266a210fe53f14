"""Families: which contrasts are tested together, so that a single false word among them is bounded."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from loadbearing.analysis.estimands.contrast import Contrast, drop, drops_apart, utility
from loadbearing.analysis.estimands.instructed import instructed_drop, instructed_utility, under_instruction
from loadbearing.analysis.plan import AnalysisPlan
from loadbearing.analysis.secondary.adherence import COUNTER, follow, follows_apart
from loadbearing.analysis.secondary.content_effect import beyond_placebo, content_effect, on_irrelevant
from loadbearing.analysis.secondary.dose import dose
from loadbearing.analysis.secondary.factorial import effects, full_crossing
from loadbearing.analysis.secondary.retention import CARRIES, PLACEBO, retention
from loadbearing.ledger.random_streams import Stream
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
    stream: Stream


Kind = tuple[str, Stream, tuple[Contrast, ...]]
"""Name, stream and contrasts of a family, for any backbone."""
HYPOTHESES = "hypotheses"
"""The family of the contrasts under the primary conditions."""


def families_of(plan: AnalysisPlan, backbones: tuple[str, ...]) -> tuple[Family, ...]:
    """Every family of a run, those over all backbones together last.

    Args:
        plan: arms, conditions, pairs and primary conditions.
        backbones: as they are named; with two or more, each family comes once more for their mean.
    """
    kinds: tuple[Kind, ...] = (
        ("utilities", Stream.UTILITIES, tuple(utility(arm) for arm in plan.arms)),
        ("drops", Stream.DROPS, _crossed(drop, plan.arms, plan.damages)),
        (HYPOTHESES, Stream.HYPOTHESES, _apart(plan, primary=True)),
        ("other contrasts", Stream.OTHER_CONTRASTS, _apart(plan, primary=False)),
        ("retention", Stream.RETENTION, _retention(plan)),
        ("content effects", Stream.CONTENT_EFFECTS, _crossed(content_effect, plan.arms, _startled(plan))),
        ("beyond the placebo", Stream.BEYOND_PLACEBO, _beyond(plan)),
        ("instructed", Stream.INSTRUCTED, _instructed(plan)),
        ("factorial effects", Stream.FACTORIAL_EFFECTS, _factorial(plan)),
        ("dose", Stream.DOSE, tuple(found for found in (dose(plan.arms),) if found is not None)),
    )
    return _with_pooled(
        (
            (name, stream, tuple(one for one in listed if _planned(one, plan)))
            for name, stream, listed in kinds
        ),
        backbones,
    )


def follow_families(plan: AnalysisPlan, backbones: tuple[str, ...]) -> tuple[Family, ...]:
    """Whether agents do as they are told: of each arm and of each pair, those over all backbones last.

    Nothing is planned unless `counter` is among the conditions.
    """
    if COUNTER not in plan.conditions:
        return ()
    played = [arm for arm in plan.arms if not plan.cells or (arm, COUNTER) in plan.cells]
    return _with_pooled(
        (
            ("follow", Stream.ADHERENCE, tuple(follow(arm) for arm in played)),
            (
                "follow, of two arms",
                Stream.ADHERENCE_APART,
                tuple(follows_apart(*pair) for pair in plan.pairs if set(pair) <= set(played)),
            ),
        ),
        backbones,
    )


def _with_pooled(kinds: Iterable[Kind], backbones: tuple[str, ...]) -> tuple[Family, ...]:
    """The families that have members; with two or more backbones each once more, for their mean."""
    listed = [kind for kind in kinds if kind[2]]
    each = [
        Family(name, tuple((backbone, one) for backbone in backbones for one in contrasts), stream)
        for name, stream, contrasts in listed
    ]
    pooled = [
        Family(f"{name}, all backbones", tuple((ALL, one) for one in contrasts), stream.pooled)
        for name, stream, contrasts in listed
    ]
    return (*each, *(pooled if len(backbones) > 1 else ()))


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
