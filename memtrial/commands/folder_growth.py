"""How much a folder holds, looked up a few entries at a time while a command fills it."""

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

BLOCK = 512
STEP = 2000
"""Entries that are looked at in one go."""


@dataclass
class FolderGrowth:
    """The bytes on the disk below a folder, walked again and again; no link is followed.

    Args:
        bytes: of the last walk that was finished, or of the one under way where that is more.
    """

    folder: Path
    bytes: int = 0
    _walk: Iterator[int] | None = field(default=None, repr=False)
    _sum: int = 0

    def look(self) -> int:
        """Go on for some entries: the bytes as far as known."""
        if self._walk is None:
            self._walk, self._sum = _sizes(self.folder), 0
        for number, size in enumerate(self._walk, 1):
            self._sum += size
            if number >= STEP:
                self.bytes = max(self.bytes, self._sum)
                return self.bytes
        self._walk, self.bytes = None, self._sum
        return self.bytes


def _sizes(folder: Path) -> Iterator[int]:
    waiting = [str(folder)]
    while waiting:
        try:
            entries = os.scandir(waiting.pop())
        except OSError:
            continue  # gone just now, closed to us, or too deep for a path
        with entries:
            for entry in entries:
                try:
                    state = entry.stat(follow_symlinks=False)
                    inner = entry.is_dir(follow_symlinks=False)
                except OSError:
                    continue
                if inner:
                    waiting.append(entry.path)
                yield state.st_blocks * BLOCK
