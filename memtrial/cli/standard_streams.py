"""Standard streams that are there from the first moment and never break the work, whoever reads them.

A closed one would be the number of the next file that is opened: what is printed would go into a ledger. A
reader that went away (`| head`, a terminal that hung up) is no reason to stop a run that is paid for.
"""

import errno
import io
import os
import select
import stat
import sys
from typing import Any, TextIO


class Outlet(io.FileIO):
    """Standard output or standard error; after the first fault it takes what comes and writes nothing."""

    fault: OSError | None = None

    def write(self, data: Any) -> int:
        """Write, waiting for a reader that is slow."""
        while self.fault is None:
            try:
                written = super().write(data)
            except OSError as fault:
                self.fault = fault
                break
            if written is not None:
                return written
            select.select([], [self], [])
        return len(data)


def open_streams() -> None:
    """Open what is closed on nothing, and let no fault of a stream rise; before any file is opened."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            # the lowest free number is this one; what is begun from here has it too
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)
    sys.stdin = sys.stdin or io.TextIOWrapper(io.FileIO(0, closefd=False))
    sys.stdout, sys.stderr = _sturdy(sys.stdout, 1), _sturdy(sys.stderr, 2)


def _sturdy(stream: TextIO | None, number: int) -> TextIO:
    """The same stream over an outlet; one that somebody put in its place stays."""
    if stream is not None:
        if not isinstance(getattr(stream, "buffer", None), io.FileIO | io.BufferedWriter):
            return stream
        stream.flush()
    outlet = io.BufferedWriter(Outlet(number, "w", closefd=False))
    encoding = stream.encoding if stream is not None else "utf-8"
    return io.TextIOWrapper(outlet, encoding, "replace", line_buffering=True)


def has_no_reader(stream: TextIO) -> bool:
    """Whether its reader went away, as far as writing has shown."""
    fault = _fault_of(stream)
    if fault is None or fault.errno in (errno.EPIPE, errno.ECONNRESET):
        return fault is not None
    # a terminal that hung up says EIO, as a broken disk does
    return fault.errno == errno.EIO and not stat.S_ISREG(os.fstat(stream.fileno()).st_mode)


def lost(stream: TextIO) -> OSError | None:
    """The fault by which output was lost that somebody waits for, on a full disk; None where none was."""
    stream.flush()
    return None if has_no_reader(stream) else _fault_of(stream)


def _fault_of(stream: TextIO) -> OSError | None:
    raw = getattr(getattr(stream, "buffer", None), "raw", None)
    return raw.fault if isinstance(raw, Outlet) else None
