"""Retention: what share of a memory's utility its content carries."""

from __future__ import annotations

from loadbearing.analysis.estimands.contrast import Contrast, drop_weights, net
from loadbearing.analysis.inference.contrast_inference import Evidence
from loadbearing.analysis.plan import AnalysisPlan
from loadbearing.analysis.wording import Verdict, no_inference, sentence, undecided
from loadbearing.outcomes.outcomes import WITHOUT

CARRIES, PLACEBO = 0.50, 0.25
"""Above the first share of the utility the content carries; below the second the block is a placebo."""


def retention(arm: str, condition: str, share: float) -> Contrast:
    """The drop beyond `share` of the utility: (intact - perturbed) - share x (intact - without).

    Linear in the cell means, so that a share of the utility is tested without dividing by it.

    Source: STATISTICS 0c.2.
    """
    weights = net(
        *drop_weights(arm, condition, 1.0),
        ((arm, "intact"), -share),
        (WITHOUT, share),
    )
    return Contrast("retention", arm, "intact", condition, weights, share)


def judge_retention(evidence: Evidence, share: float, utility_word: str, plan: AnalysisPlan) -> Verdict:
    """Say `carries` (drop above half of the utility) or `placebo` (drop below a quarter of it).

    Where only the other side of either share is shown, the word is `below` or `above`.

    Args:
        evidence: of the drop beyond `share` of the utility.
        share: CARRIES or PLACEBO.
        utility_word: the verdict on the arm's utility; only of one that helps there is a share to carry.
        plan: alpha.
    """
    seen = evidence.inference
    if seen is None:
        return no_inference(evidence)
    if utility_word != "helps":
        claim = "utility not established: there is no share of it that the content could carry"
        return sentence("untestable", claim, evidence, seen, plan)
    shown = seen.p_adjusted <= plan.alpha
    if share == CARRIES and shown and seen.estimate > 0:
        claim = f"the damage takes more than {share:.0%} of what this memory adds: the content carries"
        return sentence("carries", claim, evidence, seen, plan)
    if share == PLACEBO and shown and seen.estimate < 0:
        claim = (
            f"the damage takes less than {share:.0%} of what this memory adds: the block helps, "
            f"its content does not"
        )
        return sentence("placebo", claim, evidence, seen, plan)
    if shown and seen.estimate != 0:
        word, side = ("above", "more") if seen.estimate > 0 else ("below", "less")
        claim = f"the damage takes {side} than {share:.0%} of what this memory adds"
        return sentence(word, claim, evidence, seen, plan)
    side = "more than" if share == CARRIES else "less than"
    return undecided(
        f"that the damage takes {side} {share:.0%} of the utility is not shown", evidence, seen, plan
    )
