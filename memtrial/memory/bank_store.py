"""A bank as a memory store: what a condenser makes of trajectories, found by the queries of their tasks.

It is behind every memory that a run condenses, frozen or growing with a stream. A run searches for many tasks
at once, and shows what the records of the same places hold in every arm's bank; whoever reads it as a
store gets the items of the nearest records, of any task, by the same search.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from memtrial.agents.trajectory import Trajectory
from memtrial.memory.kept_index import IndexFolder, index_texts
from memtrial.memory.record_bank import Bank, Record
from memtrial.memory.record_text import show_records
from memtrial.memory.retrieval import LeaveOut, NearestIndex, NearRow, SourceKey, Sources, nearest_records
from memtrial.memory.stored_item import MemoryFault, StoredItem, replace_text
from memtrial.models.embeddings.embedding import Array
from memtrial.protocols import Embedder
from memtrial.worlds.world import State, Task

Condense = Callable[[Trajectory], Awaitable[Record]]


@dataclass(frozen=True, slots=True)
class NearRecords:
    """The records that tasks are shown, of one search.

    Args:
        queries: vectors of the tasks' queries, shape (n_tasks, d); d is 0 where nothing was searched.
        rows: by task, places of its records in the bank, the nearest first.
    """

    queries: Array
    rows: tuple[tuple[NearRow, ...], ...]


def nothing_near(tasks: Sequence[Task]) -> NearRecords:
    """No record for any of the tasks; nothing was searched."""
    return NearRecords(np.zeros((len(tasks), 0), dtype=np.float32), ((),) * len(tasks))


@dataclass
class BankStore:
    """Records of one condenser that grow with each trajectory; frozen where nothing condenses.

    Args:
        bank: the records that it begins with; after that those that it holds.
        leave_out: what a task is never shown: its own record, or besides those of its template.
        kept: where indices of its texts are kept; None for a bank that grows: each of its indices would be
            out of date with the next record.
    """

    embedder: Embedder
    bank: Bank
    leave_out: LeaveOut
    condense: Condense | None = None
    kept: IndexFolder | None = None
    _keys: list[SourceKey] = field(default_factory=list, init=False)
    _names: list[tuple[str, ...]] = field(default_factory=list, init=False)
    _texts: dict[str, str] = field(default_factory=dict, init=False)
    _index: NearestIndex | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        for record in self.bank.records:
            self._take_in(record)

    async def write(self, trajectory: Trajectory) -> None:
        """Condense a trajectory into a record; MemoryFault where the bank is frozen, or has its task."""
        if self.condense is None:
            raise MemoryFault("a frozen bank takes in nothing; give it a condenser")
        if any(key.task_id == trajectory.task_id for key in self._keys):
            raise MemoryFault(f"one record a task in a bank; it has one of {trajectory.task_id!r}")
        self.add(await self.condense(trajectory))

    def add(self, record: Record) -> None:
        """Take in a record; ValueError where it has one of its task."""
        self.bank = replace(self.bank, records=(*self.bank.records, record))
        self._take_in(record)

    async def read(self, task: Task, state: State, k: int) -> tuple[StoredItem, ...]:  # noqa: ARG002
        """The items of the records whose queries are nearest to the task's."""
        (rows,) = (await self.search((task,), k)).rows
        items = (
            StoredItem(name, self._texts[name], row.cosine) for row in rows for name in self._names[row.place]
        )
        return tuple(items)[: max(k, 0)]

    def list(self) -> tuple[StoredItem, ...]:
        """All items, in the order in which they were written."""
        return tuple(StoredItem(name, text) for name, text in self._texts.items())

    def replace(self, id: str, text: str) -> None:
        """Put another text in the place of an item's; MemoryFault where there is no such item."""
        replace_text(self._texts, id, text)

    def texts_by_source(self) -> dict[str, tuple[str, ...]]:
        """By source task, the texts of its items."""
        return {
            key.task_id: tuple(self._texts[name] for name in names)
            for key, names in zip(self._keys, self._names, strict=True)
        }

    async def search(self, tasks: Sequence[Task], k: int) -> NearRecords:
        """By task, at most k records, the nearest first; the embedder is asked where there are some."""
        if not (tasks and self._keys and k > 0):
            return nothing_near(tasks)
        index = await self._index_of_keys()
        queries = await self.embedder.embed([task.query for task in tasks])
        return NearRecords(
            queries, nearest_records(Sources(self._keys, index), tasks, queries, k, self.leave_out)
        )

    async def nearest_texts(
        self, queries: Array, listed: Sequence[tuple[str, ...]], k: int
    ) -> tuple[tuple[int, ...], ...]:
        """By task, which of its texts are the k nearest to its query (n_tasks, d), the nearest first.

        Where one of a task's is blank they are one reply, and all of them stay.
        """
        known = dict.fromkeys(text for texts in listed for text in texts if text.strip())
        if not known:
            return tuple(tuple(range(len(texts))) for texts in listed)
        places = {text: place for place, text in enumerate(known)}
        index = await index_texts(tuple(known), self.embedder, self.kept)
        nearest = []
        for query, texts in zip(queries, listed, strict=True):
            if texts and all(text in places for text in texts):
                own = index.part([places[text] for text in texts])
                nearest.append(tuple(row.place for row in own.nearest(query, k)))
            else:
                nearest.append(tuple(range(len(texts))))
        return tuple(nearest)

    async def _index_of_keys(self) -> NearestIndex:
        queries = [key.query for key in self._keys]
        if self._index is None:
            self._index = await index_texts(queries, self.embedder, self.kept)
        elif len(queries) > (n_before := len(self._index)):
            vectors = await self.embedder.embed(queries[n_before:])
            # somebody else may have waited for the same ones
            self._index.add(vectors[len(self._index) - n_before :])
        return self._index

    def _take_in(self, record: Record) -> None:
        texts = [text for text in show_records((record,), self.bank.layout) if text.strip()]
        names = tuple(f"{record.task_id}/{number}" for number in range(1, len(texts) + 1))
        self._keys.append(SourceKey(record.task_id, record.query, record.template))
        self._names.append(names)
        self._texts |= dict(zip(names, texts, strict=True))
