"""What a law is: a question about an object, answered case by case with what was seen."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
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
    look: Callable[[Callable[[], T]], Awaitable[Seen]]


@dataclass(frozen=True, slots=True)
class Result:
    """One law on one object, and what was counted or went wrong, in one line."""

    law: str
    passed: bool
    seen: str


async def hold(laws: Sequence[Law[T]], make: Callable[[], T]) -> tuple[Result, ...]:
    """Try every law on a fresh object. A named fault breaks the law in which it was raised, and no other."""
    results = []
    for law in laws:
        try:
            cases, note = await law.look(make)
        except (SpecFault, RunFault, ModelFault, WorldFault) as fault:
            results.append(Result(law.name, False, str(fault)))
            continue
        wrong = [case for case in cases if case]
        said = [f"{len(cases)} {law.counted}"] if law.counted else []
        if wrong:
            said = [f"{len(wrong)} of {one}: {wrong[0]}" for one in said] or wrong[:1]
        elif note:
            said.append(note)
        results.append(Result(law.name, not wrong, "; ".join(said)))
    return tuple(results)
