"""A user's condenser: a trajectory in; a Condensation, some texts, or one text out."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

from loadbearing.condensers.condenser import MOST_ITEMS, Condensation, Condenser, Dropped
from loadbearing.episodes.trajectory import Trajectory
from loadbearing.memory.item import Item, ProseItem
from loadbearing.memory.markdown import parse_all, render
from loadbearing.memory.words import words
from loadbearing.models.client.client import Caller
from loadbearing.runs.errors import RunFault
from loadbearing.runs.plugins.adapter import Adapter, Expected, load_adapter
from loadbearing.runs.plugins.load import name_of

MADE = Expected(
    list[str | tuple[str | Item, ...] | Condensation | None], "a Condensation, a list of texts or one text"
)


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
        empty = Condensation(trajectory.trace_id, self.name, ())
        try:
            made = await self.own.ask(f"condenser {self.name}", MADE, trajectory)
        except RunFault as fault:
            return replace(empty, faults=(str(fault),))
        if isinstance(made, Condensation):
            empty = replace(made, trace_id=trajectory.trace_id, condenser=self.name)
            made = made.items
        listed = (made,) if isinstance(made, str) else made or ()
        items = tuple(item for one in listed for item in (items_of(one) if isinstance(one, str) else (one,)))
        dropped = tuple(
            Dropped(render(item, number), f"more than {MOST_ITEMS} items")
            for number, item in enumerate(items[MOST_ITEMS:], MOST_ITEMS + 1)
        )
        return replace(empty, items=items[:MOST_ITEMS], dropped=(*empty.dropped, *dropped))


def load_condenser(source: str, caller: Caller, seed: int, name: str | None = None) -> Condenser:
    """The condenser that `path/to/module.py:Object` names.

    Args:
        caller: the model that `ask` asks.
        name: what the spec calls it; unless given, its own name.

    Raises:
        SpecFault: it cannot be loaded, or cannot be called.
    """
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
