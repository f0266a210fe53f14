"""A user's condenser: a trajectory in; a text, a list of texts, or None out."""

from collections import Counter
from dataclasses import dataclass

from loadbearing.condensers.condenser import MOST_ITEMS, Condensation, Condenser, Dropped
from loadbearing.episodes.trajectory import Trajectory
from loadbearing.memory.item import Item, ProseItem
from loadbearing.memory.markdown import parse_all, render
from loadbearing.memory.words import words
from loadbearing.models.client.client import Caller
from loadbearing.runs.errors import RunFault
from loadbearing.runs.plugins.adapter import Adapter, Expected, load_adapter
from loadbearing.runs.plugins.load import name_of

TEXTS = Expected(list[str | tuple[str, ...] | None], "a text, a list of texts or None")


@dataclass(frozen=True, slots=True)
class OwnCondenser:
    """A user's function from a trajectory to texts, as a condenser."""

    own: Adapter
    name: str

    async def __call__(self, trajectory: Trajectory) -> Condensation:
        """Condense one trajectory. What its code raises is a fault of that condensation alone.

        Raises:
            ModelFault: no answer could be had.
        """
        try:
            texts = await self.own.ask(f"condenser {self.name}", TEXTS, trajectory) or ()
        except RunFault as fault:
            return Condensation(trajectory.trace_id, self.name, (), faults=(str(fault),))
        listed = (texts,) if isinstance(texts, str) else texts
        items = tuple(item for text in listed for item in items_of(text))
        dropped = tuple(
            Dropped(render(item, number), f"more than {MOST_ITEMS} items")
            for number, item in enumerate(items[MOST_ITEMS:], MOST_ITEMS + 1)
        )
        return Condensation(trajectory.trace_id, self.name, items[:MOST_ITEMS], dropped=dropped)


def load_condenser(source: str, caller: Caller, seed: int, name: str | None = None) -> Condenser:
    """The condenser that `path/to/module.py:Object` names, under its own name unless the spec gives one."""
    own = load_adapter(source, caller, seed, "a condenser", ("__call__",))
    return OwnCondenser(own, name or name_of(own.thing, source))


def items_of(text: str) -> tuple[Item, ...]:
    """A text as items: those of a schema where it is nothing but such items, else prose; none of a blank."""
    if not text.strip():
        return ()
    found = parse_all(text)
    # a reading that loses a word of the text would store another memory than the one that was made
    lost = Counter(words(text)) - Counter(words("\n".join(render(item, 1) for item in found)))
    # the number of an item is no word of it
    return found if found and all(word.isdigit() for word in lost) else (ProseItem(text),)
