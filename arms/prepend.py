"""Injection `prepend`: the slot stands in the system prompt for the whole episode, as upstream has it."""

from __future__ import annotations

from dataclasses import dataclass, field

from loadbearing.arms.trigger_watch import Watched, Watcher
from loadbearing.episodes.injection import Firing, Injection
from loadbearing.episodes.slot import Slot
from loadbearing.episodes.trajectory import Moment


@dataclass(frozen=True, slots=True)
class Prepend:
    """The factor level: makes one episode's injection."""

    name: str = "prepend"
    watches: bool = False

    def __call__(self, shown: Slot, watched: tuple[Watched, ...]) -> Injection:
        """The injection of one episode; `watched` only leaves shadow firings in the log."""
        return Prepended(shown, Watcher(watched))


@dataclass
class Prepended:
    """One episode with the slot in its system prompt."""

    shown: Slot
    watcher: Watcher
    _nothing: frozenset[int] = field(default=frozenset())

    def opening(self) -> str:
        """The slot."""
        return self.shown.text

    def turn(self, step: int, moment: Moment) -> str:
        """Nothing enters; what would have come up is noted."""
        self.watcher.look(step, moment, self._nothing)
        return ""

    def proposal(self, step: int, moment: Moment) -> str:
        """No action is withheld; what would have come up is noted."""
        self.watcher.look(step, moment, self._nothing)
        return ""

    def firings(self) -> tuple[Firing, ...]:
        """Shadow firings only."""
        return tuple(self.watcher.fired.values())
