"""What each arm shows for each task: retrieved once, by source query, the same records for every arm."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import TypeVar

from memtrial.agents.slot import BLANK, NOTHING, Slot
from memtrial.arms.arm import Arm
from memtrial.arms.trigger_watch import Watched, watch, watch_texts
from memtrial.faults import SpecFault
from memtrial.memory.bank_store import BankStore, NearRecords, nothing_near
from memtrial.memory.item import Item, field_names, schema_of
from memtrial.memory.record_bank import Record
from memtrial.memory.record_text import show_items, show_records
from memtrial.memory.retrieval import LeaveOut, SourceKey, may_see
from memtrial.prompts.control_prompts import ReplyLayout
from memtrial.prompts.templates import Prompt, cue_line
from memtrial.runs.spec.arm_spec import INJECTION, ArmSpec, may_hold_triggers
from memtrial.runs.spec.spec import Spec
from memtrial.worlds.world import Task

DISCUSS = Prompt("discuss")


def ask_to_discuss(slot: Slot) -> Slot:
    """The slot with the instruction in its cue line, so that it enters with the items however injected."""
    return slot if slot.blank else replace(slot, cue=" ".join(filter(None, (slot.cue, DISCUSS.render()))))


@dataclass(frozen=True, slots=True)
class IntactSlot:
    """The intact memory of one arm in one task.

    `watched` can come up by Trigger; `sources` are the records' tasks, none for a memory system's slot.
    `foreign`: what is watched, for the log alone, are items of another memory.
    `parts` are the slots of the single records where a whole bank is in reach; they are damaged one by one.
    `similarity` is that of the nearest record's query, where records were searched.
    `held` are the texts that a memory store holds of the slot's items, where damage is done in the store.
    """

    slot: Slot
    watched: tuple[Watched, ...]
    sources: tuple[str, ...]
    foreign: bool = False
    parts: "tuple[IntactSlot, ...]" = ()
    similarity: float | None = None
    held: tuple[str, ...] = ()

    @property
    def source(self) -> Slot:
        """What damage is done to: the slot, or what a store holds of it."""
        return Slot(self.slot.cue, self.held) if self.held else self.slot


@dataclass(frozen=True, slots=True)
class WorldMemories:
    """A memory that the world itself states, by task id; `texts` are what slots of other families may get."""

    shown: Mapping[str, IntactSlot]
    texts: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True)
class Memories:
    """All memories of one backbone, in one draw of the banks, by name; `recalled` also by task id.

    All banks are over the same sources in the same order. `held`, by name and task id, is what stores hold of
    the slots that they recalled.
    """

    banks: Mapping[str, BankStore]
    stated: Mapping[str, WorldMemories] = field(default_factory=dict)
    recalled: Mapping[str, Mapping[str, Slot]] = field(default_factory=dict)
    held: Mapping[str, Mapping[str, tuple[str, ...]]] = field(default_factory=dict)


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
        records: by memory into whose bank an arm reaches, the slot of each of its records that has items.
        bank: by memory and task id, the records in reach as one slot.
    """

    digests: Mapping[str, str]
    shown: Mapping[tuple[str, str], IntactSlot]
    shadow: Mapping[str, tuple[Watched, ...]]
    families: Mapping[str, str]
    texts: Mapping[str, Mapping[str, tuple[str, ...]]]
    watching: str = ""
    records: Mapping[str, Mapping[SourceKey, IntactSlot]] = field(default_factory=dict)
    bank: Mapping[tuple[str, str], IntactSlot] = field(default_factory=dict)

    def of(self, arm: Arm, task: Task) -> IntactSlot:
        """What the arm shows, undamaged, or what may come up."""
        intact = (self.bank if arm.reach == "bank" else self.shown)[arm.memory, task.id]
        if arm.injection.watch is not None:
            intact = replace(intact, watched=arm.injection.watch(intact.slot.items))
        return replace(intact, slot=ask_to_discuss(intact.slot)) if arm.discuss else intact

    def in_bank(self, memory: str, task: Task, leave_out: LeaveOut) -> Iterator[tuple[int, IntactSlot]]:
        """The records in reach in a task, with their numbers: all but those that retrieval leaves out."""
        for number, (key, part) in enumerate(self.records.get(memory, {}).items()):
            if may_see(task, key, leave_out):
                yield number, part

    def by_source(self) -> dict[str, list[str]]:
        """By source, all texts of all memories."""
        by_source: dict[str, list[str]] = {}
        for texts in self.texts.values():
            for source, items in texts.items():
                by_source.setdefault(source, []).extend(items)
        return by_source


async def find_records(spec: Spec, tasks: tuple[Task, ...], banks: Mapping[str, BankStore]) -> NearRecords:
    """The records that every arm shows, by the queries of source tasks; none where no arm has a bank.

    One search for all arms, and for all draws of their banks: these are over the same sources.
    """
    bank = next(iter(banks.values()), None)
    return nothing_near(tasks) if bank is None else await bank.search(tasks, spec.retrieval.k)


async def fill_slots(
    spec: Spec,
    tasks: tuple[Task, ...],
    memories: Memories,
    cue: str = cue_line(),
    near_records: NearRecords | None = None,
) -> ArmSlots:
    """Retrieve for every task and lay out every memory.

    Args:
        cue: the line above the items, the same for every arm but the memory systems', which bring their own.
        near_records: the records to show, where they were searched for already.
    """
    stores, stated = memories.banks, memories.stated
    near_records = near_records or await find_records(spec, tasks, stores)
    shown: dict[tuple[str, str], IntactSlot] = {}
    texts: dict[str, Mapping[str, tuple[str, ...]]] = {}
    digests: dict[str, str] = {}
    families: dict[str, str] = {}
    records: dict[str, Mapping[SourceKey, IntactSlot]] = {}
    reaching = {arm.condenser for arm in spec.arms if isinstance(arm, ArmSpec) and arm.reach == "bank"}
    for name, store in stores.items():
        bank, slots = store.bank, await _lay_out_near(store, spec, near_records, cue)
        shown |= {(name, task.id): slot for task, slot in zip(tasks, slots, strict=True)}
        texts[name] = store.texts_by_source()
        digests[name] = bank.digest
        families |= {record.task_id: record.family for record in bank.records}
        if name in reaching:
            records[name] = {
                SourceKey(record.task_id, record.query, record.template): IntactSlot(
                    Slot(cue, show_items(record.items)), watch(record.items), (record.task_id,)
                )
                for record in bank.records
                if record.items
            }
    for name, recalled in memories.recalled.items():
        # a slot without an item is no block at all
        of_system = {task.id: recalled[task.id] if recalled[task.id].items else NOTHING for task in tasks}
        written, held = may_hold_triggers(name), memories.held.get(name, {})
        shown |= {
            (name, task_id): IntactSlot(
                slot, watch_texts(slot.items) if written else (), (), held=held.get(task_id, ())
            )
            for task_id, slot in of_system.items()
        }
        if written:
            _refuse_untriggered(spec, name, [shown[name, task.id] for task in tasks])
        texts[name] = {task_id: slot.items for task_id, slot in of_system.items()}
        digests[name] = _digest({task_id: [entry.cue, *entry.items] for task_id, entry in of_system.items()})
    for name, memory in stated.items():
        shown |= {(name, task.id): memory.shown[task.id] for task in tasks}
        texts[name] = memory.texts
        digests[name] = _digest(
            {task_id: list(intact.slot.items) for task_id, intact in memory.shown.items()}
        )
    by_trigger = (name for name in (*stores, *stated) if any(shown[name, task.id].watched for task in tasks))
    watching = next(by_trigger, "")
    return ArmSlots(
        digests=digests,
        shown=shown,
        shadow={task.id: shown[watching, task.id].watched if watching else () for task in tasks},
        families=families | {task.id: task.family for task in tasks},
        texts=texts,
        watching=watching,
        records=records,
    )


def _refuse_untriggered(spec: Spec, memory: str, slots: Sequence[IntactSlot]) -> None:
    """An arm that waits for Triggers has a memory with one somewhere; else SpecFault."""
    for arm in spec.arms:
        waits = isinstance(arm, ArmSpec) and arm.memory == memory and INJECTION[arm.injection].needs_trigger
        if isinstance(arm, ArmSpec) and waits and not any(slot.watched for slot in slots):
            raise SpecFault(
                f"arm {arm.name!r} injects by {arm.injection}, and no item of its memory has a `## Trigger`"
                " that can be read; use injection: prepend or state, or write items of the theory schema"
            )


Shown = TypeVar("Shown", str, Item)


async def _lay_out_near(store: BankStore, spec: Spec, near: NearRecords, cue: str) -> list[IntactSlot]:
    """By task, what the records of a bank at the places that a search gave show."""
    bank, how = store.bank, spec.retrieval
    records = [tuple(bank.records[row.place] for row in rows) for rows in near.rows]

    async def choose(
        listed: list[tuple[Shown, ...]], text_of: Callable[[Shown], str]
    ) -> list[tuple[Shown, ...]]:
        """Where single items are shown, of each task's the k nearest to its query, the most similar first."""
        if how.unit != "item":
            return listed
        texts = [tuple(text_of(item) for item in items) for items in listed]
        chosen = await store.nearest_texts(near.queries, texts, how.k)
        return [tuple(items[place] for place in places) for items, places in zip(listed, chosen, strict=True)]

    watched: list[tuple[Watched, ...]] = [()] * len(records)
    if bank.verbatim:
        texts = await choose([show_records(some, bank.layout) for some in records], str)
    else:
        stored = [tuple(item for record in some for item in record.items) for some in records]
        items = await choose(stored, _own_words)
        texts, watched = (
            [show_items(items_shown) for items_shown in items],
            [watch(items_shown) for items_shown in items],
        )
    blank = [_without_text(some, bank.layout) for some in records]
    slots = (Slot(cue, text) if text else none for text, none in zip(texts, blank, strict=True))
    return [
        IntactSlot(
            slot,
            may_come,
            tuple(record.task_id for record in some),
            similarity=rows[0].cosine if rows else None,
        )
        for slot, may_come, some, rows in zip(slots, watched, records, near.rows, strict=True)
    ]


def _own_words(item: Item) -> str:
    """The item's own words: headings are the same in every item of a schema, and say nothing of this one."""
    return "\n".join(getattr(item, name) for name in field_names(schema_of(item)))


def _digest(listed: Mapping[str, list[str]]) -> str:
    return sha256(json.dumps(listed, sort_keys=True).encode()).hexdigest()


def _without_text(records: Sequence[Record], layout: ReplyLayout) -> Slot:
    """Where replies come to nothing: upstream's WebArena agent, and that of the harness, add a blank line all
    the same."""
    replied = any(record.reply is not None for record in records)
    return BLANK if replied and layout != "swe" else NOTHING
