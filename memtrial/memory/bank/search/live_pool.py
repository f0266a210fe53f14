"""A pool of a bank's items that stays in memory; only what changed since the last query is read again."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

import numpy as np

from memtrial.memory.bank.bank_item import BankItem
from memtrial.memory.bank.events.bank_log import BankLog
from memtrial.memory.bank.events.item_queries import ItemFilter, read_vectors
from memtrial.memory.bank.events.item_rows import ITEM_COLUMNS, item_of
from memtrial.memory.bank.ranking.item_pool import ItemPool, pool_items
from memtrial.memory.bank.ranking.ranking_profile import Key
from memtrial.models.embeddings.embedding import Array

Kept = TypeVar("Kept")


@dataclass
class LivePool:
    """The items that a filter takes, whatever their standing: a search says why an item is withheld.

    Args:
        asked: whose items, and of what kind.
        key: which of their vectors; an item without one is near to nothing.
    """

    log: BankLog
    asked: ItemFilter
    key: Key
    _items: dict[str, BankItem] = field(default_factory=dict, init=False)
    _vectors: dict[str, Array] = field(default_factory=dict, init=False)
    _seen: int = field(default=0, init=False)
    _pool: ItemPool | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        self.asked = replace(self.asked, standings=("active", "quarantined", "duplicate", "archived"))

    def refresh(self) -> ItemPool:
        """The pool as the log is now; MemoryFault where it cannot be read."""
        last, _ = self.log.last()
        if self._pool is None or last != self._seen:
            laid_anew = self._take_in(self._changed(last))
            if laid_anew or self._pool is None or self._pool.vectors.shape[1] != self._dimensions:
                self._pool = self._lay()
            else:
                self._pool = self._pool.with_items(tuple(self._items.values()))
            self._seen = last
        return self._pool

    @property
    def _dimensions(self) -> int:
        """Of the bank's vectors; 0 as long as it has none."""
        space = self.log.read("SELECT dimensions FROM space")
        return int(space[0][0]) if space else 0

    def _changed(self, last: int) -> list[str]:
        query = "SELECT DISTINCT subject FROM subjects WHERE sequence > ? AND sequence <= ?"
        return [str(subject) for (subject,) in self.log.read(query, (self._seen, last))]

    def _take_in(self, changed: Sequence[str]) -> bool:
        """Read items that changed; whether other rows stand in the pool than before."""
        query = f"SELECT {ITEM_COLUMNS} FROM items WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id"
        rows = self.log.read(query, (json.dumps(changed),))
        items = {item.id: item for item in map(item_of, rows) if self.asked.takes(item)}
        vectors = read_vectors(self.log, self.key, changed)
        laid_anew = False
        for name in changed:
            same = np.array_equal(self._vectors.get(name, ()), vectors.get(name, ()))
            laid_anew |= (name in self._items) != (name in items) or not same
            _put(self._items, name, items.get(name))
            _put(self._vectors, name, vectors.get(name))
        return laid_anew

    def _lay(self) -> ItemPool:
        vectors = np.zeros((len(self._items), self._dimensions), dtype=np.float32)
        for place, name in enumerate(self._items):
            if name in self._vectors:
                vectors[place] = self._vectors[name]
        return pool_items(tuple(self._items.values()), vectors)


def _put(kept: dict[str, Kept], name: str, now: Kept | None) -> None:
    """Keep a value under its name, in its place; None lets it go."""
    if now is None:
        kept.pop(name, None)
    else:
        kept[name] = now
