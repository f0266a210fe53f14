"""One episode's injection: which items come up now, and which checks a proposed action breaks.

Triggers are those of the intact items, whatever text is shown.
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Protocol

from loadbearing.episodes.injection import BrokenCheck, Firing
from loadbearing.episodes.slot import Slot
from loadbearing.episodes.trajectory import Moment
from loadbearing.memory.item import Item, TheoryItem
from loadbearing.memory.trigger import Trigger, TriggerFault, broken, compile_form, compile_trigger


class Condition(Protocol):
    """What must hold for an item to come up: a Trigger, or the nearness of its text."""

    @property
    def text(self) -> str:
        """All that determines it."""

    @property
    def needs_action(self) -> bool:
        """It can hold only once an action is proposed."""

    def holds(self, moment: Moment) -> bool:
        """Whether the item comes up now."""

    def why(self, moment: Moment) -> str:
        """What held, in words."""


@dataclass(frozen=True, slots=True)
class Watched:
    """An item that can come up, by its position in the slot; `check` is the precondition its Form states.

    Its Trigger alone decides when it comes up, whether or not checks are executed.
    """

    item: int
    trigger: Condition
    check: Trigger | None


def watch(items: Sequence[Item]) -> tuple[Watched, ...]:
    """The items whose Trigger compiles. One whose Trigger or check does not compile never comes up."""
    watched = []
    for position, item in enumerate(items):
        if isinstance(item, TheoryItem):
            with suppress(TriggerFault):
                watched.append(Watched(position, compile_trigger(item.trigger), compile_form(item.form)))
    return tuple(watched)


@dataclass
class Watching:
    """One episode's injection. An item fires once and stays.

    Args:
        at_once: the slot stands in the system prompt, and nothing enters later; else an item enters when it
            comes up.
        executed: an action that breaks a check is withheld; else that is only logged.
    """

    shown: Slot
    watched: tuple[Watched, ...]
    at_once: bool = False
    executed: bool = False
    _fired: dict[int, Firing] = field(default_factory=dict)
    _broken: list[BrokenCheck] = field(default_factory=list)

    def opening(self) -> str:
        return self.shown.text if self.at_once else ""

    def turn(self, step: int, moment: Moment) -> str:
        """The items that come up now for the first time."""
        return self._text(self._look(step, moment))

    def proposal(self, step: int, moment: Moment) -> str:
        """The items that come up with the proposed action, and those whose executed check it breaks."""
        new = self._look(step, moment)
        stopped = tuple(
            one.item
            for one in self.watched
            if one.check is not None and broken(one.check, moment) and one.trigger.holds(moment)
        )
        self._broken += [BrokenCheck(step, item, self.executed) for item in stopped]
        return self._text((*new, *(stopped if self.executed else ())))

    def firings(self) -> tuple[Firing, ...]:
        return tuple(self._fired.values())

    def broken(self) -> tuple[BrokenCheck, ...]:
        return tuple(self._broken)

    def _look(self, step: int, moment: Moment) -> tuple[int, ...]:
        new = []
        for one in self.watched:
            if one.item in self._fired or one.trigger.needs_action != bool(moment.action):
                continue
            if one.trigger.holds(moment):
                enters = not self.at_once and one.item < len(self.shown.items)
                self._fired[one.item] = Firing(step, one.item, one.trigger.why(moment), enters)
                new.append(one.item)
        return tuple(new)

    def _text(self, positions: tuple[int, ...]) -> str:
        items = () if self.at_once else self.shown.items
        texts = tuple(items[position] for position in dict.fromkeys(positions) if position < len(items))
        return Slot(self.shown.cue, texts).text if texts else ""
