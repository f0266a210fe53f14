"""Which records a task is shown, and which of their items: the nearest, and never the task's own.

Records are found by their source queries, not by their items, so every arm is given the same records whatever
its condenser wrote.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from memtrial.models.embeddings.embedding import Array, unit
from memtrial.worlds.world import Task

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
    if not sources.keys:
        return ((),) * len(tasks)
    shape = (len(tasks), sources.vectors.shape[1])
    if queries.shape != shape:
        raise ValueError(f"one query a task, of the sources' dimension, is {shape}; got {queries.shape}")
    rows = unit(sources.vectors).astype(np.float64)
    return tuple(
        tuple(islice((at for at in _ordered(query, rows) if _may_see(task, sources.keys[at], leave_out)), k))
        for task, query in zip(tasks, queries, strict=True)
    )


def _may_see(task: Task, key: SourceKey, leave_out: LeaveOut) -> bool:
    mate = leave_out == "template" and task.template and key.template == task.template
    return key.task_id != task.id and not mate


def nearest_rows(query: Array, rows: Array, k: int) -> tuple[int, ...]:
    """Positions of at most k rows (n, d), the most similar to a query (d,) first, equals by position."""
    return tuple(_ordered(query, unit(rows).astype(np.float64))[: max(0, k)])


def _ordered(query: Array, rows: NDArray[np.float64]) -> list[int]:
    # a sum of its own for each row, in double precision: equal texts are equally similar wherever they stand
    similar = np.einsum("nd,d->n", rows, unit(query[None])[0].astype(np.float64))
    return [int(row) for row in np.argsort(-np.round(similar, 6), kind="stable")]
