"""One connection to PostgreSQL, opened anew where it broke; what goes wrong there is a LedgerFault."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar

from memtrial.ledger.postgres.database_address import hide_password
from memtrial.ledger.row_text import LedgerFault

if TYPE_CHECKING:
    from psycopg import Connection

PATIENCE_S = 60.0
"""How long a database that went away is waited for: as long as a restart takes."""
PAUSE_S = 0.2
_SETTINGS = {
    # a plan that was made while a table was empty would read all of it for each block, when it is large
    "enable_seqscan": "off",
    # of 10^5 blocks PostgreSQL takes a question for dear, and would compile it: 10 ms for one of .1 ms
    "jit": "off",
    # limits that an administrator set for other programs would end a worker that waits for its turn
    "statement_timeout": "0",
    "lock_timeout": "0",
    "idle_in_transaction_session_timeout": "0",
    "transaction_timeout": "0",
    "default_transaction_isolation": "read committed",
}
"""What each connection sets for itself, of what its server knows."""
_SET = "SELECT set_config(name, %s::jsonb ->> name, false) FROM pg_settings WHERE %s::jsonb ? name"
AT_ONCE = 1000
"""Rows that are fetched at a time where many are read."""
Result = TypeVar("Result")
Row = TypeVar("Row")


class TwiceFault(LedgerFault):
    """A row would contradict one that is there."""


class RivalFault(LedgerFault):
    """Two transactions waited for each other, so that this one was undone; it may be done again."""


class AwayFault(LedgerFault):
    """The connection broke, so that nobody knows whether the last transaction was committed."""


class Database:
    """A connection whose statements are transactions of their own, save those within `transaction`.

    Raises:
        LedgerFault: nothing answers at the address; what was wrong stands in it, the password does not.
    """

    def __init__(self, address: str, patience_s: float = PATIENCE_S) -> None:
        self._address, self._patience_s = address, patience_s
        self._within, self._name = False, "memtrial"
        self._connection = self._open()

    def close(self) -> None:
        self._connection.close()

    def take_name(self, name: str) -> None:
        """What the server calls this connection, and those that are opened in its place."""
        self._name = name
        self.look("SELECT set_config('application_name', %s, false)", (name,))

    def ask(self, sql: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """The rows that a statement gives. AwayFault: the connection broke. Marks are %s."""
        with self._faults():
            cursor = self._connection.execute(sql.encode(), values)
            return cursor.fetchall() if cursor.description is not None else []

    def look(self, sql: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """The same for a question, which is asked again where the connection broke."""
        return self._repeat(lambda _: self.ask(sql, values))

    def read(self, sql: str, values: Sequence[object] = ()) -> Iterator[tuple[Any, ...]]:
        """The rows that a question gives, of which few are here at a time, in a transaction of their own.

        Raises AwayFault: the connection broke on the way.
        """
        with self._faults(), self._connection.transaction(), self._connection.cursor("rows") as cursor:
            self._connection.execute("SET LOCAL enable_seqscan = on")  # all rows are wanted
            cursor.itersize = AT_ONCE
            yield from cursor.execute(sql.encode(), values)

    def add_many(self, sql: str, rows: Sequence[Sequence[object]]) -> list[tuple[Any, ...]]:
        """A statement for each row, sent together; the rows that they give."""
        given: list[tuple[Any, ...]] = []
        if rows:
            returning = " RETURNING " in sql
            with self._faults(), self._connection.cursor() as cursor:
                cursor.executemany(sql.encode(), rows, returning=returning)
                while returning:
                    given += cursor.fetchall()
                    returning = bool(cursor.nextset())
        return given

    def carry(self, work: Callable[[bool], Result]) -> Result:
        """Do work in one transaction, or in that which is going on; on a new connection where it broke.

        Args:
            work: is told whether it is done again: what it writes may be there already.

        Raises LedgerFault: the database stayed away for longer than is waited.
        """

        def carry_whole(again: bool) -> Result:
            with self._faults(), self._connection.transaction():
                self._within = True
                try:
                    return work(again)
                finally:
                    self._within = False

        return work(False) if self._within else self._repeat(carry_whole)

    def _repeat(self, work: Callable[[bool], Result]) -> Result:
        until, again = time.monotonic() + self._patience_s, False
        while True:
            try:
                return work(again)
            except AwayFault:
                if self._within:  # what was done in the transaction before is lost with it
                    raise
                again = True
                self._come_back(until)
            except RivalFault:
                if self._within or time.monotonic() > until:
                    raise

    def _come_back(self, until: float) -> None:
        self._connection.close()
        while True:
            time.sleep(PAUSE_S)
            try:
                self._connection = self._open()
                return
            except LedgerFault:
                if time.monotonic() > until:
                    raise

    def _open(self) -> Connection[tuple[Any, ...]]:
        import psycopg

        try:
            connection = psycopg.connect(
                self._address, autocommit=True, connect_timeout=10, application_name=self._name
            )
            settings = json.dumps(_SETTINGS)
            connection.execute(_SET, (settings, settings))
        except psycopg.Error as fault:
            shown = hide_password(self._address)
            raise LedgerFault(f"a database that answers is needed; {shown}: {_line(fault)}") from fault
        if (encoding := connection.info.parameter_status("server_encoding")) != "UTF8":
            connection.close()
            shown = hide_password(self._address)
            raise LedgerFault(
                f"a database in UTF8 is needed; {shown} is in {encoding}: CREATE DATABASE … ENCODING 'UTF8'"
                " TEMPLATE template0 makes one"
            )
        return connection

    @contextmanager
    def _faults(self) -> Iterator[None]:
        import psycopg

        try:
            yield
        except psycopg.errors.UniqueViolation as fault:
            raise TwiceFault(f"a row is written once; this one is there: {_line(fault)}") from fault
        except psycopg.errors.DeadlockDetected as fault:
            raise RivalFault(f"two workers waited for each other: {_line(fault)}") from fault
        except (psycopg.errors.UndefinedColumn, psycopg.errors.UndefinedTable) as fault:
            raise LedgerFault(
                f"tables of this version are needed; those of this database are another's: {_line(fault)}."
                " Use another database, or the version that made it"
            ) from fault
        except psycopg.errors.InsufficientPrivilege as fault:
            raise LedgerFault(
                f"a role that may create the schema memtrial, or that owns it, is needed; {_line(fault)}:"
                " GRANT CREATE ON DATABASE lets a role create it"
            ) from fault
        except psycopg.errors.ReadOnlySqlTransaction as fault:
            raise LedgerFault(
                f"a database that can be written is needed; {_line(fault)}: is it a standby?"
            ) from fault
        except (psycopg.errors.InvalidSqlStatementName, psycopg.errors.DuplicatePreparedStatement) as fault:
            raise LedgerFault(
                f"a session of its own is needed for each connection; {_line(fault)}: where a pooler shares"
                " sessions by transaction, give the address of the database itself, or of a pooler by session"
            ) from fault
        except psycopg.Error as fault:
            if self._connection.closed or self._connection.broken:
                raise AwayFault(f"the database went away: {_line(fault)}") from fault
            raise LedgerFault(f"the ledger in PostgreSQL cannot be used: {_line(fault)}") from fault


def _line(fault: Exception) -> str:
    return " ".join(str(fault).split())[:300]


def cut(rows: Iterable[Row], most: int = AT_ONCE) -> Iterator[list[Row]]:
    """Rows in batches."""
    left = iter(rows)
    while batch := list(islice(left, most)):
        yield batch
