"""What the agent did where its memory advises something, in tables as scores are."""

from dataclasses import dataclass

from memtrial.outcomes.outcomes import Outcomes

OF_ACTS = ("follow", "follow other", "polarity", "named")
"""Estimands that are measured on these tables, and not on scores."""


@dataclass(frozen=True, slots=True)
class Acts:
    """Three tables of the same trials; a trial whose memory does not say it is in none of them.

    Args:
        told: how soon what the intact memory tells to do was done: 1 at once, less the later, 0 never.
        other: the same of what `counter` tells in its place.
        obeyed: of what it tells to do, the same; of what it tells to avoid, 1 less how soon it was done; the
            mean of both where it does both.
    """

    told: Outcomes
    other: Outcomes
    obeyed: Outcomes
