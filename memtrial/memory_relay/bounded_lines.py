"""Lines of somebody else's process, each at most so long, read as they come."""

import os
import select
import time
from collections.abc import Iterator
from dataclasses import dataclass, field

LARGEST = 4 * 1024 * 1024
"""Bytes of a message."""
MOST = 64 * 1024 * 1024
"""Bytes of all messages of a trial."""
PIECE = 64 * 1024


class RelayFault(RuntimeError):
    """The memory server did what no server may, or is not there. One line."""


@dataclass
class BoundedLines:
    """Reads a descriptor line by line.

    Args:
        until: on the monotonic clock, when reading ends with a fault; None: never.
    """

    descriptor: int
    until: float | None = None
    _kept: bytearray = field(default_factory=bytearray)
    _size: int = 0

    def __iter__(self) -> Iterator[bytes]:
        """Each line without its line break; what stands behind the last one is left out.

        Raises:
            RelayFault: a line, or all of them, is too long, or the time is over.
        """
        while piece := self._read():
            self._size += len(piece)
            if self._size > MOST:
                raise RelayFault(f"sent more than {MOST // 2**20} MiB")
            *ended, rest = piece.split(b"\n")
            for line in ended:
                self._keep(line)
                whole = bytes(self._kept)
                self._kept.clear()
                yield whole
            self._keep(rest)

    def _keep(self, part: bytes) -> None:
        self._kept += part
        if len(self._kept) > LARGEST:
            raise RelayFault(f"sent a message of more than {LARGEST // 2**20} MiB")

    def _read(self) -> bytes:
        if self.until is not None:
            left = self.until - time.monotonic()
            if left <= 0 or not select.select([self.descriptor], [], [], left)[0]:
                raise RelayFault("did not answer in time")
        return os.read(self.descriptor, PIECE)
