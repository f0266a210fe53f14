"""How far two episodes are apart, by what the agent did."""

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

Actions = tuple[int, ...]
"""The actions of one episode, in order, each as its number in a `Vocabulary`."""

LONGEST = 1_000
"""Only this many actions at the start of an episode are compared."""
_CHUNK = 8_192  # pairs in memory at a time


class Vocabulary:
    """Numbers actions; two that differ only in case and white space get the same number."""

    def __init__(self) -> None:
        """Start without actions."""
        self._numbers: dict[str, int] = {}
        self._sequences: dict[Actions, Actions] = {}

    def actions(self, said: Iterable[str]) -> Actions:
        """The actions of one episode as numbers. Equal episodes share one tuple, which saves memory."""
        numbers = self._numbers
        found = tuple(numbers.setdefault(canonical(action), len(numbers)) for action in said)
        return self._sequences.setdefault(found, found)


def canonical(action: str) -> str:
    """An action in lower case, with single spaces."""
    return " ".join(action.lower().split())


def edit_distances(first: Sequence[Actions], second: Sequence[Actions]) -> NDArray[np.float64]:
    """Levenshtein distance of each pair over the length of the longer one, in [0, 1], shape (n_pairs,).

    0 for equal sequences, also for two empty ones. Each distinct pair is measured once. Only the first
    `LONGEST` actions are compared, because the time grows with the square of the length.

    Source: Levenshtein 1966; the default of STATISTICS 6.
    """
    cut = ((a[:LONGEST], b[:LONGEST]) for a, b in zip(first, second, strict=True))
    pairs = [(a, b) if a <= b else (b, a) for a, b in cut]
    distinct = sorted({pair for pair in pairs if pair[0] != pair[1]}, key=lambda pair: max(map(len, pair)))
    place = {pair: number for number, pair in enumerate(distinct)}
    found = np.zeros(len(distinct) + 1)
    for start in range(0, len(distinct), _CHUNK):
        chunk = distinct[start : start + _CHUNK]
        found[start : start + len(chunk)] = _edits(chunk) / [max(map(len, pair)) for pair in chunk]
    # equal sequences have no place and take the last entry, which is zero
    return found[[place.get(pair, len(distinct)) for pair in pairs]]


def parting_turns(first: Sequence[Actions], second: Sequence[Actions]) -> NDArray[np.float64]:
    """The first turn, from 1, at which each pair acts differently; of equal ones, the turn after the last."""
    return np.array([1.0 + _shared(a, b) for a, b in zip(first, second, strict=True)])


def parting_distances(first: Sequence[Actions], second: Sequence[Actions]) -> NDArray[np.float64]:
    """The share of the longer course that is left where each pair parts, in [0, 1]; 0 for equal ones.

    Source: 1 - min(k, H) / H of STATISTICS 6, H being the longer of the two.
    """
    pairs = zip(first, second, strict=True)
    return np.array([1 - _shared(a, b) / max(len(a), len(b)) if a != b else 0.0 for a, b in pairs])


def first_action_distances(first: Sequence[Actions], second: Sequence[Actions]) -> NDArray[np.float64]:
    """1 where the first actions of a pair differ: its energy compares the distributions of first actions."""
    return np.array([float(a[:1] != b[:1]) for a, b in zip(first, second, strict=True)])


def _shared(one: Actions, other: Actions) -> int:
    """Actions at the start that are the same."""
    ends = (at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b)
    return next(ends, min(len(one), len(other)))


def _edits(pairs: Sequence[tuple[Actions, Actions]]) -> NDArray[np.float64]:
    """Levenshtein distances of all pairs at once: one pass for each action of the longest first sequence."""
    first, second = _padded([a for a, _ in pairs], -1), _padded([b for _, b in pairs], -2)
    n_first, n_second = (np.array([len(pair[side]) for pair in pairs]) for side in (0, 1))
    column = np.arange(len(pairs))
    step = np.arange(len(second) + 1, dtype=np.int32)[:, None]
    row = np.broadcast_to(step, (len(second) + 1, len(pairs))).copy()
    found = np.where(n_first == 0, n_second, 0)
    for number, action in enumerate(first, 1):
        best = np.empty_like(row)
        best[0] = number
        # keep or replace an action, or delete one of the first sequence
        np.minimum(row[:-1] + (second != action), row[1:] + 1, out=best[1:])
        # insert actions of the second sequence: min over j of best[j] + (i - j)
        row = np.minimum.accumulate(best - step, axis=0) + step
        found = np.where(n_first == number, row[n_second, column], found)
    return found.astype(np.float64)


def _padded(sequences: Sequence[Actions], with_number: int) -> NDArray[np.int32]:
    """Sequences as columns, padded to the longest with `with_number`; shape (longest, n_sequences)."""
    filled = np.full((len(sequences), max(map(len, sequences), default=0)), with_number, dtype=np.int32)
    for at, sequence in enumerate(sequences):
        filled[at, : len(sequence)] = sequence
    return np.ascontiguousarray(filled.T)
