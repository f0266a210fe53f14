"""Contrasts beside utility and drop: content, retention, instruction, adherence, dose ladder."""

import re
from collections.abc import Iterable

from loadbearing.analysis.estimands.contrast import Contrast, drop_weights, net
from loadbearing.outcomes.outcomes import WITHOUT
from loadbearing.outcomes.reserved_names import INSTRUCTED

COUNTER = "counter"
"""The condition in which the advised action is another one that the world accepts."""
FLUENT = (COUNTER, "irrelevant_swap")
"""Damage that reads as fluently as what it replaces: another action in its sentence, whole items."""
ABSENT = ("without", "empty")
"""Damage that leaves no text which could be odd, but no block either."""
CARRIES, PLACEBO = 0.50, 0.25
"""Above the first share of the utility the content carries; below the second the block is a placebo."""
_RUNG = re.compile(r"dose-(\d+)")


def oddity_of(condition: str) -> str:
    """The condition whose slot is as odd as under this damage, and whose advice stands verbatim."""
    return f"oddity+{condition}"


def content_effect(arm: str, condition: str) -> Contrast:
    """The drop less the drop of its own oddity placebo: placebo - perturbed.

    An agent that ignores the content but stumbles over odd text has a drop and no content effect.

    Source: STATISTICS 0d.1.
    """
    odd = oddity_of(condition)
    return Contrast("content", arm, odd, condition, (((arm, odd), 1.0), ((arm, condition), -1.0)))


def contents_apart(treatment: str, control: str, condition: str) -> Contrast:
    """The treatment's content effect minus the control's, for each task."""
    one, other = content_effect(treatment, condition).weights, content_effect(control, condition).weights
    weights = net(*one, *((cell, -weight) for cell, weight in other))
    return Contrast("content", treatment, control, condition, weights)


def beyond_placebo(arm: str, condition: str, placebo: str) -> Contrast:
    """The drop less the drop of a rewording that keeps the meaning: placebo - perturbed (STATISTICS 0c.4)."""
    weights = net(((arm, placebo), 1.0), ((arm, condition), -1.0))
    return Contrast("beyond placebo", arm, placebo, condition, weights)


def retention(arm: str, condition: str, share: float) -> Contrast:
    """The drop beyond `share` of the utility: (intact - perturbed) - share x (intact - without).

    Source: STATISTICS 0c.2.
    """
    beyond = ((arm, "intact"), -share), (WITHOUT, share)
    weights = net(*drop_weights(arm, condition, 1.0), *beyond)
    return Contrast("retention", arm, "intact", condition, weights, share)


def under_instruction(condition: str) -> str:
    """The condition in which damaged items stand under the plain instruction to follow them."""
    return f"{INSTRUCTED}+{condition}"


def instructed_utility(arm: str) -> Contrast:
    """What the arm's memory adds when the agent is told to follow it (STATISTICS 0c.6)."""
    return Contrast("instructed", arm, *WITHOUT, (((arm, INSTRUCTED), 1.0), (WITHOUT, -1.0)))


def instructed_drop(arm: str, condition: str) -> Contrast:
    """What damage costs when the agent is told to follow its memory: instructed - damaged and instructed.

    Load-bearing here but inert without the instruction: usable, but not activated (STATISTICS 0c.6).
    """
    damaged = (arm, under_instruction(condition))
    return Contrast("instructed", arm, INSTRUCTED, condition, (((arm, INSTRUCTED), 1.0), (damaged, -1.0)))


def follow(arm: str) -> Contrast:
    """P(does a | told a) - P(does a | told b), on a table whose score is whether the agent did a.

    Source: STATISTICS 0c.1.
    """
    return Contrast("follow", arm, "intact", COUNTER, drop_weights(arm, COUNTER, 1.0))


def follows_apart(treatment: str, control: str) -> Contrast:
    """The treatment's follow contrast minus the control's, for each task."""
    weights = net(*drop_weights(treatment, COUNTER, 1.0), *drop_weights(control, COUNTER, -1.0))
    return Contrast("follow", treatment, control, COUNTER, weights)


def dose(arms: Iterable[str]) -> Contrast | None:
    """The least-squares slope of the score over the rungs `dose-K`, per true item; None below two rungs.

    Source: STATISTICS 0c.7.
    """
    steps = {arm: int(found[1]) for arm in arms if (found := _RUNG.fullmatch(arm))}
    if len(set(steps.values())) < 2:
        return None
    centre = sum(steps.values()) / len(steps)
    spread = sum((step - centre) ** 2 for step in steps.values())
    weights = tuple(
        ((arm, "intact"), (step - centre) / spread) for arm, step in steps.items() if step != centre
    )
    lowest, highest = min(steps, key=steps.__getitem__), max(steps, key=steps.__getitem__)
    return Contrast("dose", highest, lowest, "intact", weights)
