"""The call store in the ledger's file: answered calls, intents to send, and faults, never changed."""

import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from memtrial.call_purpose import Purpose, read_purpose, write_purpose
from memtrial.call_records import (
    CallBatch,
    FreeCall,
    KeptCall,
    SendFaultRecord,
    SendRecord,
    SharedCallRecord,
    short_key,
)
from memtrial.faults import StoreFault
from memtrial.ledger.calls.call_packs import PACK, CallPack, pack_calls, split_keys, unpack_calls
from memtrial.ledger.calls.known_calls import KnownCalls
from memtrial.ledger.row_text import LedgerFault, columns_of_kind
from memtrial.ledger.sqlite.sqlite_faults import interrupt_in
from memtrial.ledger.sqlite.tables import columns_in, lay, select_all, select_none

Record = KeptCall | SendRecord | SendFaultRecord | SharedCallRecord | CallPack
COLUMNS = (
    *("key", "asked", "answered", "reply", "input_tokens", "output_tokens"),
    *("cache_read_tokens", "cache_write_tokens", "usd", "stop", "temperature", "verbatim", "purpose", "send"),
    *("blocks", "shares", "ended_s"),
)
"""Of the table `calls`, in the order of the fields of a `KeptCall`."""
ADD_CALL = (
    # the file may be opened with views that hide damaged rows: a call that `main` alone has is asked again
    f"INSERT INTO main.calls ({', '.join(COLUMNS)}, nth) SELECT {', '.join('?' * len(COLUMNS))},"
    " (SELECT count(*) FROM main.calls WHERE key = ?1)"
    " WHERE NOT EXISTS (SELECT 1 FROM calls WHERE key = ?1)"
)
ADD_SEND = "INSERT INTO main.sends VALUES (?, ?, ?, ?)"
ADD_FAULT = "INSERT INTO main.send_faults (id, kind, message, usd, ended_s) VALUES (?, ?, ?, ?, ?)"
ADD_SHARED = "INSERT INTO main.shared_calls VALUES (?, ?)"
ADD_FREE = f"INSERT INTO main.free_calls ({', '.join(PACK)}) VALUES ({', '.join('?' * len(PACK))})"
FIND = f"SELECT {', '.join(COLUMNS)} FROM calls WHERE key = ?"


def open_unsealed(path: str | Path = ":memory:") -> sqlite3.Connection:
    """A database with a ledger's tables, whose rows get no seals: for calls that are in no run."""
    connection = sqlite3.connect(path)
    lay(connection)
    return connection


class SqliteCallStore:
    """Calls in the tables of a ledger's file."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection
        self._known: KnownCalls | None = None

    def keys(self) -> set[bytes]:
        return {key for (key,) in self.connection.execute("SELECT key FROM calls")}

    def last_send(self) -> int:
        newest = self.connection.execute("SELECT coalesce(max(id), 0) FROM main.sends").fetchone()
        return int(newest[0])

    def find(self, key: bytes) -> KeptCall | None:
        row = self.connection.execute(FIND, (key,)).fetchone()
        return None if row is None else call_of(row)

    def records(self) -> Iterator[KeptCall]:
        yield from map(call_of, self.connection.execute(f"SELECT {', '.join(COLUMNS)} FROM calls"))

    def free_calls(self) -> Iterator[FreeCall]:
        yield from unpack_calls(read_packs(self.connection))

    def free_purpose(self, key: bytes) -> Purpose | None:
        return self._known_calls().purpose_of(key)

    def commit(self, batch: CallBatch) -> None:
        free, shared = self._known_calls().sort_out(batch.free) if batch.free else ([], [])
        try:
            with self.connection:
                for statement, records in (
                    (ADD_SEND, batch.sends),
                    (ADD_FAULT, batch.faults),
                    (ADD_SHARED, (*batch.shared, *shared)),
                    (ADD_CALL, batch.calls),
                    (ADD_FREE, pack_calls(free)),
                ):
                    if records:
                        self.connection.executemany(statement, map(_columns_of, records))
        except sqlite3.OperationalError as fault:
            raise interrupt_in(fault) or StoreFault(f"the calls cannot be kept: {fault}") from fault
        if free:
            self._known_calls().add_calls(free)

    def _known_calls(self) -> KnownCalls:
        """Read when they are first asked for: who only looks needs none of them."""
        if self._known is None:
            self._known = KnownCalls()
            for purpose, keys in self.connection.execute("SELECT purpose, keys FROM free_calls"):
                self._known.add(read_purpose(purpose), split_keys(keys))
        return self._known

    def forget(self) -> None:
        """Let go of what was read of the calls; it is read again where it is asked for."""
        self._known = None

    def models_that_answered(self) -> dict[str, str]:
        query = (
            "SELECT asked, answered, min(send) FROM calls"
            " WHERE send IS NOT NULL AND answered != '' GROUP BY asked"
        )
        return {asked: answered for asked, answered, _ in self.connection.execute(query)}

    def spent(self) -> tuple[float, int]:
        query = (
            "SELECT coalesce(sum(usd), 0) + (SELECT coalesce(sum(usd), 0) FROM send_faults),"
            " count(*) - count(usd) FROM calls"
        )
        usd, unpriced = self.connection.execute(query).fetchone()
        return float(usd), int(unpriced)


class RecordedCalls:
    """The calls of another run's ledger, opened to be read alone.

    Raises:
        StoreFault: the file cannot be read as a ledger.
    """

    def __init__(self, path: Path) -> None:
        # without a writer SQLite need not make its -wal and -shm files
        alone = "" if path.with_name(f"{path.name}-wal").exists() else "&immutable=1"
        try:
            self.connection = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro{alone}", uri=True)
            calls = f"(SELECT {select_all(self.connection, 'calls')} FROM calls)"
            self._free = f"({select_none('free_calls')})"
            if columns_in(self.connection, "free_calls"):
                self._free = "free_calls"
        except sqlite3.Error as fault:
            raise StoreFault(str(fault)) from fault
        self._free_keys: set[bytes] | None = None
        self._select = f"SELECT {', '.join(COLUMNS)} FROM {calls}"

    def models_asked(self) -> list[str]:
        """Every model string that was asked, sorted."""
        try:
            self.connection.execute(f"{self._select} LIMIT 1")
            query = f"SELECT asked FROM calls UNION SELECT asked FROM {self._free} ORDER BY asked"
            rows = self.connection.execute(query)
            return [str(asked) for (asked,) in rows]
        except sqlite3.Error as fault:
            raise StoreFault(str(fault)) from fault

    def find(self, key: bytes) -> KeptCall | None:
        """The kept answer of a call."""
        try:
            row = self.connection.execute(f"{self._select} WHERE key = ?", (key,)).fetchone()
        except sqlite3.Error as fault:
            raise StoreFault(str(fault)) from fault
        return None if row is None else call_of(row)

    def was_free(self, key: bytes) -> bool:
        """Whether this call was asked of a model that gives the same answer again, so that none is kept."""
        if self._free_keys is None:
            try:
                rows = self.connection.execute(f"SELECT keys FROM {self._free}")
                self._free_keys = {short for (keys,) in rows for short in split_keys(keys)}
            except (sqlite3.Error, LedgerFault) as fault:
                raise StoreFault(str(fault)) from fault
        return short_key(key) in self._free_keys

    def close(self) -> None:
        self.connection.close()


def read_packs(connection: sqlite3.Connection) -> Iterator[CallPack]:
    """The rows of calls that cost nothing, in the order in which they were written."""
    for row in connection.execute(f"SELECT {', '.join(PACK)} FROM free_calls ORDER BY number"):
        named = dict(zip(PACK, row, strict=True))
        read = {"verbatim": bool(named["verbatim"]), "purpose": read_purpose(named["purpose"])}
        yield CallPack(**named | read)


def _columns_of(record: Record) -> tuple[Any, ...]:
    """The fields of a record, in their order, as they are kept."""
    _, values_of = columns_of_kind(type(record), ())  # type: ignore[arg-type]
    values = values_of(record)
    return tuple([write_purpose(value) if type(value) is Purpose else value for value in values])


def call_of(row: Sequence[Any]) -> KeptCall:
    """A row of `COLUMNS` as a record."""
    named = dict(zip(COLUMNS, row, strict=True))
    read = {"verbatim": bool(named["verbatim"]), "purpose": read_purpose(named["purpose"])}
    return KeptCall(**named | read)
