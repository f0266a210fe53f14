"""Triggers and checks at work: which items would come up now, and which checks a proposed action breaks.

Triggers are those of the intact items, whatever text is shown.
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Protocol

from loadbearing.episodes.injection import BrokenCheck, Firing
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

    Its Trigger alone decides when it comes up, so that its text enters alike whether or not checks are
    executed.
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
class Watcher:
    """One episode's firings and broken checks. An item fires once and stays.

    `executed`: who breaks a check is stopped.
    """

    watched: tuple[Watched, ...]
    executed: bool = False
    fired: dict[int, Firing] = field(default_factory=dict)
    broken: list[BrokenCheck] = field(default_factory=list)

    def look(self, step: int, moment: Moment, shown: frozenset[int]) -> tuple[int, ...]:
        """Positions of items that come up now for the first time; the text of those in `shown` enters."""
        new = []
        for one in self.watched:
            if one.item in self.fired or one.trigger.needs_action != bool(moment.action):
                continue
            if one.trigger.holds(moment):
                self.fired[one.item] = Firing(step, one.item, one.trigger.why(moment), one.item in shown)
                new.append(one.item)
        return tuple(new)

    def try_checks(self, step: int, moment: Moment) -> tuple[int, ...]:
        """Positions of items whose Trigger holds and whose check the proposed action breaks."""
        found = tuple(
            one.item
            for one in self.watched
            if one.check is not None and broken(one.check, moment) and one.trigger.holds(moment)
        )
        self.broken += [BrokenCheck(step, item, self.executed) for item in found]
        return found
