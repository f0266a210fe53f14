"""Which items are near each other by cosine: pairs to compare, and clusters around leaders.

Products of blocks of single precision find the candidates; what counts is the cosine in double precision.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32] | NDArray[np.float64]
SLACK = 1e-4
"""By so much a cosine of single precision may be off."""
EXACT = 1e-6
"""By so much one of vectors that were stored in single precision; a threshold reaches so far down."""
_BLOCK = 512


@dataclass(frozen=True)
class UnitRows:
    """Rows of length one; a row of zeros is near nothing."""

    exact: NDArray[np.float64]
    quick: NDArray[np.float32]

    @classmethod
    def of(cls, vectors: Vectors) -> "UnitRows":
        """Take the rows, shape (n, d), at length one.

        Raises:
            ValueError: they are no matrix, or a value is not finite.
        """
        rows = np.asarray(vectors, dtype=np.float64)
        if rows.ndim != 2 or not np.isfinite(rows).all():
            raise ValueError(f"vectors of shape (n, d) and finite are needed; got shape {rows.shape}")
        length = np.linalg.norm(rows, axis=1, keepdims=True)
        rows = rows / np.where(length > 0, length, 1)
        return cls(rows, rows.astype(np.float32))

    def cosine(self, first: int, second: int) -> float:
        """In [-1, 1]."""
        return float(np.clip(self.exact[first] @ self.exact[second], -1.0, 1.0))

    def reaches(self, first: int, second: int, least: float) -> bool:
        """Whether the cosine is the least, or above it."""
        return self.cosine(first, second) >= least - EXACT


def find_near_pairs(rows: UnitRows, least: float, most: int) -> list[tuple[int, int]]:
    """Pairs of rows, the smaller number first, in order: of each row its nearest, at most `most`."""
    n = len(rows.quick)
    pairs: set[tuple[int, int]] = set()
    for begin in range(0, n, _BLOCK):
        similar = rows.quick[begin : begin + _BLOCK] @ rows.quick.T
        for place, row in enumerate(similar, begin):
            row[place] = -2.0
            nearest = np.flatnonzero(row >= least - SLACK)
            if len(nearest) > most:
                nearest = nearest[np.argpartition(-row[nearest], most)[:most]]
            for other in map(int, nearest):
                pair = (min(place, other), max(place, other))
                if pair not in pairs and rows.reaches(*pair, least):
                    pairs.add(pair)
    return sorted(pairs)


def find_leaders(
    rows: UnitRows, order: Sequence[int], least: float, may_join: Callable[[int, int], bool]
) -> Mapping[int, int]:
    """The leader of each row that has one.

    Taken in this order, a row joins the first leader that is near and that it may join, or becomes one.

    Args:
        order: numbers of rows, each once.
        least: cosine from which on a leader is near.
        may_join: asked with a row and a leader that is near it.
    """
    leader_of: dict[int, int] = {}
    leaders: list[int] = []
    held = np.empty((len(order), rows.quick.shape[1]), dtype=np.float32)
    for begin in range(0, len(order), _BLOCK):
        block = list(order[begin : begin + _BLOCK])
        n_before = len(leaders)
        earlier = rows.quick[block] @ held[:n_before].T
        within = rows.quick[block] @ rows.quick[block].T
        new: list[int] = []  # places in the block of its own leaders
        for place, row in enumerate(block):
            near = [leaders[number] for number in np.flatnonzero(earlier[place] >= least - SLACK)]
            near += [block[other] for other in new if within[place, other] >= least - SLACK]
            leader = next(
                (other for other in near if rows.reaches(row, other, least) and may_join(row, other)), None
            )
            if leader is not None:
                leader_of[row] = leader
                continue
            held[len(leaders)] = rows.quick[row]
            leaders.append(row)
            new.append(place)
    return leader_of
