"""From evidence to words: every contrast is judged in the light of the others it depends on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from loadbearing.analysis.estimands.contrast import Contrast, drop, same_text, utility
from loadbearing.analysis.estimands.instructed import instructed_utility
from loadbearing.analysis.inference.contrast_inference import Evidence, Inference
from loadbearing.analysis.plan import AnalysisPlan
from loadbearing.analysis.secondary.content_effect import (
    beyond_placebo,
    content_effect,
    forbids,
    judge_beyond,
)
from loadbearing.analysis.secondary.dose import judge_dose
from loadbearing.analysis.secondary.factorial import judge_factorial
from loadbearing.analysis.secondary.retention import CARRIES, judge_retention, retention
from loadbearing.analysis.verdicts.cancellation_guard import uneven
from loadbearing.analysis.verdicts.rules import Guards, Headroom, judge_contrast, judge_drop, judge_utility
from loadbearing.analysis.wording import Verdict
from loadbearing.outcomes.outcomes import WITHOUT, CellTable, Outcomes
from loadbearing.outcomes.reserved_names import ALL, INSTRUCTED

_PLACEBO_MOVES = (
    "a rewording keeps its meaning: its words alone, or their oddity, move the agent here, and that speaks "
    "against every load-bearing beside it"
)

Place = tuple[str, str, str]
"""(backbone, arm, condition)."""


@dataclass(frozen=True, slots=True)
class Book:
    """All that was measured, and the plan: what a verdict may look at.

    Args:
        outcomes: all trials.
        tables: cells by backbone, the pooled ones under `all`.
        plan: the rules.
        evidence: by backbone and contrast.
        diverging: by place, why the agent's actions speak against `inert` there.
    """

    outcomes: Outcomes
    tables: Mapping[str, CellTable]
    plan: AnalysisPlan
    evidence: Mapping[tuple[str, Contrast], Evidence]
    diverging: Mapping[Place, str]
    _uneven: dict[tuple[str, Contrast], str] = field(default_factory=dict)

    def uneven(self, backbone: str, contrast: Contrast) -> str:
        """Why effects may cancel between tasks; permuted once, for the backbone and for the mean over all."""
        if (backbone, contrast) not in self._uneven:
            self._uneven[backbone, contrast] = uneven(contrast, self.tables[backbone], self.plan)
        return self._uneven[backbone, contrast]

    def seen(self, backbone: str, contrast: Contrast) -> Inference | None:
        """What was inferred on one contrast; None where it was not planned or has fewer than two units."""
        found = self.evidence.get((backbone, contrast))
        return found.inference if found is not None else None

    def utility_word(self, backbone: str, arm: str) -> str:
        """The verdict on one arm's utility."""
        found = self.evidence.get((backbone, utility(arm)))
        return judge_utility(found, self.plan).word if found is not None else "inconclusive"


def judge(book: Book, backbone: str, contrast: Contrast) -> Verdict:
    """The verdict on one contrast of one backbone."""
    evidence, plan, arm = book.evidence[backbone, contrast], book.plan, contrast.arm
    word = book.utility_word(backbone, arm)
    match contrast.estimand:
        case "utility":
            return judge_utility(evidence, plan)
        case "drop":
            room = headroom(contrast, book.tables[backbone])
            guards = _guards(book, backbone, contrast)
            return judge_drop(evidence, room, book.seen(backbone, utility(arm)), word, plan, guards)
        case "contrast":
            room = headroom(contrast, book.tables[backbone])
            words = (word, book.utility_word(backbone, contrast.versus))
            same = None if backbone == ALL else same_text(book.outcomes, backbone, contrast)
            hidden = _against_inert(book, backbone, contrast)
            return judge_contrast(evidence, room, words, same, plan, hidden)
        case "retention":
            assert contrast.share is not None
            return judge_retention(evidence, contrast.share, word, plan)
        case "content":
            hidden = _against_inert(book, backbone, contrast)
            return judge_beyond(evidence, "the same damage to an irrelevant slot", word, hidden, plan)
        case "beyond placebo":
            hidden = _against_inert(book, backbone, contrast)
            return judge_beyond(evidence, "a rewording that keeps the meaning", word, hidden, plan)
        case "instructed" if contrast.versus == WITHOUT[0]:
            return judge_utility(evidence, plan)
        case "instructed":
            gain = instructed_utility(arm)
            told = judge_utility(book.evidence[backbone, gain], plan).word
            room = headroom(contrast, book.tables[backbone])
            guards = Guards("", _against_inert(book, backbone, contrast))
            return judge_drop(evidence, room, book.seen(backbone, gain), told, plan, guards)
        case "dose":
            return judge_dose(evidence, plan)
        case "factorial":
            return judge_factorial(evidence, contrast.condition, plan)
    raise ValueError(f"a {contrast.estimand} is judged apart from scores")


def headroom(contrast: Contrast, table: CellTable) -> Headroom:
    """Room for a drop, over the tasks that the contrast rests on."""
    tasks = ~np.isnan(contrast.per_task(table))
    if not tasks.any():
        return Headroom(0.0, False)
    whole = INSTRUCTED if contrast.estimand == "instructed" else "intact"
    arms = (contrast.arm, contrast.versus) if contrast.estimand == "contrast" else (contrast.arm,)
    intact = [table.mean((arm, whole))[tasks] for arm in arms]
    full = [bool((scores == 1.0).all()) for scores in (*intact, table.mean(WITHOUT)[tasks])]
    return Headroom(min(float(scores.mean()) for scores in intact), all(full))


def _guards(book: Book, backbone: str, contrast: Contrast) -> Guards:
    """What stands beside one drop and may take a word away from it."""
    plan, arm, condition = book.plan, contrast.arm, contrast.condition
    hidden = _against_inert(book, backbone, contrast)
    if condition == plan.placebo:
        return Guards(_PLACEBO_MOVES, hidden)
    against = forbids(
        book.seen(backbone, content_effect(arm, condition)),
        book.seen(backbone, drop(arm, plan.placebo)),
        book.seen(backbone, beyond_placebo(arm, condition, plan.placebo)),
        plan.alpha,
    )
    carried = book.seen(backbone, retention(arm, condition, CARRIES))
    if not hidden and carried is not None and carried.p <= plan.alpha and carried.estimate > 0:
        hidden = "it takes more than half of the little that this memory adds"
    return Guards(against, hidden)


def _against_inert(book: Book, backbone: str, contrast: Contrast) -> str:
    """Why a mean within the margin is not yet no effect; empty where nothing speaks against it."""
    seen = book.evidence[backbone, contrast].inference
    if seen is None or seen.p_equivalence > book.plan.alpha:
        return ""
    if backbone == ALL:
        return _apart(book, contrast)
    hidden = book.uneven(backbone, contrast)
    return hidden or book.diverging.get((backbone, contrast.arm, contrast.condition), "")


def _apart(book: Book, contrast: Contrast) -> str:
    """Why a mean over backbones within the margin is not yet no effect on any of them."""
    for backbone in book.outcomes.backbones:
        seen = book.seen(backbone, contrast)
        if seen is not None and seen.p <= book.plan.alpha and seen.p_equivalence > book.plan.alpha:
            return f"backbones differ: on {backbone} it is {seen.estimate:+.3f} (p {seen.p:.3f})"
        hidden = book.uneven(backbone, contrast)
        if hidden:
            return f"on {backbone} {hidden}"
    return ""
