"""What each arm shows for each task: retrieved once, by source query, the same records for every arm."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from arms.arm import ORACLE, Arm
from arms.watching import Watched, watch
from environments.world import Task, World
from episodes.slot import Slot
from memory.bank import Bank
from memory.item import Item
from memory.markdown import render
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
    """Retrieve for every task and lay out every memory."""
    lessons = {task.id: (world.ground_truth(task).lesson,) for task in tasks} if oracle else {}
    digests = {name: bank.digest for name, bank in banks.items()}
    texts: dict[str, dict[str, tuple[str, ...]]] = {ORACLE: dict(lessons)}
    families = {task.id: task.family for task in tasks}
    shown: dict[tuple[str, str], Shown] = {
        (ORACLE, task_id): Shown(_slot(lesson), (), (task_id,)) for task_id, lesson in lessons.items()
    }
    shadow: dict[str, tuple[Watched, ...]] = {task.id: () for task in tasks}
    if banks:
        first = next(iter(banks.values()))
        families |= {record.task_id: record.family for record in first.records}
        keys = tuple(SourceKey(record.task_id, record.query, record.template) for record in first.records)
        index = Retrieval(HashingEmbedder(), spec.retrieval.k, spec.retrieval.leave_out).index(keys)
        found = {task.id: tuple(hit.record_position for hit in index.nearest(task)) for task in tasks}
        for name, bank in banks.items():
            texts[name] = {record.task_id: _texts(record.items) for record in bank.records}
            for task in tasks:
                records = [bank.records[position] for position in found[task.id]]
                items = tuple(item for record in records for item in record.items)
                watched = watch(items)
                sources = tuple(record.task_id for record in records)
                shown[name, task.id] = Shown(_slot(_texts(items)), watched, sources)
                shadow[task.id] = shadow[task.id] or watched
    return Shelf(digests, shown, shadow, families, texts)


def _texts(items: tuple[Item, ...]) -> tuple[str, ...]:
    return tuple(render(item, number) for number, item in enumerate(items, 1))


def _slot(texts: tuple[str, ...]) -> Slot:
    return Slot(cue_line(), texts) if texts else Slot()
