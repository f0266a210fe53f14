"""The bank's file: a log that only grows, in SQLite, and tables that are read from it.

A batch of events is one transaction: when `append` returns, all of it is on the disk; when it raises, or the
process is killed before, nothing of it is. Several processes may write; each waits for the other.
"""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from memtrial.memory.bank.bank_item import BankItem
from memtrial.memory.bank.events.bank_events import (
    BankEvent,
    Cause,
    EpisodeAdded,
    ItemRolledBack,
    LoggedEvent,
    RecordAdded,
    SpaceFixed,
    VectorAdded,
)
from memtrial.memory.bank.events.bank_tables import SUBJECT_EVENTS, clear_projections, holds_bank, lay_bank
from memtrial.memory.bank.events.hash_chain import GENESIS, LogRow, chain, check_chain
from memtrial.memory.bank.events.item_body import event_body, kind_of, read_event
from memtrial.memory.bank.events.projections import find_item, project_event
from memtrial.memory.bank.events.redacted_events import Redact, redact_value, remember_short
from memtrial.memory.bank.events.seed_views import WRITER, permit
from memtrial.memory.bank.events.seed_writes import read_write
from memtrial.memory.bank.events.ulids import ITEM, UlidMaker
from memtrial.memory.stored_item import MemoryFault
from memtrial.private_file import ForeignFault, claim_database

FILE = "memory.db"
WAIT_S = 60.0
"""How long a writer waits for another."""
_LOG = "SELECT sequence, id, moment, who, why, kind, body, vector, digest FROM log"


class BankLog:
    """One bank, open to read and write.

    Args:
        path: its file; made where there is none.
        redact: what every text passes before it is written.
        clock: seconds since 1970.

    Raises:
        MemoryFault: on opening, when the file is something else or cannot be used.
    """

    def __init__(self, path: Path, redact: Redact, clock: Callable[[], float] = time.time) -> None:
        self.redact = remember_short(redact)
        self.path, self.clock = path, clock
        self._ulids = UlidMaker(clock)
        self._written: list[BankEvent] = []
        with self._faults():
            claim_database(path)
            # whoever shares a bank between threads lets them in one at a time
            self.connection = sqlite3.connect(
                path, timeout=WAIT_S, isolation_level=None, check_same_thread=False
            )
        try:
            with self._faults():
                self._settle()
        except MemoryFault:
            self.connection.close()
            raise

    def _settle(self) -> None:
        """Durable from the first event on: a write-ahead log that is on the disk when a batch returns."""
        laid = holds_bank(self.connection)
        self.connection.execute("PRAGMA journal_mode = WAL")
        self.connection.execute("PRAGMA synchronous = FULL")
        self.connection.execute("PRAGMA foreign_keys = ON")
        self.connection.create_function(WRITER, 2, self._take_write)
        if not laid:
            lay_bank(self.connection, self._ulids.make())

    def close(self) -> None:
        self.connection.close()

    @property
    def id(self) -> str:
        """A ULID of this bank; an import has that of what it was exported from."""
        with self._faults():
            return str(self.connection.execute("SELECT body FROM bank WHERE name = 'id'").fetchone()[0])

    def make_item_id(self) -> str:
        """An id for a new item."""
        return ITEM + self._ulids.make()

    def make_id(self) -> str:
        """An id for a record or a run."""
        return self._ulids.make()

    def last(self) -> tuple[int, str]:
        """The place and the digest of the last event; 0 and `GENESIS` where there is none."""
        with self._faults():
            return self._last()

    def _last(self) -> tuple[int, str]:
        query = "SELECT sequence, digest FROM log ORDER BY sequence DESC LIMIT 1"
        row = self.connection.execute(query).fetchone()
        return (0, GENESIS) if row is None else (int(row[0]), str(row[1]))

    @property
    def length(self) -> int:
        """How many events there are."""
        with self._faults():
            return int(self.connection.execute("SELECT coalesce(max(sequence), 0) FROM log").fetchone()[0])

    def digest_of(self, sequence: int) -> str | None:
        """The digest of an event; None where there is none of this place."""
        if sequence == 0:
            return GENESIS
        with self._faults():
            row = self.connection.execute("SELECT digest FROM log WHERE sequence = ?", (sequence,)).fetchone()
        return None if row is None else str(row[0])

    def append(
        self, events: Sequence[BankEvent], cause: Cause, after: int | None = None
    ) -> tuple[LoggedEvent, ...]:
        """Add events, redacted, all or none. None at all, and an empty answer, where one of them is an
        episode that the bank has, or the record of one that has a record: the same trajectory twice adds
        nothing, and teaches once.

        Args:
            after: the place of the last event that these were made from; None where that does not matter.

        Raises:
            MemoryFault: an event names what is not there, others came since `after`, or the file cannot be
                written; nothing is changed.
        """
        clean = [redact_value(event, self.redact) for event in events]
        by = redact_value(cause, self.redact)
        with self.transaction():
            if after is not None and self.last()[0] != after:
                raise MemoryFault("the bank was changed in the meantime; nothing was done: begin anew")
            if any(self._has(event) for event in clean):
                return ()
            return self._add_all(clean, by)

    def _has(self, event: BankEvent) -> bool:
        match event:
            case EpisodeAdded(episode):
                query, name = "SELECT 1 FROM episodes WHERE id = ?", episode.id
            case RecordAdded(episode_id=name) if name:
                query = "SELECT 1 FROM records WHERE episode_id = ?"
            case _:
                return False
        return self.connection.execute(query, (name,)).fetchone() is not None

    def _add_all(self, events: Sequence[BankEvent], cause: Cause) -> tuple[LoggedEvent, ...]:
        logged = []
        sequence, digest = self._last()
        for event in events:
            try:
                body = event_body(event)
            except ValueError as fault:
                raise MemoryFault(f"finite numbers are needed; {kind_of(event)}: {fault}") from fault
            sequence += 1
            vector = event.vector if isinstance(event, VectorAdded) else None
            id_, moment, kind = self._ulids.make(), self.clock(), kind_of(event)
            row = LogRow(sequence, id_, moment, cause.who, cause.why, kind, body, vector)
            digest = self.add_row(row, digest, event)
            logged.append(LoggedEvent(sequence, id_, moment, cause, event, digest))
        return tuple(logged)

    def add_row(self, row: LogRow, before: str, event: BankEvent) -> str:
        """Add an event as it is to be read again, within a transaction; gives its digest."""
        digest = chain(before, row)
        self.connection.execute("INSERT INTO log VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", (*row, digest))
        project_event(self.connection, row.sequence, row.moment, event)
        return digest

    def fix_space(self, space: str, dimensions: int, cause: Cause) -> None:
        """Fix the bank's embedder, or see that it is this one; MemoryFault where it is another."""
        with self.transaction():
            row = self.connection.execute("SELECT space, dimensions FROM space").fetchone()
            if row is None:
                self._add_all([SpaceFixed(space, dimensions)], redact_value(cause, self.redact))
            elif row != (space, dimensions):
                raise MemoryFault(
                    f"the bank's embedder is {row[0]!r} with {row[1]} numbers; got {space!r} with"
                    f" {dimensions}: use that one, or begin another bank"
                )

    def read(self, sql: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """The rows of a query of ours."""
        with self._faults():
            return self.connection.execute(sql, values).fetchall()

    def rollback(self, item_id: str, version: int, cause: Cause) -> BankItem:
        """Bring back an item's words and standing as they were in a version; MemoryFault for none such."""
        self.append([ItemRolledBack(item_id, version)], cause)
        return self.find(item_id)

    def find(self, item_id: str) -> BankItem:
        """An item as it is; MemoryFault where there is none of this id."""
        with self._faults():
            return find_item(self.connection, item_id)

    def rows(self, until: int | None = None) -> Iterator[tuple[LogRow, str]]:
        """The log, event by event, each with its digest; up to one of them, or all."""
        with self._faults():
            query = f"{_LOG} WHERE sequence <= coalesce(?, sequence) ORDER BY sequence"
            for *parts, digest in self.connection.execute(query, (until,)):
                yield LogRow(*parts), digest

    def history(self, subject: str | None = None) -> Iterator[LoggedEvent]:
        """The events of an item or an episode, or of all, in order."""
        asked = "" if subject is None else f" WHERE sequence IN ({SUBJECT_EVENTS})"
        values = () if subject is None else (subject,)
        with self._faults():
            for row in self.connection.execute(f"{_LOG}{asked} ORDER BY sequence", values):
                sequence, id_, moment, who, why, kind, body, vector, digest = row
                event = read_event(kind, body, vector)
                yield LoggedEvent(sequence, id_, moment, Cause(who, why), event, digest)

    def check(self) -> str:
        """The last digest of a log that nobody changed; MemoryFault names the first event that was."""
        return check_chain(self.rows())

    def rebuild(self) -> None:
        """Read all tables anew from the log, in one transaction; afterwards they are as before."""
        with self.transaction():
            clear_projections(self.connection)
            for logged in self.history():
                project_event(self.connection, logged.sequence, logged.moment, logged.event)

    def execute(self, sql: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """One statement of document 003's SQL: it reads the views, and what it writes becomes events.

        Raises:
            MemoryFault: SQLite refuses it, or what it writes is not sound; nothing is changed.
        """
        with self.transaction():
            self._written.clear()
            self.connection.set_authorizer(permit)
            try:
                rows = self.connection.execute(sql, values).fetchall()
            finally:
                self.connection.set_authorizer(None)
            if not any(map(self._has, self._written)):
                clean = [redact_value(event, self.redact) for event in self._written]
                self._add_all(clean, Cause("sql", "a statement of document 003"))
        return rows

    def _take_write(self, name: str, body: str) -> None:
        self._written.extend(read_write(name, json.loads(body)))

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All that happens within it is written, or nothing."""
        with self._faults():
            self.connection.execute("BEGIN IMMEDIATE")
            try:
                yield
                self.connection.execute("COMMIT")
            finally:
                if self.connection.in_transaction:
                    with suppress(sqlite3.Error):
                        self.connection.execute("ROLLBACK")

    @contextmanager
    def _faults(self) -> Iterator[None]:
        try:
            yield
        except ForeignFault as fault:
            raise MemoryFault(str(fault)) from fault
        except OSError as fault:
            raise MemoryFault(f"the bank {self.path} cannot be used: {fault.strerror}") from fault
        except (sqlite3.Error, sqlite3.Warning) as fault:
            if getattr(fault, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_READONLY:
                raise MemoryFault(
                    f"a bank whose file and folder may be written is needed, also to read it; {self.path}:"
                    f" {fault}; copy the folder, and look at the copy"
                ) from fault
            raise MemoryFault(f"the bank {self.path} cannot be used: {fault}") from fault
        except (OverflowError, UnicodeEncodeError) as fault:
            # a number of more than 64 bits, or half a character in a text that is asked for
            raise MemoryFault(f"values that SQLite holds are needed: {fault}") from fault
