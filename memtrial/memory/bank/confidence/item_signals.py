"""Follows the signals of a project: what its items are trusted with, what each kind of signal is worth.

Three things are counted apart: an item was retrieved, it was shown, it was cited. Citations alone, the
outcomes of tasks that cited it, and people's ratings bear on confidence; what is found or shown often is not
better for it (REQUIREMENTS C25). A signal counts with the weights of its moment: what is learnt later does
not rewrite it.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
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
    posteriors = {name: match_prior(confidence) for name, confidence in stored.items()}
    uses = dict.fromkeys(stored, ItemUses())
    balance: dict[str, Counter[SignalKind]] = {name: Counter() for name in stored}
    now = weights or SignalWeights()
    history = [WeightsMoment(start, now)]
    latest = -float("inf")
    for signal in signals:
        if signal.item_id not in posteriors:
            raise ValueError(
                f"a signal of an item of the bank is needed; there is none named {signal.item_id!r:.80}"
            )
        if not isfinite(signal.moment) or signal.moment < latest:
            raise ValueError(f"signals in the order of time are needed; {signal.moment} came after {latest}")
        latest, name = signal.moment, signal.item_id
        uses[name] = _counted(uses[name], signal)
        if (kind := _SAYS.get(signal.kind)) is None:
            continue
        posteriors[name] = posteriors[name].seen(signal.positive, now.weight(kind))
        if kind == "explicit":
            said = {other: balance[name][other] > 0 for other in SIGNALS if balance[name][other]}
            now = now.rated(signal.positive, said)
            history.append(WeightsMoment(signal.moment, now))
        else:
            balance[name][kind] += 1 if signal.positive else -1
    return FollowedSignals(posteriors, uses, tuple(history))


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
