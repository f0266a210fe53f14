"""An arm: where its memory comes from × how it is injected."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import product
from typing import Protocol

from arms.by_trigger import ByTrigger
from arms.prepend import Prepend
from arms.watching import Watched
from episodes.injection import Injection
from episodes.slot import Slot


class InjectionKind(Protocol):
    """A factor level that makes one episode's injection."""

    @property
    def name(self) -> str:
        """The name in specs, ledgers and reports."""
        ...

    def __call__(self, shown: Slot, watched: tuple[Watched, ...]) -> Injection:
        """The injection of one episode: the slot that is shown, and the intact items that may come up."""
        ...


@dataclass(frozen=True, slots=True)
class Arm:
    """One level of the experiment.

    Args:
        name: in specs, ledgers and reports.
        memory: the name of the condenser whose bank it shows; ORACLE for the world's own lesson.
        injection: how the slot reaches the agent.
    """

    name: str
    memory: str
    injection: InjectionKind


ORACLE = "oracle"
NONE = "none"

RAW = Arm("raw", "raw", Prepend())
CONTROL = Arm("control", "native", Prepend())
ARTIFACT = Arm("artifact", "theory", Prepend())
ACTIVATION = Arm("activation", "theory", ByTrigger())
POSITIVE_CONTROL = Arm(ORACLE, ORACLE, Prepend())

STANDARD: tuple[Arm, ...] = (RAW, CONTROL, ARTIFACT, ACTIVATION, POSITIVE_CONTROL)
INJECTIONS: tuple[InjectionKind, ...] = (Prepend(), ByTrigger())


def factorial(memories: Iterable[str], injections: Iterable[InjectionKind]) -> tuple[Arm, ...]:
    """Every memory with every injection, named `memory·injection`."""
    return tuple(Arm(f"{memory}·{kind.name}", memory, kind) for memory, kind in product(memories, injections))
