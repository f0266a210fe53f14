"""Families: which contrasts are tested together, which of them decide, and in which order."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from memtrial.analysis.analysis_plan import AnalysisPlan
from memtrial.analysis.arrays import Floats
from memtrial.analysis.estimands import contrast as estimands
from memtrial.analysis.estimands.contrast import (
    CARRIES,
    PLACEBO,
    Contrast,
    Estimand,
    drop,
    drops_apart,
    utility,
)
from memtrial.analysis.estimands.factor_effects import SCORE, effect_on, interactions, main_effects
from memtrial.analysis.result import Estimate
from memtrial.ledger.random_streams import Stream
from memtrial.outcomes.reserved_names import ALL, INSTRUCTED


@dataclass(frozen=True, slots=True)
class HypothesisFamily:
    """Hypotheses that share one error rate.

    Args:
        members: backbone and contrast of each.
        stream: of the sign vectors, so that planning another family changes no other family's signs.
    """

    name: str
    members: tuple[tuple[str, Contrast], ...]
    stream: int

    @property
    def estimand(self) -> Estimand | None:
        """What all members are an estimate of; None where they differ."""
        estimands = {contrast.estimand for _, contrast in self.members}
        return estimands.pop() if len(estimands) == 1 else None


Kind = tuple[str, Stream, Sequence[Contrast]]
"""Name, stream and contrasts of a family, for any backbone."""
HYPOTHESES = "hypotheses"
"""The family of the contrasts under the primary conditions."""
CHANNEL = "activation channel"
"""The family of the same contrasts between arms that show one memory by two injections (fork A)."""

NEGATIVE_CONTROL = "negative control"
"""The family of the utilities of withheld memories, which cost the other utilities no power."""


def families_of(plan: AnalysisPlan, backbones: tuple[str, ...]) -> tuple[HypothesisFamily, ...]:
    """Every family of a run; with two or more backbones each comes once more, for their mean, at the end."""
    arms, damages, placebo = plan.arms, plan.damages, plan.placebo
    apart = [drops_apart(*pair, name) for pair in plan.pairs for name in damages]
    channel = [drops_apart(*pair, name) for pair in plan.channel_pairs for name in damages]
    uneven = [drops_apart(*place) for place in plan.uneven]
    primary = [contrast for contrast in apart if contrast.condition in (plan.primary or damages)]
    hypotheses = [contrast for contrast in primary if contrast not in uneven]
    by_channel = [contrast for contrast in channel if contrast.condition in (plan.primary or damages)]
    other = [contrast for contrast in (*apart, *channel) if contrast not in (*hypotheses, *by_channel)]
    harmful = [(arm, name) for arm in arms for name in damages if name != placebo]
    retained = [estimands.retention(*place, share) for place in harmful for share in (CARRIES, PLACEBO)]
    odd = [name for name in damages if estimands.oddity_of(name) in plan.conditions]
    content = [estimands.content_effect(arm, name) for arm in arms for name in odd]
    contents = [estimands.contents_apart(*pair, name) for pair in plan.pairs for name in odd]
    contents_by_channel = [
        estimands.contents_apart(*pair, name) for pair in plan.channel_pairs for name in odd
    ]
    beyond = [estimands.beyond_placebo(*place, placebo) for place in harmful if placebo in damages]
    ladder = estimands.dose(arms)
    levels, outcomes = dict(plan.levels), (SCORE, *damages)
    factorial = [effect.contrast(name) for effect in main_effects(plan.factors, levels) for name in outcomes]
    crossed = [
        effect_on(name, *crossing) for crossing in interactions(plan.factors, levels) for name in outcomes
    ]
    kinds: tuple[Kind, ...] = (
        ("utilities", Stream.UTILITIES, [utility(arm) for arm in arms if arm not in plan.withheld]),
        (NEGATIVE_CONTROL, Stream.NEGATIVE_CONTROL, [utility(arm) for arm in plan.withheld]),
        ("drops", Stream.DROPS, [drop(arm, name) for arm in arms for name in damages]),
        (HYPOTHESES, Stream.HYPOTHESES, hypotheses),
        (CHANNEL, Stream.CHANNEL, by_channel),
        ("other contrasts", Stream.OTHER_CONTRASTS, other),
        ("retention", Stream.RETENTION, retained),
        ("content effects", Stream.CONTENT_EFFECTS, content),
        ("content effects, of two arms", Stream.CONTENT_EFFECTS_APART, contents),
        (f"content effects, {CHANNEL}", Stream.CONTENT_EFFECTS_CHANNEL, contents_by_channel),
        ("beyond the placebo", Stream.BEYOND_PLACEBO, beyond),
        ("mention", Stream.MENTION, [estimands.mention(arm) for arm in arms if _has_both(plan)]),
        ("instructed", Stream.INSTRUCTED, _instructed_contrasts(plan)),
        ("factorial effects", Stream.FACTORIAL_EFFECTS, factorial),
        ("interactions of factors", Stream.INTERACTIONS, crossed),
        ("dose", Stream.DOSE, [ladder] if ladder else []),
    )
    return with_pooled(
        [
            (name, stream, [contrast for contrast in listed if _is_planned(contrast, plan)])
            for name, stream, listed in kinds
        ],
        backbones,
    )


def _has_both(plan: AnalysisPlan) -> bool:
    return {estimands.COUNTER, estimands.INVERTED} <= set(plan.conditions)


def follow_families(plan: AnalysisPlan, backbones: tuple[str, ...]) -> tuple[HypothesisFamily, ...]:
    """Whether agents do what is advised, and what is named; nothing unless `counter` is played."""
    played = _list_played(plan, estimands.COUNTER)
    turned = [arm for arm in _list_played(plan, estimands.INVERTED) if arm in played]
    apart = [estimands.follows_apart(*pair) for pair in plan.pairs if set(pair) <= set(played)]
    kinds: tuple[Kind, ...] = (
        ("follow", Stream.ADHERENCE, [estimands.follow(arm) for arm in played]),
        ("follow, of two arms", Stream.ADHERENCE_APART, apart),
        ("named", Stream.NAMED, [estimands.named(arm) for arm in turned]),
    )
    return with_pooled(kinds, backbones)


def follow_other_families(plan: AnalysisPlan, backbones: tuple[str, ...]) -> tuple[HypothesisFamily, ...]:
    """Whether agents do what `counter` advises, of each arm; nothing unless it is played."""
    other = [estimands.follow_other(arm) for arm in _list_played(plan, estimands.COUNTER)]
    return with_pooled([("follow other", Stream.ADHERENCE_OTHER, other)], backbones)


def polarity_families(plan: AnalysisPlan, backbones: tuple[str, ...]) -> tuple[HypothesisFamily, ...]:
    """Whether agents tell what to do from what not to do, of each arm; nothing where none is inverted."""
    inverted = _list_played(plan, estimands.INVERTED)
    beside = [arm for arm in _list_played(plan, estimands.oddity_of(estimands.INVERTED)) if arm in inverted]
    kinds: tuple[Kind, ...] = (
        ("polarity", Stream.POLARITY, [estimands.polarity(arm) for arm in inverted]),
        (
            "polarity, beside the placebo",
            Stream.POLARITY_BESIDE,
            [estimands.polarity_beside(arm) for arm in beside],
        ),
    )
    return with_pooled(kinds, backbones)


def _list_played(plan: AnalysisPlan, condition: str) -> list[str]:
    """The arms under this condition."""
    if condition not in plan.conditions:
        return []
    return [arm for arm in plan.arms if not plan.cells or (arm, condition) in plan.cells]


def with_pooled(kinds: Sequence[Kind], backbones: tuple[str, ...]) -> tuple[HypothesisFamily, ...]:
    """The families that have members; with two or more backbones each once more, for their mean."""
    listed = [kind for kind in kinds if kind[2] and backbones]
    each = [
        HypothesisFamily(
            name, tuple((backbone, contrast) for backbone in backbones for contrast in contrasts), stream
        )
        for name, stream, contrasts in listed
    ]
    if len(backbones) > 1:
        each += [
            HypothesisFamily(
                f"{name}, all backbones", tuple((ALL, contrast) for contrast in contrasts), stream.pooled
            )
            for name, stream, contrasts in listed
        ]
    return tuple(each)


def _is_planned(contrast: Contrast, plan: AnalysisPlan) -> bool:
    return not plan.cells or all(cell in plan.cells for cell, _ in contrast.weights)


def _instructed_contrasts(plan: AnalysisPlan) -> list[Contrast]:
    if INSTRUCTED not in plan.conditions:
        return []
    damaged = [name for name in plan.damages if estimands.under_instruction(name) in plan.conditions]
    contrasts = []
    for arm in plan.arms:
        contrasts.append(estimands.instructed_utility(arm))
        contrasts.extend(estimands.instructed_drop(arm, name) for name in damaged)
    return contrasts


Role = Literal["primary", "secondary"]

SERIAL = (HYPOTHESES, CHANNEL, "other contrasts", "factorial effects")
"""Families that are tested one after the other (STATISTICS 3). All others are estimates with intervals and
adjusted p-values: secondary whatever they show."""


@dataclass(frozen=True, slots=True)
class FamilyRow:
    """A family of tests as the results list it; the declared hypotheses are primary, all else is secondary.

    Args:
        order: its place in the serial order, counted from 1; None outside it.
        confirmatory: by the serial order alone, if the run is; whether the run is, its lock says.
        members: `estimand: arm - versus, condition (backbone)` of each hypothesis.
        tested, rejected: members with a p-value, and with an adjusted one of at most alpha.
    """

    name: str
    role: Role
    order: int | None
    confirmatory: bool
    members: tuple[str, ...]
    tested: int
    rejected: int
    adjusted_by: str = "Student's t, step-down max-T over sign flips (mid-p)"


def families(estimates: Sequence[Estimate], alpha: float) -> tuple[FamilyRow, ...]:
    """The families of an analysis, those of the serial order first, then in the order of the rows.

    Serial gatekeeping: a family is confirmatory only if every hypothesis of those before it was rejected
    (one that could not be tested was not). Each is tested at the full alpha, and the chance of any false
    rejection among the confirmatory families is at most alpha. Means over all backbones are secondary.
    Call it last, on the rows that are reported.

    Source: Dmitrienko & Tamhane 2007, serial gatekeeping.
    """
    rows: dict[str, list[Estimate]] = {}
    for row in estimates:
        rows.setdefault(row.family, []).append(row)
    serial = [name for name in SERIAL if name in rows]
    listed, all_rejected = [], True
    for name in (*serial, *(name for name in rows if name not in serial)):
        known = [row.p_adjusted for row in rows[name] if row.p_adjusted is not None]
        rejected = sum(p <= alpha for p in known)
        listed.append(
            FamilyRow(
                name=name,
                role="primary" if name == HYPOTHESES else "secondary",
                order=serial.index(name) + 1 if name in serial else None,
                confirmatory=name in serial and all_rejected,
                members=tuple(map(_name_row, rows[name])),
                tested=len(known),
                rejected=rejected,
            )
        )
        all_rejected = all_rejected and rejected == len(rows[name])
    return tuple(listed)


def _name_row(row: Estimate) -> str:
    share = "" if row.share is None else f" at {row.share:g}"
    return f"{row.estimand}{share}: {row.arm} - {row.versus}, {row.condition} ({row.backbone})"


_FIRST_STEP = 0.1
"""Share of alpha that is spent on showing which effects lie far outside the margin."""
_LEAST = 1e-300  # below it the quantile turns its sign
_FARTHEST = 1e3  # standard errors; a p-value of 1 is infinitely far


def stepped_down(p: Floats, df: Floats, alpha: float) -> Floats:
    """P-values of equivalence, adjusted for their family: at most alpha for any false absence in it.

    An effect far outside the margin can hardly be called absent, and counting it in full would cost the
    others their power (of three absences beside six effects of .35 Holm's step-down shows 49 %, this 74 %).
    First, bounds that hold at once say how far outside each effect lies at least; then Holm's step-down adds
    up, at each step, the chances of a statistic as large in all tests that are left, each at its distance.
    Both hold however the tests depend on each other.

    Args:
        p: each test's own p-value, the larger of two one-sided ones, shape (n_tests,).
        df: degrees of freedom of its t statistic, shape (n_tests,).

    Source: Romano, Shaikh & Wolf 2014 (two steps); Holm 1979; p-values: Schuirmann 1987.
    """
    from scipy.special import stdtr, stdtrit  # what `scipy.stats.t` calls, at a tenth of its time

    if len(p) < 2:
        return p
    first = _FIRST_STEP * alpha
    # standard errors within the margin
    inside = np.clip(-stdtrit(df, np.maximum(p, _LEAST)), -_FARTHEST, _FARTHEST)
    outside = np.maximum(0.0, stdtrit(df, first / len(p)) - inside)
    order = np.argsort(-inside, kind="stable")
    chances = stdtr(df[order], -(inside[order, None] + outside[order]))  # one row a step
    steps = first + np.triu(chances).sum(axis=1)
    adjusted = np.empty(len(p))
    adjusted[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    return adjusted


def adjusted_for_family(rows: Sequence[Estimate], alpha: float) -> tuple[Estimate, ...]:
    """The rows of one family with `p_equivalence_adjusted`; a row without a test is none of the family's."""
    p = np.array([row.p_equivalence for row in rows if row.p_equivalence is not None])
    df = np.array([row.freedom for row in rows if row.p_equivalence is not None], dtype=np.float64)
    adjusted = iter(stepped_down(p, df, alpha).tolist())
    return tuple(
        row if row.p_equivalence is None else replace(row, p_equivalence_adjusted=next(adjusted))
        for row in rows
    )
