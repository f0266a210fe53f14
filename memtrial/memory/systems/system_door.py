"""The way by which a memory system of others asks a model or wants vectors: through this project's client.

So its calls are counted, kept and paid like every other call, with any backbone. These systems are plain
code that waits for its answers; their work is done in a thread, and what they ask comes back to the loop.
"""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import dataclass, field
from threading import Lock
from typing import Any, TypeVar

import numpy as np

from memtrial.faults import RunFault, StoreFault
from memtrial.models.client.transport import HaltFault
from memtrial.models.client.types import Message, ModelFault, Reply
from memtrial.models.embeddings.embedding import Array
from memtrial.protocols import Embedder

AskMessages = Callable[[tuple[Message, ...]], Awaitable[Reply]]
T = TypeVar("T")


@dataclass
class SystemDoor:
    """A model and an embedder, for code that waits in a thread.

    Args:
        ask_model: as `Caller.ask`.
    """

    ask_model: AskMessages
    embedder: Embedder
    _lock: Lock = field(default_factory=Lock, init=False)
    _loop: asyncio.AbstractEventLoop | None = field(default=None, init=False)
    _fault: Exception | None = field(default=None, init=False)

    async def work(self, job: Callable[[], T]) -> T:
        """Do a job of the system's in a thread, one at a time.

        Raises:
            ModelFault, HaltFault, StoreFault, RunFault: what it asked brought no answer, whatever the system
                made of that: some go on without.
        """
        self._loop, self._fault = asyncio.get_running_loop(), None
        try:
            return await asyncio.to_thread(self._do_alone, job)
        finally:
            if self._fault is not None:
                raise self._fault

    def ask(self, messages: Sequence[Message]) -> str:
        """The model's answer to a conversation, waited for."""
        return self.wait_for(self._ask(tuple(messages))).text

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """A vector a text, waited for."""
        vectors: list[list[float]] = self.wait_for(self._embed(texts))
        return vectors

    def embed_array(self, texts: Sequence[str]) -> Array:
        """The same as one array, shape (n, d), of 32-bit floats."""
        return np.asarray(self.embed(texts), dtype=np.float32)

    async def _ask(self, messages: tuple[Message, ...]) -> Reply:
        return await self.ask_model(messages)

    async def _embed(self, texts: Sequence[str]) -> list[list[float]]:
        vectors = await self.embedder.embed(list(texts))
        rows: list[list[float]] = vectors.tolist()
        return rows

    def _do_alone(self, job: Callable[[], T]) -> T:
        with self._lock:
            return job()

    def wait_for(self, question: Coroutine[Any, Any, T]) -> T:
        """What is asked on the loop, waited for in the thread of a job."""
        assert self._loop is not None  # it is asked from within `work`
        try:
            return asyncio.run_coroutine_threadsafe(question, self._loop).result()
        except (ModelFault, HaltFault, StoreFault, RunFault) as fault:
            self._fault = fault
            raise
