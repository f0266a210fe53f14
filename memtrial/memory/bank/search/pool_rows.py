"""The rows of a pool that grows: room is made ahead, and one more item is laid down behind the others.

What was laid down stays where it is; a pool that was given out before sees what an item has become, and none
of those that came behind its own.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from memtrial.memory.bank.bank_item import BankItem
from memtrial.memory.bank.events.item_rows import item_of
from memtrial.memory.bank.ranking.item_pool import ItemPool, measure_lengths, scale_lengths
from memtrial.memory.bank.ranking.score_parts import Figures, ItemFigures
from memtrial.models.embeddings.embedding import Array

Row = tuple[Any, ...]
"""What `ITEM_COLUMNS` reads of an item."""
LEAST_ROOM = 64


@dataclass
class RowItems(Sequence[BankItem]):
    """The first items of some rows; each is read from its row when it is asked for, and once.

    Args:
        rows: they may grow, and one may be replaced.
        made: what was read so far, by place.
        size: how many of the rows.
    """

    rows: list[Row]
    made: dict[int, BankItem]
    size: int

    def __len__(self) -> int:
        return self.size

    def __iter__(self) -> Iterator[BankItem]:
        return (self[place] for place in range(self.size))

    @overload
    def __getitem__(self, place: int) -> BankItem: ...
    @overload
    def __getitem__(self, place: slice) -> list[BankItem]: ...
    def __getitem__(self, place: int | slice) -> BankItem | list[BankItem]:
        if isinstance(place, slice):
            return [self[number] for number in range(*place.indices(self.size))]
        number = range(self.size)[place]
        if (item := self.made.get(number)) is None:
            item = self.made[number] = item_of(self.rows[number])
        return item


@dataclass
class PoolRows:
    """Items as rows and their vectors, with room for more behind them. Vectors have no numbers until the
    first one that has some is put down."""

    _ids: list[str] = field(default_factory=list, init=False)
    _places: dict[str, int] = field(default_factory=dict, init=False)
    _rows: list[Row] = field(default_factory=list, init=False)
    _made: dict[int, BankItem] = field(default_factory=dict, init=False)
    _vectors: Array = field(init=False)
    _lengths: Figures = field(init=False)
    _scales: Figures = field(init=False)
    _figures: ItemFigures = field(init=False)
    _active: NDArray[np.bool_] = field(init=False)

    def __post_init__(self) -> None:
        self._vectors = np.zeros((0, 0), dtype=np.float32)
        self._lengths, self._scales, *columns = np.zeros((2 + len(ItemFigures._fields), 0))
        self._figures, self._active = ItemFigures(*columns), np.zeros(0, dtype=np.bool_)

    def holds(self, name: str) -> bool:
        """Whether an item of this id has a row."""
        return name in self._places

    def item(self, name: str) -> BankItem:
        """An item that has a row."""
        return RowItems(self._rows, self._made, len(self._rows))[self._places[name]]

    def put(self, rows: Sequence[Row]) -> None:
        """Lay down items, or put them in the place of those of the same ids; of a new one the vector is 0."""
        places = []
        for row in rows:
            place = self._places.setdefault(row[0], len(self._rows))
            places.append(place)
            if place == len(self._rows):
                self._ids.append(row[0])
                self._rows.append(row)
            else:
                self._rows[place] = row
                self._made.pop(place, None)
        self._make_room(len(self._rows))
        for column, values in zip(self._figures, _read_figures(rows), strict=True):
            column[places] = values
        self._active[places] = [row[7] == "active" for row in rows]

    def put_vectors(self, names: Sequence[str], vectors: Array) -> None:
        """Give items that have a row these vectors, shape (n, d); ValueError for numbers not finite."""
        lengths = measure_lengths(vectors)
        if self._vectors.shape[1] == 0:
            self._vectors = np.zeros((len(self._vectors), vectors.shape[1]), dtype=np.float32)
        places = [self._places[name] for name in names]
        self._vectors[places] = vectors
        self._lengths[places] = lengths
        self._scales[places] = scale_lengths(lengths)

    def blank(self, names: Sequence[str]) -> None:
        """Take their vectors from items that have a row."""
        places = [self._places[name] for name in names]
        self._vectors[places] = self._lengths[places] = self._scales[places] = 0

    def pool(self) -> ItemPool:
        """All rows as they are."""
        n = len(self._rows)
        vectors = self._vectors[:n]
        figures = ItemFigures(*(column[:n] for column in self._figures))
        return ItemPool(
            RowItems(self._rows, self._made, n), self._ids, vectors, vectors, self._lengths[:n],
            self._scales[:n], figures, self._active[:n], self._places,
        )  # fmt: skip

    def _make_room(self, count: int) -> None:
        """Room that is not used yet takes no memory: the system gives it where something is written."""
        if count <= len(self._active):
            return
        room = max(count + count // 2, LEAST_ROOM)
        self._vectors, self._active = _widen(self._vectors, room), _widen(self._active, room)
        self._lengths, self._scales = _widen(self._lengths, room), _widen(self._scales, room)
        self._figures = ItemFigures(*(_widen(column, room) for column in self._figures))


def _widen(column: NDArray[Any], room: int) -> NDArray[Any]:
    wider = np.zeros((room, *column.shape[1:]), dtype=column.dtype)
    wider[: len(column)] = column
    return wider


def _read_figures(rows: Sequence[Row]) -> ItemFigures:
    """The columns of rows that a score reads, in the order of `ITEM_COLUMNS`."""
    created, confidence = [row[5] for row in rows], [row[6] for row in rows]
    touched = [row[5] if row[14] is None else row[14] for row in rows]
    cited, wins, losses = ([row[number] for row in rows] for number in (11, 12, 13))
    columns = (created, touched, confidence, wins, losses, cited)
    return ItemFigures(*(np.array(column, dtype=np.float64) for column in columns))
