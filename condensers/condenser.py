"""What a condenser is, and the people beside its gates: a draft waits until a person decides (fork C)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from memtrial.agents.trajectory import Trajectory
from memtrial.gates.gate import Finding
from memtrial.memory.item import Item, ProseItem

MOST_ITEMS = 3
Fate = Literal["read", "in part", "unread", "unanswered", "no items"]


@dataclass(frozen=True, slots=True)
class Review:
    """One finding about one draft, as markdown; round 0 is the first.

    Args:
        item: its number among the drafts.
        strain: by name, where theory and trace do not fit (`strains`); empty for a finding about the item.
    """

    round: int
    draft: str
    finding: Finding
    item: int = 0
    strain: str = ""


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
        unread: those of the faults that say what of the replies could not be read.
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
    unread: tuple[str, ...] = ()

    @property
    def fate(self) -> Fate:
        """What became of the trajectory: `unread` and `unanswered` are lost, `no items` was meant so.

        A draft that gates dropped was read.
        """
        has_items = any(not isinstance(item, ProseItem) for item in self.items)
        if self.unread:
            return "in part" if has_items else "unread"
        if self.reply is not None and not self.reply.strip():
            return "no items"
        if self.faults:
            return "in part" if has_items or self.dropped else "unanswered"
        return "read" if self.items or self.dropped else "no items"


@dataclass(frozen=True, slots=True)
class WaitingDraft:
    """A draft that waits for a person; what the gates found is advice."""

    number: int
    item: Item
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class Rejected:
    """A person's no to a draft, and why, where they say it."""

    reason: str = ""


class ReviewWaits(Exception):
    """So many `drafts` wait for a person; the condensation goes on once all of them are decided."""

    def __init__(self, drafts: int) -> None:
        super().__init__(f"{drafts} drafts wait for a person")
        self.drafts = drafts


class Reviewer(Protocol):
    """Hands drafts to a person."""

    @property
    def saver(self) -> Any:
        """The LangGraph checkpointer that keeps an interrupted loop."""

    def thread(self, trajectory: Trajectory) -> str:
        """The name of the loop over this trajectory in the saver; the same in every session."""

    def __call__(self, trajectory: Trajectory, drafts: Sequence[WaitingDraft]) -> list[Item | Rejected]:
        """For each draft the item as a person wants it, or that they rejected it.

        Raises:
            ReviewWaits: not all of them are decided.
        """
