"""What a drop owes to its content, apart from oddity and from wording."""

from __future__ import annotations

from loadbearing.analysis.estimands.contrast import Contrast, drop_weights, net

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
