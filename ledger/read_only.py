"""Opening a ledger: to write it, or to look at it while somebody else may be writing it."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path

from loadbearing.ledger.audit import Damage, audit, refuse_damaged
from loadbearing.ledger.private_file import claim_database, database_files, refuse_foreign
from loadbearing.ledger.schema import lay, missing_in
from loadbearing.ledger.seals import lay_seals
from loadbearing.ledger.stored import LedgerFault


def write_at(path: Path, mend: bool) -> tuple[sqlite3.Connection, Damage]:
    """A connection that adds rows and their seals, and what it does not see. A file is begun where none is.

    Args:
        mend: it is opened so that what cannot be trusted can be set aside and done again.

    Raises:
        LedgerFault: the file is no ledger of this version, or what its trials rest on was changed.
        ForeignFault: one of its files is a link, or no file.
    """
    return _audited(path, _to_write, "opened", mend)


def look_at(path: Path, mend: bool) -> tuple[sqlite3.Connection, Damage]:
    """A connection that can change nothing and sees one moment of the file, and leaves nothing behind.

    Raises:
        LedgerFault, ForeignFault: as for writing.
    """
    return _audited(path, _to_read, "read", mend)


def _audited(
    path: Path, opened: Callable[[Path], sqlite3.Connection], how: str, mend: bool
) -> tuple[sqlite3.Connection, Damage]:
    try:
        connection = opened(path)
    except (sqlite3.Error, ValueError, OSError) as fault:
        raise LedgerFault(f"a ledger is needed; {path} cannot be {how} as one: {fault}") from fault
    try:
        damage = audit(connection)
        refuse_damaged(damage, mend)
    except LedgerFault as fault:
        connection.close()
        raise LedgerFault(f"{path}: {fault}") from fault
    except sqlite3.Error as fault:
        connection.close()
        raise LedgerFault(f"an intact ledger is needed; {path} is damaged: {fault}") from fault
    return connection, damage


def _to_write(path: Path) -> sqlite3.Connection:
    claim_database(path)
    connection = sqlite3.connect(path)
    try:
        lay(connection)
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=NORMAL")
        # a checkpoint waits for the disk: one every 40 MB instead of every 4
        connection.execute("PRAGMA wal_autocheckpoint=10000")
        lay_seals(connection)
    except (sqlite3.Error, ValueError):
        connection.close()
        raise
    return connection


def _to_read(path: Path) -> sqlite3.Connection:
    for one in database_files(path):
        refuse_foreign(one)
    waiting = path.with_name(f"{path.name}-wal")
    if not waiting.exists():
        # nobody writes it: the files by which readers and writers agree need not be made
        return _snapshot(path, "mode=ro&immutable=1")
    try:
        return _snapshot(path, "mode=ro")
    except sqlite3.OperationalError:
        # a folder that cannot be written, as a copy on a disk for reading alone, has no place for those files
        if waiting.stat().st_size:
            raise
        return _snapshot(path, "mode=ro&immutable=1")


def _snapshot(path: Path, how: str) -> sqlite3.Connection:
    connection = sqlite3.connect(f"{path.resolve().as_uri()}?{how}", uri=True)
    try:
        connection.execute("PRAGMA temp_store=MEMORY")
        # one snapshot for all that is read, although the run goes on
        connection.execute("BEGIN")
        if missing := missing_in(connection):
            raise ValueError(f"something else, or of another version: it has no {', '.join(missing)}")
    except (sqlite3.Error, ValueError):
        connection.close()
        raise
    return connection
