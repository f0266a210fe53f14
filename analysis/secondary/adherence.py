"""Follow: does the agent do as its memory says, at the first state where the item applies."""

from __future__ import annotations

from loadbearing.analysis.estimands.contrast import Contrast, drop_weights, net
from loadbearing.analysis.inference.contrast_inference import Evidence
from loadbearing.analysis.plan import AnalysisPlan
from loadbearing.analysis.wording import Verdict, no_inference, sentence, undecided

COUNTER = "counter"
"""The condition in which the advised action is another one that the world accepts."""


def follow(arm: str) -> Contrast:
    """P(does a | told a) - P(does a | told b), on a table whose score is whether the agent did a.

    Source: STATISTICS 0c.1.
    """
    return Contrast("follow", arm, "intact", COUNTER, drop_weights(arm, COUNTER, 1.0))


def follows_apart(treatment: str, control: str) -> Contrast:
    """By how much the treatment's items are followed more than the control's, task by task."""
    weights = net(*drop_weights(treatment, COUNTER, 1.0), *drop_weights(control, COUNTER, -1.0))
    return Contrast("follow", treatment, control, COUNTER, weights)


def judge_follow(evidence: Evidence, plan: AnalysisPlan) -> Verdict:
    """Say whether the agent does as told: `follows`, `ignores`, `defies` or `inconclusive`."""
    seen = evidence.inference
    if seen is None:
        return no_inference(evidence)
    if seen.p_adjusted <= plan.alpha and seen.estimate != 0:
        more = seen.estimate > 0
        word, than = ("follows", "more") if more else ("defies", "less")
        claim = (
            f"the advised action is done {than} often when it is advised than when another one is; "
            f"whether it helps, this does not say"
        )
        return sentence(word, claim, evidence, seen, plan)
    if seen.p_equivalence <= plan.alpha:
        claim = f"what is advised moves what is done there by less than {plan.margin:.2f} either way"
        return sentence("ignores", claim, evidence, seen, plan)
    return undecided(
        "neither that the advice is followed nor that it is ignored is shown", evidence, seen, plan
    )


def judge_follows_apart(evidence: Evidence, plan: AnalysisPlan) -> Verdict:
    """Say whether the treatment's items are followed `more`, `alike`, `less`, or `inconclusive`."""
    seen = evidence.inference
    if seen is None:
        return no_inference(evidence)
    if seen.p_adjusted <= plan.alpha and seen.estimate != 0:
        word = "more" if seen.estimate > 0 else "less"
        return sentence(
            word, f"the treatment's items are followed {word} than the control's", evidence, seen, plan
        )
    if seen.p_equivalence <= plan.alpha:
        claim = f"the two are followed alike, within {plan.margin:.2f} either way"
        return sentence("alike", claim, evidence, seen, plan)
    return undecided("neither a difference in following nor its absence is shown", evidence, seen, plan)
