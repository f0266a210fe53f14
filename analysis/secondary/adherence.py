"""Follow: does the agent do as its memory says, at the first state where the item applies."""

from __future__ import annotations

from loadbearing.analysis.estimands.contrast import Contrast, drop_weights, net

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
