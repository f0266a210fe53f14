"""What a drop owes to its content, apart from oddity and from wording."""

from __future__ import annotations

from loadbearing.analysis.estimands.contrast import Contrast, drop_weights, net
from loadbearing.analysis.inference.contrast_inference import Evidence, Inference
from loadbearing.analysis.plan import AnalysisPlan
from loadbearing.analysis.wording import Verdict, no_inference, sentence, undecided

IRRELEVANT = "irrelevant_swap"
"""The slot on which the same damage can touch no content that matters here."""


def on_irrelevant(condition: str) -> str:
    """The condition in which the same damage is done to an irrelevant slot."""
    return f"{IRRELEVANT}+{condition}"


def content_effect(arm: str, condition: str) -> Contrast:
    """The drop less what the same damage costs where no content is at stake.

    [intact - perturbed] - [irrelevant - perturbed irrelevant]. An agent that reads nothing and stumbles over
    garbage has a drop and no content effect.

    Source: STATISTICS 0c.4.
    """
    startle = (((arm, IRRELEVANT), -1.0), ((arm, on_irrelevant(condition)), 1.0))
    weights = net(*drop_weights(arm, condition, 1.0), *startle)
    return Contrast("content", arm, IRRELEVANT, condition, weights)


def beyond_placebo(arm: str, condition: str, placebo: str) -> Contrast:
    """The drop less the drop of a rewording that keeps the meaning: placebo - perturbed.

    Source: STATISTICS 0c.4.
    """
    return Contrast(
        "beyond placebo", arm, placebo, condition, net(((arm, placebo), 1.0), ((arm, condition), -1.0))
    )


def judge_beyond(
    evidence: Evidence, held_against: str, utility_word: str, hidden: str, plan: AnalysisPlan
) -> Verdict:
    """Say what is left of a drop when the same oddity, or a mere rewording, is taken off.

    Args:
        evidence: of a content effect, or of a drop beyond the placebo's.
        held_against: what was taken off, in words.
        utility_word: the verdict on the arm's utility.
        hidden: why a mean within the margin is not yet no effect; empty where nothing speaks against it.
        plan: margin and alpha.
    """
    seen = evidence.inference
    if seen is None:
        return no_inference(evidence)
    if seen.p_adjusted <= plan.alpha and seen.estimate > 0:
        claim = f"the damage costs more than {held_against}; that the advice is right, this does not say"
        return sentence("load-bearing", claim, evidence, seen, plan)
    if seen.p_adjusted <= plan.alpha and seen.p_equivalence > plan.alpha:
        return sentence("reversed", f"the damage costs less than {held_against}", evidence, seen, plan)
    if seen.p_equivalence <= plan.alpha and utility_word == "helps" and hidden:
        claim = f"the damage and {held_against} differ little in the mean, but {hidden}"
        return sentence("inconclusive", claim, evidence, seen, plan)
    if seen.p_equivalence <= plan.alpha and utility_word == "helps":
        claim = f"the damage and {held_against} differ by less than {plan.margin:.2f} either way"
        return sentence("inert", claim, evidence, seen, plan)
    if seen.p_equivalence <= plan.alpha:
        claim = "utility not established: where a memory adds nothing, its content has nothing to show"
        return sentence("untestable", claim, evidence, seen, plan)
    claim = f"that the damage costs more than {held_against}, or as much, is not shown"
    return undecided(claim, evidence, seen, plan)


def forbids(
    content: Inference | None, placebo: Inference | None, beyond: Inference | None, alpha: float
) -> str:
    """Why a drop may not be called load-bearing although it was shown; empty where nothing speaks against.

    Args:
        content: of the startle-corrected content effect; None where it was not played.
        placebo: of the drop under the placebo; None where it was not played.
        beyond: of the drop beyond the placebo's.
        alpha: level of each of these tests, two-sided, on its own: each can only take a word away.
    """
    if content is not None and not (content.p <= alpha and content.estimate > 0):
        return (
            f"the same damage to an irrelevant slot costs as much, as far as can be shown (content effect "
            f"{content.estimate:+.3f}, p {content.p:.3f}), so the fall may be the text's oddity"
        )
    if placebo is None or beyond is None or (beyond.p <= alpha and beyond.estimate > 0):
        return ""
    if beyond.estimate <= 0 or (placebo.p <= alpha and placebo.estimate > 0):
        return (
            f"a rewording that keeps the meaning costs {placebo.estimate:+.3f}, as much as this damage, as "
            f"far as can be shown (p {beyond.p:.3f}), so the fall may be the wording's"
        )
    return ""
