"""What a law is: a question about a thing, answered with what was seen."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from loadbearing.environments.world import WorldFault
from loadbearing.models.client.types import ModelFault
from loadbearing.runs.errors import RunFault, SpecFault
from loadbearing.runs.plugins.load import settled

T = TypeVar("T")

Seen = tuple[bool, str]
"""Whether the law holds, and what was seen."""
Law = Callable[[Callable[[], T]], Seen | Awaitable[Seen]]
"""Takes what makes a fresh thing. Its name, in words, is the law."""


@dataclass(frozen=True, slots=True)
class Result:
    """One law on one thing.

    Args:
        law: its name in words.
        seen: what was counted or went wrong, in one line.
    """

    law: str
    passed: bool
    seen: str


async def hold(laws: Sequence[Law[T]], make: Callable[[], T]) -> tuple[Result, ...]:
    """Try every law on a fresh thing. A named fault breaks the law it came up in, and no other."""
    results = []
    for law in laws:
        try:
            passed, seen = await settled(law(make))
        except (SpecFault, RunFault, ModelFault, WorldFault) as fault:
            passed, seen = False, str(fault)
        results.append(Result(getattr(law, "__name__", "").replace("_", " "), passed, seen))
    return tuple(results)


def all_of(wrong: Sequence[str], n: int, what: str) -> Seen:
    """The usual answer: how many of `n` were right, and the first that was not."""
    return (False, f"{len(wrong)} of {n} {what}: {wrong[0]}") if wrong else (True, f"{n} {what}")
