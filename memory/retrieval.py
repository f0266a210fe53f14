"""Which records a task is shown, and which of their items: the nearest, and never the task's own.

Records are found by their source queries, not by their items, so every arm is given the same records whatever
its condenser wrote.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Literal

import numpy as np

from loadbearing.environments.world import Task
from loadbearing.models.embeddings.embedding import Embedder, Vectors, require_same_space, unit

AT_ONCE = 16
"""Queries searched at a time. From 20 on, faiss multiplies in blocks, and equal vectors need no longer be
equally similar: ties would fall by chance."""


@dataclass(frozen=True, slots=True)
class SourceKey:
    """What retrieval knows of a record: its source task's id, query and template (empty for none)."""

    task_id: str
    query: str
    template: str


@dataclass(frozen=True, slots=True)
class Hit:
    """One record found: where its key stood in the index, and the cosine of the queries to 6 digits."""

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

        vectors = self.embedder.embed([key.query for key in records])
        flat = faiss.IndexFlatIP(vectors.array.shape[1])
        flat.add(unit(vectors.array))
        return Index(self, tuple(records), Vectors(vectors.space, vectors.array[:0]), flat)


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
        """At most k records, the most similar first, equals by position; fewer where no more may be shown."""
        return self.nearest_to(self.retrieval.embedder.embed([task.query]), (task,))[0]

    def nearest_to(self, queries: Vectors, tasks: Sequence[Task]) -> tuple[tuple[Hit, ...], ...]:
        """The same for many tasks, whose queries are vectors already, shape (n_tasks, d).

        Raises:
            SpaceFault: the queries are of another space or dimension than the index.
            ValueError: not one query a task.
        """
        require_same_space(self.origin, queries)
        if len(queries.array) != len(tasks):
            raise ValueError(f"one query a task, got {len(queries.array)} for {len(tasks)} tasks")
        if not self.keys:
            return ((),) * len(tasks)
        rows = unit(queries.array)
        found: list[tuple[Hit, ...]] = []
        for start in range(0, len(tasks), AT_ONCE):
            # The whole order is asked for: records are left out of it, and ties are broken by us.
            similar, positions = self._flat.search(rows[start : start + AT_ONCE], len(self.keys))
            listed = zip(tasks[start : start + AT_ONCE], similar, positions, strict=True)
            found += [tuple(islice(self._ranked(*one), self.retrieval.k)) for one in listed]
        return tuple(found)

    def _ranked(self, task: Task, similarity: Any, position: Any) -> Iterator[Hit]:
        """What the task may be shown, the nearest first."""
        near = np.round(similarity.astype(np.float64), 6)
        by_template = self.retrieval.leave_out == "template" and task.template
        for place in np.lexsort((position, -near)):
            key = self.keys[int(position[place])]
            if key.task_id != task.id and not (by_template and key.template == task.template):
                yield Hit(int(position[place]), key.task_id, float(near[place]))


def nearest_rows(query: Vectors, rows: Vectors, k: int) -> tuple[int, ...]:
    """Positions of at most k rows of (n, d), the most similar to a query of (1, d) first, equals by position.

    Raises:
        SpaceFault: they are of different spaces or dimensions.
    """
    require_same_space(query, rows)
    # a sum of its own for each row, in double precision: equal texts are equally similar wherever they stand
    similar = (unit(rows.array).astype(np.float64) * unit(query.array).astype(np.float64)).sum(axis=1)
    order = np.argsort(-np.round(similar, 6), kind="stable")
    return tuple(int(row) for row in order[: max(0, k)])
