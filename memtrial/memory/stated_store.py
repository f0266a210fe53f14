"""What a world states of its tasks, as a memory store: each task has its own items, and nothing is learnt."""

from collections.abc import Mapping

from memtrial.agents.trajectory import Trajectory
from memtrial.memory.stored_item import StoredItem, replace_text
from memtrial.worlds.world import State, Task


class StatedStore:
    """Texts by task id; all of a task's items fit it equally well."""

    def __init__(self, texts: Mapping[str, tuple[str, ...]]) -> None:
        self._texts: dict[str, str] = {}
        self._ids: dict[str, tuple[str, ...]] = {}
        for task, listed in texts.items():
            named = {f"{task}/{number}": text for number, text in enumerate(listed, 1)}
            self._texts |= named
            self._ids[task] = tuple(named)

    async def write(self, trajectory: Trajectory) -> None:
        """Nothing: the world is not taught what it knows."""

    async def read(self, task: Task, state: State, k: int) -> tuple[StoredItem, ...]:  # noqa: ARG002
        """The first k items of the task itself."""
        return tuple(StoredItem(name, self._texts[name], 1.0) for name in self._ids.get(task.id, ())[:k])

    def list(self) -> tuple[StoredItem, ...]:
        """All items of all tasks."""
        return tuple(StoredItem(name, text) for name, text in self._texts.items())

    def replace(self, id: str, text: str) -> None:
        """Put another text in the place of an item's; MemoryFault where there is no such item."""
        replace_text(self._texts, id, text)
