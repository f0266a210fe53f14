"""How far apart the courses of two episodes are: by edits, by where they part, by their first actions."""

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from memtrial.analysis.arrays import Floats

Actions = tuple[str, ...]
"""The canonical actions of one episode, in order."""

Distance = Callable[[Sequence[Actions], Sequence[Actions]], Floats]
"""Of pairs of courses, the same whichever of the two comes first."""

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
