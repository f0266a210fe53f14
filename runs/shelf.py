"""What each arm shows for each task: retrieved once, by source query, the same records for every arm."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256

from arms.arm import ORACLE, Arm
from arms.watching import Watched, watch
from environments.world import Task, World
from episodes.slot import Slot
from memory.bank import Bank
from memory.item import Item
from memory.markdown import render
from memory.record import Record
from memory.retrieval import Retrieval, SourceKey
from models.embedding import HashingEmbedder
from prompts.templates import cue_line
from runs.spec import Spec


@dataclass(frozen=True, slots=True)
class Shown:
    """The intact memory of one arm in one task.

    Args:
        slot: its text; no block at all where the records hold no item.
        watched: the items that can come up by Trigger.
        sources: the source tasks of the records.
    """

    slot: Slot
    watched: tuple[Watched, ...]
    sources: tuple[str, ...]


@dataclass(frozen=True)
class Shelf:
    """Everything one backbone's arms may show.

    Args:
        digests: sha256 of each memory, by its name.
        shown: by memory and task id.
        shadow: by task id, the items whose firings are logged where no item is injected by trigger.
        families: by source, its family; donors come from another one.
        texts: by memory and source, the items' texts: where donors are found.
    """

    digests: Mapping[str, str]
    shown: Mapping[tuple[str, str], Shown]
    shadow: Mapping[str, tuple[Watched, ...]]
    families: Mapping[str, str]
    texts: Mapping[str, Mapping[str, tuple[str, ...]]]

    def of(self, arm: Arm, task: Task) -> Shown:
        """What the arm shows, undamaged."""
        return self.shown[arm.memory, task.id]


def fill_shelf(
    spec: Spec, world: World, tasks: tuple[Task, ...], banks: Mapping[str, Bank], oracle: bool
) -> Shelf:
    """Retrieve for every task and lay out every memory.

    Args:
        banks: by condenser, all of them over the same sources in the same order.
        oracle: the positive control's lessons are wanted as well.
    """
    lessons: dict[str, tuple[str, ...]] = {}
    if oracle:
        lessons = {task.id: (world.ground_truth(task).lesson,) for task in tasks}
    shown = {(ORACLE, task_id): Shown(_slot(lesson), (), (task_id,)) for task_id, lesson in lessons.items()}
    found = _retrieve(spec, tasks, banks)
    for name, bank in banks.items():
        shown |= {(name, task.id): _shown([bank.records[at] for at in found[task.id]]) for task in tasks}
    by_trigger = [name for name in banks if any(shown[name, task.id].watched for task in tasks)]
    watching = by_trigger[0] if by_trigger else ""
    texts = {
        name: {record.task_id: _texts(record.items) for record in bank.records}
        for name, bank in banks.items()
    }
    sources = {record.task_id: record.family for bank in banks.values() for record in bank.records}
    digests = {name: bank.digest for name, bank in banks.items()}
    if oracle:
        digests[ORACLE] = sha256(json.dumps(lessons, sort_keys=True).encode()).hexdigest()
    return Shelf(
        digests=digests,
        shown=shown,
        shadow={task.id: shown[watching, task.id].watched if watching else () for task in tasks},
        families={task.id: task.family for task in tasks} | sources,
        texts={ORACLE: lessons} | texts,
    )


def _retrieve(spec: Spec, tasks: tuple[Task, ...], banks: Mapping[str, Bank]) -> dict[str, tuple[int, ...]]:
    """For each task, the positions of its records: one search for all banks."""
    if not banks:
        return {}
    records = next(iter(banks.values())).records
    keys = tuple(SourceKey(record.task_id, record.query, record.template) for record in records)
    index = Retrieval(HashingEmbedder(), spec.retrieval.k, spec.retrieval.leave_out).index(keys)
    return {task.id: tuple(hit.record_position for hit in index.nearest(task)) for task in tasks}


def _shown(records: list[Record]) -> Shown:
    items = tuple(item for record in records for item in record.items)
    return Shown(_slot(_texts(items)), watch(items), tuple(record.task_id for record in records))


def _texts(items: tuple[Item, ...]) -> tuple[str, ...]:
    return tuple(render(item, number) for number, item in enumerate(items, 1))


def _slot(texts: tuple[str, ...]) -> Slot:
    return Slot(cue_line(), texts) if texts else Slot()
