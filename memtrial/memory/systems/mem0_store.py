"""mem0 (mem0ai 2.2.1): facts that a model draws from a conversation, in a vector store in memory.

Telemetry is off. The folder that it makes when it is imported is a passing one, in nobody's home.
"""

import os
from collections.abc import Mapping, Sequence
from logging import ERROR, getLogger
from tempfile import TemporaryDirectory
from typing import Any
from warnings import catch_warnings, simplefilter

from memtrial.agents.trajectory import Trajectory
from memtrial.faults import SpecFault
from memtrial.memory.systems.system_door import SystemDoor
from memtrial.memory.systems.told_run import tell_run
from memtrial.models.client.types import Message

SCOPE = {"agent_id": "agent"}  # an agent's own memory, which mem0 asks about as such
MOST = 100_000


class Mem0:
    """Its `Memory` with our model and our embedder in their places."""

    def __init__(self, door: SystemDoor) -> None:
        self._memory = _open_memory(door)

    def learn(self, trajectory: Trajectory) -> Sequence[str]:
        made = self._memory.add(tell_run(trajectory), **SCOPE)
        return [entry["id"] for entry in made["results"]]

    def find(self, query: str, most: int) -> Mapping[str, float]:  # noqa: ARG002
        found_items = self._memory.search(query, filters=SCOPE, top_k=MOST)["results"]
        return {entry["id"]: entry["score"] for entry in found_items}

    def texts(self) -> Mapping[str, str]:
        listed = self._memory.get_all(filters=SCOPE, top_k=MOST)["results"]
        return {entry["id"]: entry["memory"] for entry in listed}

    def put(self, id: str, text: str) -> None:
        held = self._memory.vector_store.get(vector_id=id)
        self._memory.vector_store.update(vector_id=id, payload={**held.payload, "data": text})


def _open_memory(door: SystemDoor) -> Any:
    before = {name: os.environ.get(name) for name in ("MEM0_TELEMETRY", "MEM0_DIR")}
    with TemporaryDirectory(prefix="mem0-") as folder:
        os.environ |= {"MEM0_TELEMETRY": "False", "MEM0_DIR": folder}
        try:
            from mem0 import Memory
            from mem0.configs.base import MemoryConfig
            from mem0.embeddings.base import EmbeddingBase
            from mem0.llms.base import LLMBase
            from mem0.memory.telemetry import MEM0_TELEMETRY
            from qdrant_client import QdrantClient
        finally:
            for name, value in before.items():
                _ = os.environ.pop(name) if value is None else os.environ.update({name: value})
    getLogger("mem0").setLevel(ERROR)  # what it says of its own extras stands in the documentation
    if MEM0_TELEMETRY:
        raise SpecFault("mem0 was imported with its telemetry on; set MEM0_TELEMETRY=False before that")

    class ModelOfMem0(LLMBase):  # type: ignore[misc]
        def generate_response(self, messages: list[dict[str, str]], response_format: Any = None) -> str:  # noqa: ARG002
            (head, *rest) = [message["content"] for message in messages]
            return door.ask([Message("system", head), *(Message("user", text) for text in rest)])

    class EmbedderOfMem0(EmbeddingBase):  # type: ignore[misc]
        def embed(self, text: str, *_: Any) -> list[float]:
            return door.embed([text])[0]

    held = {"client": QdrantClient(":memory:"), "embedding_model_dims": len(door.embed(["size"])[0])}
    unused = {"provider": "openai", "config": {"api_key": "unused"}}
    places = {"vector_store": {"provider": "qdrant", "config": held}, "llm": unused, "embedder": unused}
    with catch_warnings():
        simplefilter("ignore")  # a store in memory has no use for the indexes that it asks for
        memory = Memory(MemoryConfig(**places, history_db_path=":memory:"))
    memory.llm, memory.embedding_model = ModelOfMem0({"model": "asked"}), EmbedderOfMem0()
    return memory
