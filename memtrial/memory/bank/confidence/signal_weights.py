"""How much each kind of signal says about an item, learnt from the ratings of a project (seeds/001)."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from memtrial.memory.bank.confidence.beta_posterior import BetaPosterior

SignalKind = Literal["explicit", "usage", "outcome"]
"""A person's rating; a citation by an agent; how a task ended that cited the item."""
SIGNALS: tuple[SignalKind, ...] = ("explicit", "usage", "outcome")


@dataclass(frozen=True, slots=True)
class SignalWeights:
    """How often each kind of signal was right about what a person then said, from the priors on."""

    explicit: BetaPosterior = field(default=BetaPosterior(7, 3))
    usage: BetaPosterior = field(default=BetaPosterior(5, 5))
    outcome: BetaPosterior = field(default=BetaPosterior(5, 5))

    def weight(self, kind: SignalKind) -> float:
        """The share of a kind; those of all three sum to 1."""
        means = {"explicit": self.explicit.mean, "usage": self.usage.mean, "outcome": self.outcome.mean}
        return means[kind] / sum(means.values())

    def rated(self, helpful: bool, predicted: Mapping[SignalKind, bool]) -> "SignalWeights":
        """After a person rated an item.

        Args:
            predicted: by kind, what its signals had said of that item; a kind that had said nothing is left
                out. The rating itself predicts nothing: the weight of ratings stays.
        """
        usage, outcome = self.usage, self.outcome
        if "usage" in predicted:
            usage = usage.seen(predicted["usage"] == helpful)
        if "outcome" in predicted:
            outcome = outcome.seen(predicted["outcome"] == helpful)
        return replace(self, usage=usage, outcome=outcome)
