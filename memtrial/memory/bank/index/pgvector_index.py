"""An index in PostgreSQL with the extension pgvector; a batch and its mark are one transaction.

There is no approximate index on the vectors: each is compared, under the WHERE of the filter.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from memtrial.memory.bank.events.item_body import canonical
from memtrial.memory.bank.events.item_queries import ItemFilter
from memtrial.memory.bank.index.point_payload import mark_payload, read_mark
from memtrial.memory.bank.index.vector_index import Candidate, IndexedItem, IndexMark
from memtrial.memory.stored_item import MemoryFault
from memtrial.models.embeddings.embedding import Array

if TYPE_CHECKING:
    from psycopg import Connection

LONGEST_NAME = 40
ALONE = "SELECT pg_advisory_xact_lock(7305201)"
"""Who makes tables does so alone: `IF NOT EXISTS` holds for one at a time."""


class PgvectorIndex:
    """Two tables of a PostgreSQL database: vectors, and the mark.

    Args:
        address: as psycopg takes it, `postgresql://…` or `host=… dbname=…`.
        name: how both tables begin; letters, digits and underscores.

    Raises:
        MemoryFault: psycopg or the extension is missing, or nothing answers there.
    """

    def __init__(self, address: str, name: str = "memtrial_bank") -> None:
        if not (name.isidentifier() and name.isascii() and len(name) <= LONGEST_NAME):
            raise MemoryFault(f"a table's name of letters, digits and underscores is needed; got {name!r}")
        try:
            import psycopg
        except ImportError as fault:
            raise MemoryFault(
                "an index in PostgreSQL needs psycopg; pip install 'memtrial[pgvector]' installs it"
            ) from fault
        self.name = name
        with self._faults():
            self.connection: Connection[tuple[Any, ...]] = psycopg.connect(address, autocommit=True)
        try:
            with self._faults(), self.connection.transaction():
                self._ask(ALONE)
                self._ask("CREATE EXTENSION IF NOT EXISTS vector")
                self._ask(f"CREATE TABLE IF NOT EXISTS {name}_mark (id int PRIMARY KEY, body text NOT NULL)")
        except MemoryFault:
            self.connection.close()
            raise

    def mark(self) -> IndexMark | None:
        import json

        rows = self._ask(f"SELECT body FROM {self.name}_mark WHERE id = 1")
        return read_mark(json.loads(rows[0][0])) if rows else None

    def clear(self, mark: IndexMark) -> None:
        with self._faults(), self.connection.transaction():
            self._ask(ALONE)
            self._ask(f"DROP TABLE IF EXISTS {self.name}_vectors")
            self._ask(
                f'CREATE TABLE {self.name}_vectors (id text COLLATE "C" PRIMARY KEY,'
                f" vector vector({mark.dimensions}) NOT NULL, project text NOT NULL, domain text NOT NULL,"
                " tags text[] NOT NULL, outcome text NOT NULL, confidence double precision NOT NULL,"
                " standing text NOT NULL)"
            )
            self._ask(f"CREATE INDEX ON {self.name}_vectors (project, standing, confidence)")
            self._set_mark(mark)

    def write(self, items: Sequence[IndexedItem], gone: Sequence[str], mark: IndexMark) -> None:
        rows = [
            (
                item.id, _text_of(item.vector), item.project, item.domain, list(item.tags), item.outcome,
                item.confidence, item.standing,
            )
            for item in items
        ]  # fmt: skip
        with self._faults(), self.connection.transaction(), self.connection.cursor() as cursor:
            cursor.executemany(
                f"INSERT INTO {self.name}_vectors VALUES (%s, %s::vector, %s, %s, %s, %s, %s, %s)"
                " ON CONFLICT (id) DO UPDATE SET vector = excluded.vector, project = excluded.project,"
                " domain = excluded.domain, tags = excluded.tags, outcome = excluded.outcome,"
                " confidence = excluded.confidence, standing = excluded.standing",
                rows,
            )
            self._ask(f"DELETE FROM {self.name}_vectors WHERE id = ANY(%s)", (list(gone),))
            self._set_mark(mark)

    def candidates(self, query: Array, size: int, asked: ItemFilter) -> Sequence[Candidate]:
        parts = ["project = ANY(%s)", "standing = ANY(%s)", "confidence >= %s", "confidence > %s"]
        values: list[object] = [
            list(asked.projects),
            list(asked.standings),
            asked.least_confidence,
            asked.above,
        ]
        if asked.domain:
            parts.append("domain = %s")
            values.append(asked.domain)
        if asked.outcome is not None:
            parts.append("outcome = %s")
            values.append(asked.outcome)
        if asked.tags:
            parts.append("tags @> %s")
            values.append(list(asked.tags))
        direction = _text_of(query)
        rows = self._ask(
            f"SELECT id, vector::real[], -(vector <#> %s::vector) AS cosine FROM {self.name}_vectors"
            f" WHERE {' AND '.join(parts)} ORDER BY cosine DESC, id LIMIT %s",
            (direction, *values, size),
        )
        return [Candidate(id_, np.asarray(vector, dtype=np.float32), cosine) for id_, vector, cosine in rows]

    def close(self) -> None:
        with self._faults():
            self.connection.close()

    def _set_mark(self, mark: IndexMark) -> None:
        self._ask(
            f"INSERT INTO {self.name}_mark VALUES (1, %s)"
            " ON CONFLICT (id) DO UPDATE SET body = excluded.body",
            (canonical(mark_payload(mark)),),
        )

    def _ask(self, sql: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        with self._faults():
            cursor = self.connection.execute(sql.encode(), values)
            return cursor.fetchall() if cursor.description is not None else []

    @contextmanager
    def _faults(self) -> Iterator[None]:
        import psycopg

        try:
            yield
        except psycopg.Error as fault:
            line = " ".join(str(fault).split())[:300]
            raise MemoryFault(f"PostgreSQL cannot be used as an index: {line}") from fault


def _text_of(vector: Array) -> str:
    """A vector as pgvector reads it; the shortest digits that give the same single-precision number."""
    return "[" + ",".join(str(number) for number in vector) + "]"
