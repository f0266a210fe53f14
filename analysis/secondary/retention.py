"""Retention: what share of a memory's utility its content carries."""

from __future__ import annotations

from loadbearing.analysis.estimands.contrast import Contrast, drop_weights, net
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
