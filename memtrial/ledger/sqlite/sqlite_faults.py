"""What SQLite says is wrong: a full disk, a damaged file, or a mistake of ours."""

import sqlite3

DatabaseFault = sqlite3.Error
"""Raised where a ledger's file cannot be read or written in the middle of the work."""
_NO_ROOM = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR)
_RAISED = "user-defined function raised exception"
_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


def has_no_room(fault: BaseException | None) -> bool:
    """The disk is full or does not answer: no mistake in the command."""
    return _primary_code(fault) in _NO_ROOM


def is_damaged(fault: BaseException | None) -> bool:
    """The file is not what was written."""
    return _primary_code(fault) in _DAMAGED


def interrupt_in(fault: sqlite3.OperationalError) -> KeyboardInterrupt | None:
    """The interrupt that came while SQLite called a function of ours, which it reports as a fault of that
    function; None where the fault is another. Ours raise nothing by themselves."""
    return KeyboardInterrupt() if str(fault) == _RAISED else None


def _primary_code(fault: BaseException | None) -> int:
    return int(getattr(fault, "sqlite_errorcode", 0)) & 0xFF
