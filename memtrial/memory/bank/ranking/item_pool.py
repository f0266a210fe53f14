"""Items with their vectors, laid out so that a query is scored against all of them at once."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

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
        vectors: of their keys, shape (n, d), in the precision in which they came.
        single: the same in single precision.
        lengths: of the vectors, shape (n,).
        active: which items may be shown, shape (n,).
    """

    items: tuple[BankItem, ...]
    vectors: NDArray[np.floating]
    single: Array
    lengths: Figures
    figures: ItemFigures
    active: NDArray[np.bool_]

    def with_items(self, items: tuple[BankItem, ...]) -> "ItemPool":
        """The same vectors with items that have changed, each in its old place.

        Raises:
            ValueError: other items, or a figure that is no number.
        """
        if [item.id for item in items] != [item.id for item in self.items]:
            raise ValueError("the items of the pool are needed, in their places; these are others")
        return replace(self, items=items, figures=_read_figures(items), active=_are_active(items))

    def cosines(self, query: Figures) -> Figures:
        """Of every item with a vector of length one or zero, in single precision, shape (n,)."""
        near = self.single @ query.astype(np.float32)
        return np.divide(near, self.lengths, out=np.zeros(len(self.items)), where=self.lengths > 0)

    def cosine(self, place: int, query: Figures) -> float:
        """Of one item, in double precision; 0 where either vector is zero."""
        length = float(self.lengths[place])
        return float(self.direction(place) @ query) if length > 0 else 0.0

    def direction(self, place: int) -> Figures:
        """An item's vector at length one, or the zero vector."""
        return unit_vector(self.vectors[place])


def pool_items(items: Sequence[BankItem], vectors: NDArray[np.floating]) -> ItemPool:
    """Lay out items with the vectors of their keys, shape (n, d).

    Raises:
        ValueError: not one vector an item, a figure that is no number, or an id twice.
    """
    if vectors.ndim != 2 or len(vectors) != len(items):
        raise ValueError(f"one vector an item is needed, shape ({len(items)}, d); got {vectors.shape}")
    if len({item.id for item in items}) < len(items):
        raise ValueError("each item is ranked once; an id stands twice")
    lengths = np.sqrt(np.einsum("nd,nd->n", vectors, vectors, dtype=np.float64))
    figures = _read_figures(items)
    if not np.isfinite(lengths).all():
        raise ValueError("vectors of finite numbers are needed; one of these is not")
    single = np.ascontiguousarray(vectors, dtype=np.float32)
    return ItemPool(tuple(items), vectors, single, lengths, figures, _are_active(items))


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


def _are_active(items: Sequence[BankItem]) -> NDArray[np.bool_]:
    return np.fromiter((item.standing == "active" for item in items), np.bool_, len(items))


def _read_figures(items: Sequence[BankItem]) -> ItemFigures:
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
    if not all(np.isfinite(column).all() for column in figures):
        raise ValueError("times and confidences are finite numbers; one of these is not")
    return figures
