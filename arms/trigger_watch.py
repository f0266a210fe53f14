"""One episode's injection: which items come up now, and which checks a proposed action breaks.

Triggers are those of the intact items, whatever text is shown.
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache

from memtrial.agents.slot import BrokenCheck, Firing, Slot
from memtrial.agents.trajectory import Moment
from memtrial.memory.item import Item, ProseItem, TypedItem
from memtrial.memory.markdown import parse_all
from memtrial.memory.trigger import Trigger, TriggerFault, breaks_check, compile_form, compile_trigger
from memtrial.models.embeddings.embedding import Array, HashingEmbedder


@dataclass(frozen=True, slots=True)
class Nearest:
    """Holds while one item is, of all in its slot, the nearest to the observation by the words they share."""

    items: tuple[str, ...]
    number: int
    needs_action: bool = False

    @property
    def text(self) -> str:
        return self.items[self.number]

    def holds(self, moment: Moment) -> bool:
        """No other item is nearer; of equals the first."""
        return _nearest(self.items, moment.state) == self.number

    def why(self, moment: Moment) -> str:  # noqa: ARG002
        return "nearest to the state"


@dataclass(frozen=True, slots=True)
class Watched:
    """An item that can come up, by its position in the slot; `check` is the precondition its Form states.

    Its Trigger alone decides when it comes up, whether or not checks are executed.
    """

    item: int
    trigger: Trigger | Nearest
    check: Trigger | None


def watch(items: Sequence[Item]) -> tuple[Watched, ...]:
    """The items whose Trigger compiles. One whose Trigger or check does not compile never comes up."""
    watched = []
    for position, item in enumerate(items):
        if isinstance(item, TypedItem):
            with suppress(TriggerFault):
                watched.append(Watched(position, compile_trigger(item.trigger), compile_form(item.form)))
    return tuple(watched)


def watch_texts(texts: Sequence[str]) -> tuple[Watched, ...]:
    """The same of items that are given as texts; a text that is no single item of a schema has no Trigger."""
    parsed = [parse_all(text) for text in texts]
    return watch([items[0] if len(items) == 1 else ProseItem("") for items in parsed])


def watch_states(items: Sequence[str]) -> tuple[Watched, ...]:
    """Each item of an intact slot, watched by its text."""
    return tuple(Watched(number, Nearest(tuple(items), number), None) for number in range(len(items)))


@lru_cache(maxsize=4096)
def _nearest(items: tuple[str, ...], state: str) -> int | None:
    """The position of the item nearest to the state; None where no item shares a word with it."""
    similar = _vectors(items) @ HashingEmbedder().vectors([state])[0]
    place = int(similar.argmax())
    return place if similar[place] > 0 else None


@lru_cache(maxsize=256)  # each turn holds another state against the same items
def _vectors(items: tuple[str, ...]) -> Array:
    return HashingEmbedder().vectors(items)


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
    _by_action: dict[bool, list[Watched]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Tell those that wait for an action from the others, once for all turns."""
        self._by_action = {False: [], True: []}
        for watched in self.watched:
            self._by_action[watched.trigger.needs_action].append(watched)

    def opening(self) -> str:
        return self.shown.text if self.at_once else ""

    def turn(self, step: int, moment: Moment) -> str:
        """The items that come up now for the first time."""
        return self._text(self._look(step, moment))

    def proposal(self, step: int, moment: Moment) -> str:
        """The items that come up with the proposed action, and those whose executed check it breaks."""
        new = self._look(step, moment)
        stopped = tuple(
            watched.item
            for watched in self.watched
            if watched.check is not None
            and breaks_check(watched.check, moment)
            and watched.trigger.holds(moment)
        )
        self._broken += [BrokenCheck(step, item, self.executed) for item in stopped]
        return self._text((*new, *(stopped if self.executed else ())))

    def firings(self) -> tuple[Firing, ...]:
        return tuple(self._fired.values())

    def broken(self) -> tuple[BrokenCheck, ...]:
        return tuple(self._broken)

    def _look(self, step: int, moment: Moment) -> tuple[int, ...]:
        new = []
        for watched in self._by_action[bool(moment.action)]:
            if watched.item not in self._fired and watched.trigger.holds(moment):
                enters = not self.at_once and watched.item < len(self.shown.items)
                self._fired[watched.item] = Firing(step, watched.item, watched.trigger.why(moment), enters)
                new.append(watched.item)
        return tuple(new)

    def _text(self, positions: tuple[int, ...]) -> str:
        if self.at_once or not positions:  # nothing comes up in most turns
            return ""
        items = self.shown.items
        texts = tuple(items[position] for position in dict.fromkeys(positions) if position < len(items))
        return Slot(self.shown.cue, texts).text if texts else ""
