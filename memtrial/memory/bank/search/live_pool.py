"""A pool of a bank's items that stays in memory; only what changed since the last query is read again."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from memtrial.memory.bank.events.bank_events import PinSet, SignalSeen
from memtrial.memory.bank.events.bank_log import BankLog
from memtrial.memory.bank.events.item_queries import ItemFilter, changed_items, read_vectors, where_clause
from memtrial.memory.bank.events.item_rows import ITEM_COLUMNS
from memtrial.memory.bank.index.index_upkeep import INDEXED
from memtrial.memory.bank.ranking.item_key import key_text
from memtrial.memory.bank.ranking.item_pool import ItemPool
from memtrial.memory.bank.ranking.ranking_profile import Key
from memtrial.memory.bank.search.pool_rows import PoolRows
from memtrial.models.embeddings.embedding import Array

POOLED = (*INDEXED, PinSet.__name__, SignalSeen.__name__)
"""Events after which an item is another."""
READ = 1_000
"""Items that are read at once."""


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
    _rows: PoolRows = field(default_factory=PoolRows, init=False)
    _bare: dict[str, str] = field(default_factory=dict, init=False)
    _supplied: dict[str, Array] = field(default_factory=dict, init=False)
    _seen: int = field(default=0, init=False)
    _pool: ItemPool | None = field(default=None, init=False)
    _absent: tuple[str, ...] | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        self.asked = replace(self.asked, standings=("active", "quarantined", "duplicate", "archived"))

    def refresh(self) -> ItemPool:
        """The pool as the log is now; MemoryFault where it cannot be read."""
        last = self.log.length
        if last != self._seen:
            changed = changed_items(self.log, self._seen, last, POOLED)
            if not all(self._read(changed[start : start + READ]) for start in range(0, len(changed), READ)):
                self._lay_anew()
            self._seen, self._pool = last, None
        if self._pool is None:
            self._pool = self._rows.pool()
        return self._pool

    def absent(self) -> tuple[str, ...]:
        """Texts of items that have no vector, each once; a blank one needs none."""
        if self._absent is None:
            texts = dict.fromkeys(self._bare.values())
            self._absent = tuple(text for text in texts if text.strip() and text not in self._supplied)
        return self._absent

    def supply(self, vectors: Mapping[str, Array]) -> None:
        """Take in vectors by text, of the embedder that made the bank's."""
        self._supplied.update(vectors)
        self._fill([name for name, text in self._bare.items() if text in vectors])
        self._pool = self._absent = None

    def _read(self, changed: Sequence[str]) -> bool:
        """Read items that changed; False where one that has a row is asked for no longer."""
        where, values = where_clause(self.asked)
        query = (
            f"SELECT {ITEM_COLUMNS} FROM items WHERE id IN (SELECT value FROM json_each(?)) AND {where}"
            " ORDER BY id"
        )
        rows = self.log.read(query, (json.dumps(changed), *values))
        names = [str(row[0]) for row in rows]
        if any(map(self._rows.holds, set(changed).difference(names))):
            return False
        self._rows.put(rows)
        vectors = read_vectors(self.log, self.key, names)
        if vectors:
            self._rows.put_vectors(list(vectors), np.stack(list(vectors.values())))
        if self._bare or len(vectors) < len(names):
            self._note_bare([name for name in names if name not in vectors], vectors)
        return True

    def _note_bare(self, bare: Sequence[str], dressed: Iterable[str]) -> None:
        """Note which of some items have no vector of the bank's, and which have one."""
        for name in dressed:
            self._bare.pop(name, None)
        self._bare |= {name: key_text(self._rows.item(name), self.key) for name in bare}
        self._rows.blank(bare)
        self._fill([name for name in bare if self._bare[name] in self._supplied])
        self._absent = None

    def _fill(self, names: Sequence[str]) -> None:
        """Give items without a vector of the bank's the one that was supplied for their text."""
        if names:
            self._rows.put_vectors(names, np.stack([self._supplied[self._bare[name]] for name in names]))

    def _lay_anew(self) -> None:
        self._rows, self._bare, self._absent = PoolRows(), {}, None
        names = changed_items(self.log, 0, self.log.length, POOLED)
        for start in range(0, len(names), READ):
            self._read(names[start : start + READ])
