"""Opening a run to read it: nothing of it is changed, and a process that is playing it is not disturbed."""

from __future__ import annotations

import fcntl
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from loadbearing.ledger.private_file import private
from loadbearing.ledger.store import Ledger
from loadbearing.ledger.stored import LedgerFault
from loadbearing.runs.errors import SpecFault
from loadbearing.runs.folder.run_folder import LEDGER, LOCK, find_run


@contextmanager
def reading(named: Path) -> Iterator[tuple[Path, Ledger]]:
    """The folder and the ledger of a run, as they stand now; SpecFault where it cannot be read."""
    folder = find_run(named)
    try:
        ledger = Ledger.reading(folder / LEDGER)
    except LedgerFault as fault:
        raise SpecFault(str(fault)) from fault
    try:
        yield folder, ledger
    except LedgerFault as fault:
        raise SpecFault(f"{folder}: {fault}") from fault
    except sqlite3.Error as fault:
        raise SpecFault(f"an intact ledger is needed; {folder / LEDGER} is damaged: {fault}") from fault
    finally:
        ledger.close()


def going_on(folder: Path) -> bool:
    """Whether a process is carrying out this run now."""
    try:
        with open(folder / LOCK, "rb", opener=private) as lock:
            # shared, so that two who look do not see each other; let go at once
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError as fault:
        return isinstance(fault, BlockingIOError)
    return False
