"""Injection `trigger`: an item enters when its Trigger matches the moment, and stays (fork A, arm b).

Firing is decided on the intact item; damage touches only the text shown. Otherwise a damaged Trigger would
turn corrupt into without (DESIGN 3).
"""

from dataclasses import dataclass

from loadbearing.arms.trigger_watch import Watched, Watcher
from loadbearing.episodes.injection import BrokenCheck, Firing, Injection
from loadbearing.episodes.slot import Slot
from loadbearing.episodes.trajectory import Moment


@dataclass(frozen=True, slots=True)
class ByTrigger:
    """The factor level. `watched` are the intact items of an episode, `shown` the texts in that order."""

    name: str = "trigger"
    by_trigger: bool = True
    needs_trigger: bool = True

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
        return self._text(self.watcher.look(step, moment, frozenset(range(len(self.shown.items)))))

    def proposal(self, step: int, moment: Moment) -> str:
        """The items that come up with the proposed action, and those whose executed check it breaks."""
        new = self.watcher.look(step, moment, frozenset(range(len(self.shown.items))))
        stopped = self.watcher.try_checks(step, moment)
        return self._text((*new, *(stopped if self.watcher.executed else ())))

    def _text(self, positions: tuple[int, ...]) -> str:
        there = dict.fromkeys(position for position in positions if position < len(self.shown.items))
        texts = tuple(self.shown.items[position] for position in there)
        return Slot(self.shown.cue, texts).text if texts else ""

    def firings(self) -> tuple[Firing, ...]:
        return tuple(self.watcher.fired.values())

    def broken(self) -> tuple[BrokenCheck, ...]:
        return tuple(self.watcher.broken)
