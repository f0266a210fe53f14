"""Items with their vectors, laid out so that a query is scored against all of them at once."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from memtrial.memory.bank.bank_item import BankItem
from memtrial.memory.bank.ranking.score_parts import Figures, ItemFigures
from memtrial.models.embeddings.embedding import Array


@dataclass(frozen=True, slots=True, eq=False)
class ItemPool:
    """Made by `pool_items`; it serves any number of queries.

    Args:
        items: in any order, each id once.
        vectors: of their keys, shape (n, d).
        lengths: of the vectors, shape (n,).
        active: which items may be shown, shape (n,).
    """

    items: tuple[BankItem, ...]
    vectors: Array
    lengths: Figures
    figures: ItemFigures
    active: NDArray[np.bool_]

    def cosines(self, query: Figures) -> Figures:
        """Of every item with a vector of length one or zero, in single precision, shape (n,)."""
        near = self.vectors @ query.astype(np.float32)
        return np.divide(near, self.lengths, out=np.zeros(len(self.items)), where=self.lengths > 0)

    def cosine(self, place: int, query: Figures) -> float:
        """Of one item, in double precision; 0 where either vector is zero."""
        length = float(self.lengths[place])
        return float(self.direction(place) @ query) if length > 0 else 0.0

    def direction(self, place: int) -> Figures:
        """An item's vector at length one, or the zero vector."""
        return unit_vector(self.vectors[place])


def pool_items(items: Sequence[BankItem], vectors: Array) -> ItemPool:
    """Lay out items with the vectors of their keys, shape (n, d).

    Raises:
        ValueError: not one vector an item, a figure that is no number, or an id twice.
    """
    if vectors.ndim != 2 or len(vectors) != len(items):
        raise ValueError(f"one vector an item is needed, shape ({len(items)}, d); got {vectors.shape}")
    if len({item.id for item in items}) < len(items):
        raise ValueError("each item is ranked once; an id stands twice")
    lengths = np.sqrt(np.einsum("nd,nd->n", vectors, vectors, dtype=np.float64))
    touched = (item.created if item.uses.last_cited is None else item.uses.last_cited for item in items)
    columns: tuple[Iterable[float], ...] = (
        (item.created for item in items),
        touched,
        (item.confidence for item in items),
        (item.uses.wins for item in items),
        (item.uses.losses for item in items),
        (item.uses.cited for item in items),
    )
    figures = ItemFigures(*(np.fromiter(column, np.float64, len(items)) for column in columns))
    if not all(np.isfinite(column).all() for column in (lengths, *figures)):
        raise ValueError("vectors, times and confidences are finite numbers; one of these is not")
    active = np.fromiter((item.standing == "active" for item in items), dtype=np.bool_, count=len(items))
    return ItemPool(tuple(items), np.ascontiguousarray(vectors, dtype=np.float32), lengths, figures, active)


def unit_vector(vector: NDArray[np.floating]) -> Figures:
    """The vector at length one, in double precision; zero stays zero.

    Raises:
        ValueError: a part of it is no number.
    """
    exact = np.asarray(vector, dtype=np.float64)
    if not np.isfinite(exact).all():
        raise ValueError("a vector of finite numbers is needed; one of these is not")
    length = float(np.sqrt(exact @ exact))
    return exact / length if length > 0 else exact
