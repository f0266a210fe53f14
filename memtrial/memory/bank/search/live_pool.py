"""A pool of a bank's items that stays in memory; only what changed since the last query is read again."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

import numpy as np

from memtrial.memory.bank.bank_item import BankItem
from memtrial.memory.bank.events.bank_events import PinSet, SignalSeen
from memtrial.memory.bank.events.bank_log import BankLog
from memtrial.memory.bank.events.item_queries import ItemFilter, changed_items, read_vectors
from memtrial.memory.bank.events.item_rows import ITEM_COLUMNS, item_of
from memtrial.memory.bank.index.index_upkeep import INDEXED
from memtrial.memory.bank.ranking.item_key import key_text
from memtrial.memory.bank.ranking.item_pool import ItemPool, pool_items
from memtrial.memory.bank.ranking.ranking_profile import Key
from memtrial.models.embeddings.embedding import Array

Kept = TypeVar("Kept")
POOLED = (*INDEXED, PinSet.__name__, SignalSeen.__name__)
"""Events after which an item is another."""


@dataclass
class LivePool:
    """The items that a filter takes, whatever their standing: a search says why an item is withheld.

    A text that the bank has no vector of is `absent` until one is supplied; it is kept here alone.

    Args:
        asked: whose items, and of what kind.
        key: which of their texts are searched.
    """

    log: BankLog
    asked: ItemFilter
    key: Key
    _items: dict[str, BankItem] = field(default_factory=dict, init=False)
    _vectors: dict[str, Array] = field(default_factory=dict, init=False)
    _supplied: dict[str, Array] = field(default_factory=dict, init=False)
    _seen: int = field(default=0, init=False)
    _pool: ItemPool | None = field(default=None, init=False)
    _absent: tuple[str, ...] | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        self.asked = replace(self.asked, standings=("active", "quarantined", "duplicate", "archived"))

    def refresh(self) -> ItemPool:
        """The pool as the log is now; MemoryFault where it cannot be read."""
        last, _ = self.log.last()
        if last != self._seen:
            changed = changed_items(self.log, self._seen, last, POOLED)
            laid_anew = self._take_in(changed)
            self._seen = last
            if laid_anew:
                self._absent = None
            if self._pool is not None:
                now = {name: self._items[name] for name in changed if name in self._items}
                self._pool = None if laid_anew else self._pool.with_items(now)
        if self._pool is None:
            self._pool = self._lay()
        return self._pool

    def absent(self) -> tuple[str, ...]:
        """Texts of items that have no vector, each once; a blank one needs none."""
        if self._absent is None:
            bare = (item for name, item in self._items.items() if name not in self._vectors)
            texts = dict.fromkeys(key_text(item, self.key) for item in bare)
            self._absent = tuple(text for text in texts if text.strip() and text not in self._supplied)
        return self._absent

    def supply(self, vectors: Mapping[str, Array]) -> None:
        """Take in vectors by text, of the embedder that made the bank's."""
        self._supplied.update(vectors)
        self._pool = self._absent = None

    def _take_in(self, changed: Sequence[str]) -> bool:
        """Read items that changed; whether other rows stand in the pool than before."""
        query = f"SELECT {ITEM_COLUMNS} FROM items WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id"
        rows = self.log.read(query, (json.dumps(changed),))
        items = {item.id: item for item in map(item_of, rows) if self.asked.takes(item)}
        vectors = read_vectors(self.log, self.key, changed)
        laid_anew = False
        for name in changed:
            before, now = self._items.get(name), items.get(name)
            same = np.array_equal(self._vectors.get(name, ()), vectors.get(name, ()))
            laid_anew |= not same or self._text(before) != self._text(now)
            _put(self._items, name, now)
            _put(self._vectors, name, vectors.get(name))
        return laid_anew

    def _text(self, item: BankItem | None) -> str | None:
        return None if item is None else key_text(item, self.key)

    def _lay(self) -> ItemPool:
        rows = {
            place: self._vectors[name]
            if name in self._vectors
            else self._supplied.get(key_text(item, self.key))
            for place, (name, item) in enumerate(self._items.items())
        }
        known = {place: row for place, row in rows.items() if row is not None}
        dimensions = next((len(row) for row in known.values()), 0)
        vectors = np.zeros((len(rows), dimensions), dtype=np.float32)
        for place, row in known.items():
            vectors[place] = row
        return pool_items(tuple(self._items.values()), vectors)


def _put(kept: dict[str, Kept], name: str, now: Kept | None) -> None:
    """Keep a value under its name, in its place; None lets it go."""
    if now is None:
        kept.pop(name, None)
    else:
        kept[name] = now
