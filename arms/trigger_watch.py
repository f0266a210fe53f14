"""Triggers at work: which items would come up now. Decided on the intact items, whatever text is shown."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from loadbearing.episodes.injection import Firing
from loadbearing.episodes.trajectory import Moment
from loadbearing.memory.item import Item, TheoryItem
from loadbearing.memory.trigger import Trigger, TriggerFault, compile_form, compile_trigger


@dataclass(frozen=True, slots=True)
class Watched:
    """An item that can come up, by its position in the slot; a `check` has a precondition."""

    item: int
    trigger: Trigger
    precondition: Trigger | None

    @property
    def needs_action(self) -> bool:
        """It can come up only once an action is proposed: a cue of its Trigger or its check speaks of one."""
        return self.trigger.needs_action or bool(self.precondition and self.precondition.needs_action)

    def comes_up(self, moment: Moment) -> bool:
        """The Trigger holds, and the precondition where there is one."""
        return self.trigger.holds(moment) and (self.precondition is None or self.precondition.holds(moment))


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
    """One episode's firings. An item fires once and stays."""

    watched: tuple[Watched, ...]
    fired: dict[int, Firing] = field(default_factory=dict)

    def look(self, step: int, moment: Moment, shown: frozenset[int]) -> tuple[int, ...]:
        """Positions of items that come up now for the first time; the text of those in `shown` enters."""
        new = []
        for one in self.watched:
            if one.item in self.fired or one.needs_action != bool(moment.action):
                continue
            if one.comes_up(moment):
                check = f" | check: {one.precondition.text}" if one.precondition else ""
                why = one.trigger.why(moment) + check
                self.fired[one.item] = Firing(step, one.item, why, one.item in shown)
                new.append(one.item)
        return tuple(new)
