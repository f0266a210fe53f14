"""The log of one session: a line for each thing that happened, with its time."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TextIO

from loadbearing.ledger.private_file import make_private, private
from loadbearing.runs.progress.standard_output import complain


@dataclass
class AttemptLog:
    """Lines are written at once. A log that cannot be written is closed, and the run continues without it.

    Args:
        path: `logs/attempt_<n>.log` of a run folder.
    """

    path: Path
    _file: TextIO | None = None

    def open(self) -> None:
        """Open the file, or continue without it."""
        try:
            make_private(self.path.parent)
            # half of a surrogate pair, as a truncated reply leaves it, is no reason to stop
            number = private(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
            self._file = os.fdopen(number, "a", encoding="utf-8", errors="backslashreplace")
        except OSError as fault:
            self._give_up(fault)

    def say(self, text: str) -> None:
        """Write one line: ISO 8601 time in UTC, then the text without line breaks."""
        if self._file is None:
            return
        try:
            stamp = datetime.now(UTC).isoformat(timespec="seconds")
            self._file.write(" ".join([stamp, *text.split()]) + "\n")
            self._file.flush()
        except OSError as fault:
            self._give_up(fault)

    def close(self) -> None:
        """Close the file."""
        file, self._file = self._file, None
        if file is not None:
            try:
                file.close()
            except OSError as fault:
                self._give_up(fault)

    def _give_up(self, fault: OSError) -> None:
        file, self._file = self._file, None
        if file is not None:
            try:
                file.close()
            except OSError:
                file = None  # closing tries once more to write what did not fit
        complain(f"no log is kept from here on, {self.path}: {fault}")


def log_path(folder: Path, number: int) -> Path:
    """Where the log of a run's n-th session lies."""
    return folder / "logs" / f"attempt_{number}.log"


@contextmanager
def attempt_log(folder: Path, number: int) -> Iterator[AttemptLog]:
    """The log of a run's n-th session, counted from 1."""
    log = AttemptLog(log_path(folder, number))
    log.open()
    try:
        yield log
    finally:
        log.close()
