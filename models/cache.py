"""The call cache: answers in SQLite, keyed by the digest of the request plus the repeat."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass, field

from models.call import Reply

SCHEMA = (
    """CREATE TABLE IF NOT EXISTS calls (
        key BLOB PRIMARY KEY,
        asked TEXT NOT NULL,
        answered TEXT NOT NULL,
        reply TEXT NOT NULL,
        input_tokens INTEGER NOT NULL,
        output_tokens INTEGER NOT NULL
    ) WITHOUT ROWID""",
    # an answer that was used is evidence: it is neither changed nor thrown away
    "CREATE TRIGGER IF NOT EXISTS calls_no_update BEFORE UPDATE ON calls"
    " BEGIN SELECT RAISE(ABORT, 'an answered call stays as it is'); END",
    "CREATE TRIGGER IF NOT EXISTS calls_no_delete BEFORE DELETE ON calls"
    " BEGIN SELECT RAISE(ABORT, 'an answered call stays as it is'); END",
    "CREATE TRIGGER IF NOT EXISTS calls_no_replace BEFORE INSERT ON calls"
    " WHEN EXISTS (SELECT 1 FROM calls WHERE key = NEW.key) BEGIN SELECT RAISE(IGNORE); END",
)


@dataclass
class CallCache:
    """Answered calls in one SQLite file, never changed once written.

    Answers wait in memory until `flush`, and are found there too. Whoever pays for an answer flushes before
    it is used; an answer that can be had again for nothing may wait for the end of its block.
    """

    connection: sqlite3.Connection
    _waiting: dict[bytes, tuple[str, Reply]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Create the table where it is missing."""
        for statement in SCHEMA:
            self.connection.execute(statement)

    def find(self, key: bytes) -> Reply | None:
        """The stored answer, marked as cached, or None."""
        waiting = self._waiting.get(key)
        if waiting is not None:
            reply = waiting[1]
            return Reply(reply.text, reply.input_tokens, reply.output_tokens, reply.model, cached=True)
        row = self.connection.execute(
            "SELECT reply, input_tokens, output_tokens, answered FROM calls WHERE key = ?", (key,)
        ).fetchone()
        return None if row is None else Reply(row[0], row[1], row[2], row[3], cached=True)

    def keep(self, key: bytes, asked: str, reply: Reply) -> None:
        """Take an answer in. `asked` is the model string of the request."""
        self._waiting[key] = (asked, reply)

    def flush(self) -> None:
        """Commit all that waits."""
        if not self._waiting:
            return
        rows = [
            (key, asked, reply.model, reply.text, reply.input_tokens, reply.output_tokens)
            for key, (asked, reply) in self._waiting.items()
        ]
        with self.connection:
            self.connection.executemany(
                "INSERT INTO calls (key, asked, answered, reply, input_tokens, output_tokens)"
                " VALUES (?, ?, ?, ?, ?, ?)",
                rows,
            )
        self._waiting.clear()
