"""What a run may cost: from rendered prompts before anything is played, or from the trials of a pilot run.

Tokens are counted as characters divided by four. That is a rule of thumb for English; a pilot is better.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import sqrt
from statistics import fmean, stdev

import numpy as np
from numpy.typing import NDArray

from loadbearing.models.client.prices import PriceTable
from loadbearing.models.client.types import Reply

CHARACTERS = 4
"""Of a token."""
CACHEABLE = 1024
"""Tokens of the shortest prefix that Anthropic's prompt cache keeps."""
WITH_PROMPT_CACHE = "anthropic"
Three = NDArray[np.float64]
"""At least, likely, at most: shape (3,)."""


@dataclass(frozen=True, slots=True)
class Range:
    """US dollars; None where no price is known."""

    low: float | None
    likely: float | None
    high: float | None

    def __add__(self, other: Range) -> Range:
        """Both together; unknown where one of them is."""
        pairs = ((self.low, other.low), (self.likely, other.likely), (self.high, other.high))
        return Range(*(None if one is None or two is None else one + two for one, two in pairs))

    def times(self, n: float) -> Range:
        """So many of it."""
        return Range(*(None if one is None else one * n for one in (self.low, self.likely, self.high)))


NOTHING, UNKNOWN = Range(0.0, 0.0, 0.0), Range(None, None, None)


def of_episode(
    model: str, prices: PriceTable, system: Three, turn: float, reply: Three, turns: Three
) -> Range:
    """What one episode costs.

    Args:
        system: tokens of the system prompt with its slot.
        turn: of one user turn.
        reply: of one reply.
        turns: how many.
    """
    costs = [
        prices.usd(model, conversation(model, sent, turn, said, n))
        for sent, said, n in zip(system, reply, turns, strict=True)
    ]
    known = [cost for cost in costs if cost is not None]
    # a longer prompt can be cheaper: from some length on the provider's cache keeps it
    return Range(*sorted(known)) if len(known) == len(costs) else UNKNOWN


def conversation(model: str, system: float, turn: float, reply: float, turns: float) -> Reply:
    """The tokens of a growing conversation, all its calls together.

    Each call sends the whole conversation again; where the provider caches a stable prefix, what was sent
    before is read from there.
    """
    n = max(1, round(turns))
    fresh = read = written = 0.0
    for number in range(n):
        before = system + number * (turn + reply)
        if model.partition("/")[0] == WITH_PROMPT_CACHE and before + turn >= CACHEABLE:
            # what was sent last time, where it was long enough to be kept
            known = before - reply if number and before - reply >= CACHEABLE else 0.0
            read, written = read + known, written + before + turn - known
        else:
            fresh += before + turn
    tokens = (round(fresh), round(n * reply))
    return Reply("", *tokens, model, cache_read_tokens=round(read), cache_write_tokens=round(written))


def of_calls(
    model: str, prices: PriceTable, prompt: Three, reply: Three, calls: Three, batched: bool = False
) -> Range:
    """What so many single calls of such a length cost."""
    one = [
        prices.usd(model, Reply("", round(sent), round(said), model, batched=batched))
        for sent, said in zip(prompt, reply, strict=True)
    ]
    return Range(*(None if usd is None else usd * n for usd, n in zip(one, calls, strict=True)))


def from_pilot(measured: Iterable[Reply], model: str, prices: PriceTable) -> Range | None:
    """What one trial costs, from trials of the same arm in a pilot run, each as the sum of its calls.

    Likely is their mean, low and high are two standard errors away. None without a trial.
    """
    costs = [prices.usd(model, one) for one in measured]
    known = [cost for cost in costs if cost is not None]
    if len(known) < len(costs):
        return UNKNOWN
    if not known:
        return None
    mean = fmean(known)
    reach = 2 * stdev(known) / sqrt(len(known)) if len(known) > 1 else mean
    return Range(max(0.0, mean - reach), mean, mean + reach)
