"""Verdicts: one word for one estimand, by rules that stand before the data."""

from __future__ import annotations

from dataclasses import dataclass

from analysis.evidence import Evidence
from analysis.plan import AnalysisPlan

EXPLORATORY_BELOW = 10
"""Units below which a verdict is printed as exploratory."""

_SMALLEST_INFORMATIVE = 6  # 2^(1-5) = .0625: five differing units can never reach .05


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
        arms: the arms whose memory was damaged.
        intact: the lowest of their mean intact scores over the contrast's tasks.
        ceiling: every intact score is 1, and so is every score without memory.
    """

    arms: tuple[str, ...]
    intact: float
    ceiling: bool


def judge_utility(evidence: Evidence, plan: AnalysisPlan) -> Verdict:
    """Say whether memory helps, does nothing, or harms: effect first, then equivalence."""
    e = evidence
    if e.estimate is None or e.p_adjusted is None or e.p_equivalence is None:
        return _no_inference(e)
    small = ", by less than the margin" if e.p_equivalence <= plan.alpha else ""
    if e.p_adjusted <= plan.alpha and e.estimate > 0:
        claim = f"the score is higher with this memory than without{small}; of its content this says nothing"
        return _sentence("helps", claim, e, plan)
    if e.p_adjusted <= plan.alpha and e.estimate < 0:
        claim = f"the score is lower with this memory than without{small}; of its content this says nothing"
        return _sentence("harms", claim, e, plan)
    if e.p_equivalence <= plan.alpha:
        claim = (
            f"memory moves the score by less than {plan.margin:.2f} either way; "
            f"gains and losses that cancel between tasks are not ruled out"
        )
        return _sentence("none", claim, e, plan)
    return _undecided("neither an effect of this memory nor its absence is shown", e, plan)


def judge_drop(
    evidence: Evidence,
    room: Headroom,
    utility: Evidence | None,
    utility_word: str,
    plan: AnalysisPlan,
) -> Verdict:
    """Say what damage of one arm's memory shows about its content.

    The order: no inference, floor, load-bearing, ceiling, reversed, nothing to carry, inert,
    inconclusive. A drop at or below zero means something only where memory helps: what adds nothing can
    lose nothing, so `inert` is kept from arms whose utility lies under the margin or is not established.

    Args:
        evidence: of the drop.
        room: of the arm.
        utility: of the same arm and backbone; None where nothing was played without memory.
        utility_word: its verdict.
        plan: margin and alpha.
    """
    e = evidence
    barred = _barred(e, room, plan)
    if barred is not None:
        return barred
    assert e.estimate is not None and e.p_adjusted is not None and e.p_equivalence is not None
    equivalent = e.p_equivalence <= plan.alpha
    if e.p_adjusted <= plan.alpha and e.estimate > 0:
        small = " (below the margin)" if equivalent else ""
        claim = (
            f"the score falls when this text is damaged{small}, so the outcome depends on it; "
            f"that the advice is right, or that the damage's oddity plays no part, this does not say"
        )
        return _sentence("load-bearing", claim, e, plan)
    if room.ceiling and e.all_zero:
        return _sentence("untestable", "ceiling: every task is solved, with and without memory", e, plan)
    if e.p_adjusted <= plan.alpha and e.estimate < 0 and not equivalent:
        claim = "the score rises when this text is damaged; what in the text does harm, this does not say"
        return _sentence("reversed", claim, e, plan)
    if utility is not None and utility.high is not None and utility.high < plan.margin:
        claim = (
            f"nothing to carry: this memory adds less than {plan.margin:.2f} "
            f"(upper limit {utility.high:+.2f}), so its content had little to lose; "
            f"whether it is read, this does not say"
        )
        return _sentence("untestable", claim, e, plan)
    if equivalent and utility_word != "helps":
        why = "not established" if utility is not None else "unknown, since nothing was played without memory"
        claim = f"the drop lies within the margin, but the utility of this memory is {why}, and what adds nothing loses nothing"
        return _sentence("inconclusive", claim, e, plan)
    if equivalent:
        claim = (
            f"this memory helps, yet damage moves the score by less than {plan.margin:.2f} either way; "
            f"effects that cancel between tasks are not ruled out"
        )
        return _sentence("inert", claim, e, plan)
    return _undecided("neither a drop nor its absence is shown", e, plan)


def judge_contrast(
    evidence: Evidence, room: Headroom, same_text: float | None, plan: AnalysisPlan
) -> Verdict:
    """Say whether the treatment's content carries more than the control's, as much, or less.

    Args:
        evidence: of drop(treatment) - drop(control).
        room: of both arms together.
        same_text: share of tasks on which both arms showed the same damaged text, if known.
        plan: margin and alpha.
    """
    e = evidence
    barred = _barred(e, room, plan)
    if barred is not None:
        return barred
    assert e.estimate is not None and e.p_adjusted is not None and e.p_equivalence is not None
    equivalent = e.p_equivalence <= plan.alpha
    same = "; both arms showed the same damaged text, so this contrast compares utilities only"
    note = same if same_text == 1.0 else ""
    if e.p_adjusted <= plan.alpha and e.estimate > 0:
        small = " (below the margin)" if equivalent else ""
        claim = f"the treatment loses more than the control under the same damage{small}; which arm is better, this does not say"
        return _sentence("load-bearing", claim + note, e, plan)
    if room.ceiling and e.all_zero:
        claim = "ceiling: every task is solved, with and without memory"
        return _sentence("untestable", claim + note, e, plan)
    if equivalent:
        claim = f"the two drops differ by less than {plan.margin:.2f}; that either arm's content carries, this does not say"
        return _sentence("inert", claim + note, e, plan)
    if e.p_adjusted <= plan.alpha and e.estimate < 0:
        claim = "the treatment loses less than the control under the same damage; which arm is better, this does not say"
        return _sentence("reversed", claim + note, e, plan)
    return _undecided(f"neither a difference of the drops nor its absence is shown{note}", e, plan)


def _barred(e: Evidence, room: Headroom, plan: AnalysisPlan) -> Verdict | None:
    """The guards that come before any test."""
    if e.p_adjusted is None:
        return _no_inference(e)
    if room.intact <= plan.floor + 1e-9:
        claim = (
            f"floor: the intact score of {' or '.join(room.arms)} is {room.intact:.2f}, "
            f"and {plan.floor:.2f} (twice the margin) or less leaves no room for a drop"
        )
        return Verdict("untestable", claim)
    return None


def _no_inference(e: Evidence) -> Verdict:
    unit = "task" if e.n_units == e.n_tasks else "cluster of tasks"
    claim = f"no inference: {e.n_units} {unit} with a score in every cell, and at least 2 are needed"
    return Verdict("inconclusive", claim)


def _undecided(claim: str, e: Evidence, plan: AnalysisPlan) -> Verdict:
    more = f"if the truth is what was seen here, about {e.tasks_to_settle} tasks would settle it (80 % power)"
    return _sentence("inconclusive", f"{claim}; {more}", e, plan)


def _sentence(word: str, claim: str, e: Evidence, plan: AnalysisPlan) -> Verdict:
    return Verdict(word, "; ".join((claim, *_caveats(e, plan))))


def _caveats(e: Evidence, plan: AnalysisPlan) -> list[str]:
    """What every reader of this row has to know, whatever the word."""
    assert e.p is not None and e.p_adjusted is not None and e.low is not None and e.high is not None
    unit = "task" if e.n_units == e.n_tasks else "cluster"
    said = []
    if e.all_zero:
        share = 1 - plan.alpha ** (1 / e.n_units)
        said.append(
            f"no task differs: {1 - plan.alpha:.0%} bound on the share of differing {unit}s {share:.3f}"
        )
    elif e.n_informative < _SMALLEST_INFORMATIVE:
        least = 2.0 ** (1 - max(e.n_informative, 1))
        said.append(f"{e.n_informative} {unit}s differ, so the smallest attainable p is {least:g}")
    if e.p <= plan.alpha < e.p_adjusted:
        said.append(f"p is {e.p:.3f} alone and {e.p_adjusted:.3f} among {e.family} tests, which decides")
    elif (e.p <= plan.alpha) != (e.low > 0 or e.high < 0):
        said.append("interval and p disagree about zero, and p decides")
    if e.n_units < EXPLORATORY_BELOW:
        said.append(f"exploratory only: {e.n_units} {unit}s")
    return said
