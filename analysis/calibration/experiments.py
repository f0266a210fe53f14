"""Simulated experiments in bulk: every trial of many experiments as one array."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from loadbearing.analysis.calibration.participants import INTACT, Participant
from loadbearing.outcomes.columns import Coded, Columns
from loadbearing.outcomes.outcomes import Cell, Outcomes

Trials = NDArray[np.float64]
"""Scores, shape (n_experiments, n_cells, n_tasks, n_repeats)."""

BACKBONE = "simulated/known"


def play(
    participant: Participant,
    cells: tuple[Cell, ...],
    n_tasks: int,
    repeats: int,
    size: int,
    rng: np.random.Generator,
) -> Trials:
    """Scores in [0, 1] of a participant in `size` experiments, each on tasks of its own.

    Returns:
        shape (size, len(cells), n_tasks, repeats).
    """
    chances = _chances(participant, cells, n_tasks, size, rng)
    shape = (*chances.shape, repeats)
    if participant.steps > 1:
        scores = rng.binomial(participant.steps, chances[..., None], shape) / participant.steps
    else:
        scores = (rng.random(shape, dtype=np.float32) < chances[..., None]).astype(np.float64)
    if participant.copies:
        copied = rng.random(shape) < participant.copies
        scores = np.where(copied, scores[..., :1], scores)
    return np.asarray(scores, dtype=np.float64)


def _chances(
    participant: Participant, cells: tuple[Cell, ...], n_tasks: int, size: int, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Chance of success, shape (size, n_cells, n_tasks)."""
    tasks = participant.tasks
    ease = tasks.low + (tasks.high - tasks.low) * rng.beta(tasks.a, tasks.b, (size, n_tasks))
    kinds = len(participant.kinds)
    kind = rng.integers(0, kinds, (size, n_tasks)) if kinds > 1 else 0
    chances = np.empty((size, len(cells), n_tasks))
    for column, cell in enumerate(cells):
        lines = [participant.line(number, cell) for number in range(kinds)]
        base, slope = np.array([line.base for line in lines]), np.array([line.slope for line in lines])
        chances[:, column] = base[kind] + slope[kind] * ease
    if participant.record_effect and INTACT in cells:
        unit = units(participant, n_tasks)
        way = rng.choice([-1.0, 1.0], (size, int(unit[-1]) + 1))
        chances[:, cells.index(INTACT)] += participant.record_effect * way[:, unit]
    return chances


def units(participant: Participant, n_tasks: int) -> NDArray[np.int64]:
    """Unit of inference of each task: its source record, or the task itself. Shape (n_tasks,)."""
    return np.arange(n_tasks, dtype=np.int64) // participant.record


def outcomes(trials: Trials, cells: tuple[Cell, ...], unit: NDArray[np.int64]) -> Outcomes:
    """One experiment as an outcome table.

    Args:
        trials: shape (n_cells, n_tasks, n_repeats).
        cells: the cell of each row of `trials`.
        unit: unit of each task; where every task is its own, no clusters are written.
    """
    n_cells, n_tasks, repeats = trials.shape
    cell, task, repeat = (
        np.broadcast_to(index, trials.shape).reshape(-1) for index in np.ogrid[:n_cells, :n_tasks, :repeats]
    )
    arms, conditions = (Coded.of(names) for names in zip(*cells, strict=True))
    own = len(np.unique(unit)) == n_tasks
    records = tuple(f"record {number:04}" for number in range(int(unit.max()) + 1))
    columns = Columns(
        backbone=Coded.same(BACKBONE, trials.size),
        arm=Coded(arms.codes[cell], arms.values),
        condition=Coded(conditions.codes[cell], conditions.values),
        task=Coded(task, tuple(f"task {number:04}" for number in range(n_tasks))),
        cluster=Coded.of(()) if own else Coded(unit[task], records),
        repeat=repeat,
        score=trials.reshape(-1),
    )
    return Outcomes.from_columns(columns)
