"""Condition `instructed`: an arm's own items, and the plain instruction to follow them."""

from __future__ import annotations

from loadbearing.analysis.estimands.contrast import Contrast
from loadbearing.outcomes.outcomes import WITHOUT
from loadbearing.outcomes.reserved_names import INSTRUCTED


def under_instruction(condition: str) -> str:
    """The condition in which damaged items stand under the instruction."""
    return f"{INSTRUCTED}+{condition}"


def instructed_utility(arm: str) -> Contrast:
    """What the arm's memory adds when the agent is told to follow it: instructed - without.

    Source: STATISTICS 0c.6.
    """
    return Contrast("instructed", arm, *WITHOUT, (((arm, INSTRUCTED), 1.0), (WITHOUT, -1.0)))


def instructed_drop(arm: str, condition: str) -> Contrast:
    """What damage costs when the agent is told to follow its memory: instructed - damaged and instructed.

    Inert here: nothing usable in the artifact. Load-bearing here and inert without the instruction: not
    activated, the paper's 5.1 against its 5.2.

    Source: STATISTICS 0c.6.
    """
    damaged = (arm, under_instruction(condition))
    return Contrast("instructed", arm, INSTRUCTED, condition, (((arm, INSTRUCTED), 1.0), (damaged, -1.0)))
