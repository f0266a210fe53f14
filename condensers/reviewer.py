"""People beside the gates: a draft waits until a person accepts, edits or rejects it (fork C)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from loadbearing.episodes.trajectory import Trajectory
from loadbearing.gates.gate import Finding
from loadbearing.memory.item import Item


@dataclass(frozen=True, slots=True)
class WaitingDraft:
    """A draft that waits for a person; what the gates found is advice."""

    number: int
    item: Item
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class PersonDecision:
    """What a person decided on the draft of this number.

    Args:
        item: the edited one; None unless `how` is `edit`.
    """

    number: int
    how: Literal["accept", "edit", "reject"]
    item: Item | None = None


class ReviewWaits(Exception):
    """Drafts wait for a person; the condensation goes on once all of them are decided.

    Args:
        drafts: how many wait.
    """

    def __init__(self, drafts: int) -> None:
        super().__init__(f"{drafts} wait for a person's review")
        self.drafts = drafts


class Reviewer(Protocol):
    """Hands drafts to a person."""

    @property
    def saver(self) -> Any:
        """The LangGraph checkpointer that keeps an interrupted loop."""

    def thread(self, trajectory: Trajectory) -> str:
        """The name of the loop over this trajectory in the saver; the same in every session."""

    def __call__(self, trajectory: Trajectory, drafts: Sequence[WaitingDraft]) -> tuple[PersonDecision, ...]:
        """What was decided on each of these drafts.

        Raises:
            ReviewWaits: not all of them are decided.
        """
