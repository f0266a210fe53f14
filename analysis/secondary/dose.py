"""The dose ladder: how much the score rises with each true item among distractors."""

from __future__ import annotations

import re
from collections.abc import Iterable

from loadbearing.analysis.estimands.contrast import Contrast
from loadbearing.analysis.inference.contrast_inference import Evidence
from loadbearing.analysis.plan import AnalysisPlan
from loadbearing.analysis.wording import Verdict, no_inference, sentence, undecided

_RUNG = re.compile(r"dose-(\d+)")


def rungs(arms: Iterable[str]) -> dict[str, int]:
    """True items that each arm of the ladder shows, by the arm's name `dose-K`."""
    return {arm: int(found[1]) for arm in arms if (found := _RUNG.fullmatch(arm))}


def dose(arms: Iterable[str]) -> Contrast | None:
    """The slope of the score over the rungs, in points for one true item; None below two rungs.

    Least squares with equal weight a rung: linear in the cell means.

    Source: STATISTICS 0c.7.
    """
    steps = rungs(arms)
    if len(set(steps.values())) < 2:
        return None
    centre = sum(steps.values()) / len(steps)
    spread = sum((step - centre) ** 2 for step in steps.values())
    weights = tuple(
        ((arm, "intact"), (step - centre) / spread) for arm, step in steps.items() if step != centre
    )
    lowest, highest = (min(steps, key=lambda arm: steps[arm]), max(steps, key=lambda arm: steps[arm]))
    return Contrast("dose", highest, lowest, "intact", weights)


def judge_dose(evidence: Evidence, plan: AnalysisPlan) -> Verdict:
    """Say whether lesson-sized effects show in this run: `rises`, `flat`, `falls` or `inconclusive`."""
    seen = evidence.inference
    if seen is None:
        return no_inference(evidence)
    if seen.p_adjusted <= plan.alpha and seen.estimate != 0:
        word = "rises" if seen.estimate > 0 else "falls"
        return sentence(word, f"the score {word} with each true item among distractors", evidence, seen, plan)
    if seen.p_equivalence <= plan.alpha:
        claim = f"one true item more moves the score by less than {plan.margin:.2f} either way"
        return sentence("flat", claim, evidence, seen, plan)
    return undecided(
        "that true items among distractors matter here, or do not, is not shown", evidence, seen, plan
    )
