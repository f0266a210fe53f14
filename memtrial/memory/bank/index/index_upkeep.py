"""An index is kept level with its log: behind, it catches up; ahead or of another bank, it is made anew.

Whatever happens between an event and the index, the next search finds what was acknowledged.
"""

from collections.abc import Sequence
from dataclasses import replace

from memtrial.memory.bank.events.bank_events import (
    ConfidenceSet,
    ItemAdded,
    ItemRevised,
    ItemRolledBack,
    StandingSet,
    VectorAdded,
    VectorKey,
)
from memtrial.memory.bank.events.bank_log import BankLog
from memtrial.memory.bank.events.item_queries import changed_items, read_vectors
from memtrial.memory.bank.events.item_rows import ITEM_COLUMNS, item_of
from memtrial.memory.bank.index.vector_index import IndexedItem, IndexMark, VectorIndex
from memtrial.models.embeddings.embedding import unit

INDEXED = tuple(
    kind.__name__
    for kind in (ItemAdded, ItemRevised, ItemRolledBack, StandingSet, ConfidenceSet, VectorAdded)
)
"""Events after which an item lies otherwise in an index."""
BATCH = 2_000
"""Items that are written at once."""


def keep_up(log: BankLog, index: VectorIndex, key: VectorKey) -> int:
    """Bring an index level with its log; how many items were written or let go. An empty bank has none."""
    row = log.read("SELECT space, dimensions FROM space")
    if not row:
        return 0
    space, dimensions = row[0]
    sequence, digest = log.last()
    now = IndexMark(log.id, key, space, dimensions, sequence, digest)
    seen = index.mark()
    if seen == now:
        return 0
    if seen is None or not _is_behind(log, seen, now):
        seen = IndexMark(log.id, key, space, dimensions, 0, log.digest_of(0) or "")
        index.clear(seen)
    changed = changed_items(log, seen.sequence, sequence, INDEXED)
    for start in range(0, len(changed), BATCH):
        part = changed[start : start + BATCH]
        last = start + BATCH >= len(changed)
        items = indexed_items(log, key, part)
        gone = sorted(set(part) - {item.id for item in items})
        index.write(items, gone, now if last else seen)
    if not changed:
        index.write((), (), now)
    return len(changed)


def _is_behind(log: BankLog, seen: IndexMark, now: IndexMark) -> bool:
    same = replace(seen, sequence=now.sequence, digest=now.digest) == now
    return same and seen.sequence <= now.sequence and log.digest_of(seen.sequence) == seen.digest


def indexed_items(log: BankLog, key: VectorKey, item_ids: Sequence[str]) -> list[IndexedItem]:
    """What an index keeps of items, by id; those without a vector are left out."""
    vectors = read_vectors(log, key, item_ids)
    marks = ", ".join("?" * len(vectors))
    rows = log.read(f"SELECT {ITEM_COLUMNS} FROM items WHERE id IN ({marks}) ORDER BY id", tuple(vectors))
    items = []
    for row in rows:
        item = item_of(row)
        vector = unit(vectors[item.id][None])[0]
        items.append(
            IndexedItem(
                item.id, vector, item.origin.project, item.origin.domain, item.origin.tags,
                item.origin.outcome, item.confidence, item.standing,
            )
        )  # fmt: skip
    return items
