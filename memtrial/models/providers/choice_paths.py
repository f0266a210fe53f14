"""How likely a server is to answer with each of some choices, from the log-probabilities of their tokens.

Each choice is forced in a request of its own, and its tokens come back with the log-probabilities that they
have before anything is forced: its path. At each fork of the paths the server goes on by one of the tokens
that lead to a choice; so the share of a choice is the product, over the forks on its path, of its token's
probability among those. It is what a server that is held to the list draws at a temperature of 1, if a text
is taken apart in one way alone; other ways have little weight in a model's choice (a total variation of .06
and .04 beyond chance was measured in two prompts), and are passed over.
"""

import math
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from memtrial.call_records import TOKENS
from memtrial.models.client.types import Reply, Request

MOST_SCORED = 64
"""Choices that are scored at most: each costs a request."""


@dataclass(frozen=True, slots=True)
class PathToken:
    """One token of a forced text, by its number or text, and its natural log-probability; at the end of a
    text stands the one that ends it."""

    token: int | str
    logprob: float


AskPath = Callable[[Request, bool], Awaitable[tuple[Reply, tuple[PathToken, ...]]]]
"""Sends one request, without the server's prompt cache where the flag says so: the reply, and its path where
the request is scored."""


async def ask_scored(ask: AskPath, request: Request) -> Reply:
    """The reply to a request, with the shares of its choices where there are not too many: as many requests
    as choices, and one more, which is answered as if nothing were scored."""
    forced: list[Reply] = []
    paths: list[tuple[PathToken, ...]] = []
    for choice in request.choices if len(request.choices) <= MOST_SCORED else ():
        # the first one begins with an empty prompt cache, so that what lies in it shifts no number
        reply, path = await ask(replace(request, choices=(choice,), temperature=0.0), not forced)
        if reply.text != choice:
            return reply
        forced.append(reply)
        paths.append(path)
    reply, _ = await ask(replace(request, scored=False), False)
    counts = {name: sum(getattr(each, name) for each in (*forced, reply)) for name in TOKENS}
    return replace(reply, shares=spread_shares(paths), **counts)


def read_path(body: Any) -> tuple[PathToken, ...]:
    """The tokens of a reply with their log-probabilities; empty where the server tells none.

    Raises:
        ValueError: they are no log-probabilities.
    """
    told = body["choices"][0].get("logprobs")
    if not isinstance(told, dict) or not told.get("content"):
        return ()
    path = tuple(
        PathToken(entry.get("id", entry["token"]), float(entry["logprob"])) for entry in told["content"]
    )
    if not all(math.isfinite(step.logprob) and step.logprob <= 0 for step in path):
        raise ValueError("log-probabilities of at most 0 are needed")
    return path


def spread_shares(paths: Sequence[tuple[PathToken, ...]]) -> tuple[float, ...]:
    """The share of each path, which sum to 1; empty where a path is missing, or one is the beginning of
    another, so that where it ends is not known."""
    tokens = [tuple(step.token for step in path) for path in paths]
    forks: dict[tuple[int | str, ...], dict[int | str, float]] = {}
    for path, named in zip(paths, tokens, strict=True):
        for place, step in enumerate(path):
            # the same token of the same beginning is the same number, but for rounding
            forks.setdefault(named[:place], {}).setdefault(step.token, step.logprob)
    if not all(tokens) or len(set(tokens)) < len(tokens) or any(named in forks for named in tokens):
        return ()
    raw = [
        math.exp(sum(_weigh(forks[named[:place]], named[place]) for place in range(len(named))))
        for named in tokens
    ]
    whole = math.fsum(raw)
    return tuple(share / whole for share in raw)


def _weigh(fork: dict[int | str, float], token: int | str) -> float:
    """The log-probability of a token among those of its fork."""
    most = max(fork.values())
    return fork[token] - most - math.log(math.fsum(math.exp(other - most) for other in fork.values()))
