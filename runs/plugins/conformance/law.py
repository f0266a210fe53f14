"""What a law is: a question about an object, answered case by case with what was seen."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from inspect import isawaitable
from typing import Generic, NamedTuple, TypeVar

from loadbearing.environments.world import WorldFault
from loadbearing.models.client.types import ModelFault
from loadbearing.runs.errors import RunFault, SpecFault

T = TypeVar("T")


class Seen(NamedTuple):
    """For each case what is wrong, empty where nothing is; and a note for a law that holds."""

    cases: Sequence[str]
    note: str = ""


@dataclass(frozen=True, slots=True)
class Law(Generic[T]):
    """One law.

    Args:
        name: the law in a few words.
        counted: what its cases are, in the plural; empty where only the note is of use.
        look: gets a function that makes a fresh object.
    """

    name: str
    counted: str
    look: Callable[[Callable[[], T]], Seen | Awaitable[Seen]]


@dataclass(frozen=True, slots=True)
class Result:
    """One law on one object, and what was counted or went wrong, in one line."""

    law: str
    passed: bool
    seen: str


async def hold(laws: Sequence[Law[T]], make: Callable[[], T]) -> tuple[Result, ...]:
    """Try every law on a fresh object. A named fault breaks the law in which it was raised, and no other."""
    return tuple([await _result(law, make) for law in laws])


async def _result(law: Law[T], make: Callable[[], T]) -> Result:
    try:
        looked = law.look(make)
        cases, note = await looked if isawaitable(looked) else looked
    except (SpecFault, RunFault, ModelFault, WorldFault) as fault:
        return Result(law.name, False, str(fault))
    wrong = [case for case in cases if case]
    counted = f"{len(cases)} {law.counted}" if law.counted else ""
    if wrong:
        return Result(law.name, False, f"{len(wrong)} of {counted}: {wrong[0]}" if counted else wrong[0])
    return Result(law.name, True, "; ".join(part for part in (counted, note) if part))
