"""Items with their vectors, laid out so that a query is scored against all of them at once."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite, sqrt

import numpy as np
from numpy.typing import NDArray

from memtrial.memory.bank.bank_item import BankItem
from memtrial.memory.bank.ranking.score_parts import Figures, ItemFigures
from memtrial.models.embeddings.embedding import Array

ROWS = 1_024
"""Vectors that are copied at once where some are taken out of all."""


@dataclass(frozen=True, slots=True, eq=False)
class ItemPool:
    """Made by `pool_items`, or row by row; it serves any number of queries.

    Args:
        items: in any order, each id once.
        ids: of the items, and maybe more behind them.
        vectors: of their keys, shape (n, d), in the precision in which they came.
        single: the same in single precision.
        lengths: of the vectors, shape (n,).
        scales: one by each; 0 for a zero vector.
        active: which items may be shown, shape (n,).
        places: by id, where an item stands.
    """

    items: Sequence[BankItem]
    ids: Sequence[str]
    vectors: NDArray[np.floating]
    single: Array
    lengths: Figures
    scales: Figures
    figures: ItemFigures
    active: NDArray[np.bool_]
    places: Mapping[str, int]

    def cosines(self, query: Figures) -> Figures:
        """Of every item with a vector of length one or zero, in single precision, shape (n,)."""
        # row by row in this thread: a product of the whole waits for its threads on a machine that is busy
        near: Figures = np.vecdot(self.single, query.astype(np.float32)) * self.scales
        return near

    def cosine(self, place: int, query: Figures) -> float:
        """Of one item, in double precision; 0 where either vector is zero."""
        length = float(self.lengths[place])
        return float(self.vectors[place].astype(np.float64) @ query) / length if length > 0 else 0.0

    def exact_cosines(self, places: NDArray[np.intp], query: Figures) -> Figures:
        """Of some items at once, in double precision but for the last digits; shape (len(places),)."""
        near, lengths = np.empty(len(places)), self.lengths[places]
        for start in range(0, len(places), ROWS):
            part = slice(start, start + ROWS)
            near[part] = np.vecdot(self.vectors[places[part]], query)
        return np.divide(near, lengths, out=np.zeros(len(places)), where=lengths > 0)

    def direction(self, place: int) -> Figures:
        """An item's vector at length one, or the zero vector."""
        return unit_vector(self.vectors[place])


def narrow_pool(pool: ItemPool, ids: Iterable[str]) -> ItemPool:
    """Some of the items, by id, with their vectors; KeyError for one that is not in the pool."""
    places = [pool.places[name] for name in ids]
    return pool_items([pool.items[place] for place in places], pool.vectors[places])


def pool_items(items: Sequence[BankItem], vectors: NDArray[np.floating]) -> ItemPool:
    """Lay out items with the vectors of their keys, shape (n, d).

    Raises:
        ValueError: not one vector an item, a figure that is no number, or an id twice.
    """
    if vectors.ndim != 2 or len(vectors) != len(items):
        raise ValueError(f"one vector an item is needed, shape ({len(items)}, d); got {vectors.shape}")
    places = {item.id: place for place, item in enumerate(items)}
    if len(places) < len(items):
        raise ValueError("each item is ranked once; an id stands twice")
    lengths, figures = measure_lengths(vectors), _read_figures(items)
    single = np.ascontiguousarray(vectors, dtype=np.float32)
    return ItemPool(
        tuple(items), tuple(places), vectors, single, lengths, scale_lengths(lengths), figures,
        _are_active(items), places,
    )  # fmt: skip


def measure_lengths(vectors: NDArray[np.floating]) -> Figures:
    """Of vectors, shape (n, d), in double precision; ValueError where a number is not finite."""
    lengths: Figures = np.sqrt(np.einsum("nd,nd->n", vectors, vectors, dtype=np.float64))
    if not np.isfinite(lengths).all():
        raise ValueError("vectors of finite numbers are needed; one of these is not")
    return lengths


def scale_lengths(lengths: Figures) -> Figures:
    """One by each, 0 for none."""
    return np.divide(1.0, lengths, out=np.zeros(len(lengths)), where=lengths > 0)


def unit_vector(vector: NDArray[np.floating]) -> Figures:
    """The vector at length one, in double precision; zero stays zero.

    Raises:
        ValueError: a part of it is no number.
    """
    exact = np.asarray(vector, dtype=np.float64)
    length = sqrt(float(exact @ exact))
    # a sum that is finite is one of finite numbers
    if not isfinite(length) and not np.isfinite(exact).all():
        raise ValueError("a vector of finite numbers is needed; one of these is not")
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
