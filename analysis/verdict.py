"""Verdicts: one word for one estimand, by rules that stand before the data."""

from __future__ import annotations

from dataclasses import dataclass

from analysis.evidence import Evidence, Inference
from analysis.plan import AnalysisPlan

EXPLORATORY_BELOW = 10
"""Units below which a verdict is printed as exploratory."""

_SMALLEST_INFORMATIVE = 6  # 2^(1-5) = .0625: five differing units can never reach .05
_ROUNDING = 1e-9  # a mean of .2 may stand a hair above it in binary

_CEILING = "ceiling: every task is solved, with and without memory, so no damage could show"
_NOT_BETTER = "which arm serves the agent better, this does not say"


@dataclass(frozen=True, slots=True)
class Verdict:
    """A word and the sentence that says what it rests on and what it does not say.

    Args:
        word: for drops and contrasts load-bearing, inert, reversed, inconclusive, untestable or
            insensitive; for utilities helps, none, harms or inconclusive.
        reason: one sentence.
    """

    word: str
    reason: str


@dataclass(frozen=True, slots=True)
class Headroom:
    """How much could have been lost.

    Args:
        intact: mean intact score over the contrast's tasks; of two arms the lower one.
        ceiling: every intact score is 1, and so is every score without memory.
    """

    intact: float
    ceiling: bool


def judge_utility(evidence: Evidence, plan: AnalysisPlan) -> Verdict:
    """Say whether memory helps, does nothing, or harms: effect first, then equivalence."""
    seen = evidence.inference
    if seen is None:
        return _no_inference(evidence)
    equivalent = seen.p_equivalence <= plan.alpha
    if seen.p_adjusted <= plan.alpha and seen.estimate != 0:
        word, way = ("helps", "higher") if seen.estimate > 0 else ("harms", "lower")
        small = ", by less than the margin" if equivalent else ""
        claim = f"the score is {way} with this memory than without{small}; of its content this says nothing"
        return _sentence(word, claim, evidence, seen, plan)
    if equivalent:
        claim = (
            f"memory moves the score by less than {plan.margin:.2f} either way; "
            f"gains and losses that cancel between tasks are not ruled out"
        )
        return _sentence("none", claim, evidence, seen, plan)
    claim = "neither an effect of this memory nor its absence is shown"
    return _undecided(claim, evidence, seen, plan)


def judge_drop(
    evidence: Evidence, room: Headroom, utility: Inference | None, utility_word: str, plan: AnalysisPlan
) -> Verdict:
    """Say what damage of one arm's memory shows about its content.

    The order: no inference, floor, load-bearing, ceiling, reversed, nothing to carry, inert,
    inconclusive. A drop near zero means something only where memory helps: what adds nothing can lose
    nothing, so `inert` is kept from arms whose utility lies under the margin or is not established.

    Args:
        evidence: of the drop.
        room: of the arm.
        utility: of the same arm and backbone; None where it could not be measured.
        utility_word: its verdict.
        plan: margin and alpha.
    """
    seen = evidence.inference
    if seen is None:
        return _no_inference(evidence)
    if room.intact <= plan.floor + _ROUNDING:
        return _floor(room, plan)
    equivalent = seen.p_equivalence <= plan.alpha
    if seen.p_adjusted <= plan.alpha and seen.estimate > 0:
        small = " (below the margin)" if equivalent else ""
        claim = (
            f"the score falls when this text is damaged{small}, so the outcome depends on it; "
            f"that the advice is right, or that the damage's oddity plays no part, this does not say"
        )
        return _sentence("load-bearing", claim, evidence, seen, plan)
    if room.ceiling and evidence.all_zero:
        return _sentence("untestable", _CEILING, evidence, seen, plan)
    if seen.p_adjusted <= plan.alpha and not equivalent:
        claim = "the score rises when this text is damaged; what in the text does harm, this does not say"
        return _sentence("reversed", claim, evidence, seen, plan)
    if utility_word == "none" or (utility is not None and utility.high < plan.margin):
        claim = (
            f"nothing to carry: that this memory adds {plan.margin:.2f} or more is ruled out, "
            f"so its content had little to lose; whether it is read, this does not say"
        )
        return _sentence("untestable", claim, evidence, seen, plan)
    if equivalent and utility_word == "helps":
        claim = (
            f"this memory helps, yet damage moves the score by less than {plan.margin:.2f} either way; "
            f"effects that cancel between tasks are not ruled out"
        )
        return _sentence("inert", claim, evidence, seen, plan)
    if equivalent:
        claim = (
            "utility not established: the drop lies within the margin, "
            "but a memory that adds nothing would show the same"
        )
        return _sentence("inconclusive", claim, evidence, seen, plan)
    return _undecided("neither a drop nor its absence is shown", evidence, seen, plan)


def judge_contrast(
    evidence: Evidence,
    room: Headroom,
    utility_words: tuple[str, str],
    same_text: float | None,
    plan: AnalysisPlan,
) -> Verdict:
    """Say whether the treatment's content carries more than the control's, as much, or less.

    Equal drops mean something only where at least one of the two memories helps.

    Args:
        evidence: of drop(treatment) - drop(control).
        room: of both arms together.
        utility_words: the verdicts on the utilities of the treatment and the control.
        same_text: share of tasks on which both arms showed the same damaged text, if known.
        plan: margin and alpha.
    """
    seen = evidence.inference
    if seen is None:
        return _no_inference(evidence)
    if room.intact <= plan.floor + _ROUNDING:
        return _floor(room, plan)
    same = "; both arms showed the same damaged text, so this contrast compares utilities only"
    note = same if same_text == 1.0 else ""
    equivalent = seen.p_equivalence <= plan.alpha
    if seen.p_adjusted <= plan.alpha and seen.estimate > 0:
        small = " (below the margin)" if equivalent else ""
        claim = f"the treatment loses more than the control under the same kind of damage{small}"
        return _sentence("load-bearing", f"{claim}; {_NOT_BETTER}{note}", evidence, seen, plan)
    if room.ceiling and evidence.all_zero:
        return _sentence("untestable", _CEILING + note, evidence, seen, plan)
    if seen.p_adjusted <= plan.alpha and not equivalent:
        claim = "the treatment loses less than the control under the same kind of damage"
        return _sentence("reversed", f"{claim}; {_NOT_BETTER}{note}", evidence, seen, plan)
    if equivalent and "helps" not in utility_words:
        claim = (
            f"nothing to carry: neither memory is shown to help, and two memories without use drop alike; "
            f"of their content this says nothing{note}"
        )
        return _sentence("untestable", claim, evidence, seen, plan)
    if equivalent:
        claim = (
            f"the two drops differ by less than {plan.margin:.2f} either way; "
            f"that the content of either arm carries, this does not say{note}"
        )
        return _sentence("inert", claim, evidence, seen, plan)
    claim = f"neither a difference of the drops nor its absence is shown{note}"
    return _undecided(claim, evidence, seen, plan)


def _no_inference(e: Evidence) -> Verdict:
    unit = "cluster" if e.n_tasks > e.n_units else "task"
    claim = f"no inference: {_count(e.n_units, unit)} with a score in every cell, at least 2 are needed"
    return Verdict("inconclusive", claim)


def _floor(room: Headroom, plan: AnalysisPlan) -> Verdict:
    claim = (
        f"floor: the mean intact score is {room.intact:.2f}, and at {plan.floor:.2f} (twice the margin) "
        f"or less there is no room for a drop; of the content this says nothing"
    )
    return Verdict("untestable", claim)


def _undecided(claim: str, e: Evidence, seen: Inference, plan: AnalysisPlan) -> Verdict:
    more = f"about {seen.tasks_to_settle} tasks would settle an effect as large as the one seen (80 % power)"
    return _sentence("inconclusive", f"{claim}; {more}", e, seen, plan)


def _sentence(word: str, claim: str, e: Evidence, seen: Inference, plan: AnalysisPlan) -> Verdict:
    return Verdict(word, "; ".join((claim, *_caveats(e, seen, plan))))


def _caveats(e: Evidence, seen: Inference, plan: AnalysisPlan) -> list[str]:
    """What a reader of this row has to know, whatever the word."""
    unit = "cluster" if e.n_tasks > e.n_units else "task"
    said = []
    if e.all_zero:
        share = 1 - plan.alpha ** (1 / e.n_units)
        said.append(
            f"no task differs, {1 - plan.alpha:.0%} bound on the share of differing {unit}s {share:.3f}"
        )
    elif e.n_informative < _SMALLEST_INFORMATIVE:
        least = 2.0 ** (1 - max(e.n_informative, 1))
        said.append(
            f"only {_count(e.n_informative, unit)} with a difference: the smallest attainable p is {least:g}"
        )
    if seen.p <= plan.alpha < seen.p_adjusted:
        said.append(
            f"p is {seen.p:.3f} alone and {seen.p_adjusted:.3f} among {seen.family} tests, which decides"
        )
    elif (seen.p <= plan.alpha) != (seen.low > 0 or seen.high < 0):
        said.append("interval and p disagree about zero, and p decides")
    if e.n_units < EXPLORATORY_BELOW:
        said.append(f"exploratory only: {_count(e.n_units, unit)}")
    return said


def _count(n: int, noun: str) -> str:
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"
