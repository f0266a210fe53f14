"""Follows the signals of a project: what its items are trusted with, what each kind of signal is worth.

Three things are counted apart: an item was retrieved, it was shown, it was cited. Citations alone, the
outcomes of tasks that cited it, and people's ratings bear on confidence; what is found or shown often is not
better for it (REQUIREMENTS C25). A signal counts with the weights of its moment: what is learnt later does
not rewrite it.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from math import isfinite
from typing import Literal

from memtrial.memory.bank.bank_item import ItemUses
from memtrial.memory.bank.confidence.beta_posterior import BetaPosterior, match_prior
from memtrial.memory.bank.confidence.signal_weights import SIGNALS, SignalKind, SignalWeights

EventKind = Literal["retrieved", "shown", "cited", "outcome", "explicit"]
_SAYS: Mapping[EventKind, SignalKind] = {"cited": "usage", "outcome": "outcome", "explicit": "explicit"}


@dataclass(frozen=True, slots=True)
class ItemSignal:
    """One thing that happened to an item.

    Args:
        moment: seconds since 1970.
        kind: `outcome` is that of a task whose agent cited the item.
        positive: a success, or a rating as helpful; the other kinds are positive always.
    """

    item_id: str
    moment: float
    kind: EventKind
    positive: bool = True


@dataclass(frozen=True, slots=True)
class WeightsMoment:
    """The weights as they are from a moment on."""

    moment: float
    weights: SignalWeights


@dataclass(frozen=True, slots=True)
class FollowedSignals:
    """What a project's signals come to.

    Args:
        posteriors: by item, of those that had a prior; its mean is the item's confidence.
        uses: by item, the three counts and how the tasks ended that cited it.
        history: the weights at the beginning, and after each rating.
    """

    posteriors: Mapping[str, BetaPosterior]
    uses: Mapping[str, ItemUses]
    history: tuple[WeightsMoment, ...]

    @property
    def weights(self) -> SignalWeights:
        """As they are now."""
        return self.history[-1].weights


@dataclass
class SignalFollower:
    """Follows the signals of a project one by one, in the order in which they came.

    Args:
        weights: those to begin with.
        start: from when on these held, in seconds since 1970.
    """

    weights: SignalWeights = field(default=SignalWeights())
    start: float = 0.0
    posteriors: dict[str, BetaPosterior] = field(default_factory=dict, init=False)
    uses: dict[str, ItemUses] = field(default_factory=dict, init=False)
    history: list[WeightsMoment] = field(init=False)
    _balance: dict[str, Counter[SignalKind]] = field(default_factory=dict, init=False)
    _latest: float = field(default=-float("inf"), init=False)

    def __post_init__(self) -> None:
        self.history = [WeightsMoment(self.start, self.weights)]

    def add(self, item_id: str, confidence: float) -> None:
        """An item, with the confidence that it was written with."""
        self.posteriors[item_id] = match_prior(confidence)
        self.uses[item_id], self._balance[item_id] = ItemUses(), Counter()

    def follow(self, signal: ItemSignal) -> None:
        """Count one signal; ValueError where its item was not added, or where it comes too late."""
        name = signal.item_id
        if name not in self.posteriors:
            raise ValueError(f"a signal of an item of the bank is needed; there is none named {name!r:.80}")
        if not isfinite(signal.moment) or signal.moment < self._latest:
            raise ValueError(
                f"signals in the order of time are needed; {signal.moment} came after {self._latest}"
            )
        self._latest = signal.moment
        self.uses[name] = _counted(self.uses[name], signal)
        if (kind := _SAYS.get(signal.kind)) is None:
            return
        self.posteriors[name] = self.posteriors[name].seen(signal.positive, self.weights.weight(kind))
        if kind == "explicit":
            balance = self._balance[name]
            said = {other: balance[other] > 0 for other in SIGNALS if balance[other]}
            self.weights = self.weights.rated(signal.positive, said)
            self.history.append(WeightsMoment(signal.moment, self.weights))
        else:
            self._balance[name][kind] += 1 if signal.positive else -1


def follow_signals(
    signals: Iterable[ItemSignal],
    stored: Mapping[str, float],
    weights: SignalWeights | None = None,
    start: float = 0.0,
) -> FollowedSignals:
    """Follow all signals of a project, in the order in which they came.

    Args:
        stored: by item, the confidence that it was written with.
        weights: those to begin with; None: the priors.
        start: from when on these held, in seconds since 1970.

    Raises:
        ValueError: a signal of an item without a stored confidence, or before the one that precedes it.
    """
    follower = SignalFollower(weights or SignalWeights(), start)
    for name, confidence in stored.items():
        follower.add(name, confidence)
    for signal in signals:
        follower.follow(signal)
    return FollowedSignals(follower.posteriors, follower.uses, tuple(follower.history))


def _counted(uses: ItemUses, signal: ItemSignal) -> ItemUses:
    if signal.kind == "retrieved":
        return replace(uses, retrieved=uses.retrieved + 1)
    if signal.kind == "shown":
        return replace(uses, shown=uses.shown + 1)
    if signal.kind == "cited":
        return replace(uses, cited=uses.cited + 1, last_cited=signal.moment)
    if signal.kind == "outcome":
        won = signal.positive
        return replace(uses, wins=uses.wins + won, losses=uses.losses + (not won))
    return uses
