"""What each arm shows for each task: retrieved once, by source query, the same records for every arm."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import TypeVar

from memtrial.agents.slot import BLANK, NOTHING, Slot
from memtrial.arms.arm import Arm
from memtrial.arms.trigger_watch import Watched, watch
from memtrial.memory.bank import Bank, Record
from memtrial.memory.item import Item, field_names, schema_of
from memtrial.memory.markdown import item_texts, render, shown_text
from memtrial.memory.retrieval import LeaveOut, SourceKey, Sources, nearest_records, nearest_rows
from memtrial.models.embeddings.embedding import Array, HashingEmbedder, unit
from memtrial.prompts.control_prompts import ReplyLayout
from memtrial.prompts.templates import Prompt, cue_line
from memtrial.protocols import Embedder
from memtrial.runs.spec.sections import ArmSpec
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
    """

    slot: Slot
    watched: tuple[Watched, ...]
    sources: tuple[str, ...]
    foreign: bool = False
    parts: "tuple[IntactSlot, ...]" = ()
    similarity: float | None = None


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
            mate = leave_out == "template" and task.template and key.template == task.template
            if key.task_id != task.id and not mate:
                yield number, part

    def by_source(self) -> dict[str, list[str]]:
        """By source, all texts of all memories."""
        by_source: dict[str, list[str]] = {}
        for texts in self.texts.values():
            for source, items in texts.items():
                by_source.setdefault(source, []).extend(items)
        return by_source


@dataclass(frozen=True, slots=True)
class ShownRecords:
    """The records that are shown: one search for all arms, and for all draws of their banks.

    `places`: by task, positions of its records in the bank, the nearest first; `similar`: cosine of that one.
    """

    queries: Array
    places: tuple[tuple[int, ...], ...]
    similar: tuple[float | None, ...]


async def find_records(
    spec: Spec, tasks: tuple[Task, ...], banks: Mapping[str, Bank], embedder: Embedder
) -> ShownRecords | None:
    """Search by the queries of source tasks; None where there is nothing to search, or to search for."""
    records = next((bank.records for bank in banks.values()), ())
    if not records or not tasks:
        return None
    keys = tuple(SourceKey(record.task_id, record.query, record.template) for record in records)
    sources = Sources(keys, await embedder.embed([key.query for key in keys]))
    queries = await embedder.embed([task.query for task in tasks])
    how = spec.retrieval
    places = nearest_records(sources, tasks, queries, how.k, how.leave_out)
    near, rows = unit(sources.vectors), unit(queries)
    similar = (
        round(float(rows[number] @ near[sources_near[0]]), 6) if sources_near else None
        for number, sources_near in enumerate(places)
    )
    return ShownRecords(queries, places, tuple(similar))


async def fill_slots(
    spec: Spec,
    tasks: tuple[Task, ...],
    memories: Memories,
    embedder: Embedder = HashingEmbedder(),
    cue: str = cue_line(),
    near_records: ShownRecords | None = None,
) -> ArmSlots:
    """Retrieve for every task and lay out every memory.

    Args:
        cue: the line above the items, the same for every arm but the memory systems', which bring their own.
        found: the records to show, where they were searched for already.
    """
    banks, stated = memories.banks, memories.stated
    near_records = near_records or await find_records(spec, tasks, banks, embedder)
    shown: dict[tuple[str, str], IntactSlot] = {}
    texts: dict[str, Mapping[str, tuple[str, ...]]] = {}
    digests: dict[str, str] = {}
    families: dict[str, str] = {}
    records: dict[str, Mapping[SourceKey, IntactSlot]] = {}
    reaching = {arm.condenser for arm in spec.arms if isinstance(arm, ArmSpec) and arm.reach == "bank"}
    for name, bank in banks.items():
        nothing = [IntactSlot(NOTHING, (), ())] * len(tasks)
        slots = await _found_in(bank, spec, near_records, embedder, cue) if near_records else nothing
        shown |= {(name, task.id): slot for task, slot in zip(tasks, slots, strict=True)}
        texts[name] = {record.task_id: _donate(record, bank.layout) for record in bank.records}
        digests[name] = bank.digest
        families |= {record.task_id: record.family for record in bank.records}
        if name in reaching:
            records[name] = {
                SourceKey(record.task_id, record.query, record.template): IntactSlot(
                    Slot(cue, _render_items(record.items)), watch(record.items), (record.task_id,)
                )
                for record in bank.records
                if record.items
            }
    for name, recalled in memories.recalled.items():
        # a slot without an item is no block at all
        of_system = {task.id: recalled[task.id] if recalled[task.id].items else NOTHING for task in tasks}
        shown |= {(name, task_id): IntactSlot(slot, (), ()) for task_id, slot in of_system.items()}
        texts[name] = {task_id: slot.items for task_id, slot in of_system.items()}
        digests[name] = _digest({task_id: [entry.cue, *entry.items] for task_id, entry in of_system.items()})
    for name, memory in stated.items():
        shown |= {(name, task.id): memory.shown[task.id] for task in tasks}
        texts[name] = memory.texts
        digests[name] = _digest(
            {task_id: list(intact.slot.items) for task_id, intact in memory.shown.items()}
        )
    by_trigger = (name for name in (*banks, *stated) if any(shown[name, task.id].watched for task in tasks))
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


Shown = TypeVar("Shown", str, Item)


async def _found_in(
    bank: Bank, spec: Spec, near_records: ShownRecords, embedder: Embedder, cue: str
) -> list[IntactSlot]:
    """By task, what the records of a bank that were found show."""
    near = [tuple(bank.records[place] for place in places) for places in near_records.places]
    sources = [tuple(record.task_id for record in records) for records in near]

    async def nearest(
        listed: list[tuple[Shown, ...]], text_of: Callable[[Shown], str]
    ) -> list[tuple[Shown, ...]]:
        """Where single items are shown, of each task's the k nearest to its query, the most similar first."""
        words = list(
            dict.fromkeys(text for items in listed for item in items if (text := text_of(item)).strip())
        )
        if spec.retrieval.unit != "item" or not words:
            return listed
        vectors, places = await embedder.embed(words), {text: number for number, text in enumerate(words)}
        kept = []
        for query, items in zip(near_records.queries, listed, strict=True):
            if not all(text_of(item).strip() for item in items):
                kept.append(items)  # a blank reply, whole
                continue
            rows = vectors[[places[text_of(item)] for item in items]]
            kept.append(tuple(items[row] for row in nearest_rows(query, rows, spec.retrieval.k)))
        return kept

    watched: list[tuple[Watched, ...]] = [()] * len(near)
    if bank.verbatim:
        texts = await nearest([_texts(records, bank.layout) for records in near], str)
    else:
        stored = [tuple(item for record in records for item in record.items) for records in near]
        items = await nearest(stored, _own_words)
        texts, watched = (
            [_render_items(items_shown) for items_shown in items],
            [watch(items_shown) for items_shown in items],
        )
    blank = [_without_text(records, bank.layout) for records in near]
    slots = (Slot(cue, text) if text else none for text, none in zip(texts, blank, strict=True))
    return [
        IntactSlot(slot, may_come, source, similarity=similar)
        for slot, may_come, source, similar in zip(slots, watched, sources, near_records.similar, strict=True)
    ]


def _own_words(item: Item) -> str:
    """The item's own words: headings are the same in every item of a schema, and say nothing of this one."""
    return "\n".join(getattr(item, name) for name in field_names(schema_of(item)))


def _digest(listed: Mapping[str, list[str]]) -> str:
    return sha256(json.dumps(listed, sort_keys=True).encode()).hexdigest()


def _texts(records: Sequence[Record], layout: ReplyLayout) -> tuple[str, ...]:
    """What the records show, item by item: their condenser's own words, or its items under our headings."""
    replies = [record.reply for record in records if record.reply is not None]
    if replies:
        return item_texts(shown_text(replies, layout))
    return _render_items([item for record in records for item in record.items])


def _donate(record: Record, layout: ReplyLayout) -> tuple[str, ...]:
    """What a record has to give to other slots."""
    return tuple(text for text in _texts((record,), layout) if text.strip())


def _without_text(records: Sequence[Record], layout: ReplyLayout) -> Slot:
    """Where replies come to nothing: upstream's WebArena agent, and that of the harness, add a blank line all
    the same."""
    replied = any(record.reply is not None for record in records)
    return BLANK if replied and layout != "swe" else NOTHING


def _render_items(items: Sequence[Item]) -> tuple[str, ...]:
    return tuple(render(item, number) for number, item in enumerate(items, 1))
