"""The call cache: answers in SQLite, keyed by the digest of the request plus the repeat.

It also keeps each request that was about to be sent and each fault, so that after a kill one can say which
calls may have been paid without an answer.
"""

import sqlite3
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from operator import attrgetter
from typing import Any

from memtrial.models.client.types import Kind, Reply

TOKENS = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens")
REST = ("usd", "stop", "temperature", "verbatim")
COLUMNS = ("answered", "reply", *TOKENS, *REST)
FIELDS = ("model", "text", *TOKENS, *REST)
"""The fields of a reply, in the order of the columns that hold them."""
_told = attrgetter(*FIELDS)

INSERT = {
    # the file may be opened with views that hide damaged rows: a call that `main` alone has is asked again
    "calls": (
        f"INSERT INTO main.calls SELECT {', '.join('?' * 14)},"
        " (SELECT count(*) FROM main.calls WHERE key = ?1)"
        " WHERE NOT EXISTS (SELECT 1 FROM calls WHERE key = ?1)"
    ),
    "sends": "INSERT INTO main.sends VALUES (?, ?, ?, ?)",
    "send_faults": "INSERT INTO main.send_faults VALUES (?, ?, ?, ?)",
    "shared_calls": "INSERT INTO main.shared_calls VALUES (?, ?)",
}


class StoreFault(RuntimeError):
    """The calls cannot be saved, as on a full disk. Nothing more may be sent: its answer would be lost."""


def reply_of(row: Sequence[Any]) -> Reply:
    """The reply in a row of `COLUMNS`."""
    found = dict(zip(FIELDS, row, strict=True))
    return Reply(**found | {"verbatim": bool(found["verbatim"])})


@dataclass
class CallCache:
    """Answered calls in the ledger's file, never changed once written. The tables are the ledger's.

    Answers wait in memory until they are committed, and are found there too. An answer that was paid for is
    committed with `flush` before it is used; one that costs nothing may wait for the next flush.
    """

    connection: sqlite3.Connection
    _waiting: dict[bytes, tuple[str, str, int | None, Reply]] = field(default_factory=dict)
    _rows: list[tuple[str, tuple[Any, ...]]] = field(default_factory=list)
    _next: int = 0
    _there: set[bytes] = field(default_factory=set)

    def __post_init__(self) -> None:
        # most requests are new, and a look into the file takes longer
        self._there.update(key for (key,) in self.connection.execute("SELECT key FROM calls"))
        newest = self.connection.execute("SELECT coalesce(max(id), 0) FROM main.sends").fetchone()
        self._next = int(newest[0])

    def find(self, key: bytes, purpose: str = "") -> Reply | None:
        """The kept answer, marked as cached, or None.

        Which of two purposes asks first is chance, so the cost of a call is counted under the one that sorts
        first; a use of another purpose is recorded.
        """
        if key in self._waiting:
            _, kept, _, reply = self._waiting[key]
        else:
            query = f"SELECT purpose, {', '.join(COLUMNS)} FROM calls WHERE key = ?"
            row = self.connection.execute(query, (key,)).fetchone() if key in self._there else None
            if row is None:
                return None
            kept, reply = row[0], reply_of(row[1:])
        if purpose and purpose != kept:
            self._rows.append(("shared_calls", (key, purpose)))
        return replace(reply, cached=True)

    def keep(self, key: bytes, asked: str, reply: Reply, purpose: str = "", send: int | None = None) -> None:
        """Add an answer to a model string; `send` is the intent it answers, None where nothing was sent."""
        self._waiting[key] = (asked, purpose, send, reply)

    def intend(self, key: bytes, asked: str) -> int:
        """Record that a request is about to be sent; the number of this intent."""
        self._next += 1
        self._rows.append(("sends", (self._next, key, asked, time.time())))
        return self._next

    def fail(self, send: int, kind: Kind, message: str, usd: float = 0.0) -> None:
        """Record that an intent brought no answer, and what that cost."""
        self._rows.append(("send_faults", (send, kind, message, usd)))

    def models_that_answered(self) -> dict[str, str]:
        """The model id that came back first, by the model asked for; a refusal need not name one."""
        query = (
            "SELECT asked, answered, min(send) FROM calls"
            " WHERE send IS NOT NULL AND answered != '' GROUP BY asked"
        )
        return {asked: answered for asked, answered, _ in self.connection.execute(query)}

    @property
    def sent(self) -> int:
        """Requests that all sessions sent: one for each attempt."""
        return self._next

    def spent(self) -> tuple[float, int]:
        """US dollars paid for all answers in the file, and how many of them have no known price."""
        query = (
            "SELECT coalesce(sum(usd), 0) + (SELECT coalesce(sum(usd), 0) FROM send_faults),"
            " count(*) - count(usd) FROM calls"
        )
        usd, unpriced = self.connection.execute(query).fetchone()
        return float(usd), int(unpriced)

    def flush(self) -> None:
        """Commit all that waits (25 microseconds); StoreFault where that fails, and it stays in memory."""
        if not self._waiting and not self._rows:
            return
        try:
            with self.connection:
                for table, values in self._rows:
                    self.connection.execute(INSERT[table], values)
                calls = ((key, of, *_told(its), why, n) for key, (of, why, n, its) in self._waiting.items())
                self.connection.executemany(INSERT["calls"], calls)
        except sqlite3.OperationalError as fault:
            raise StoreFault(f"the calls cannot be kept: {fault}") from fault
        self._rows.clear()
        self._there.update(self._waiting)
        self._waiting.clear()
