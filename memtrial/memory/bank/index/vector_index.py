"""The door of an index, and what all of its members share: the order of what is near, and what is refused.

A member finds candidates in single precision; which are nearest is then decided here in double precision, so
that every member gives the same answer. Cosines within 1e-9 of each other are ties, and go by id.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from memtrial.memory.bank.bank_item import Outcome, Standing
from memtrial.memory.bank.events.bank_events import VectorKey
from memtrial.memory.bank.events.item_queries import ItemFilter
from memtrial.models.embeddings.embedding import Array, unit

TIE = 1e-9
"""Cosines that are nearer to each other are equal (REQUIREMENTS, reading 10)."""
DOUBT = 2e-5
"""How far a member's cosine may be from the exact one."""
SPARE = 16
"""Candidates beyond those asked for, before more are fetched."""


@dataclass(frozen=True, slots=True)
class IndexMark:
    """Up to where an index has read which log.

    Args:
        bank: the bank's id.
        sequence: the last event that it has seen; 0 for none.
        digest: that event's digest: of another log it is another.
    """

    bank: str
    key: VectorKey
    space: str
    dimensions: int
    sequence: int
    digest: str


@dataclass(frozen=True, slots=True)
class IndexedItem:
    """What an index keeps of an item: its vector (d,) at length one, or zero; what is filtered by."""

    id: str
    vector: Array
    project: str
    domain: str
    tags: tuple[str, ...]
    outcome: Outcome
    confidence: float
    standing: Standing


@dataclass(frozen=True, slots=True)
class NearItem:
    """An item that is near to a query, and its cosine; 0 where one of the two has no direction."""

    id: str
    similarity: float


@dataclass(frozen=True, slots=True)
class Candidate:
    """An item that may be among the nearest: its vector, and the member's own cosine."""

    id: str
    vector: Array
    cosine: float


class VectorIndex(Protocol):
    """Vectors of a bank's items, found by cosine under a filter. It may be lost at any moment.

    `search_index` asks it, `keep_up` keeps it level with the log; nobody else writes into it.

        index = FaissIndex(path)
        keep_up(log, index, "item")
        hits = search_index(index, query, 3, ItemFilter("org/team/project"))
    """

    def mark(self) -> IndexMark | None:
        """Up to where it has read; None where it is empty or cannot be read."""

    def clear(self, mark: IndexMark) -> None:
        """Forget everything, and begin with this mark's bank, key and space."""

    def write(self, items: Sequence[IndexedItem], gone: Sequence[str], mark: IndexMark) -> None:
        """Take in items, in the place of those of the same ids, let others go, then set the mark.

        Killed in between, it has the old mark, and the same is written once more.
        """

    def candidates(self, query: Array, size: int, asked: ItemFilter) -> Sequence[Candidate]:
        """At least the `size` nearest to a unit query (d,) that the filter takes, or all there are; the
        farthest last."""

    def close(self) -> None:
        """Keep what can be kept, and let go of files and connections. MemoryFault where it cannot be."""


def search_index(index: VectorIndex, query: Array, k: int, asked: ItemFilter) -> tuple[NearItem, ...]:
    """At most k items that the filter takes, the nearest to a query (d,) first, ties by id.

    Raises:
        ValueError: k is negative, or the query is no vector of finite numbers of the index's dimension.
    """
    mark = index.mark()
    if k < 0:
        raise ValueError(f"a number of items from 0 on is needed; k is {k}")
    if query.ndim != 1 or (mark is not None and query.shape != (mark.dimensions,)):
        needed = "a flat one" if mark is None else f"of {mark.dimensions} numbers"
        raise ValueError(f"a query's vector {needed} is needed; got the shape {query.shape}")
    if not np.isfinite(query).all():
        raise ValueError("a query of finite numbers is needed; got NaN or infinity")
    if k == 0 or mark is None:
        return ()
    direction = unit(query[None])[0]
    size = k + SPARE
    while True:
        drawn = index.candidates(direction, size, asked)
        complete = len(drawn) < size
        # complete, or the last one drawn is farther than any that could still be among the k nearest
        if complete or drawn[-1].cosine < drawn[k - 1].cosine - DOUBT:
            return order_near(query, drawn)[:k]
        size *= 4


def order_near(query: Array, drawn: Sequence[Candidate]) -> tuple[NearItem, ...]:
    """Candidates by their exact cosine with a query (d,), ties by id."""
    if not drawn:
        return ()
    exact = cosines(query, np.stack([candidate.vector for candidate in drawn]))
    near = [NearItem(candidate.id, float(cosine)) for candidate, cosine in zip(drawn, exact, strict=True)]
    near.sort(key=lambda item: (-item.similarity, item.id))
    ordered: list[NearItem] = []
    start = 0
    for place in range(1, len(near) + 1):
        if place == len(near) or near[start].similarity - near[place].similarity > TIE:
            ordered += sorted(near[start:place], key=lambda item: item.id)
            start = place
    return tuple(ordered)


def cosines(query: Array, vectors: Array) -> NDArray[np.float64]:
    """Cosines of a query (d,) with vectors (n, d) in double precision, shape (n,); 0 for a zero vector."""
    rows, direction = vectors.astype(np.float64), query.astype(np.float64)
    # a sum of its own for each row: equal vectors have equal cosines wherever they stand
    products = np.einsum("nd,d->n", rows, direction)
    lengths = np.sqrt(np.einsum("nd,nd->n", rows, rows) * np.dot(direction, direction))
    return np.asarray(np.divide(products, lengths, out=np.zeros(len(rows)), where=lengths > 0))
