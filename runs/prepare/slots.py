"""What each arm shows for each task: retrieved once, by source query, the same records for every arm."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256

from loadbearing.arms.arm import OF_THE_WORLD, Arm
from loadbearing.arms.trigger_watch import Watched, watch
from loadbearing.environments.world import Task
from loadbearing.episodes.slot import NOTHING, Slot
from loadbearing.memory.bank import Bank
from loadbearing.memory.item import Item, field_names, schema_of
from loadbearing.memory.markdown import render
from loadbearing.memory.record import Record
from loadbearing.memory.retrieval import Retrieval, SourceKey, nearest_rows
from loadbearing.models.embeddings.embedding import Embedder, HashingEmbedder, Vectors
from loadbearing.prompts.templates import cue_line
from loadbearing.runs.spec.spec import Spec


@dataclass(frozen=True, slots=True)
class IntactSlot:
    """The intact memory of one arm in one task.

    Args:
        slot: its text; no block at all where the records hold no item.
        watched: the items that can come up by Trigger.
        sources: the source tasks of the records; none where an opaque memory system recalled the slot.
    """

    slot: Slot
    watched: tuple[Watched, ...]
    sources: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class WorldMemories:
    """A memory that the world itself states, for all test tasks.

    Args:
        shown: by task id.
        texts: by task id, the items that slots of other families may get from it.
    """

    shown: Mapping[str, IntactSlot]
    texts: Mapping[str, tuple[str, ...]]

    @property
    def digest(self) -> str:
        """Sha256 of the items shown."""
        listed = {task_id: list(one.slot.items) for task_id, one in self.shown.items()}
        return sha256(json.dumps(listed, sort_keys=True).encode()).hexdigest()


@dataclass(frozen=True)
class Memories:
    """All memories of one backbone, in one draw of the banks.

    Args:
        banks: by condenser, all of them over the same sources in the same order.
        stated: memories that the world states, by name.
        recalled: by memory system and task id, the slot it recalled.
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
        families: by source or test task, its family; donors come from another one.
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


@dataclass(frozen=True, slots=True)
class Found:
    """The records that are shown: one search for all arms, and for all draws of their banks.

    Args:
        queries: of the tasks, as vectors.
        places: by task, positions of its records in the bank, the nearest first.
    """

    queries: Vectors
    places: tuple[tuple[int, ...], ...]


def find_records(
    spec: Spec, tasks: tuple[Task, ...], banks: Mapping[str, Bank], embedder: Embedder
) -> Found | None:
    """Search by the queries of source tasks; None where there is nothing to search, or to search for."""
    records = next((bank.records for bank in banks.values()), ())
    if not records or not tasks:
        return None
    # all queries in one call: a provider embeds a hundred at a time
    keys = tuple(SourceKey(record.task_id, record.query, record.template) for record in records)
    index = Retrieval(embedder, spec.retrieval.k, spec.retrieval.leave_out).index(keys)
    queries = embedder.embed([task.query for task in tasks])
    hits = index.nearest_to(queries, tasks)
    return Found(queries, tuple(tuple(hit.record_position for hit in near) for near in hits))


def fill_slots(
    spec: Spec,
    tasks: tuple[Task, ...],
    memories: Memories,
    embedder: Embedder = HashingEmbedder(),
    cue: str = cue_line(),
    found: Found | None = None,
) -> ArmSlots:
    """Retrieve for every task and lay out every memory.

    Args:
        embedder: makes vectors of queries and, where items are chosen one by one, of items.
        cue: the line above the items, the same for every arm but the memory systems', which bring their own.
        found: the records to show, where they were searched for already.

    Raises:
        ValueError: a memory system has the name of a condenser, or no slot for one of the tasks.
    """
    banks, stated = memories.banks, memories.stated
    shown = {(name, task.id): one.shown[task.id] for name, one in stated.items() for task in tasks}
    shown |= _select(spec, tasks, banks, embedder, cue, found)
    systems = {name: _recalled(name, slots, tasks, banks) for name, slots in memories.recalled.items()}
    shown |= {
        (name, task_id): IntactSlot(slot, (), ())
        for name, slots in systems.items()
        for task_id, slot in slots.items()
    }
    by_trigger = [name for name in (*banks, *stated) if any(shown[name, task.id].watched for task in tasks)]
    watching = by_trigger[0] if by_trigger else ""
    texts: dict[str, Mapping[str, tuple[str, ...]]] = {
        name: {record.task_id: _texts(record.items) for record in bank.records}
        for name, bank in banks.items()
    }
    texts |= {
        name: {task_id: slot.items for task_id, slot in slots.items()} for name, slots in systems.items()
    }
    texts |= {name: one.texts for name, one in stated.items()}
    sources = {record.task_id: record.family for bank in banks.values() for record in bank.records}
    digests = {name: bank.digest for name, bank in banks.items()}
    digests |= {name: _digest(slots) for name, slots in systems.items()}
    digests |= {name: one.digest for name, one in stated.items()}
    return ArmSlots(
        digests=digests,
        shown=shown,
        shadow={task.id: shown[watching, task.id].watched if watching else () for task in tasks},
        families=sources | {task.id: task.family for task in tasks},
        texts=texts,
        watching=watching,
    )


def _select(
    spec: Spec,
    tasks: tuple[Task, ...],
    banks: Mapping[str, Bank],
    embedder: Embedder,
    cue: str,
    found: Found | None,
) -> dict[tuple[str, str], IntactSlot]:
    """By memory and task id, items of the same records for every bank: one search for all of them."""
    found = found or find_records(spec, tasks, banks, embedder)
    if found is None:
        return {(name, task.id): IntactSlot(NOTHING, (), ()) for name in banks for task in tasks}
    by_item = spec.retrieval.unit == "item"
    shown = {}
    for name, bank in banks.items():
        chosen = [[bank.records[at] for at in places] for places in found.places]
        items = [tuple(item for record in near for item in record.items) for near in chosen]
        if by_item:
            items = _nearest_items(items, found.queries, spec.retrieval.k, embedder)
        for task, near, kept in zip(tasks, chosen, items, strict=True):
            shown[name, task.id] = _shown(near, kept, cue)
    return shown


def _nearest_items(
    listed: list[tuple[Item, ...]], queries: Vectors, k: int, embedder: Embedder
) -> list[tuple[Item, ...]]:
    """Of each task's items the k nearest to its query, the most similar first."""
    places = {
        text: at for at, text in enumerate(dict.fromkeys(_said(one) for items in listed for one in items))
    }
    if not places:
        return listed
    vectors = embedder.embed(list(places))
    nearest = []
    for at, items in enumerate(listed):
        rows = Vectors(vectors.space, vectors.array[[places[_said(one)] for one in items]])
        query = Vectors(queries.space, queries.array[at : at + 1])
        nearest.append(tuple(items[row] for row in nearest_rows(query, rows, k)))
    return nearest


def _said(item: Item) -> str:
    """The item's own words: headings are the same in every item of a schema, and say nothing of this one."""
    return "\n".join(getattr(item, name) for name in field_names(schema_of(item)))


def _recalled(
    name: str, slots: Mapping[str, Slot], tasks: tuple[Task, ...], banks: Mapping[str, Bank]
) -> dict[str, Slot]:
    """What a memory system recalled for the tasks; a slot without an item is no block at all."""
    missing = [task.id for task in tasks if task.id not in slots]
    if missing or name in banks or name in OF_THE_WORLD:
        what = (
            f"no slot for {len(missing)} tasks, first {missing[0]!r}" if missing else "a name that is taken"
        )
        raise ValueError(
            f"memory system {name!r} needs a slot for every task and a name of its own; got {what}"
        )
    return {task.id: slots[task.id] if slots[task.id].items else NOTHING for task in tasks}


def _digest(slots: Mapping[str, Slot]) -> str:
    listed = {task_id: [slot.cue, *slot.items] for task_id, slot in slots.items()}
    return sha256(json.dumps(listed, sort_keys=True).encode()).hexdigest()


def _shown(records: list[Record], items: tuple[Item, ...], cue: str) -> IntactSlot:
    return IntactSlot(_slot(cue, _texts(items)), watch(items), tuple(record.task_id for record in records))


def _texts(items: tuple[Item, ...]) -> tuple[str, ...]:
    return tuple(render(item, number) for number, item in enumerate(items, 1))


def _slot(cue: str, texts: tuple[str, ...]) -> Slot:
    return Slot(cue, texts) if texts else NOTHING
