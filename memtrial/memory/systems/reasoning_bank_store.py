"""ReasoningBank as the package of its name has it (reasoning-bank 0.1.1): titled lessons, merged where alike.

It is not upstream's code. Its default embedder would bring torch along: it is installed without what it
requires, and asks ours.
"""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from memtrial.agents.trajectory import Trajectory
from memtrial.memory.systems.system_door import SystemDoor
from memtrial.memory.systems.told_run import tell_run
from memtrial.models.client.types import Message
from memtrial.models.embeddings.embedding import unit


class ReasoningBankPackage:
    """Its bank, in memory; the outcome is the run's, so that its judge is not asked."""

    def __init__(self, door: SystemDoor) -> None:
        from reasoning_bank import InMemoryStore, ReasoningBank

        class EmbedderOfBank:
            dim = 0  # its store in memory takes any

            def embed(self, texts: list[str]) -> list[list[float]]:
                return door.embed(texts)

        async def ask(prompt: str, *, system: str | None = None) -> str:
            head = [Message("system", system)] if system else []
            return door.ask([*head, Message("user", prompt)])

        self._embedder, self._store = EmbedderOfBank(), InMemoryStore()
        self._bank = ReasoningBank(ask, store=self._store, embedder=self._embedder)

    def learn(self, trajectory: Trajectory) -> Sequence[str]:
        told = tell_run(trajectory)
        made = asyncio.run(self._bank.ingest_trajectory(told, trajectory.query, trajectory.outcome))
        return [item.id for item in made]

    def find(self, query: str, most: int) -> Mapping[str, float]:
        chosen = asyncio.run(self._bank.retrieve(query, most))
        for item in chosen:
            # it counts how often an item was given out: put back, so that reading teaches it nothing
            self._store.update(item.model_copy(update={"use_count": 0, "last_used_at": None}))
        # by which it ranks them, and which it does not tell
        sought, *rows = unit(np.array([*self._embedder.embed([query]), *(item.embedding for item in chosen)]))
        return {
            item.id: float(row @ sought) * item.confidence for item, row in zip(chosen, rows, strict=True)
        }

    def texts(self) -> Mapping[str, str]:
        return {item.id: _show(item) for item in self._store.list_all()}

    def put(self, id: str, text: str) -> None:
        held = self._store.get(id)
        self._store.update(held.model_copy(update={"title": "", "description": "", "content": text}))


def _show(item: Any) -> str:
    """An item as the bank's own block shows it, without its number."""
    head = [f"## {item.title}"] if item.title else []
    middle = [f"_{item.description}_"] if item.description else []
    return "\n".join([*head, *middle, item.content])
