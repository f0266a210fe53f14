"""Verdicts: one word for one estimand, by rules that stand before the data."""

from __future__ import annotations

from dataclasses import dataclass

from loadbearing.analysis.inference.contrast_inference import Evidence, Inference
from loadbearing.analysis.plan import AnalysisPlan
from loadbearing.analysis.wording import Verdict, no_inference, sentence, undecided

_ROUNDING = 1e-9  # a mean of .2 may stand a hair above it in binary

_CEILING = "ceiling: every task is solved, with and without memory, so no damage could show"
_NOT_BETTER = "which arm serves the agent better, this does not say"


@dataclass(frozen=True, slots=True)
class Headroom:
    """How much could have been lost.

    Args:
        intact: mean intact score over the contrast's tasks; of two arms the lower one.
        ceiling: every intact score is 1, and so is every score without memory.
    """

    intact: float
    ceiling: bool


@dataclass(frozen=True, slots=True)
class Guards:
    """What stands beside a drop and can only take a word away from it.

    Args:
        against_load_bearing: why the fall may not be the content's; empty where nothing speaks against it.
        against_inert: why no mean drop is not yet no effect; empty where nothing speaks against it.
    """

    against_load_bearing: str = ""
    against_inert: str = ""


def judge_utility(evidence: Evidence, plan: AnalysisPlan) -> Verdict:
    """Say whether memory helps, does nothing, or harms: effect first, then equivalence."""
    seen = evidence.inference
    if seen is None:
        return no_inference(evidence)
    equivalent = seen.p_equivalence <= plan.alpha
    if seen.p_adjusted <= plan.alpha and seen.estimate != 0:
        word, way = ("helps", "higher") if seen.estimate > 0 else ("harms", "lower")
        small = ", by less than the margin" if equivalent else ""
        claim = f"the score is {way} with this memory than without{small}; of its content this says nothing"
        return sentence(word, claim, evidence, seen, plan)
    if equivalent:
        claim = (
            f"memory moves the score by less than {plan.margin:.2f} either way; "
            f"gains and losses that cancel between tasks are not ruled out"
        )
        return sentence("none", claim, evidence, seen, plan)
    claim = "neither an effect of this memory nor its absence is shown"
    return undecided(claim, evidence, seen, plan)


def judge_drop(
    evidence: Evidence,
    room: Headroom,
    utility: Inference | None,
    utility_word: str,
    plan: AnalysisPlan,
    guards: Guards = Guards(),
) -> Verdict:
    """Say what damage of one arm's memory shows about its content.

    The order: no inference, reversed, floor, load-bearing, ceiling, nothing to carry, inert,
    inconclusive. A drop near zero means something only where memory helps: what adds nothing can lose
    nothing, so `inert` is kept from arms whose utility lies under the margin or is not established.

    Args:
        evidence: of the drop.
        room: of the arm.
        utility: of the same arm and backbone; None where it could not be measured.
        utility_word: its verdict.
        plan: margin and alpha.
        guards: placebo, startle, cancellation and divergence.
    """
    seen = evidence.inference
    if seen is None:
        return no_inference(evidence)
    equivalent = seen.p_equivalence <= plan.alpha
    # a floor leaves no room for a drop, and all the room for a rise
    if seen.p_adjusted <= plan.alpha and seen.estimate < 0 and not equivalent:
        claim = "the score rises when this text is damaged; what in the text does harm, this does not say"
        return sentence("reversed", claim, evidence, seen, plan)
    if room.intact <= plan.floor + _ROUNDING:
        return _floor(room, plan)
    if seen.p_adjusted <= plan.alpha and seen.estimate > 0:
        if guards.against_load_bearing:
            claim = f"the score falls when this text is damaged, but {guards.against_load_bearing}"
            return sentence("inconclusive", claim, evidence, seen, plan)
        small = " (below the margin)" if equivalent else ""
        claim = (
            f"the score falls when this text is damaged{small}, so the outcome depends on it; "
            f"that the advice is right, or that the damage's oddity plays no part, this does not say"
        )
        return sentence("load-bearing", claim, evidence, seen, plan)
    if room.ceiling and evidence.all_zero:
        return sentence("untestable", _CEILING, evidence, seen, plan)
    if utility_word == "none" or (utility is not None and utility.high < plan.margin):
        claim = (
            f"nothing to carry: that this memory adds {plan.margin:.2f} or more is ruled out, "
            f"so its content had little to lose; whether it is read, this does not say"
        )
        return sentence("untestable", claim, evidence, seen, plan)
    if equivalent and utility_word == "helps":
        if guards.against_inert:
            claim = f"damage moves the mean score by less than {plan.margin:.2f}, but {guards.against_inert}"
            return sentence("inconclusive", claim, evidence, seen, plan)
        claim = (
            f"this memory helps, yet damage moves the score by less than {plan.margin:.2f} either way, "
            f"and effects that cancel between tasks are not above chance; "
            f"that nobody reads it, this does not say"
        )
        return sentence("inert", claim, evidence, seen, plan)
    if equivalent:
        claim = (
            "utility not established: the drop lies within the margin, "
            "but a memory that adds nothing would show the same"
        )
        return sentence("inconclusive", claim, evidence, seen, plan)
    return undecided("neither a drop nor its absence is shown", evidence, seen, plan)


def judge_contrast(
    evidence: Evidence,
    room: Headroom,
    utility_words: tuple[str, str],
    same_text: float | None,
    plan: AnalysisPlan,
    against_inert: str = "",
) -> Verdict:
    """Say whether the treatment's content carries more than the control's, as much, or less.

    Equal drops mean something only where at least one of the two memories helps.

    Args:
        evidence: of drop(treatment) - drop(control).
        room: of both arms together.
        utility_words: the verdicts on the utilities of the treatment and the control.
        same_text: share of tasks on which both arms showed the same damaged text, if known.
        plan: margin and alpha.
        against_inert: why no mean difference is not yet none; empty where nothing speaks against it.
    """
    seen = evidence.inference
    if seen is None:
        return no_inference(evidence)
    if room.intact <= plan.floor + _ROUNDING:
        return _floor(room, plan)
    same = "; both arms showed the same damaged text, so this contrast compares utilities only"
    note = same if same_text == 1.0 else ""
    equivalent = seen.p_equivalence <= plan.alpha
    if seen.p_adjusted <= plan.alpha and seen.estimate > 0:
        small = " (below the margin)" if equivalent else ""
        claim = f"the treatment loses more than the control under the same kind of damage{small}"
        return sentence("load-bearing", f"{claim}; {_NOT_BETTER}{note}", evidence, seen, plan)
    if room.ceiling and evidence.all_zero:
        return sentence("untestable", _CEILING + note, evidence, seen, plan)
    if seen.p_adjusted <= plan.alpha and not equivalent:
        claim = "the treatment loses less than the control under the same kind of damage"
        return sentence("reversed", f"{claim}; {_NOT_BETTER}{note}", evidence, seen, plan)
    if equivalent and "helps" not in utility_words:
        claim = (
            f"nothing to carry: neither memory is shown to help, and two memories without use drop alike; "
            f"of their content this says nothing{note}"
        )
        return sentence("untestable", claim, evidence, seen, plan)
    if equivalent and against_inert:
        claim = f"the mean drops differ by less than {plan.margin:.2f}, but {against_inert}{note}"
        return sentence("inconclusive", claim, evidence, seen, plan)
    if equivalent:
        claim = (
            f"the two drops differ by less than {plan.margin:.2f} either way; "
            f"that the content of either arm carries, this does not say{note}"
        )
        return sentence("inert", claim, evidence, seen, plan)
    claim = f"neither a difference of the drops nor its absence is shown{note}"
    return undecided(claim, evidence, seen, plan)


def _floor(room: Headroom, plan: AnalysisPlan) -> Verdict:
    claim = (
        f"floor: the mean intact score is {room.intact:.2f}, and at {plan.floor:.2f} (twice the margin) "
        f"or less there is no room for a drop; of the content this says nothing"
    )
    return Verdict("untestable", claim)
