"""Injection `prepend`: the slot is in the system prompt for the whole episode, as in the upstream code."""

from dataclasses import dataclass

from loadbearing.arms.trigger_watch import Watched, Watcher
from loadbearing.episodes.injection import BrokenCheck, Firing, Injection
from loadbearing.episodes.slot import Slot
from loadbearing.episodes.trajectory import Moment


@dataclass(frozen=True, slots=True)
class Prepend:
    """The factor level. The `watched` items only log, unseen, what would come up and which checks break."""

    name: str = "prepend"
    by_trigger: bool = False
    needs_trigger: bool = False

    def __call__(self, shown: Slot, watched: tuple[Watched, ...]) -> Injection:
        return Prepended(shown, Watcher(watched))


@dataclass
class Prepended:
    """One episode with the slot in its system prompt. No text is added later, and no action is withheld."""

    shown: Slot
    watcher: Watcher

    def opening(self) -> str:
        return self.shown.text

    def turn(self, step: int, moment: Moment) -> str:
        self.watcher.look(step, moment, frozenset())
        return ""

    def proposal(self, step: int, moment: Moment) -> str:
        self.watcher.try_checks(step, moment)
        return self.turn(step, moment)

    def firings(self) -> tuple[Firing, ...]:
        return tuple(self.watcher.fired.values())

    def broken(self) -> tuple[BrokenCheck, ...]:
        return tuple(self.watcher.broken)
