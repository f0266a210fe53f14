"""Seals: the digest of each row, written with it, and the comparison of all rows with theirs."""

import sqlite3
from collections.abc import Iterator
from hashlib import sha256

from memtrial.ledger.row_text import LedgerFault
from memtrial.ledger.sqlite.tables import ALL, BESIDE, TABLES, columns_in

ENDING = 16
"""Of a trial's key the last characters, by which it is named; in seals of before all of it stands."""

NAMED = {
    "facts": "name",
    "trials": f"backbone, task, repeat, substr(key, -{ENDING})",
    "episodes": f"substr(key, -{ENDING})",
}
"""What a seal repeats, as JSON, so that a row that is gone can still be named."""

SEAL = 16
"""Bytes of a seal; in ledgers of before they are 32, of which the first count."""

COMPARED = (*TABLES, *(name for name in BESIDE if name != "seals"))
"""Tables none of whose rows counts without a seal; of any other so, where one of its rows has a seal."""

FIRST = {name: len(table.first_names) for name, table in ALL.items() if table.later}
"""How many columns a table had before the later ones."""


def digest_of(table: str, *values: object) -> bytes:
    """Half of the sha256 of a row: its table, and type, length and bytes of each column in order.

    Args:
        values: None, int, float, str or bytes. A str may hold bytes that are no UTF-8 as surrogates.
            Columns that came later say nothing while they are None: a row of before has the seal it had.
    """
    n_first = FIRST.get(table, len(values))
    while len(values) > n_first and values[-1] is None:
        values = values[:-1]
    pieces = [table.encode(), b"\n"]
    for value in values:
        # by the exact type: a row has only such, and half a million rows are looked through for a report
        if type(value) is str:
            try:
                body = value.encode()
            except UnicodeEncodeError:
                body = value.encode("utf-8", "surrogateescape")
            pieces += (b"s%d:" % len(body), body)
        elif type(value) is bytes:
            pieces += (b"b%d:" % len(value), value)
        elif type(value) is int:
            pieces.append(b"|%d" % value)
        elif value is None:
            pieces.append(b"|None")
        else:
            # SQLite keeps no negative zero
            pieces.append(f"|{value + 0.0 if isinstance(value, float) else value!r}".encode())
    return sha256(b"".join(pieces)).digest()[:SEAL]  # at once: a seal is made for every call


def lay_seals(connection: sqlite3.Connection) -> None:
    """From now on every row that this connection adds, to whatever table there is, gets its seal.

    The triggers are this connection's own. A stranger can add a row as well, and it has none.
    """
    connection.create_function("digest_of", -1, digest_of, deterministic=True)
    for table, columns in tables_of(connection).items():
        values = ", ".join(f'"{name}"' for name in columns)
        connection.execute(
            f'CREATE TEMP TRIGGER IF NOT EXISTS "{table}_sealed" AFTER INSERT ON main."{table}" BEGIN'
            " INSERT INTO seals (of_table, name, digest)"
            f" SELECT '{table}', json_array({NAMED.get(table, '')}), digest_of('{table}', {values})"
            # as it stands in the file, not as it was given
            f' FROM main."{table}" WHERE rowid = NEW.rowid; END'
        )


def tables_of(connection: sqlite3.Connection) -> dict[str, tuple[str, ...]]:
    """Every table of the file whose rows are sealed, with its columns."""
    query = (
        "SELECT name FROM main.sqlite_master WHERE type = 'table' AND name != 'seals'"
        " AND name NOT LIKE 'sqlite~_%' ESCAPE '~' ORDER BY name"
    )
    names = [name for (name,) in connection.execute(query) if name.isidentifier()]
    return {name: columns_in(connection, name) for name in names}


def compare_rows(connection: sqlite3.Connection) -> Iterator[tuple[str, set[int], set[int]]]:
    """Every table that has seals, or has to have them: its rows without a seal, and its seals without a row.

    Raises:
        LedgerFault: seals are gone.
    """
    there = tables_of(connection)
    rows = {name: _digest_rows(connection, name if name in there else None) for name in COMPARED}
    unmatched: dict[str, _Unmatched] = {name: _Unmatched() for name in COMPARED}
    query = "SELECT number, of_table, digest FROM main.seals ORDER BY number"
    for wanted, (number, of_table, digest) in enumerate(connection.execute(query), 1):
        if number != wanted:
            raise LedgerFault(
                f"an intact ledger is needed; of its seals number {wanted} is gone: restore a copy of"
                " the file, or begin anew with --clean"
            )
        name = str(of_table)
        if name not in rows:
            rows[name], unmatched[name] = (
                _digest_rows(connection, name if name in there else None),
                _Unmatched(),
            )
        row, own = next(rows[name], _NO_ROW)
        seal = digest[:SEAL] if isinstance(digest, bytes) else digest
        if own != seal or row is None:
            unmatched[name].meet(number, seal, row, own)
    for name, left in unmatched.items():
        for row, own in rows[name]:
            left.meet(None, None, row, own)
        yield (
            name,
            {row for same in left.rows.values() for row in same},
            {number for same in left.seals.values() for number in same},
        )


_NO_ROW: tuple[int | None, bytes] = (None, b"")


class _Unmatched:
    """Rows and seals of one table that did not meet in the order in which they were written, by digest."""

    def __init__(self) -> None:
        self.rows: dict[object, list[int]] = {}
        self.seals: dict[object, list[int]] = {}

    def meet(self, number: int | None, digest: object, row: int | None, own: bytes) -> None:
        """A seal and a row, each where there is one: it leaves with its like, or waits for it."""
        for place, key, mine, others in (
            (number, digest, self.seals, self.rows),
            (row, own, self.rows, self.seals),
        ):
            if place is None:
                continue
            if same := others.get(key):
                same.pop()
                if not same:
                    del others[key]
            else:
                mine.setdefault(key, []).append(place)


def _digest_rows(connection: sqlite3.Connection, table: str | None) -> Iterator[tuple[int | None, bytes]]:
    """Number and digest of each row, in the order in which they were written; none of no table."""
    if table is not None:
        for row, *values in connection.execute(f'SELECT rowid, * FROM main."{table}" ORDER BY rowid'):
            yield row, digest_of(table, *values)
