"""Vectors of texts that are known before a run has memory, made by a process that ends."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from memtrial.models.embeddings.embedding import HashingEmbedder
from memtrial.runs.setup.context import RunContext
from memtrial.runs.setup.processes.line_process import ChildFault, ChildProcess, begin_child
from memtrial.runs.setup.processes.process_count import WORTH

PROGRAM = "memtrial.runs.engine.processes.vector_process"


@dataclass(frozen=True, slots=True)
class ProcessVectors:
    """Vectors on their way; `close` ends the process."""

    embedder: HashingEmbedder
    texts: tuple[str, ...]
    child: ChildProcess

    async def take(self) -> HashingEmbedder:
        """The embedder with these vectors; as it was where the process ended instead."""
        try:
            vectors = await asyncio.to_thread(self.child.hear)
        except ChildFault:
            return self.embedder  # which makes what it does not know
        finally:
            self.close()
        return replace(self.embedder, known=dict(zip(self.texts, vectors, strict=True)))

    def close(self) -> None:
        """End the process, whatever it does."""
        self.child.end()


def begin_vectors(run: RunContext, n_trials: int) -> ProcessVectors | None:
    """Have a process make the vectors of what retrieval asks about: the queries of the tasks that are learned
    from, and of those that are played.

    None where nothing is searched by hashed words, or where the run is over before its memory counts.

    Args:
        n_trials: how many the run has at most.
    """
    if not isinstance(run.embedder, HashingEmbedder) or not run.design.memories or n_trials < WORTH:
        return None
    queries = dict.fromkeys(task.query for task in (*run.world.tasks("train"), *run.tasks))
    return begin_texts(run.embedder, tuple(queries))


def begin_texts(embedder: HashingEmbedder, texts: Sequence[str]) -> ProcessVectors:
    """Have a process make the vectors of texts, while this one goes on."""
    child = begin_child(PROGRAM)
    with suppress(ChildFault):  # whoever takes them is told
        child.tell(embedder.dimensions)
        child.tell(tuple(texts))
    return ProcessVectors(embedder, tuple(texts), child)
