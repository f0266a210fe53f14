"""Divergence of behaviour: do damaged memories make the agent act otherwise than intact ones?"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import Literal

import numpy as np

from memtrial.analysis.arrays import Floats, Ints, Rng
from memtrial.analysis.behaviour.course_distance import Actions, Distance
from memtrial.analysis.behaviour.relabelled_tasks import pick, splits
from memtrial.analysis.inference.sign_flip import flip_test

Word = Literal["above A/A", "not above A/A", "not measurable"]
Sides = tuple[Sequence[Actions], Sequence[Actions]]
"""Episodes of one task with intact memory, and with damaged memory."""

FEWEST = 2
"""Tasks with two episodes a side below which nothing is measured."""

_CHUNK = 512  # draws in memory at a time
_TASKS = 64  # tasks whose relabellings are in memory at a time
_TIE = 1e-9


@dataclass(frozen=True, slots=True)
class Divergence:
    """How far damage moves what the agent does, against how far it moves from itself.

    Args:
        n_tasks: tasks with two episodes or more on both sides.
        delta: mean over tasks of the energy statistic, 0 in expectation where damage moves nothing.
        across: mean distance of an intact and a damaged episode of one task.
        aa: mean distance of two intact episodes of one task.
        p: of this place alone; `p_adjusted`, on which `word` rests: among all places measured together.
        placebo_delta: mean of delta minus the placebo's delta, over tasks that have both; None without one.
        placebo_p: sign flip of that difference, by clusters.
        parting, parting_aa: the turn, from 1, at which an intact and a damaged episode part, and two intact
            ones, in the mean over tasks; equal episodes part after their last turn.
        parting_p, first_p: as `p`, of the course left where two part, and of the first action alone.
        first_delta: as `delta`, of the first action.
        least_p: the least that the draws can show of all these p but the placebo's; None without one.
        placebo_least_p: of `placebo_p`; None where it is exact.
    """

    n_tasks: int
    delta: float | None
    across: float | None
    aa: float | None
    p: float | None
    p_adjusted: float | None
    placebo_delta: float | None
    placebo_p: float | None
    word: Word
    reason: str
    parting: float | None = None
    parting_aa: float | None = None
    parting_p: float | None = None
    first_delta: float | None = None
    first_p: float | None = None
    least_p: float | None = None
    placebo_least_p: float | None = None

    @property
    def ratio(self) -> float | None:
        """Distance across over distance of the intact from themselves; None where the latter is zero."""
        return self.across / self.aa if self.across is not None and self.aa else None


@dataclass(frozen=True, slots=True, eq=False)
class PairedEpisodes:
    """One place's tasks, in order: those with two episodes or more on both sides.

    Args:
        deltas: for each task the energy statistic under every split, the true one first.
        across: mean distance of the two sides, shape (n_tasks,).
        aa: mean distance inside the intact side, shape (n_tasks,).
    """

    tasks: tuple[str, ...]
    deltas: tuple[Floats, ...]
    across: Floats
    aa: Floats

    @property
    def true(self) -> Floats:
        """The statistic of each task as it was played, shape (n_tasks,)."""
        return np.array([each[0] for each in self.deltas])


@dataclass(frozen=True, slots=True, eq=False)
class AlikeTasks:
    """Tasks of one place with as many episodes on either side.

    Args:
        tasks: their numbers in the place, shape (n_tasks,).
        n_intact, n: episodes with intact memory, and all of them.
        pairs: number of the pair of courses of every two episodes, shape (n_tasks, n (n - 1) / 2).
    """

    tasks: Ints
    n_intact: int
    n: int
    pairs: Ints


@dataclass(frozen=True, slots=True, eq=False)
class PooledEpisodes:
    """Episodes of many places, in which each two courses are one pair wherever they meet.

    Args:
        places: of each the tasks, in order, and these by their numbers of episodes.
        first, second: the courses of each pair; they may be the same.
    """

    places: tuple[tuple[tuple[str, ...], tuple[AlikeTasks, ...]], ...]
    first: tuple[Actions, ...]
    second: tuple[Actions, ...]


def pool_episodes(places: Iterable[Mapping[str, Sides]]) -> PooledEpisodes:
    """Episodes of places by task; tasks with fewer than two episodes on a side are left out."""
    numbers: dict[Actions, int] = {}
    pooled, codes = [], [np.zeros((0, 2), dtype=np.int64)]
    for episodes in places:
        tasks = tuple(sorted(task for task, sides in episodes.items() if min(map(len, sides)) >= 2))
        alike: dict[tuple[int, int], tuple[list[int], list[list[int]]]] = {}
        for place, (intact, damaged) in enumerate(episodes[task] for task in tasks):
            members, courses = alike.setdefault((len(intact), len(intact) + len(damaged)), ([], []))
            members.append(place)
            courses.append([numbers.setdefault(run, len(numbers)) for run in (*intact, *damaged)])
        groups = []
        for (n_intact, n), (members, courses) in alike.items():
            ends = np.sort(np.array(courses)[:, np.array(np.triu_indices(n, 1)).T], axis=-1)
            groups.append((np.array(members), n_intact, n, ends.shape[:2]))
            codes.append(ends.reshape(-1, 2))
        pooled.append((tasks, groups))
    ends = np.concatenate(codes)
    distinct, number = np.unique(ends[:, 0] * max(len(numbers), 1) + ends[:, 1], return_inverse=True)
    known, done, numbered = list(numbers), 0, []
    for tasks, groups in pooled:
        own = []
        for alike_tasks, n_intact, n, shape in groups:
            size = shape[0] * shape[1]
            own.append(AlikeTasks(alike_tasks, n_intact, n, number[done : done + size].reshape(shape)))
            done += size
        numbered.append((tasks, tuple(own)))
    first, second = (
        tuple(known[course] for course in side.tolist()) for side in divmod(distinct, max(len(numbers), 1))
    )
    return PooledEpisodes(tuple(numbered), first, second)


def measure(
    episodes: PooledEpisodes, distance: Distance, rng: Rng, paired: bool = False
) -> tuple[PairedEpisodes, ...]:
    """The energy statistic of each place's tasks, 2 mean d(u, v) - mean d(u, u') - mean d(v, v').

    Args:
        rng: draws relabellings where there are too many.
        paired: the i-th episodes of both sides share a bank, and there are as many of either.

    Source: Szekely & Rizzo 2013, as a U-statistic; STATISTICS 6.
    """
    distances = distance(episodes.first, episodes.second)
    return tuple(_measure_place(tasks, groups, distances, rng, paired) for tasks, groups in episodes.places)


def _measure_place(
    tasks: tuple[str, ...], groups: Iterable[AlikeTasks], distances: Floats, rng: Rng, paired: bool
) -> PairedEpisodes:
    deltas, across, aa = [np.zeros(0)] * len(tasks), np.zeros(len(tasks)), np.zeros(len(tasks))
    for group in groups:
        n_intact, n = group.n_intact, group.n
        labels = splits(n_intact, n - n_intact, rng, paired).astype(np.float64)
        for start in range(0, len(group.tasks), _TASKS):
            chunk = group.tasks[start : start + _TASKS]
            apart = np.zeros((len(chunk), n, n))
            apart[:, *np.triu_indices(n, 1)] = distances[group.pairs[start : start + _TASKS]]
            apart += apart.transpose(0, 2, 1)
            for number, energies in zip(chunk.tolist(), _energies(apart, labels), strict=True):
                deltas[number] = energies
            across[chunk] = apart[:, :n_intact, n_intact:].mean(axis=(1, 2))
            aa[chunk] = apart[:, :n_intact, :n_intact].sum(axis=(1, 2)) / (n_intact * (n_intact - 1))
    return PairedEpisodes(tasks, tuple(deltas), across, aa)


def _energies(apart: Floats, first: Floats) -> Floats:
    """The statistic of tasks under every split, shape (n_tasks, n_splits)."""
    second = 1 - first
    n, m = first[0].sum(), second[0].sum()
    reach = first @ apart
    inside = (reach * first).sum(axis=-1) / (n * (n - 1))
    other = ((second @ apart) * second).sum(axis=-1) / (m * (m - 1))
    across = (reach * second).sum(axis=-1) / (n * m)
    energies: Floats = 2 * across - inside - other
    return energies


def permute_labels(family: Sequence[PairedEpisodes], draws: int, rng: Rng) -> tuple[Floats, Floats]:
    """One-sided p-values of the summed statistics, each alone and against the largest of the family.

    Labels are permuted inside tasks. In one draw a task is relabelled alike at every place, so that what
    places share (the intact episodes) stays shared. Sums are compared in units of their own standard
    deviation under relabelling.

    Returns:
        p and p_adjusted, shape (n_places,) each; (b + 1) / (draws + 1), never zero.

    Source: Westfall & Young 1993 (largest of a family); Phipson & Smyth 2010 (b + 1).
    """
    names = sorted({task for place in family for task in place.tasks})
    row = {task: number for number, task in enumerate(names)}
    sums = np.empty((len(family), draws))
    # a task whose episodes are all equal adds nothing, however it is relabelled
    moved: dict[tuple[str, int], tuple[list[int], list[Floats]]] = {}
    for number, place in enumerate(family):
        for task, deltas in zip(place.tasks, place.deltas, strict=True):
            if deltas.any():
                places, energies = moved.setdefault((task, len(deltas)), ([], []))
                places.append(number)
                energies.append(deltas)
    # places share what is drawn for a task, and add their tasks in the same order
    shared = [
        (row[task], np.array(moved[task, n][0]), np.array(moved[task, n][1])) for task, n in sorted(moved)
    ]
    for start in range(0, draws, _CHUNK):
        stop = min(start + _CHUNK, draws)
        uniform, total = rng.random((len(names), stop - start)), np.zeros((len(family), stop - start))
        for number, columns, split in shared:
            total[columns] += split[:, pick(uniform[number], split.shape[1])]
        sums[:, start:stop] = total
    sums = np.ascontiguousarray(sums.T)
    observed = np.array([place.true.sum() for place in family])
    mean, sd = sums.mean(axis=0), sums.std(axis=0)
    flat = sd < _TIE
    scale = np.where(flat, 1.0, sd)
    drawn = np.where(flat, -inf, (sums - mean) / scale)
    score = np.where(flat, -inf, (observed - mean) / scale)
    p = ((sums >= observed - _TIE).sum(axis=0) + 1) / (draws + 1)
    # each place against the largest among those that are not further out than it
    order = np.argsort(-score, kind="stable")
    largest = np.maximum.accumulate(drawn[:, order[::-1]], axis=1)[:, ::-1]
    reached = ((largest >= score[order] - _TIE).sum(axis=0) + 1) / (draws + 1)
    adjusted = np.empty_like(p)
    adjusted[order] = np.maximum.accumulate(np.maximum(reached, p[order]))
    return p, adjusted


def beyond(
    place_measured: PairedEpisodes, placebo: PairedEpisodes, units: Mapping[str, int], draws: int, rng: Rng
) -> tuple[float, float, float | None] | None:
    """Mean of a place's statistic minus the placebo's, sign-flip p, and the least p that the draws can show.

    The last is None where p is exact; all is None with fewer than two units.
    """
    rest = dict(zip(placebo.tasks, placebo.true, strict=True))
    own = zip(place_measured.tasks, place_measured.true, strict=True)
    both = [(task, delta - rest[task]) for task, delta in own if task in rest]
    place = {unit: number for number, unit in enumerate(dict.fromkeys(units[task] for task, _ in both))}
    if len(place) < 2:
        return None
    apart = np.array([difference for _, difference in both])
    unit = np.array([place[units[task]] for task, _ in both], dtype=np.int64)
    test = flip_test(apart[:, None], unit, draws, rng)
    return float(apart.mean()), float(test.p[0]), 1 / (draws + 1) if test.error[0] else None
