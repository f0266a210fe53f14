"""Two runs side by side, as `compare --json` prints them."""

from dataclasses import dataclass
from typing import TypeVar

from pydantic import JsonValue

from memtrial.analysis.result import Estimate, Key
from memtrial.views.rows.play_rows import Cost

T = TypeVar("T")
Pair = tuple[T, T]


@dataclass(frozen=True, slots=True)
class ComparedEstimate:
    """One estimate in both runs, None where it has no such row; verdict: same, changed or one run only."""

    key: Key
    runs: Pair[Estimate | None]
    difference: float | None
    verdict: str


@dataclass(frozen=True, slots=True)
class Comparison:
    """Both sides of everything, the first run first; `identity` holds the keys of the spec that differ."""

    runs: Pair[str]
    simulated: Pair[bool]
    identity: dict[str, Pair[JsonValue]]
    tasks: dict[str, int]
    notes: Pair[str]
    estimates: tuple[ComparedEstimate, ...]
    errors: dict[str, Pair[int | None]]
    cost: dict[str, Pair[Cost | None]]
