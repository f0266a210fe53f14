"""LangMem (langmem 0.0.30): memories that a model adds, patches and deletes by tools."""

from collections.abc import Mapping, Sequence
from typing import Any
from warnings import catch_warnings, simplefilter

from memtrial.agents.trajectory import Trajectory
from memtrial.memory.systems.chat_door import open_chat
from memtrial.memory.systems.system_door import SystemDoor
from memtrial.memory.systems.told_run import tell_run

SPACE = ("memories",)
MOST = 100_000


class LangMem:
    """Its store manager; what it is asked is never traced to LangSmith."""

    def __init__(self, door: SystemDoor) -> None:
        from langgraph.store.memory import InMemoryStore

        with catch_warnings():
            simplefilter("ignore")  # of names that it imports from LangGraph's old places
            from langmem import create_memory_store_manager

        size = len(door.embed(["size"])[0])
        self._store = InMemoryStore(index={"dims": size, "embed": door.embed})
        self._manager = create_memory_store_manager(open_chat(door), namespace=SPACE, store=self._store)

    def learn(self, trajectory: Trajectory) -> Sequence[str]:
        from langsmith import tracing_context

        known = set(self.texts())
        with tracing_context(enabled=False):
            written = self._manager.invoke({"messages": tell_run(trajectory)})
        return [
            self._rename(entry, f"{trajectory.trace_id}/{number}", known)
            for number, entry in enumerate(written, 1)
        ]

    def find(self, query: str, most: int) -> Mapping[str, float]:  # noqa: ARG002
        listed = self._manager.search(query=query, limit=MOST)
        return {entry.key: entry.score or 0.0 for entry in listed}

    def texts(self) -> Mapping[str, str]:
        return {
            entry.key: entry.value["content"]["content"] for entry in self._store.search(SPACE, limit=MOST)
        }

    def put(self, id: str, text: str) -> None:
        held = self._store.get(SPACE, id)
        assert held is not None  # whoever replaces knows that it is there
        # its vector stays
        self._store.put(SPACE, id, {**held.value, "content": {"content": text}}, index=False)

    def _rename(self, entry: dict[str, Any], name: str, known: set[str]) -> str:
        """A new memory under a name that is the same in every run: names stand in what the model is asked."""
        key: str = entry["key"]
        if key in known:
            return key
        self._store.delete(SPACE, key)
        self._store.put(SPACE, name, entry["value"])
        return name
