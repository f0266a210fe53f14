"""What a condenser is: a trajectory in, at most three items and the record of how they came about out."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from loadbearing.episodes.trajectory import Trajectory
from loadbearing.gates.gate import Finding
from loadbearing.memory.item import Item

MOST_ITEMS = 3


@dataclass(frozen=True, slots=True)
class Review:
    """One finding about one draft.

    Args:
        round: 0 for the first draft, then one more for each revision.
        draft: the markdown that was judged.
    """

    round: int
    draft: str
    finding: Finding


@dataclass(frozen=True, slots=True)
class Dropped:
    """A draft that is not stored, and why."""

    markdown: str
    why: str


@dataclass(frozen=True, slots=True)
class Condensation:
    """What became of one trajectory.

    Args:
        items: those that are stored, at most three.
        reviews: every finding of every round.
        faults: what broke on the way. A fault is the infrastructure's or the reply's; it is no verdict on
            an item.
    """

    trace_id: str
    condenser: str
    items: tuple[Item, ...]
    reviews: tuple[Review, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    faults: tuple[str, ...] = field(default=())


class Condenser(Protocol):
    """Trajectories → items."""

    @property
    def name(self) -> str:
        """The name in specs, ledgers and reports."""
        ...

    async def __call__(self, trajectory: Trajectory) -> Condensation:
        """Condense one trajectory.

        Raises:
            ModelFault: no answer could be had.
        """
        ...
