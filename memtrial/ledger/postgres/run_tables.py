"""The rows of one run in the tables of its database: asked, and added by a worker whose lease is in force."""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from memtrial.ledger.postgres.database import Database
from memtrial.ledger.postgres.postgres_tables import ROWS
from memtrial.ledger.postgres.worker_lease import WorkerLease
from memtrial.ledger.row_text import LedgerFault

Result = TypeVar("Result")
_COLUMNS = {
    name: tuple(tuple(column.split()[:2]) for column in columns.split(", "))
    for name, (columns, _) in ROWS.items()
}
"""Names and kinds of the columns of each table."""
_ARRAYS = {"text": "%s::text[]", "bigint": "%s::bigint[]", "double": "%s::float8[]", "bytea": "%b::bytea[]"}
"""A column of many rows as one value of a statement; bytes as they are."""


class RunTables:
    """Tables as one run sees them; without a lease they are read alone."""

    def __init__(self, database: Database, run: int, lease: WorkerLease | None) -> None:
        self.database, self.run, self.lease = database, run, lease

    def rows(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        """What a question about this run gives; its first mark is the run."""
        return self.database.look(query, (self.run, *values))

    def writing(self) -> WorkerLease:
        """The lease; LedgerFault where the run is read alone."""
        if self.lease is None:
            raise LedgerFault("this ledger was opened to be read")
        return self.lease

    def carry(self, work: Callable[[bool], Result]) -> Result:
        """A transaction that writes, in which the lease is in force; else LeaseFault. As `Database.carry`."""
        lease = self.writing()

        def carry_in_time(again: bool) -> Result:
            lease.refuse_late(self.database)
            return work(again)

        return self.database.carry(carry_in_time)

    def add(self, table: str, values: Sequence[tuple[Any, ...]]) -> None:
        """Rows that are not there yet; TwiceFault where one is, and none is added."""
        if values:
            # after a break they may be there, from a commit whose answer was lost
            self.carry(lambda again: self.insert(table, values, " ON CONFLICT DO NOTHING" if again else ""))

    def keep(self, table: str, values: Sequence[tuple[Any, ...]]) -> None:
        """Rows, of which those that are there stay as they are."""
        if values:
            self.carry(lambda _: self.insert(table, values, " ON CONFLICT DO NOTHING"))

    def insert(self, table: str, values: Sequence[tuple[Any, ...]], taken: str = "") -> None:
        """Within a transaction: rows, by the columns of the table, in one statement and in their order."""
        if not values:
            return
        names = ", ".join(name for name, _ in _COLUMNS[table])
        marks = ", ".join(_ARRAYS[kind] for _, kind in _COLUMNS[table])
        query = (
            f"INSERT INTO memtrial.{table} (run, {names}) SELECT %s, {names} FROM unnest({marks})"
            f" WITH ORDINALITY AS added ({names}, place_in_order) ORDER BY place_in_order{taken}"
        )
        self.database.ask(query, (self.run, *map(list, zip(*values, strict=True))))
