"""What the agent did where its memory advises something, in tables as scores are."""

from dataclasses import dataclass

from memtrial.outcomes.outcomes import Outcomes

OF_ACTS = ("follow", "follow other", "polarity")
"""Estimands that are measured on these tables, and not on scores."""


@dataclass(frozen=True, slots=True)
class Acts:
    """Three tables of the same trials; a trial whose memory does not say it is in none of them.

    Args:
        told: share of the turns at which the intact memory tells to do something, where that was done.
        other: the same of what `counter` tells in its place.
        obeyed: of what it tells to do, the share of turns where that was done; of what it tells to avoid, the
            share where it was not; the mean of both where it does both.
    """

    told: Outcomes
    other: Outcomes
    obeyed: Outcomes
