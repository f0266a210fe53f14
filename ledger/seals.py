"""Seals: the digest of every row, kept apart from it in the same transaction.

By them a row that was changed, added or taken away by another hand is noticed. They guard against damage and
against edits, not against forgery: who changes a row and computes its seal anew is not noticed here. For that
there is `lock.json`, whose digest can be published.
"""

import sqlite3
from collections.abc import Iterator
from hashlib import sha256

from loadbearing.ledger.schema import TABLES
from loadbearing.ledger.stored import LedgerFault

NAMED = {"facts": "name", "trials": "backbone, task, repeat, key", "episodes": "key"}
"""Columns that a seal repeats, as JSON, so that a row that is gone can still be named."""

Item = tuple[str, int]
"""A table and the rowid of a row in it; a seal is a row of the table `seals`."""


def digest_of(table: str, *values: object) -> bytes:
    """Sha256 of a row: its table, and type, length and bytes of each column in order.

    Args:
        values: None, int, float, str or bytes. A str may hold bytes that are no UTF-8 as surrogates.
    """
    hashed = sha256(f"{table}\n".encode())
    for value in values:
        if isinstance(value, str | bytes):
            kind = b"b" if isinstance(value, bytes) else b"s"
            body = value if isinstance(value, bytes) else value.encode("utf-8", "surrogateescape")
            hashed.update(b"%s%d:" % (kind, len(body)))
            hashed.update(body)
        else:
            # SQLite keeps no negative zero
            hashed.update(f"|{value + 0.0 if isinstance(value, float) else value!r}".encode())
    return hashed.digest()


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
    return {
        name: tuple(row[1] for row in connection.execute(f'PRAGMA main.table_info("{name}")'))
        for name in names
    }


def compared(connection: sqlite3.Connection) -> Iterator[tuple[str, set[int], set[int]]]:
    """Every table that has seals, or has to have them: its rows without a seal, and its seals without a row.

    Raises:
        LedgerFault: seals are gone.
    """
    sealed: dict[str, dict[object, list[int]]] = {name: {} for name in TABLES}
    query = "SELECT number, of_table, digest FROM main.seals ORDER BY number"
    for wanted, (number, table, digest) in enumerate(connection.execute(query), 1):
        if number != wanted:
            raise LedgerFault(
                f"an intact ledger is needed; of its seals number {wanted} is gone: restore a copy of"
                " the file, or begin anew with --clean"
            )
        sealed.setdefault(str(table), {}).setdefault(digest, []).append(number)
    there = tables_of(connection)
    for name, seals in sealed.items():
        alone = set()
        rows = connection.execute(f'SELECT rowid, * FROM main."{name}"') if name in there else ()
        for row, *values in rows:
            if numbers := seals.get(digest_of(name, *values)):
                numbers.pop()
            else:
                alone.add(row)
        yield name, alone, {number for numbers in seals.values() for number in numbers}
