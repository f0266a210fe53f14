"""A bank as a memory store: what a condenser makes of trajectories, found by the queries of their tasks.

An experiment reads its banks in one batch (`runs/preparation/arm_slots.py`): every arm has to be shown the
same records, whatever its condenser wrote, and a draw is condensed whole. The rules are the same here: the
nearest record first, equals in their order, and never the task's own.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from memtrial.agents.trajectory import Trajectory
from memtrial.memory.bank import Record
from memtrial.memory.markdown import render
from memtrial.memory.retrieval import SourceKey, Sources, nearest_records
from memtrial.memory.stored_item import MemoryFault, StoredItem, replace_text
from memtrial.models.embeddings.embedding import unit
from memtrial.protocols import Embedder
from memtrial.worlds.world import State, Task

Condense = Callable[[Trajectory], Awaitable[Record]]


@dataclass
class BankStore:
    """Records of one condenser that grow with each trajectory; frozen where nothing condenses."""

    embedder: Embedder
    condense: Condense | None = None
    records: list[Record] = field(default_factory=list)
    _texts: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for record in self.records:
            self._keep(record)

    async def write(self, trajectory: Trajectory) -> None:
        """Condense a trajectory into a record; MemoryFault where the bank is frozen, or has its task."""
        if self.condense is None:
            raise MemoryFault("a frozen bank takes in nothing; give it a condenser")
        if any(record.task_id == trajectory.task_id for record in self.records):
            raise MemoryFault(f"one record a task in a bank; it has one of {trajectory.task_id!r}")
        record = await self.condense(trajectory)
        self.records.append(record)
        self._keep(record)

    async def read(self, task: Task, state: State, k: int) -> tuple[StoredItem, ...]:  # noqa: ARG002
        """The items of the records whose queries are nearest to the task's."""
        if not self.records or k < 1:
            return ()
        keys = tuple(SourceKey(record.task_id, record.query, record.template) for record in self.records)
        sources = Sources(keys, await self.embedder.embed([key.query for key in keys]))
        query = await self.embedder.embed([task.query])
        (places,) = nearest_records(sources, (task,), query, k)
        rows, direction = unit(sources.vectors), unit(query)[0]
        items = (
            StoredItem(name, self._texts[name], round(float(rows[place] @ direction), 6))
            for place in places
            for name in _ids_of(self.records[place])
        )
        return tuple(items)[:k]

    def list(self) -> tuple[StoredItem, ...]:
        """All items, in the order in which they were written."""
        return tuple(StoredItem(name, text) for name, text in self._texts.items())

    def replace(self, id: str, text: str) -> None:
        """Put another text in the place of an item's; MemoryFault where there is no such item."""
        replace_text(self._texts, id, text)

    def _keep(self, record: Record) -> None:
        texts = (render(item, number) for number, item in enumerate(record.items, 1))
        self._texts |= dict(zip(_ids_of(record), texts, strict=True))


def _ids_of(record: Record) -> tuple[str, ...]:
    return tuple(f"{record.task_id}/{number}" for number in range(1, len(record.items) + 1))
