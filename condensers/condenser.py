"""What a condenser is: a trajectory in, at most three items and the record of how they came about out."""

from dataclasses import dataclass
from typing import Protocol

from loadbearing.episodes.trajectory import Trajectory
from loadbearing.gates.gate import Finding
from loadbearing.memory.item import Item

MOST_ITEMS = 3


@dataclass(frozen=True, slots=True)
class Review:
    """One finding about one draft, as markdown; round 0 is the first. `item`: its number among the drafts."""

    round: int
    draft: str
    finding: Finding
    item: int = 0


@dataclass(frozen=True, slots=True)
class Dropped:
    """A draft that is not stored, and why; `gates`: those that still fail it, none for one too many."""

    markdown: str
    why: str
    gates: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Condensation:
    """What became of one trajectory: the items that are stored, and how they came about.

    Args:
        reply: the model's own words, where these are what the agent is shown; the items are then only for
            tables. None where the items are shown.
        faults: the infrastructure's or the reply's; none is a verdict on an item.
        unchanged: revisions that gave the same item again, which ends the loop for it.
        revisions: how many were asked for, by the place of the item among the drafts.
    """

    trace_id: str
    condenser: str
    items: tuple[Item, ...]
    reviews: tuple[Review, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    faults: tuple[str, ...] = ()
    reply: str | None = None
    unchanged: int = 0
    revisions: tuple[int, ...] = ()


class Condenser(Protocol):
    """Trajectories → items."""

    @property
    def name(self) -> str:
        """The name in specs, ledgers and reports."""

    async def __call__(self, trajectory: Trajectory) -> Condensation:
        """Condense one trajectory; raises ModelFault where no answer could be had."""
