"""Which records a task is shown, and which of their items: the nearest, and never the task's own.

Records are found by their source queries, not by their items, so every arm is given the same records whatever
its condenser wrote. FAISS finds the candidates; those that are as near as the last one, within what single
precision can tell, are put in order in double precision, so that equal texts are equally near wherever they
stand.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Literal, NamedTuple

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


class NearRow(NamedTuple):
    """A row of an index that is near to a query: its position, and its cosine with the query."""

    place: int
    cosine: float


@dataclass(frozen=True, slots=True)
class NearestIndex:
    """Vectors of length one in a flat FAISS index: the nearest by cosine, equals by position. It may grow."""

    flat: faiss.IndexFlatIP

    def __len__(self) -> int:
        return int(self.flat.ntotal)

    @property
    def dimensions(self) -> int:
        return int(self.flat.d)

    def add(self, vectors: Array) -> None:
        """Take in more rows, shape (n, d), behind those that are there."""
        self.flat.add(unit(vectors))

    def part(self, places: Sequence[int]) -> NearestIndex:
        """Some of the rows, as they are, in an index of their own."""
        import faiss

        flat = faiss.IndexFlatIP(self.dimensions)
        flat.add(self._rows(np.array(places, dtype=np.int64)))
        return NearestIndex(flat)

    def nearest(
        self, query: Array, k: int, allowed: Callable[[int], bool] = lambda _: True
    ) -> tuple[NearRow, ...]:
        """At most k rows that are allowed, the nearest to a query (d,) first."""
        if k < 1 or not len(self):
            return ()
        direction = unit(query[None])
        size = min(len(self), 2 * k + SPARE)
        while True:
            scores, places = self.flat.search(direction, size)
            inside = [number for number, place in enumerate(places[0]) if allowed(int(place))]
            complete = size == len(self)
            if len(inside) >= k or complete:
                floor = -np.inf if len(inside) < k else scores[0][inside[k - 1]] - DOUBT
                if complete or scores[0][-1] < floor:
                    near = self._in_order(direction[0], places[0][scores[0] >= floor])
                    return tuple(row for row in near if allowed(row.place))[:k]
            size = min(len(self), 2 * size)

    def _in_order(self, direction: Array, places: NDArray[np.int64]) -> list[NearRow]:
        rows = np.sort(places)
        # a sum of its own for each row, in double precision
        exact = np.einsum("nd,d->n", self._rows(rows).astype(np.float64), direction.astype(np.float64))
        cosines = np.round(exact, PLACES) + 0.0  # no negative zero
        order = np.argsort(-cosines, kind="stable")
        return [NearRow(int(rows[number]), float(cosines[number])) for number in order]

    def _rows(self, places: NDArray[np.int64]) -> Array:
        return np.asarray(self.flat.reconstruct_batch(places), dtype=np.float32)


def make_index(vectors: Array) -> NearestIndex:
    """The index of vectors, shape (n, d); they are normalised here, once. A zero vector is as near to all."""
    import faiss

    index = NearestIndex(faiss.IndexFlatIP(vectors.shape[1]))
    index.add(vectors)
    return index


@dataclass(frozen=True, slots=True)
class Sources:
    """Records as they are searched: one key a record, and the index of their queries."""

    keys: Sequence[SourceKey]
    index: NearestIndex


def nearest_records(
    sources: Sources, tasks: Sequence[Task], queries: Array, k: int = 1, leave_out: LeaveOut = "task"
) -> tuple[tuple[NearRow, ...], ...]:
    """By task, at most k records, by the cosine of the queries, equals by position.

    Args:
        queries: vectors of the tasks' queries, shape (n_tasks, d), of the embedder that made the sources'.
        leave_out: what is never shown: records of the task itself, or of its whole template besides.

    Raises:
        ValueError: not one query a task, or of another dimension than the sources.
    """
    if not sources.keys:
        return ((),) * len(tasks)
    shape = (len(tasks), sources.index.dimensions)
    if queries.shape != shape:
        raise ValueError(f"one query a task, of the sources' dimension, is {shape}; got {queries.shape}")
    return tuple(
        sources.index.nearest(query, k, partial(_is_shown, sources, task, leave_out))
        for task, query in zip(tasks, queries, strict=True)
    )


def _is_shown(sources: Sources, task: Task, leave_out: LeaveOut, place: int) -> bool:
    return may_see(task, sources.keys[place], leave_out)


def may_see(task: Task, key: SourceKey, leave_out: LeaveOut) -> bool:
    """Whether a record may be shown in a task: never its own, nor, where asked, one of its template."""
    mate = leave_out == "template" and task.template and key.template == task.template
    return key.task_id != task.id and not mate
