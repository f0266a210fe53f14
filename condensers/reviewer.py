"""People beside the gates: a draft waits until a person accepts, edits or rejects it (fork C)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from loadbearing.episodes.trajectory import Trajectory
from loadbearing.gates.gate import Finding
from loadbearing.memory.item import Item


@dataclass(frozen=True, slots=True)
class WaitingDraft:
    """A draft that waits for a person; what the gates found is advice."""

    number: int
    item: Item
    findings: tuple[Finding, ...]


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

    def __call__(self, trajectory: Trajectory, drafts: Sequence[WaitingDraft]) -> list[Item | None]:
        """For each draft the item as a person wants it; None where they rejected it.

        Raises:
            ReviewWaits: not all of them are decided.
        """
