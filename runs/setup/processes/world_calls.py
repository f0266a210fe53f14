"""What a run and a process that holds a world say to each other, behind the spec."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class WorldCall:
    """A method of the world, and what it is called with."""

    method: str
    arguments: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True)
class WorldAnswer:
    """What it returned; or why it broke, and whether it only scores nothing."""

    value: Any = None
    broken: str | None = None
    unscored: bool = False
