"""Divergence of behaviour: do damaged memories make the agent act otherwise than intact ones?"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from memtrial.analysis.arrays import Floats, Ints, Rng
from memtrial.analysis.behaviour.relabelled_tasks import pick, splits
from memtrial.analysis.inference.sign_flip import flip_test

Actions = tuple[str, ...]
"""The canonical actions of one episode, in order."""

LONGEST = 1_000
"""Only this many actions at the start of an episode are compared."""
_PAIRS = 8_192  # pairs in memory at a time


def canonical(action: str) -> str:
    """An action as it is compared: in lower case, with single spaces."""
    return " ".join(action.lower().split())


def edit_distances(first: Sequence[Actions], second: Sequence[Actions]) -> Floats:
    """Levenshtein distance of each pair over the length of the longer one, in [0, 1], shape (n_pairs,).

    0 for equal sequences, also for two empty ones. Each distinct pair is measured once. Only the first
    `LONGEST` actions are compared, because the time grows with the square of the length.

    Source: Levenshtein 1966; the default of STATISTICS 6.
    """
    cut = ((a[:LONGEST], b[:LONGEST]) for a, b in zip(first, second, strict=True))
    pairs = [(a, b) if a <= b else (b, a) for a, b in cut]
    distinct = sorted({pair for pair in pairs if pair[0] != pair[1]}, key=lambda pair: max(map(len, pair)))
    place = {pair: number for number, pair in enumerate(distinct)}
    distances = np.zeros(len(distinct) + 1)
    for start in range(0, len(distinct), _PAIRS):
        chunk = distinct[start : start + _PAIRS]
        distances[start : start + len(chunk)] = _edits(chunk) / [max(map(len, pair)) for pair in chunk]
    # equal sequences have no place and take the last entry, which is zero
    return distances[[place.get(pair, len(distinct)) for pair in pairs]]


def parting_turns(first: Sequence[Actions], second: Sequence[Actions]) -> Floats:
    """The first turn, from 1, at which each pair acts differently; of equal ones, the turn after the last."""
    return np.array([1.0 + shared for shared in _count_shared(first, second)])


def parting_distances(first: Sequence[Actions], second: Sequence[Actions]) -> Floats:
    """The share of the longer course that is left where each pair parts, in [0, 1]; 0 for equal ones.

    Source: 1 - min(k, H) / H of STATISTICS 6, H being the longer of the two.
    """
    pairs = zip(first, second, _count_shared(first, second), strict=True)
    return np.array([1 - shared / max(len(a), len(b)) if a != b else 0.0 for a, b, shared in pairs])


def first_action_distances(first: Sequence[Actions], second: Sequence[Actions]) -> Floats:
    """1 where the first actions of a pair differ: its energy compares the distributions of first actions."""
    return np.array([float(a[:1] != b[:1]) for a, b in zip(first, second, strict=True)])


def _count_shared(first: Sequence[Actions], second: Sequence[Actions]) -> Iterator[int]:
    """Of each pair the actions at the start that are the same."""
    for a, b in zip(first, second, strict=True):
        shared = min(len(a), len(b))
        yield next((turn for turn in range(shared) if a[turn] != b[turn]), shared) if a is not b else shared


def _edits(pairs: Sequence[tuple[Actions, Actions]]) -> Floats:
    """Levenshtein distances of all pairs at once: one pass for each action of the longest first sequence."""
    numbers = {action: number for number, action in enumerate({step for a, b in pairs for step in (*a, *b)})}
    first, second = (
        _pad_columns([[numbers[step] for step in pair[side]] for pair in pairs], -1 - side) for side in (0, 1)
    )
    n_first, n_second = (np.array([len(pair[side]) for pair in pairs]) for side in (0, 1))
    column = np.arange(len(pairs))
    step = np.arange(len(second) + 1, dtype=np.int32)[:, None]
    row = np.broadcast_to(step, (len(second) + 1, len(pairs))).copy()
    edits = np.where(n_first == 0, n_second, 0)
    for number, action in enumerate(first, 1):
        best = np.empty_like(row)
        best[0] = number
        # keep or replace an action, or delete one of the first sequence
        np.minimum(row[:-1] + (second != action), row[1:] + 1, out=best[1:])
        # insert actions of the second sequence: min over j of best[j] + (i - j)
        row = np.minimum.accumulate(best - step, axis=0) + step
        edits = np.where(n_first == number, row[n_second, column], edits)
    return edits.astype(np.float64)


def _pad_columns(sequences: Sequence[Sequence[int]], with_number: int) -> NDArray[np.int32]:
    """Sequences as columns, padded to the longest with `with_number`; shape (longest, n_sequences)."""
    filled = np.full((len(sequences), max(map(len, sequences), default=0)), with_number, dtype=np.int32)
    for number, sequence in enumerate(sequences):
        filled[number, : len(sequence)] = sequence
    return np.ascontiguousarray(filled.T)


Word = Literal["above A/A", "not above A/A", "not measurable"]
Distance = Callable[[Sequence[Actions], Sequence[Actions]], Floats]
"""Distances of pairs of episodes, each in [0, 1]."""
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


def measure(
    episodes: Mapping[str, Sides], distance: Distance, rng: Rng, paired: bool = False
) -> PairedEpisodes:
    """The energy statistic of each task, 2 mean d(u, v) - mean d(u, u') - mean d(v, v').

    Args:
        episodes: by task; those with fewer than two episodes on a side are left out.
        rng: draws relabellings where there are too many.
        paired: the i-th episodes of both sides share a bank, and there are as many of either.

    Source: Szekely & Rizzo 2013, as a U-statistic; STATISTICS 6.
    """
    tasks = tuple(sorted(task for task, sides in episodes.items() if min(map(len, sides)) >= 2))
    pooled = [(*episodes[task][0], *episodes[task][1]) for task in tasks]
    left = [run for runs in pooled for number, run in enumerate(runs) for _ in runs[number + 1 :]]
    right = [run for runs in pooled for number in range(len(runs)) for run in runs[number + 1 :]]
    distances, done = distance(left, right), 0
    alike: dict[tuple[int, int], list[tuple[int, Floats]]] = {}
    for number, (task, runs) in enumerate(zip(tasks, pooled, strict=True)):
        n = len(runs)
        own = distances[done : done + n * (n - 1) // 2]
        done += len(own)
        alike.setdefault((len(episodes[task][0]), n), []).append((number, own))
    deltas, across, aa = [np.zeros(0)] * len(tasks), np.zeros(len(tasks)), np.zeros(len(tasks))
    for (n_intact, n), members in alike.items():
        labels = splits(n_intact, n - n_intact, rng, paired).astype(np.float64)
        for start in range(0, len(members), _TASKS):
            chunk = members[start : start + _TASKS]
            apart = np.zeros((len(chunk), n, n))
            apart[:, *np.triu_indices(n, 1)] = [own for _, own in chunk]
            apart += apart.transpose(0, 2, 1)
            for (number, _), square, energies in zip(chunk, apart, _energies(apart, labels), strict=True):
                deltas[number] = energies
                across[number] = square[:n_intact, n_intact:].mean()
                aa[number] = square[:n_intact, :n_intact].sum() / (n_intact * (n_intact - 1))
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
    sums = np.empty((draws, len(family)))
    # a task whose episodes are all equal adds nothing, however it is relabelled
    moved = [
        [pair for pair in zip(place.tasks, place.deltas, strict=True) if pair[1].any()] for place in family
    ]
    for start in range(0, draws, _CHUNK):
        stop = min(start + _CHUNK, draws)
        uniform = rng.random((len(names), stop - start))
        # places share what is drawn for a task
        picked: dict[tuple[str, int], Ints] = {}
        for column in range(len(family)):
            total = np.zeros(stop - start)
            for task, deltas in moved[column]:
                if (task, len(deltas)) not in picked:
                    picked[task, len(deltas)] = pick(uniform[row[task]], len(deltas))
                total += deltas[picked[task, len(deltas)]]
            sums[start:stop, column] = total
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
