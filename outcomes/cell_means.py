"""Trials to cell means: one pass over the columns of one backbone."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from loadbearing.outcomes.columns import Columns, first_rows, joint

Averaged = tuple[
    tuple[tuple[str, str], ...],
    NDArray[np.float64],
    NDArray[np.int64],
    NDArray[np.int64],
    NDArray[np.float64],
    NDArray[np.int64],
]


def averaged(columns: Columns, backbone: str, tasks: Sequence[str]) -> Averaged:
    """Cells of one backbone in the order in which they first appear, and what stands in them.

    Args:
        tasks: all tasks of the table, in the order wanted.

    Returns:
        the cells (arm, condition); mean score over the trials that have one, shape (n_tasks, n_cells), NaN
        where none has; trials and errors, same shape; the score of each trial by cell, task and repeat,
        and the place of its repeat among all repeats; the latter empty where cells number theirs apart.
    """
    mine = np.flatnonzero(columns.backbone.where(backbone))
    # texts that no row holds have no place, and none is looked up
    place = {task: index for index, task in enumerate(tasks)}
    ranks = np.array([place.get(name, -1) for name in columns.task.values], dtype=np.int64)
    task = ranks[columns.task.codes[mine]]
    arm, condition = columns.arm.codes[mine], columns.condition.codes[mine]
    pair = joint([arm, condition])
    firsts = first_rows(pair)
    cells = tuple((columns.arm.values[arm[row]], columns.condition.values[condition[row]]) for row in firsts)
    order = np.argsort(pair[firsts])
    column = order[np.searchsorted(pair[firsts][order], pair)]
    shape = len(tasks), len(cells)
    flat, size = task * len(cells) + column, len(tasks) * len(cells)
    score = columns.score[mine]
    lost = np.isnan(score)
    trials = np.bincount(flat, minlength=size).reshape(shape)
    errors = np.bincount(flat[lost], minlength=size).reshape(shape)
    total = np.bincount(flat, np.where(lost, 0.0, score), size).reshape(shape)
    scored = trials - errors
    means = total / np.where(scored > 0, scored, np.nan)
    repeat = columns.repeat[mine]
    rows = np.argsort(joint([column, task, repeat]), kind="stable")
    numbers = np.unique(repeat)
    # repeats numbered anew in every task have no common place
    common = len(numbers) <= trials.max(initial=0)
    nth = np.searchsorted(numbers, repeat[rows]) if common else np.empty(0, dtype=np.int64)
    return cells, means, trials, errors, score[rows], nth
