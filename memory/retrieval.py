"""Which records a task is shown: the nearest by source query, never its own.

Retrieval sees source tasks, not items, so every arm is given the same records whatever its condenser wrote.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from environments.world import Task
from models.embedding import Embedder, Vectors, require_same_space, unit


@dataclass(frozen=True, slots=True)
class SourceKey:
    """What retrieval knows of a record: its source task's id, query and template (empty for none)."""

    task_id: str
    query: str
    template: str


@dataclass(frozen=True, slots=True)
class Hit:
    """One record found.

    Args:
        record_position: where its key stood in the index.
        task_id: its source task.
        similarity: cosine of the two queries, rounded to 6 digits.
    """

    record_position: int
    task_id: str
    similarity: float


@dataclass(frozen=True, slots=True)
class Retrieval:
    """How records are chosen.

    Args:
        embedder: makes vectors of queries.
        k: how many records a task is shown.
        leave_out: what is never shown: records of the task itself, or of its whole template besides.

    Raises:
        ValueError: k is negative.
    """

    embedder: Embedder
    k: int = 1
    leave_out: Literal["task", "template"] = "task"

    def __post_init__(self) -> None:
        if self.k < 0:
            raise ValueError(f"retrieval shows k >= 0 records, got k={self.k}")

    def index(self, records: Sequence[SourceKey]) -> Index:
        """An index over the sources of the records, in their order."""
        import faiss

        keys = tuple(records)
        vectors = self.embedder.embed([key.query for key in keys])
        flat = faiss.IndexFlatIP(vectors.array.shape[1])
        flat.add(unit(vectors.array))
        return Index(self, keys, Vectors(vectors.space, vectors.array[:0]), flat)


@dataclass(frozen=True, slots=True, eq=False)
class Index:
    """Source queries, ready to be searched. Made by `Retrieval.index`.

    Args:
        keys: the sources, by position.
        origin: no vectors, in the space of the index: what a query must agree with.
    """

    retrieval: Retrieval
    keys: tuple[SourceKey, ...]
    origin: Vectors
    _flat: Any = field(repr=False)

    def nearest(self, task: Task) -> tuple[Hit, ...]:
        """At most k records, the most similar first, equals by position; fewer where no more may be shown.

        Raises:
            SpaceFault: the embedder has changed its space since the index was made.
        """
        return self.nearest_to(self.retrieval.embedder.embed([task.query]), task)

    def nearest_to(self, query: Vectors, task: Task) -> tuple[Hit, ...]:
        """The same for a query that is a vector already, shape (1, d).

        Raises:
            SpaceFault: the query is of another space or dimension than the index.
        """
        require_same_space(self.origin, query)
        if not self.keys:
            return ()
        # The whole order is asked for: records are left out of it, and ties are broken by us.
        found, positions = self._flat.search(unit(query.array), len(self.keys))
        hits = (
            Hit(int(position), self.keys[position].task_id, round(float(similarity), 6))
            for similarity, position in zip(found[0], positions[0], strict=True)
            if not self._left_out(self.keys[position], task)
        )
        return tuple(sorted(hits, key=lambda hit: (-hit.similarity, hit.record_position))[: self.retrieval.k])

    def _left_out(self, key: SourceKey, task: Task) -> bool:
        if key.task_id == task.id:
            return True
        return self.retrieval.leave_out == "template" and bool(key.template) and key.template == task.template
