"""Which records a task is shown, and which of their items: the nearest, and never the task's own.

Records are found by their source queries, not by their items, so every arm is given the same records whatever
its condenser wrote. FAISS finds the candidates; those that are as near as the last one, within what single
precision can tell, are put in order in double precision, so that equal texts are equally near wherever they
stand.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from memtrial.models.embeddings.embedding import Array, unit
from memtrial.worlds.world import Task

if TYPE_CHECKING:
    import faiss

LeaveOut = Literal["task", "template"]
PLACES = 6
"""Decimals of a cosine that count: nearer ones are equal, and the earlier record comes first."""
DOUBT = 2e-5
"""How far the cosine of single precision may be from that of double, and one rounded from another."""
SPARE = 16
"""Candidates beyond those asked for, before more are fetched."""


@dataclass(frozen=True, slots=True)
class SourceKey:
    """What retrieval knows of a record: its source task's id, query and template (empty for none)."""

    task_id: str
    query: str
    template: str


class NearestIndex:
    """Vectors of length one in a flat FAISS index: the nearest by cosine, equals by position.

    Args:
        vectors: shape (n, d); they are normalised here, once. A zero vector is as near to all.
    """

    def __init__(self, vectors: Array) -> None:
        import faiss

        self._rows = unit(vectors)
        self._index: faiss.IndexFlatIP = faiss.IndexFlatIP(self._rows.shape[1])
        self._index.add(self._rows)

    def nearest(
        self, query: Array, k: int, allowed: Callable[[int], bool] = lambda _: True
    ) -> tuple[int, ...]:
        """Positions of at most k rows that are allowed, the nearest to a query (d,) first."""
        if k < 1 or not len(self._rows):
            return ()
        direction = unit(query[None])
        size = min(len(self._rows), 2 * k + SPARE)
        while True:
            scores, places = self._index.search(direction, size)
            inside = [number for number, place in enumerate(places[0]) if allowed(int(place))]
            complete = size == len(self._rows)
            if len(inside) >= k or complete:
                floor = -np.inf if len(inside) < k else scores[0][inside[k - 1]] - DOUBT
                if complete or scores[0][-1] < floor:
                    near = places[0][scores[0] >= floor]
                    return tuple(row for row in self._order(direction[0], near) if allowed(row))[:k]
            size = min(len(self._rows), 2 * size)

    def _order(self, direction: Array, places: NDArray[np.int64]) -> list[int]:
        rows = np.sort(places)
        # a sum of its own for each row, in double precision
        exact = np.einsum("nd,d->n", self._rows[rows].astype(np.float64), direction.astype(np.float64))
        return [int(rows[number]) for number in np.argsort(-np.round(exact, PLACES), kind="stable")]


@dataclass(frozen=True)
class Sources:
    """Records as they are found.

    Args:
        keys: one a record.
        vectors: of their queries, shape (n_records, d).
    """

    keys: tuple[SourceKey, ...]
    vectors: Array

    @cached_property
    def index(self) -> NearestIndex:
        """The records' vectors in FAISS, made once."""
        return NearestIndex(self.vectors)


def nearest_records(
    sources: Sources, tasks: Sequence[Task], queries: Array, k: int = 1, leave_out: LeaveOut = "task"
) -> tuple[tuple[int, ...], ...]:
    """By task, positions of at most k records, by the cosine of the queries, equals by position.

    Args:
        queries: vectors of the tasks' queries, shape (n_tasks, d), of the embedder that made the sources'.
        leave_out: what is never shown: records of the task itself, or of its whole template besides.

    Raises:
        ValueError: not one query a task, or of another dimension than the sources.
    """
    if not sources.keys:
        return ((),) * len(tasks)
    shape = (len(tasks), sources.vectors.shape[1])
    if queries.shape != shape:
        raise ValueError(f"one query a task, of the sources' dimension, is {shape}; got {queries.shape}")
    return tuple(
        sources.index.nearest(query, k, partial(_is_shown, sources, task, leave_out))
        for task, query in zip(tasks, queries, strict=True)
    )


def _is_shown(sources: Sources, task: Task, leave_out: LeaveOut, row: int) -> bool:
    return _may_see(task, sources.keys[row], leave_out)


def _may_see(task: Task, key: SourceKey, leave_out: LeaveOut) -> bool:
    mate = leave_out == "template" and task.template and key.template == task.template
    return key.task_id != task.id and not mate


def nearest_rows(query: Array, rows: Array, k: int) -> tuple[int, ...]:
    """Positions of at most k rows (n, d), the most similar to a query (d,) first, equals by position."""
    return NearestIndex(rows).nearest(query, k) if len(rows) else ()
