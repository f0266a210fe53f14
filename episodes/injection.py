"""How memory text reaches an agent, seen from the agent's side: it asks, and shows what it is given."""

from dataclasses import dataclass
from typing import Protocol

from loadbearing.episodes.trajectory import Moment


@dataclass(frozen=True, slots=True)
class Firing:
    """One item's Trigger held, in a turn counted from 0; `item` is its position in the slot.

    `why` are the cues that held; `shown` is False for a shadow firing, which is only logged.
    """

    step: int
    item: int
    why: str
    shown: bool


@dataclass(frozen=True, slots=True)
class BrokenCheck:
    """A proposed action lacked what an item's check states; `withheld` is False where that is only logged.

    Turns are counted from 0, `item` is the position in the slot.
    """

    step: int
    item: int
    withheld: bool


class Injection(Protocol):
    """One episode's way of showing memory. The agent loop is blind: it cannot tell which one it has."""

    def opening(self) -> str:
        """Text for the system prompt, shown for the whole episode; may be empty."""

    def turn(self, step: int, moment: Moment) -> str:
        """Text to enter with this user turn; may be empty."""

    def proposal(self, step: int, moment: Moment) -> str:
        """Text that withholds the proposed action: the agent sees it and is asked once more. May be empty."""

    def firings(self) -> tuple[Firing, ...]:
        """Every firing so far, shown and shadow."""

    def broken(self) -> tuple[BrokenCheck, ...]:
        """Every check that a proposed action broke so far, executed or not."""
