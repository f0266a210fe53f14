"""Carriers as a user writes them, and every carrier that the tests of the arms hold to their laws."""

from memtrial.agents.slot import BrokenCheck, Firing, Slot
from memtrial.agents.trajectory import Moment
from memtrial.arms.arm import INJECTIONS, InjectionKind
from memtrial.arms.trigger_watch import Watched, Watching


class FirstTurn:
    """Shows the whole slot with the first turn, below the task; what comes up later is only logged."""

    def __init__(self, shown: Slot, watched: tuple[Watched, ...]) -> None:
        self.text, self.log = shown.text, Watching(shown, watched, at_once=True)

    def opening(self) -> str:
        return ""

    def turn(self, step: int, moment: Moment) -> str:
        self.log.turn(step, moment)
        return "" if step else self.text

    def proposal(self, step: int, moment: Moment) -> str:
        return self.log.proposal(step, moment)

    def firings(self) -> tuple[Firing, ...]:
        return self.log.firings()

    def broken(self) -> tuple[BrokenCheck, ...]:
        return self.log.broken()


class ThirdTurns(FirstTurn):
    """Shows the whole slot with the first turn, and again with every third."""

    def turn(self, step: int, moment: Moment) -> str:
        self.log.turn(step, moment)
        return "" if step % 3 else self.text


MEMBERS = (
    *INJECTIONS,
    InjectionKind("first turn", FirstTurn, by_trigger=False, needs_trigger=False),
    InjectionKind("every third turn", ThirdTurns, by_trigger=False, needs_trigger=False),
)
