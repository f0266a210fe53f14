"""The log of one session of a run."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TextIO

from memtrial.console.standard_output import complain
from memtrial.private_file import make_private, private


@dataclass
class AttemptLog:
    """Lines are written at once. A log that cannot be written is closed, and the run continues without it."""

    path: Path
    file: TextIO | None = None

    def say(self, text: str) -> None:
        """Write one line: ISO 8601 time in UTC, then the text without line breaks."""
        if self.file is None:
            return
        try:
            stamp = datetime.now(UTC).isoformat(timespec="seconds")
            self.file.write(" ".join([stamp, *text.split()]) + "\n")
            self.file.flush()
        except OSError as fault:
            with suppress(OSError):
                self.file.close()  # tries once more to write what did not fit
            self.file = None
            complain(f"no log is kept from here on, {self.path}: {fault}")


def log_path(folder: Path, number: int) -> Path:
    """Where the log of a run's n-th session lies."""
    return folder / "logs" / f"attempt_{number}.log"


@contextmanager
def attempt_log(folder: Path, number: int) -> Iterator[AttemptLog]:
    """The log of a run's n-th session, counted from 1."""
    log = AttemptLog(log_path(folder, number))
    try:
        make_private(log.path.parent)
        # half of a surrogate pair, as a truncated reply leaves it, is no reason to stop
        number = private(log.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        log.file = os.fdopen(number, "a", encoding="utf-8", errors="backslashreplace")
    except OSError as fault:
        complain(f"no log is kept, {log.path}: {fault}")
    try:
        yield log
    finally:
        if log.file is not None:
            log.file.close()
