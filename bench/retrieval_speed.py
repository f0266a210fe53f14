"""Retrieval beside bare FAISS: the nearest records of a task, its own left out, in an exact order."""

import time
from collections.abc import Callable, Iterator

import numpy as np

from bench.figure import Figure
from memtrial.memory.retrieval import SourceKey, Sources, make_index, nearest_records
from memtrial.models.embeddings.embedding import unit
from memtrial.worlds.world import Task

SIZES = (2_431, 100_000)
DIMENSIONS, QUERIES, NEAREST = 384, 20, 3


def figures() -> Iterator[Figure]:
    """At the size of a real bank and at one that is far larger."""
    import faiss

    for size in SIZES:
        vectors = unit(np.random.default_rng(0).normal(size=(size, DIMENSIONS)).astype(np.float32))
        queries = vectors[:QUERIES]
        keys = tuple(SourceKey(f"task {number}", "", "") for number in range(size))
        tasks = [Task(f"task {number}", "", "", "", "test") for number in range(QUERIES)]
        sources, bare = Sources(keys, make_index(vectors)), faiss.IndexFlatIP(DIMENSIONS)
        bare.add(vectors)

        def search_bare(queries: np.ndarray = queries, bare: faiss.IndexFlatIP = bare) -> None:
            for query in queries:
                bare.search(query[None], NEAREST)

        def search(
            sources: Sources = sources, tasks: list[Task] = tasks, queries: np.ndarray = queries
        ) -> None:
            nearest_records(sources, tasks, queries, NEAREST)

        ours, theirs = _milliseconds(search), _milliseconds(search_bare)
        text = f"{ours:.2f} and {theirs:.2f} ms a task"
        yield Figure(f"retrieval among {size:,} records against bare FAISS", text, ours / theirs, 3.0)


def _milliseconds(work: Callable[[], None]) -> float:
    """Of one query, the best of five turns."""
    best = np.inf
    for _ in range(5):
        begun = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - begun)
    return 1000 * float(best) / QUERIES


if __name__ == "__main__":
    for figure in figures():
        print(figure.line(), flush=True)
