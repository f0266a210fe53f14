"""Who decides on the drafts of a run folder, and when: one at a time, and beside another process only while
its page is served.

The system lets go of both locks when a process ends. They are on the folder and on its `review_address`,
which are there anyhow; a lock on the ledger file would take SQLite's own away.
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

from memtrial.private_file import private
from memtrial.runs.run_folder.folder import REVIEW_ADDRESS, alone_in, is_locked


@contextmanager
def alone_deciding(folder: Path) -> Iterator[None]:
    """One who decides at a time, among threads and processes; others wait. OSError: no such folder."""
    held = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(held, fcntl.LOCK_EX)
        yield
    finally:
        os.close(held)


@contextmanager
def page_held(folder: Path) -> Iterator[None]:
    """The page of this folder is served in this block; its address is kept there already.

    The block ends between two decisions, so that none is taken once the run has read them.
    """
    with open(folder / REVIEW_ADDRESS, "rb", opener=private) as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # `page_is_open` holds it for a moment
        try:
            yield
        finally:
            with alone_deciding(folder):
                fcntl.flock(lock, fcntl.LOCK_UN)


def page_is_open(folder: Path) -> bool:
    """Whether a process serves the page of this folder now."""
    return is_locked(folder / REVIEW_ADDRESS)


@contextmanager
def entered_run(folder: Path) -> Iterator[None]:
    """Whoever does not carry the run out may decide in this block: beside its page, or alone in the folder.

    SpecFault: another process carries it out, and serves no page.
    """
    with nullcontext() if page_is_open(folder) else alone_in(folder):
        yield
