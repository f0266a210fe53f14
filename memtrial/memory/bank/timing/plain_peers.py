"""Plain programs that do what a bank does: the peers of its timings. They keep no history, redact nothing."""

import json
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memtrial.memory.bank.events.item_body import item_body
from memtrial.memory.bank.timing.made_memories import MadeMemory
from memtrial.memory.interchange.upstream_record import cache_line
from memtrial.models.embeddings.embedding import Array

TABLE = (
    "CREATE TABLE memories (id TEXT PRIMARY KEY, domain TEXT, confidence REAL, uses INTEGER, body TEXT,"
    " vector BLOB)"
)
MEASURES = "CREATE TABLE measures (id INTEGER PRIMARY KEY, metric TEXT, value REAL, moment REAL)"
INSERT = "INSERT INTO memories VALUES (?, ?, ?, 0, ?, ?)"


@dataclass(frozen=True, slots=True)
class NumpyScan:
    """All vectors in memory as one matrix, shape (n, d); the nearest are those of the largest products."""

    ids: Sequence[str]
    domains: NDArray[np.str_]
    vectors: Array

    def nearest(self, query: Array, k: int, domain: str = "") -> list[str]:
        """The ids of the k nearest to a query (d,), the nearest first."""
        products = self.vectors @ query
        if domain:
            products = np.where(self.domains == domain, products, -np.inf)
        k = min(k, len(products))
        top = np.argpartition(-products, k - 1)[:k]
        return [self.ids[place] for place in top[np.argsort(-products[top])]]


@dataclass
class FlatFaiss:
    """The vectors of a scan in a flat index of FAISS, and nothing around it."""

    scan: NumpyScan
    flat: Any = field(init=False)

    def __post_init__(self) -> None:
        import faiss

        self.flat = faiss.IndexFlatIP(self.scan.vectors.shape[1])
        self.flat.add(self.scan.vectors)

    def nearest(self, query: Array, k: int) -> list[str]:
        """The ids of the k nearest to a query (d,), the nearest first."""
        _, places = self.flat.search(query[None], min(k, len(self.scan.ids)))
        return [self.scan.ids[place] for place in places[0]]


@dataclass
class PlainTable:
    """One table in SQLite, as durable as a bank: write-ahead log, synchronous FULL. A memory is one row."""

    path: Path
    connection: sqlite3.Connection = field(init=False)

    def __post_init__(self) -> None:
        self.connection = sqlite3.connect(self.path, isolation_level=None)
        self.connection.execute("PRAGMA journal_mode = WAL")
        self.connection.execute("PRAGMA synchronous = FULL")
        self.connection.execute(TABLE)
        self.connection.execute(MEASURES)

    def insert(self, memory: MadeMemory) -> None:
        """One row, on the disk when this returns."""
        self.connection.execute(INSERT, _row(memory))

    def insert_all(self, memories: Iterable[MadeMemory]) -> None:
        """Many rows in one transaction."""
        self.connection.execute("BEGIN IMMEDIATE")
        self.connection.executemany(INSERT, map(_row, memories))
        self.connection.execute("COMMIT")

    def nearest(self, query: Array, k: int, domain: str = "") -> list[str]:
        """Row by row: each vector is decoded and compared, as in seeds/003."""
        where = " WHERE domain = ?" if domain else ""
        rows = self.connection.execute(f"SELECT id, vector FROM memories{where}", (domain,) if domain else ())
        scored = [(float(np.frombuffer(vector, dtype="<f4") @ query), name) for name, vector in rows]
        return [name for _, name in sorted(scored, reverse=True)[:k]]

    def count_use(self, name: str) -> None:
        """One more use of a memory, on the disk when this returns."""
        self.connection.execute("UPDATE memories SET uses = uses + 1 WHERE id = ?", (name,))

    def measure(self, value: float) -> None:
        """A row of a measure, on the disk when this returns."""
        self.connection.execute(
            "INSERT INTO measures (metric, value, moment) VALUES ('retrieve_ms', ?, 0.0)", (value,)
        )

    def summarise(self) -> tuple[object, ...]:
        """How many memories there are, and their mean confidence."""
        row: tuple[object, ...] = self.connection.execute(
            "SELECT count(*), avg(confidence) FROM memories"
        ).fetchone()
        return row

    def read_all(self) -> list[object]:
        """All memories, read from their JSON."""
        return [json.loads(body) for (body,) in self.connection.execute("SELECT body FROM memories")]

    def close(self) -> None:
        self.connection.close()


def _row(memory: MadeMemory) -> tuple[object, ...]:
    item = memory.item
    body = json.dumps(item_body(item), ensure_ascii=False)
    return item.id, item.origin.domain, item.confidence, body, memory.vector.astype("<f4").tobytes()


@dataclass(frozen=True, slots=True)
class LinesReload:
    """Vectors as lines of JSON that are all read for every query, as the code of ReasoningBank does.

    Source: UPSTREAM 3.1; its rows are normalised when they are loaded.
    """

    path: Path

    def write(self, ids: Sequence[str], vectors: Array) -> None:
        """One line a memory, as upstream writes it."""
        with self.path.open("w", encoding="ascii") as lines:
            lines.writelines(
                cache_line(name, f"query of {name}", vector.tolist())
                for name, vector in zip(ids, vectors, strict=True)
            )

    def nearest(self, query: Array, k: int) -> list[str]:
        """The ids of the k nearest to a query (d,), the nearest first."""
        with self.path.open(encoding="ascii") as lines:
            rows = [json.loads(line) for line in lines]
        vectors = np.array([row["embedding"] for row in rows], dtype=np.float32)
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        order = np.argsort(-(vectors @ query), kind="stable")[:k]
        return [str(rows[place]["id"]) for place in order]
