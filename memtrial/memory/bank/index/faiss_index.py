"""An index in FAISS: every vector is compared, in memory; a file keeps it from one process to the next.

The file is a cache and is never trusted: a seal that is not right, or any other form, and it is made anew. It
is written when the index is closed; killed before, the log has what it lacks.
"""

import json
import struct
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import TypeAdapter, ValidationError

from memtrial.memory.bank.events.item_queries import ItemFilter
from memtrial.memory.bank.index.vector_index import Candidate, IndexedItem, IndexMark
from memtrial.memory.stored_item import MemoryFault
from memtrial.models.embeddings.embedding import Array
from memtrial.private_file import read_private, write_private

MAGIC = b"memtrial index 1\n"
LARGEST = 8 << 30
"""Bytes of a file that is read."""
MASKS = 64
"""Filters whose rows are kept."""
_MARK = TypeAdapter(IndexMark)


@dataclass(frozen=True, slots=True)
class Facets:
    """What rows are filtered by, each of shape (n,)."""

    project: NDArray[np.str_]
    domain: NDArray[np.str_]
    outcome: NDArray[np.str_]
    standing: NDArray[np.str_]
    confidence: NDArray[np.float64]


@dataclass
class FaissIndex:
    """A flat FAISS index. `path` is its file; None for one that is kept nowhere."""

    path: Path | None = None
    _mark: IndexMark | None = field(default=None, init=False)
    _items: dict[str, IndexedItem] = field(default_factory=dict, init=False)
    _flat: Any = field(default=None, init=False)
    _order: list[IndexedItem] = field(default_factory=list, init=False)
    _facets: Facets | None = field(default=None, init=False)
    _masks: dict[ItemFilter, NDArray[np.bool_]] = field(default_factory=dict, init=False)
    _saved: IndexMark | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        if self.path is not None and self.path.exists():
            self._read(self.path)

    def mark(self) -> IndexMark | None:
        return self._mark

    def clear(self, mark: IndexMark) -> None:
        self._mark, self._items = mark, {}
        self._flat = self._facets = None
        self._masks.clear()

    def write(self, items: Sequence[IndexedItem], gone: Sequence[str], mark: IndexMark) -> None:
        for item_id in gone:
            self._items.pop(item_id, None)
        fresh = [item for item in items if item.id not in self._items]
        appended = self._flat is not None and not gone and len(fresh) == len(items)
        self._items |= {item.id: item for item in items}
        self._mark = mark
        if items or gone:
            self._facets = None
            self._masks.clear()
        if appended and items:
            self._flat.add(np.stack([item.vector for item in items]))
            self._order += items
        elif items or gone:
            self._flat = None

    def candidates(self, query: Array, size: int, asked: ItemFilter) -> Sequence[Candidate]:
        import faiss

        if not self._items:
            return ()
        chosen = self._chosen(asked)
        n_chosen = int(chosen.sum())
        if not n_chosen:
            return ()
        flat = self._index()
        if n_chosen == len(self._order):
            scores, places = flat.search(query[None], min(size, n_chosen))
        else:
            bits = np.packbits(chosen, bitorder="little")
            selector = faiss.IDSelectorBitmap(len(bits), faiss.swig_ptr(bits))
            parameters = faiss.SearchParameters()
            parameters.sel = selector
            scores, places = flat.search(query[None], min(size, n_chosen), params=parameters)
        return [
            Candidate(self._order[place].id, self._order[place].vector, float(score))
            for score, place in zip(scores[0], places[0], strict=True)
            if place >= 0
        ]

    def close(self) -> None:
        """Write the file, where there is one and it is out of date."""
        if self.path is None or self._mark is None or self._mark == self._saved:
            return
        try:
            write_private(self.path, self._to_bytes())
        except OSError as fault:
            raise MemoryFault(f"the index {self.path} cannot be kept: {fault.strerror}") from fault
        self._saved = self._mark

    def _index(self) -> Any:
        import faiss

        if self._flat is None:
            self._order = list(self._items.values())
            vectors = np.stack([item.vector for item in self._order])
            self._flat = faiss.IndexFlatIP(vectors.shape[1])
            self._flat.add(vectors)
        return self._flat

    def _chosen(self, asked: ItemFilter) -> NDArray[np.bool_]:
        """Which rows the filter takes, shape (n,); kept until the rows change."""
        self._index()
        if asked in self._masks:
            return self._masks[asked]
        facets = self._facets = self._facets or _read_facets(self._order)
        chosen: NDArray[np.bool_] = np.isin(facets.project, asked.projects) & np.isin(
            facets.standing, asked.standings
        )
        chosen &= (facets.confidence >= asked.least_confidence) & (facets.confidence > asked.above)
        if asked.domain:
            chosen &= facets.domain == asked.domain
        if asked.outcome is not None:
            chosen &= facets.outcome == asked.outcome
        if asked.tags:
            wanted = set(asked.tags)
            for place in np.flatnonzero(chosen):
                chosen[place] = wanted <= set(self._order[place].tags)
        if len(self._masks) >= MASKS:
            self._masks.clear()
        self._masks[asked] = chosen
        return chosen

    def _to_bytes(self) -> bytes:
        items = list(self._items.values())
        about = [{**asdict(item), "vector": None} for item in items]
        head = json.dumps({"mark": asdict(self._mark) if self._mark else None, "items": about}).encode()
        vectors = np.stack([item.vector for item in items]).astype("<f4").tobytes() if items else b""
        body = MAGIC + struct.pack("<QQ", len(head), len(vectors)) + head + vectors
        return body + sha256(body).digest()

    def _read(self, path: Path) -> None:
        """Take over a file; anything but what `close` wrote is left, and is made anew."""
        try:
            if path.stat().st_size > LARGEST:
                return
            raw = read_private(path)
            self._mark, self._items = _from_bytes(raw)
        except (OSError, ValueError, KeyError, TypeError, struct.error, RecursionError):
            self._mark, self._items = None, {}
        self._saved = self._mark


def _read_facets(items: Sequence[IndexedItem]) -> Facets:
    return Facets(
        np.array([item.project for item in items]),
        np.array([item.domain for item in items]),
        np.array([item.outcome for item in items]),
        np.array([item.standing for item in items]),
        np.array([item.confidence for item in items]),
    )


def _from_bytes(raw: bytes) -> tuple[IndexMark, dict[str, IndexedItem]]:
    """What was kept; ValueError where it is not as it was written."""
    body, seal = raw[: -sha256().digest_size], raw[-sha256().digest_size :]
    if not body.startswith(MAGIC) or sha256(body).digest() != seal:
        raise ValueError("the file of an index is needed, as it was written")
    start = len(MAGIC) + 16
    n_head, n_vectors = struct.unpack("<QQ", body[len(MAGIC) : start])
    if len(body) != start + n_head + n_vectors:
        raise ValueError("the file of an index is cut short")
    head = json.loads(body[start : start + n_head])
    try:
        mark = _MARK.validate_python(head["mark"])
    except ValidationError as fault:
        raise ValueError("a mark is needed") from fault
    vectors = np.frombuffer(body[start + n_head :], dtype="<f4").reshape(len(head["items"]), mark.dimensions)
    items = {}
    for about, vector in zip(head["items"], vectors.astype(np.float32), strict=True):
        items[about["id"]] = IndexedItem(**{**about, "vector": vector, "tags": tuple(about["tags"])})
    return mark, items
