"""Damage done inside a memory store that composes what it shows: put in, read for one task, and put back."""

from collections.abc import Sequence
from dataclasses import dataclass
from operator import ne

from memtrial.faults import RunFault
from memtrial.memory.stored_item import MemoryFault, StoredItem
from memtrial.plugins.own_memory import OwnStore
from memtrial.worlds.world import State, Task


@dataclass(frozen=True, slots=True)
class DamagedReading:
    """What a store gave for a task while other texts stood in the places of its items.

    Args:
        items: as an agent is shown them.
        how: in what it is not what was put in, as `1 of 3 items dropped`; empty where it is.
    """

    items: tuple[str, ...]
    how: str = ""


async def find_held(store: OwnStore, task: Task, state: State) -> tuple[str, ...]:
    """The texts that the store holds of the items that it shows for a task: what damage is done to."""
    texts = {item.id: item.text for item in store.list()}
    shown = await _read_shown(store, task, state)
    if missing := next((item.id for item in shown if item.id not in texts), None):
        raise RunFault(
            f"read of {store.own.source}, task {task.id}, gave item {missing!r:.60}, that it does not list"
        )
    return tuple(texts[item.id] for item in shown)


async def read_damaged(store: OwnStore, task: Task, state: State, texts: Sequence[str]) -> DamagedReading:
    """Put a text in the place of each item that is shown for the task, read again, and put all of them back.

    Args:
        texts: one for each item of `find_held`, in that order.

    Raises:
        RunFault: the store has no such item any more, or is not what it was once all was put back.
    """
    before, held = await _read_shown(store, task, state), store.list()
    was = {item.id: item.text for item in held}
    put = dict(zip((item.id for item in before), texts, strict=True))
    try:
        _replace_each(store, put)
        after = await store.read(task, state, store.k)
    finally:
        _replace_each(store, {id: was[id] for id in put})
    if store.list() != held or await _read_shown(store, task, state) != before:
        raise RunFault(
            f"{store.own.source} is not what it was before the damage, though all its texts were put back; to"
            " damage the text alone leave out takes_damage, or the tool that updates an item"
        )
    wanted = {item.id: _frame(item.text, was[item.id], put[item.id]) for item in before}
    return DamagedReading(tuple(item.text for item in after), _compare(wanted, after))


def _frame(shown: str, held: str, put: str) -> str:
    """Another text in the place of the held one, within what the store writes around it."""
    before, there, behind = shown.partition(held)
    return f"{before}{put}{behind}" if there else put


def _compare(put: dict[str, str], after: Sequence[StoredItem]) -> str:
    """In what a reading is not what was put in: items gone, new, out of order, or of another text."""
    given = [item.id for item in after]
    kept, ordered = [id for id in given if id in put], [id for id in put if id in given]
    counts = {
        "dropped": len(put.keys() - given),
        "added": len(given) - len(kept),
        "out of their order": sum(map(ne, kept, ordered)),
        "rewritten": sum(put[item.id].strip() != item.text.strip() for item in after if item.id in put),
    }
    return ", ".join(f"{count} of {len(put)} items {how}" for how, count in counts.items() if count)


async def _read_shown(store: OwnStore, task: Task, state: State) -> tuple[StoredItem, ...]:
    return tuple(item for item in await store.read(task, state, store.k) if item.text.strip())


def _replace_each(store: OwnStore, texts: dict[str, str]) -> None:
    for id, text in texts.items():
        try:
            store.replace(id, text)
        except MemoryFault as fault:
            raise RunFault(f"replace of {store.own.source}: {fault}") from fault
