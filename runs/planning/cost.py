"""What a run may cost: from rendered prompts before anything is played, or from the trials of a pilot run.

Tokens are counted as characters divided by four. That is a rule of thumb for English; a pilot is better.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import sqrt
from statistics import fmean, stdev

from loadbearing.models.client.prices import PriceTable
from loadbearing.models.client.types import Reply

CHARACTERS = 4
"""Of a token."""
CACHEABLE = 1024
"""Tokens of the shortest prefix that Anthropic's prompt cache keeps."""
WITH_PROMPT_CACHE = "anthropic"


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


NOTHING = Range(0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Shape:
    """What one kind of episode is expected to look like, in tokens.

    Args:
        system: of the system prompt with its slot: at least, likely, at most.
        turn: of one user turn.
        reply: of one reply: at least, likely, at most.
        turns: at least, likely, at most.
    """

    system: tuple[float, float, float]
    turn: float
    reply: tuple[float, float, float]
    turns: tuple[float, float, float]


def of_episode(model: str, prices: PriceTable, shape: Shape) -> Range:
    """What one episode costs."""
    costs = [
        prices.usd(model, conversation(model, system, shape.turn, reply, turns))
        for system, reply, turns in zip(shape.system, shape.reply, shape.turns, strict=True)
    ]
    known = [cost for cost in costs if cost is not None]
    # a longer prompt can be cheaper: from some length on the provider's cache keeps it
    return Range(*sorted(known)) if len(known) == len(costs) else Range(None, None, None)


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
    model: str,
    prices: PriceTable,
    prompt: float,
    reply: float,
    calls: tuple[float, float, float],
    batched: bool,
) -> Range:
    """What single calls cost: at least, likely and at most so many of them."""
    one = prices.usd(model, Reply("", round(prompt), round(reply), model, batched=batched))
    return Range(*(None if one is None else one * n for n in calls))


def from_pilot(measured: Iterable[Reply], model: str, prices: PriceTable) -> Range | None:
    """What one trial costs, from trials of the same arm in a pilot run, each as the sum of its calls.

    Likely is their mean, low and high are two standard errors away. None without a trial.
    """
    costs = [prices.usd(model, one) for one in measured]
    known = [cost for cost in costs if cost is not None]
    if len(known) < len(costs):
        return Range(None, None, None)
    if not known:
        return None
    mean = fmean(known)
    reach = 2 * stdev(known) / sqrt(len(known)) if len(known) > 1 else mean
    return Range(max(0.0, mean - reach), mean, mean + reach)


def rounded(cost: Range) -> Mapping[str, float | None]:
    """The three figures by name, to a hundredth of a cent."""
    figures = {"low": cost.low, "likely": cost.likely, "high": cost.high}
    return {name: None if usd is None else round(usd, 4) for name, usd in figures.items()}
