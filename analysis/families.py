"""Families: which contrasts are tested together, so that a single false word among them is bounded."""

from collections.abc import Sequence
from dataclasses import dataclass

from loadbearing.analysis.estimands import secondary
from loadbearing.analysis.estimands.contrast import Contrast, drop, drops_apart, utility
from loadbearing.analysis.estimands.secondary import CARRIES, PLACEBO
from loadbearing.analysis.estimands.subset_effects import effects
from loadbearing.analysis.plan import AnalysisPlan
from loadbearing.ledger.random_streams import Stream
from loadbearing.outcomes.reserved_names import ALL, INSTRUCTED


@dataclass(frozen=True, slots=True)
class Family:
    """Hypotheses that share one error rate.

    Args:
        members: backbone and contrast of each.
        stream: of the sign vectors, so that planning another family changes no other family's signs.
    """

    name: str
    members: tuple[tuple[str, Contrast], ...]
    stream: int


Kind = tuple[str, Stream, Sequence[Contrast]]
"""Name, stream and contrasts of a family, for any backbone."""
HYPOTHESES = "hypotheses"
"""The family of the contrasts under the primary conditions."""


def families_of(plan: AnalysisPlan, backbones: tuple[str, ...]) -> tuple[Family, ...]:
    """Every family of a run; with two or more backbones each comes once more, for their mean, at the end."""
    arms, damages, placebo = plan.arms, plan.damages, plan.placebo
    apart = [drops_apart(*pair, name) for pair in plan.pairs for name in damages]
    hypotheses = [one for one in apart if one.condition in (plan.primary or damages)]
    other = [one for one in apart if one not in hypotheses]
    harmful = [(arm, name) for arm in arms for name in damages if name != placebo]
    retained = [secondary.retention(*at, share) for at in harmful for share in (CARRIES, PLACEBO)]
    odd = [name for name in damages if secondary.oddity_of(name) in plan.conditions]
    content = [secondary.content_effect(arm, name) for arm in arms for name in odd]
    contents = [secondary.contents_apart(*pair, name) for pair in plan.pairs for name in odd]
    beyond = [secondary.beyond_placebo(*at, placebo) for at in harmful if placebo in damages]
    ladder = secondary.dose(arms)
    factorial = list(effects(plan.factors, dict(plan.levels), plan.primary or damages))
    kinds: tuple[Kind, ...] = (
        ("utilities", Stream.UTILITIES, [utility(arm) for arm in arms]),
        ("drops", Stream.DROPS, [drop(arm, name) for arm in arms for name in damages]),
        (HYPOTHESES, Stream.HYPOTHESES, hypotheses),
        ("other contrasts", Stream.OTHER_CONTRASTS, other),
        ("retention", Stream.RETENTION, retained),
        ("content effects", Stream.CONTENT_EFFECTS, content),
        ("content effects, of two arms", Stream.CONTENT_EFFECTS_APART, contents),
        ("beyond the placebo", Stream.BEYOND_PLACEBO, beyond),
        ("instructed", Stream.INSTRUCTED, _instructed(plan)),
        ("factorial effects", Stream.FACTORIAL_EFFECTS, factorial),
        ("dose", Stream.DOSE, [ladder] if ladder else []),
    )
    return with_pooled(
        [(name, stream, [one for one in listed if _planned(one, plan)]) for name, stream, listed in kinds],
        backbones,
    )


def follow_families(plan: AnalysisPlan, backbones: tuple[str, ...]) -> tuple[Family, ...]:
    """Whether agents do as they are told, of each arm and pair; nothing unless `counter` is played."""
    if secondary.COUNTER not in plan.conditions:
        return ()
    played = [arm for arm in plan.arms if not plan.cells or (arm, secondary.COUNTER) in plan.cells]
    pairs = [pair for pair in plan.pairs if set(pair) <= set(played)]
    return with_pooled(
        [
            ("follow", Stream.ADHERENCE, [secondary.follow(arm) for arm in played]),
            (
                "follow, of two arms",
                Stream.ADHERENCE_APART,
                [secondary.follows_apart(*pair) for pair in pairs],
            ),
        ],
        backbones,
    )


def with_pooled(kinds: Sequence[Kind], backbones: tuple[str, ...]) -> tuple[Family, ...]:
    """The families that have members; with two or more backbones each once more, for their mean."""
    listed = [kind for kind in kinds if kind[2] and backbones]
    each = [
        Family(name, tuple((backbone, one) for backbone in backbones for one in contrasts), stream)
        for name, stream, contrasts in listed
    ]
    if len(backbones) > 1:
        each += [
            Family(f"{name}, all backbones", tuple((ALL, one) for one in contrasts), stream.pooled)
            for name, stream, contrasts in listed
        ]
    return tuple(each)


def _planned(contrast: Contrast, plan: AnalysisPlan) -> bool:
    return not plan.cells or all(cell in plan.cells for cell, _ in contrast.weights)


def _instructed(plan: AnalysisPlan) -> list[Contrast]:
    if INSTRUCTED not in plan.conditions:
        return []
    damaged = [name for name in plan.damages if secondary.under_instruction(name) in plan.conditions]
    found = []
    for arm in plan.arms:
        found.append(secondary.instructed_utility(arm))
        found.extend(secondary.instructed_drop(arm, name) for name in damaged)
    return found
