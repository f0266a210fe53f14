"""Opening a ledger to look at it, while somebody else may be writing it; nothing is left behind."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from ledger.private_file import database_files, refuse_foreign
from ledger.schema import missing_in


def look_at(path: Path) -> sqlite3.Connection:
    """A connection that can change nothing and sees one moment of the file.

    Raises:
        sqlite3.Error: it cannot be opened.
        ValueError: it is no ledger of this version.
        ForeignFault: one of its files is a link, or no file.
    """
    for one in database_files(path):
        refuse_foreign(one)
    waiting = path.with_name(f"{path.name}-wal")
    if not waiting.exists():
        # nobody writes it: the files by which readers and writers agree need not be made
        return _opened(path, "mode=ro&immutable=1")
    try:
        return _opened(path, "mode=ro")
    except sqlite3.OperationalError:
        # a folder that cannot be written, as a copy on a disk for reading alone, has no place for those files
        if waiting.stat().st_size:
            raise
        return _opened(path, "mode=ro&immutable=1")


def _opened(path: Path, how: str) -> sqlite3.Connection:
    connection = sqlite3.connect(f"{path.resolve().as_uri()}?{how}", uri=True)
    try:
        # one snapshot for all that is read, although the run goes on
        connection.execute("BEGIN")
        if missing := missing_in(connection):
            raise ValueError(f"something else, or of another version: it has no {', '.join(missing)}")
    except (sqlite3.Error, ValueError):
        connection.close()
        raise
    return connection
