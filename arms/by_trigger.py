"""Injection `trigger`: an item enters when its Trigger matches the moment, and stays (fork A, arm b).

Firing is decided on the intact item; damage touches only the text shown. Otherwise a damaged Trigger would
turn corrupt into without (DESIGN 3).
"""

from dataclasses import dataclass

from loadbearing.arms.trigger_watch import Watched, Watcher
from loadbearing.episodes.injection import Firing, Injection
from loadbearing.episodes.slot import Slot
from loadbearing.episodes.trajectory import Moment


@dataclass(frozen=True, slots=True)
class ByTrigger:
    """The factor level. `watched` are the intact items of an episode, `shown` the texts in that order."""

    name: str = "trigger"
    by_trigger: bool = True

    def __call__(self, shown: Slot, watched: tuple[Watched, ...]) -> Injection:
        return Triggered(shown, Watcher(watched))


@dataclass
class Triggered:
    """One episode whose items wait for their moment."""

    shown: Slot
    watcher: Watcher

    def opening(self) -> str:
        return ""

    def turn(self, step: int, moment: Moment) -> str:
        """The items that come up with what the world now shows."""
        positions = frozenset(range(len(self.shown.items)))
        new = self.watcher.look(step, moment, positions)
        texts = tuple(self.shown.items[position] for position in new if position in positions)
        return Slot(self.shown.cue, texts).text if texts else ""

    def proposal(self, step: int, moment: Moment) -> str:
        """The items that come up with the action the agent proposes."""
        return self.turn(step, moment)

    def firings(self) -> tuple[Firing, ...]:
        return tuple(self.watcher.fired.values())
