"""A user's condenser: a trajectory in; a Condensation, some texts, or one text out."""

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
from loadbearing.runs.plugins.adapter import Adapter, Expected, load_adapter
from loadbearing.runs.plugins.load import name_of

WORDS = "a Condensation, a list of texts or one text"
ANYTHING = Expected[Any](Any, WORDS)
ITEMS = Expected[None | str | tuple[str | Item, ...]](
    None | str | tuple[str | NativeItem | TheoryItem | ProseItem, ...], WORDS
)


@dataclass(frozen=True, slots=True)
class OwnCondenser:
    """A user's function from a trajectory to texts, as a condenser.

    Args:
        strict: its faults rise; else one is a fault of that condensation alone, and the run continues.
    """

    own: Adapter
    name: str
    strict: bool = False

    async def __call__(self, trajectory: Trajectory) -> Condensation:
        """Condense one trajectory.

        Raises:
            ModelFault: no answer could be had.
            RunFault: it is strict, and its code raised or returned something else.
        """
        where = f"condenser {self.name}"
        try:
            made = await self.own.ask(where, ANYTHING, trajectory)
            given = made.items if isinstance(made, Condensation) else made
            texts = self.own.read(where, ITEMS, given) or ()
        except RunFault as fault:
            if self.strict:
                raise
            return Condensation(trajectory.trace_id, self.name, (), faults=(str(fault),))
        listed = (texts,) if isinstance(texts, str) else texts
        items = tuple(item for one in listed for item in (items_of(one) if isinstance(one, str) else (one,)))
        own = made if isinstance(made, Condensation) else Condensation(trajectory.trace_id, self.name, ())
        dropped = (*own.dropped, *_too_many(items[MOST_ITEMS:]))
        kept = items[:MOST_ITEMS]
        return replace(own, trace_id=trajectory.trace_id, condenser=self.name, items=kept, dropped=dropped)


def load_condenser(
    source: str, caller: Caller, seed: int, name: str | None = None, strict: bool = False
) -> Condenser:
    """The condenser that `path/to/module.py:Object` names.

    Args:
        caller: the model that `ask` asks.
        name: what the spec calls it; unless given, its own name.
        strict: see OwnCondenser.

    Raises:
        SpecFault: it cannot be loaded, or cannot be called.
    """
    own = load_adapter(source, caller, seed, "a condenser", ("__call__",))
    return OwnCondenser(own, name or name_of(own.thing, source), strict)


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
