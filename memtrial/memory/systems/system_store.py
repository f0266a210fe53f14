"""A memory system of others as a memory store: its items with ids, an order and scores that a run can repeat.

These systems name their items at random and break ties by these names. Here an item has its number in the
order of writing, and of two that fit equally well the older comes first.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from memtrial.agents.trajectory import Trajectory
from memtrial.memory.bank.search.task_query import form_query
from memtrial.memory.stored_item import StoredItem, replace_text
from memtrial.memory.systems.system_door import SystemDoor
from memtrial.worlds.world import State, Task

DIGITS = 6
"""Of a score; what differs beyond is noise of the arithmetic."""


class ItemSystem(Protocol):
    """What an adapter makes of a memory system; ids are the system's own."""

    def learn(self, trajectory: Trajectory) -> Sequence[str]:
        """Have the system's own writer take in a trajectory; the ids that it wrote, in order."""

    def find(self, query: str, most: int) -> Mapping[str, float]:
        """By id how well an item fits, as its own search says: the `most` that fit best at least, and all of
        them where those that fit equally come in any order. Nothing that it holds is changed by that."""

    def texts(self) -> Mapping[str, str]:
        """By id the text of every item, as an agent is shown it."""

    def put(self, id: str, text: str) -> None:
        """Put a text in the place of an item's, in the store; by what it is found stays as it was."""


@dataclass
class SystemStore:
    """A memory system that is opened with the first thing it is given.

    Args:
        takes_damage: damage is done in the store, and what it gives then is shown.
        by_start: it is searched by what the world shows first, too, and not by the task's text alone.
    """

    door: SystemDoor
    open: Callable[[SystemDoor], ItemSystem]
    takes_damage: bool = False
    by_start: bool = False
    _system: ItemSystem | None = field(default=None, init=False)
    _numbers: dict[str, str] = field(default_factory=dict, init=False)

    async def write(self, trajectory: Trajectory) -> None:
        """Let it learn from one trajectory, by its own writer."""
        await self.door.work(lambda: self._learn(trajectory))

    async def read(self, task: Task, state: State, k: int) -> tuple[StoredItem, ...]:
        """The k items that fit best by its own search: the task's text, or that and how it begins."""
        if k <= 0 or not self._numbers:
            return ()
        query = form_query(task.query, state.observation if self.by_start else "")
        return (await self.door.work(lambda: self._find(query, k)))[:k]

    def list(self) -> tuple[StoredItem, ...]:
        """All items, in the order in which they were written."""
        texts = self._system.texts() if self._system is not None else {}
        return tuple(StoredItem(number, texts[own]) for own, number in self._numbers.items() if own in texts)

    def replace(self, id: str, text: str) -> None:
        """Put another text in the place of an item's; MemoryFault where there is no such item."""
        replace_text({item.id: item.text for item in self.list()}, id, text)
        assert self._system is not None  # it has items
        self._system.put(next(own for own, number in self._numbers.items() if number == id), text)

    def _learn(self, trajectory: Trajectory) -> None:
        if self._system is None:
            self._system = self.open(self.door)
        written = self._system.learn(trajectory)
        for own in (*written, *sorted(self._system.texts().keys() - set(written))):
            self._numbers.setdefault(own, f"{len(self._numbers) + 1}")

    def _find(self, query: str, k: int) -> tuple[StoredItem, ...]:
        assert self._system is not None
        fits, texts = self._system.find(query, k), self._system.texts()
        listed = [
            StoredItem(number, texts[own], round(fits[own], DIGITS))
            for own, number in self._numbers.items()
            if own in fits and own in texts
        ]
        return tuple(sorted(listed, key=lambda item: -item.score))
