"""Which records a task is shown, and which of their items: the nearest, and never the task's own.

Records are found by their source queries, not by their items, so every arm is given the same records whatever
its condenser wrote.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Literal

import numpy as np

from loadbearing.environments.world import Task
from loadbearing.models.embeddings.embedding import Array, unit

AT_ONCE = 16
"""Queries searched at a time. From 20 on, faiss multiplies in blocks, and equal vectors need no longer be
equally similar: ties would fall by chance."""
LeaveOut = Literal["task", "template"]


@dataclass(frozen=True, slots=True)
class SourceKey:
    """What retrieval knows of a record: its source task's id, query and template (empty for none)."""

    task_id: str
    query: str
    template: str


@dataclass(frozen=True, slots=True)
class Sources:
    """Records as they are found.

    Args:
        keys: one a record.
        vectors: of their queries, shape (n_records, d).
    """

    keys: tuple[SourceKey, ...]
    vectors: Array


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
    import faiss

    if not sources.keys:
        return ((),) * len(tasks)
    if queries.shape != (len(tasks), sources.vectors.shape[1]):
        shape = (len(tasks), sources.vectors.shape[1])
        raise ValueError(f"one query a task, of the sources' dimension, is {shape}; got {queries.shape}")
    flat = faiss.IndexFlatIP(sources.vectors.shape[1])
    flat.add(unit(sources.vectors))
    rows = unit(queries)
    found: list[tuple[int, ...]] = []
    for start in range(0, len(tasks), AT_ONCE):
        # The whole order is asked for: records are left out of it, and ties are broken by us.
        listed = zip(
            tasks[start:], *flat.search(rows[start : start + AT_ONCE], len(sources.keys)), strict=False
        )
        found += [tuple(islice(_ranked(sources.keys, *one, leave_out), k)) for one in listed]
    return tuple(found)


def _ranked(
    keys: tuple[SourceKey, ...], task: Task, similarity: Any, position: Any, leave_out: LeaveOut
) -> Iterator[int]:
    """What the task may be shown, the nearest first."""
    near = np.round(similarity.astype(np.float64), 6)
    by_template = leave_out == "template" and task.template
    for place in np.lexsort((position, -near)):
        key = keys[int(position[place])]
        if key.task_id != task.id and not (by_template and key.template == task.template):
            yield int(position[place])


def nearest_rows(query: Array, rows: Array, k: int) -> tuple[int, ...]:
    """Positions of at most k rows (n, d), the most similar to a query (d,) first, equals by position."""
    # a sum of its own for each row, in double precision: equal texts are equally similar wherever they stand
    similar = (unit(rows).astype(np.float64) * unit(query[None]).astype(np.float64)).sum(axis=1)
    order = np.argsort(-np.round(similar, 6), kind="stable")
    return tuple(int(row) for row in order[: max(0, k)])
