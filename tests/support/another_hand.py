"""Another hand in a ledger: one that changes rows, and one that computes their seals anew as well."""

import sqlite3
from pathlib import Path

from memtrial.ledger.sqlite.row_bodies import bodies_of
from memtrial.ledger.sqlite.row_seals import NAMED, digest_of, tables_of


def changed(path: Path, *statements: str) -> None:
    """Rows changed behind the ledger's back; its triggers go first, as they would forbid it."""
    connection = sqlite3.connect(path)
    bodies_of(connection)
    for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
        connection.execute(f"DROP TRIGGER {name}")
    for statement in statements:
        assert connection.execute(statement).rowcount != 0, f"it changed nothing: {statement}"
    connection.commit()
    connection.close()


def forged(path: Path, statement: str) -> None:
    """The same by a forger: every seal fits what stands there now."""
    changed(path, statement, "DELETE FROM seals")
    connection = sqlite3.connect(path)
    connection.create_function("digest_of", -1, digest_of)
    for table, columns in tables_of(connection).items():
        connection.execute(
            "INSERT INTO seals (of_table, name, digest)"
            f" SELECT '{table}', json_array({NAMED.get(table, '')}),"
            f" digest_of('{table}', {', '.join(columns)})"
            f" FROM {table} ORDER BY rowid"
        )
    connection.commit()
    connection.close()
