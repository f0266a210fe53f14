"""A condenser of one's own: a trajectory in; a Condensation, some texts, or one text out."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import Any

from loadbearing.condensers.condenser import MOST_ITEMS, Condensation, Condenser, Dropped
from loadbearing.episodes.trajectory import Trajectory
from loadbearing.memory.item import Item, NativeItem, ProseItem, TheoryItem
from loadbearing.memory.markdown import parse_all, render
from loadbearing.memory.words import words
from loadbearing.models.client.client import Caller
from loadbearing.runs.errors import RunFault
from loadbearing.runs.plugins.ask import make_asking
from loadbearing.runs.plugins.load import Border, half_sign, name_of, settled

WANTED = "a Condensation, a list of texts or one text is needed"


@dataclass(frozen=True, slots=True)
class OwnCondenser:
    """Somebody's function from a trajectory to texts, as a condenser.

    Args:
        thing: what was loaded; called with the trajectory.
        source: its `path/to/module.py:Object`.
        strict: what it raises rises; else it is a fault of that condensation alone, and the run goes on.
    """

    thing: Any
    source: str
    name: str
    strict: bool = False

    async def __call__(self, trajectory: Trajectory) -> Condensation:
        """Condense one trajectory.

        Raises:
            ModelFault: no answer could be had.
            RunFault: it is strict, and its code broke.
        """
        try:
            with Border(f"condenser {self.name}", RunFault, self.source):
                made = await settled(self.thing(trajectory))
            return self._read(made, trajectory.trace_id)
        except RunFault as fault:
            if self.strict:
                raise
            return Condensation(trajectory.trace_id, self.name, (), faults=(str(fault),))

    def _read(self, made: Any, trace_id: str) -> Condensation:
        if isinstance(made, Condensation):
            own = self._read(made.items, trace_id)
            dropped = (*made.dropped, *own.dropped)
            return replace(made, trace_id=trace_id, condenser=self.name, items=own.items, dropped=dropped)
        texts = [made] if isinstance(made, str) else [] if made is None else made
        if not isinstance(texts, list | tuple):
            raise RunFault(f"condenser {self.name} returned {type(made).__name__}; {WANTED}")
        items = tuple(item for text in texts for item in self._items(text))
        if why := half_sign(*map(render, items)):
            raise RunFault(f"condenser {self.name} returned {why}")
        return Condensation(trace_id, self.name, items[:MOST_ITEMS], dropped=_too_many(items[MOST_ITEMS:]))

    def _items(self, text: Any) -> tuple[Item, ...]:
        if isinstance(text, NativeItem | TheoryItem | ProseItem):
            return (text,)
        if not isinstance(text, str):
            raise RunFault(f"condenser {self.name} returned a list with {type(text).__name__}; {WANTED}")
        return items_of(text)


def load_condenser(
    source: str, caller: Caller, seed: int, name: str | None = None, strict: bool = False
) -> Condenser:
    """The condenser that a name stands for.

    Args:
        source: `path/to/module.py:Object`.
        caller: the model that `ask` asks.
        name: what the spec calls it; unless given, its own name.
        strict: see OwnCondenser.

    Raises:
        SpecFault: it cannot be loaded, or cannot be called.
    """
    thing = make_asking(source, caller, seed, "a condenser", ("__call__",))
    return OwnCondenser(thing, source, name or name_of(thing, source), strict)


def items_of(text: str) -> tuple[Item, ...]:
    """A text as items: those of a schema where it is nothing but such items, else prose; none of a blank."""
    if not text.strip():
        return ()
    found = parse_all(text)
    # a reading that loses a word of the text would store another memory than the one that was made
    lost = Counter(words(text)) - Counter(words("\n".join(render(item, 1) for item in found)))
    # the number of an item is no word of it
    return found if found and all(word.isdigit() for word in lost) else (ProseItem(text),)


def _too_many(items: tuple[Item, ...]) -> tuple[Dropped, ...]:
    why = f"more than {MOST_ITEMS} items"
    return tuple(Dropped(render(item, number), why) for number, item in enumerate(items, MOST_ITEMS + 1))
