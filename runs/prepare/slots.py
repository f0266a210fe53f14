"""What each arm shows for each task: retrieved once, by source query, the same records for every arm."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256

from loadbearing.arms.arm import Arm
from loadbearing.arms.trigger_watch import Watched, watch
from loadbearing.environments.world import Task
from loadbearing.episodes.slot import NOTHING, Slot
from loadbearing.memory.bank import Bank
from loadbearing.memory.item import Item, field_names, schema_of
from loadbearing.memory.markdown import render
from loadbearing.memory.retrieval import SourceKey, Sources, nearest_records, nearest_rows
from loadbearing.models.embeddings.embedding import Array, Embedder, HashingEmbedder
from loadbearing.prompts.templates import cue_line
from loadbearing.runs.spec.spec import Spec


@dataclass(frozen=True, slots=True)
class IntactSlot:
    """The intact memory of one arm in one task.

    `watched` can come up by Trigger; `sources` are the records' tasks, none for a memory system's slot.
    """

    slot: Slot
    watched: tuple[Watched, ...]
    sources: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class WorldMemories:
    """A memory that the world itself states, by task id; `texts` are what slots of other families may get."""

    shown: Mapping[str, IntactSlot]
    texts: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True)
class Memories:
    """All memories of one backbone, in one draw of the banks, by name; `recalled` also by task id.

    All banks are over the same sources in the same order.
    """

    banks: Mapping[str, Bank]
    stated: Mapping[str, WorldMemories] = field(default_factory=dict)
    recalled: Mapping[str, Mapping[str, Slot]] = field(default_factory=dict)


@dataclass(frozen=True)
class ArmSlots:
    """Everything one backbone's arms may show, from one bank of each condenser.

    Args:
        digests: sha256 of each memory, by its name.
        shown: by memory and task id.
        shadow: by task id, the items whose firings are logged where no item is injected by trigger.
        families: by source or test task; donors come from another one.
        texts: by memory and source, the items' texts: where donors are found. A memory system's sources are
            the test tasks it recalled for.
        watching: the memory whose items are the shadow; empty where there is none.
    """

    digests: Mapping[str, str]
    shown: Mapping[tuple[str, str], IntactSlot]
    shadow: Mapping[str, tuple[Watched, ...]]
    families: Mapping[str, str]
    texts: Mapping[str, Mapping[str, tuple[str, ...]]]
    watching: str = ""

    def of(self, arm: Arm, task: Task) -> IntactSlot:
        """What the arm shows, undamaged."""
        return self.shown[arm.memory, task.id]

    def by_source(self) -> dict[str, list[str]]:
        """By source, all texts of all memories."""
        found: dict[str, list[str]] = {}
        for texts in self.texts.values():
            for source, items in texts.items():
                found.setdefault(source, []).extend(items)
        return found


@dataclass(frozen=True, slots=True)
class Found:
    """The records that are shown: one search for all arms, and for all draws of their banks.

    `places`: by task, positions of its records in the bank, the nearest first.
    """

    queries: Array
    places: tuple[tuple[int, ...], ...]


async def find_records(
    spec: Spec, tasks: tuple[Task, ...], banks: Mapping[str, Bank], embedder: Embedder
) -> Found | None:
    """Search by the queries of source tasks; None where there is nothing to search, or to search for."""
    records = next((bank.records for bank in banks.values()), ())
    if not records or not tasks:
        return None
    keys = tuple(SourceKey(record.task_id, record.query, record.template) for record in records)
    sources = Sources(keys, await embedder.embed([key.query for key in keys]))
    queries = await embedder.embed([task.query for task in tasks])
    how = spec.retrieval
    return Found(queries, nearest_records(sources, tasks, queries, how.k, how.leave_out))


async def fill_slots(
    spec: Spec,
    tasks: tuple[Task, ...],
    memories: Memories,
    embedder: Embedder = HashingEmbedder(),
    cue: str = cue_line(),
    found: Found | None = None,
) -> ArmSlots:
    """Retrieve for every task and lay out every memory.

    Args:
        cue: the line above the items, the same for every arm but the memory systems', which bring their own.
        found: the records to show, where they were searched for already.
    """
    banks, stated = memories.banks, memories.stated
    found = found or await find_records(spec, tasks, banks, embedder)
    shown: dict[tuple[str, str], IntactSlot] = {}
    texts: dict[str, Mapping[str, tuple[str, ...]]] = {}
    digests: dict[str, str] = {}
    families: dict[str, str] = {}
    for name, bank in banks.items():
        nothing = [_slot((), cue, ())] * len(tasks)
        slots = await _of_bank(spec, bank, found, embedder, cue) if found else nothing
        shown |= {(name, task.id): slot for task, slot in zip(tasks, slots, strict=True)}
        texts[name] = {record.task_id: _texts(record.items) for record in bank.records}
        digests[name] = bank.digest
        families |= {record.task_id: record.family for record in bank.records}
    for name, recalled in memories.recalled.items():
        # a slot without an item is no block at all
        of_system = {task.id: recalled[task.id] if recalled[task.id].items else NOTHING for task in tasks}
        shown |= {(name, task_id): IntactSlot(slot, (), ()) for task_id, slot in of_system.items()}
        texts[name] = {task_id: slot.items for task_id, slot in of_system.items()}
        digests[name] = _digest({task_id: [one.cue, *one.items] for task_id, one in of_system.items()})
    for name, memory in stated.items():
        shown |= {(name, task.id): memory.shown[task.id] for task in tasks}
        texts[name] = memory.texts
        digests[name] = _digest({task_id: list(one.slot.items) for task_id, one in memory.shown.items()})
    by_trigger = (name for name in (*banks, *stated) if any(shown[name, task.id].watched for task in tasks))
    watching = next(by_trigger, "")
    return ArmSlots(
        digests=digests,
        shown=shown,
        shadow={task.id: shown[watching, task.id].watched if watching else () for task in tasks},
        families=families | {task.id: task.family for task in tasks},
        texts=texts,
        watching=watching,
    )


async def _of_bank(spec: Spec, bank: Bank, found: Found, embedder: Embedder, cue: str) -> list[IntactSlot]:
    """By task, items of the records that were found."""
    chosen = [[bank.records[at] for at in places] for places in found.places]
    items = [tuple(item for record in near for item in record.items) for near in chosen]
    if spec.retrieval.unit == "item":
        items = await _nearest_items(items, found.queries, spec.retrieval.k, embedder)
    return [
        _slot(kept, cue, tuple(record.task_id for record in near))
        for near, kept in zip(chosen, items, strict=True)
    ]


async def _nearest_items(
    listed: list[tuple[Item, ...]], queries: Array, k: int, embedder: Embedder
) -> list[tuple[Item, ...]]:
    """Of each task's items the k nearest to its query, the most similar first."""
    said = list(dict.fromkeys(_said(one) for items in listed for one in items))
    if not said:
        return listed
    vectors, places = await embedder.embed(said), {text: at for at, text in enumerate(said)}
    nearest = []
    for at, items in enumerate(listed):
        rows = vectors[[places[_said(one)] for one in items]]
        nearest.append(tuple(items[row] for row in nearest_rows(queries[at], rows, k)))
    return nearest


def _said(item: Item) -> str:
    """The item's own words: headings are the same in every item of a schema, and say nothing of this one."""
    return "\n".join(getattr(item, name) for name in field_names(schema_of(item)))


def _digest(listed: Mapping[str, list[str]]) -> str:
    return sha256(json.dumps(listed, sort_keys=True).encode()).hexdigest()


def _texts(items: Sequence[Item]) -> tuple[str, ...]:
    return tuple(render(item, number) for number, item in enumerate(items, 1))


def _slot(items: tuple[Item, ...], cue: str, sources: tuple[str, ...]) -> IntactSlot:
    return IntactSlot(Slot(cue, _texts(items)) if items else NOTHING, watch(items), sources)
