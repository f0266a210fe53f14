"""Opening a ledger: to write it, or to look at it while somebody else may be writing it."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from memtrial.ledger.row_text import LedgerFault
from memtrial.ledger.sqlite.audit import Damage, SeenRows, audit, refuse_damaged, see_all, see_rows
from memtrial.ledger.sqlite.audit_note import is_trusted
from memtrial.ledger.sqlite.row_seals import lay_seals
from memtrial.ledger.sqlite.tables import lay, missing_in, refuse_former
from memtrial.private_file import claim_database, database_files, refuse_foreign


def open_read_only(
    path: Path, writing: bool, glance: bool = False, running: bool = False, seen: SeenRows | None = None
) -> tuple[sqlite3.Connection, Damage]:
    """A connection, and what it does not see; a file is begun where none is and it is to be written.

    Args:
        glance: rows are not compared with their seals where they are trusted (`audit_note.py`).
        running: a session of the run is going on.
        seen: these rows alone are to be seen, which were compared.

    Raises:
        LedgerFault: the file is no ledger of this version, or what its trials rest on was changed.
    """
    try:
        connection = _to_write(path) if writing else _to_read(path)
    except (sqlite3.Error, ValueError, OSError) as fault:
        how = "opened" if writing else "read"
        raise LedgerFault(f"a ledger is needed; {path} cannot be {how} as one: {fault}") from fault
    try:
        if seen is not None:
            damage = see_rows(connection, seen)
        elif glance and is_trusted(path, connection, running):
            damage = see_all(connection)
        else:
            damage = audit(connection)
        refuse_damaged(damage)
    except LedgerFault as fault:
        connection.close()
        raise LedgerFault(f"{path}: {fault}") from fault
    except sqlite3.Error as fault:
        connection.close()
        raise LedgerFault(f"an intact ledger is needed; {path} is damaged: {fault}") from fault
    return connection, damage


def peek_trials(path: Path) -> tuple[int, int | None]:
    """Trials that were played and how many are planned, None before the first, for a list of many ledgers: no
    row is compared with its seal.

    Raises:
        LedgerFault: the file cannot be read as a ledger.
    """
    of_shard = "(SELECT sum(value) FROM facts, json_each(body, '$.planned') WHERE name = 'shard blocks')"
    query = f"SELECT coalesce({of_shard}, json_extract(body, '$.trials')) FROM facts WHERE name = 'plan'"
    try:
        with closing(_to_read(path)) as connection:
            (played,) = connection.execute("SELECT count(DISTINCT key) FROM trials").fetchone()
            planned = connection.execute(query).fetchone()
    except (sqlite3.Error, ValueError, OSError) as fault:
        raise LedgerFault(f"a ledger is needed; {path} cannot be read as one: {fault}") from fault
    return int(played), None if planned is None else int(planned[0])


def _to_write(path: Path) -> sqlite3.Connection:
    def prepare(connection: sqlite3.Connection) -> None:
        lay(connection)
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=NORMAL")
        # a checkpoint waits for the disk: one every 40 MB instead of every 4
        connection.execute("PRAGMA wal_autocheckpoint=10000")
        lay_seals(connection)

    claim_database(path)
    return _connect(str(path), prepare)


def _to_read(path: Path) -> sqlite3.Connection:
    def prepare(connection: sqlite3.Connection) -> None:
        connection.execute("PRAGMA temp_store=MEMORY")
        # one snapshot for all that is read, although the run goes on
        connection.execute("BEGIN")
        refuse_former(connection)
        if missing := missing_in(connection):
            raise ValueError(f"something else, or of another version: it has no {', '.join(missing)}")

    for file in database_files(path):
        refuse_foreign(file)
    where = f"{path.resolve().as_uri()}?mode=ro"
    waiting = path.with_name(f"{path.name}-wal")
    if waiting.exists():
        try:
            return _connect(where, prepare)
        except sqlite3.OperationalError:
            # a folder that cannot be written has no place for the files by which readers and writers agree
            if waiting.stat().st_size:
                raise
    return _connect(f"{where}&immutable=1", prepare)


def _connect(where: str, prepare: Callable[[sqlite3.Connection], None]) -> sqlite3.Connection:
    connection = sqlite3.connect(where, uri=where.startswith("file:"))
    try:
        prepare(connection)
    except (sqlite3.Error, ValueError):
        connection.close()
        raise
    return connection
