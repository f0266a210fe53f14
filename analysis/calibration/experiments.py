"""Simulated experiments in bulk, and the real estimators on all of them at once.

The sign vectors and the signed sums are those of `flip_test`. Interval and equivalence test are the formulas
of `interval` on the columns of a matrix. A test compares all of it with the functions used for real data, one
experiment at a time.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from loadbearing.analysis.calibration.participants import INTACT, Participant
from loadbearing.analysis.inference.sign_flip import TIE, flipped
from loadbearing.analysis.plan import AnalysisPlan
from loadbearing.analysis.verdicts.facts import NOTHING_KNOWN, RunFacts
from loadbearing.ledger.random_streams import fixed_generator
from loadbearing.outcomes.columns import Coded, Columns
from loadbearing.outcomes.outcomes import Cell, Outcomes

Trials = NDArray[np.float64]
"""Scores, shape (n_experiments, n_cells, n_tasks, n_repeats)."""

BACKBONE = "simulated/known"
_AT_ONCE = 500  # experiments in one call; the signed sums of all of them are in memory


def play(
    participant: Participant,
    cells: tuple[Cell, ...],
    n_tasks: int,
    repeats: int,
    size: int,
    rng: np.random.Generator,
) -> Trials:
    """Scores in [0, 1] of a participant in `size` experiments, each with its own tasks.

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


@dataclass(frozen=True, slots=True, eq=False)
class Played:
    """One experiment, as an instrument gets it.

    Args:
        cells: the cell of each row of `scores`.
        unit: of each task.
        scores: shape (n_cells, n_tasks, n_repeats).
        acts: 1 where the agent did what the intact item advises; None where that is not known.
        readable: the scores with the trials solved that were lost to replies which could not be read; None
            where none was.
        run: what is known beside.
    """

    cells: tuple[Cell, ...]
    unit: NDArray[np.int64]
    scores: Trials
    acts: Trials | None = None
    readable: Trials | None = None
    run: RunFacts = NOTHING_KNOWN

    def table(self, trials: Trials) -> Outcomes:
        """One of the arrays as an outcome table."""
        return outcomes(trials, self.cells, self.unit)


def with_replies(participant: Participant, one: Played, rng: np.random.Generator) -> Played:
    """The experiment with what the participant did as advised, and what it lost to unreadable replies."""
    acts = readable = None
    if participant.acts:
        acts = (rng.random(one.scores.shape) < _by_cell(participant.acts, one.cells)).astype(np.float64)
    if participant.garbled:
        lost = (one.scores < 1) & (rng.random(one.scores.shape) < _by_cell(participant.garbled, one.cells))
        readable = np.where(lost, 1.0, one.scores)
    return replace(one, acts=acts, readable=readable)


def _by_cell(shares: tuple[tuple[Cell, float], ...], cells: tuple[Cell, ...]) -> NDArray[np.float64]:
    """The share of each cell, 0 where none is named, shape (n_cells, 1, 1)."""
    return np.array([dict(shares).get(cell, 0.0) for cell in cells])[:, None, None]


def units(participant: Participant, n_tasks: int) -> NDArray[np.int64]:
    """Unit of inference of each task: its source record, or the task itself. Shape (n_tasks,)."""
    return np.arange(n_tasks, dtype=np.int64) // participant.record


def outcomes(trials: Trials, cells: tuple[Cell, ...], unit: NDArray[np.int64]) -> Outcomes:
    """One experiment as an outcome table.

    Args:
        trials: shape (n_cells, n_tasks, n_repeats).
        cells: the cell of each row of `trials`.
        unit: unit of each task; if every task is its own unit, no clusters are written.
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


@dataclass(frozen=True, slots=True, eq=False)
class Measured:
    """One contrast in many experiments; every array has shape (n_experiments,).

    Args:
        estimate: mean over tasks.
        low, high: the 1 - alpha plus-two interval.
        p: sign-flip p-value.
        p_equivalence: against an effect at or beyond the margin.
    """

    estimate: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    p: NDArray[np.float64]
    p_equivalence: NDArray[np.float64]


Measure = Callable[[Trials, tuple[float, ...], NDArray[np.int64], AnalysisPlan], Measured]
"""Trials, the weight of each cell, the unit of each task (from 0), the rules → what is measured."""


def measure(
    trials: Trials, weights: tuple[float, ...], unit: NDArray[np.int64], plan: AnalysisPlan
) -> Measured:
    """Estimate one linear contrast in every experiment: a `Measure`."""
    from statsmodels.stats.weightstats import DescrStatsW

    contrasts = np.einsum("ecn,c->ne", trials.mean(axis=3), np.asarray(weights))
    labels, place = np.unique(unit, return_inverse=True)
    members = (place == np.arange(len(labels))[:, None]).astype(np.float64)
    sums = members @ contrasts
    columns = DescrStatsW(_plus_two(sums, members.sum(axis=1), trials.shape[3]))
    low, high = columns.tconfint_mean(alpha=plan.alpha)
    p_equivalence, _, _ = columns.ttost_mean(-plan.margin, plan.margin)
    ends = np.asarray(low), np.asarray(high)
    return Measured(contrasts.mean(axis=0), *ends, _flip_p(sums, plan), np.asarray(p_equivalence))


def _flip_p(sums: NDArray[np.float64], plan: AnalysisPlan) -> NDArray[np.float64]:
    """The p-value of each column, as `flip_test` gives it for that column alone with the plan's seed.

    Only units with a difference get a sign. Columns with equally many of them use the same signs, so
    these units are moved to the top and the columns are tested in one call.
    """
    informative = np.abs(sums) > TIE
    counts = informative.sum(axis=0)
    p = np.ones(sums.shape[1])
    for count in np.unique(counts[counts > 0]).tolist():
        here = np.flatnonzero(counts == count)
        for start in range(0, len(here), _AT_ONCE):
            columns = here[start : start + _AT_ONCE]
            top = np.argsort(~informative[:, columns], axis=0, kind="stable")[:count]
            packed = np.take_along_axis(sums[:, columns], top, axis=0)
            packed /= np.sqrt((packed**2).sum(axis=0))
            drawn, exact = flipped(packed, plan.flips, fixed_generator(plan.seed))
            reached = (drawn >= np.abs(packed.sum(axis=0)) - TIE).sum(axis=0)
            # with drawn signs, the observed vector counts as one of the sample
            p[columns] = reached / len(drawn) if exact else (reached + 1) / (len(drawn) + 1)
    return p


def _plus_two(sums: NDArray[np.float64], size: NDArray[np.float64], repeats: int) -> NDArray[np.float64]:
    """`plus_two_sample` of each column, shape (n_units + 2, n_columns)."""
    step = np.full((1, sums.shape[1]), size.mean() / repeats)
    longer = np.vstack([sums, step, -step])
    sizes = np.append(size, [size.mean(), size.mean()])[:, None]
    centre = longer.sum(axis=0) / sizes.sum()
    return np.asarray(centre + (longer - sizes * centre) * len(sizes) / sizes.sum())
