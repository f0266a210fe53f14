"""A carrier that has to wait for something before a turn's text can be asked for."""

from typing import Protocol, runtime_checkable

from memtrial.agents.trajectory import Moment
from memtrial.protocols import Carrier


@runtime_checkable
class SearchingCarrier(Carrier, Protocol):
    """One that searches memory in the midst of an episode: the stage waits for it after each observation."""

    async def look(self, step: int, moment: Moment) -> None:
        """Search for what comes up in this turn, counted from 0; faults as those of the world's own step."""
