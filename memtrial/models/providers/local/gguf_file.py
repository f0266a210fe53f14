"""A file of weights in the GGUF format, checked before a server is started on it.

Source: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md. Little-endian files alone, version 2 or 3.
"""

import os
import stat
import struct
from collections.abc import Mapping
from functools import lru_cache
from hashlib import sha256
from math import prod
from pathlib import Path
from typing import BinaryIO

from memtrial.models.client.types import ModelFault

MAGIC = b"GGUF"
VERSIONS = (2, 3)
MOST_ENTRIES = 1_000_000
"""Settings or tensors of one file; real ones have hundreds."""
MOST_VALUES = 10_000_000
"""Values of one list, such as the words of a vocabulary."""
LONGEST_KEY = 65_536
MOST_DIMENSIONS = 4
ALIGNMENT, DEFAULT_ALIGNMENT = b"general.alignment", 32

FIXED: Mapping[int, str] = {
    0: "<B", 1: "<b", 2: "<H", 3: "<h", 4: "<I", 5: "<i", 6: "<f", 7: "<B", 10: "<Q", 11: "<q", 12: "<d",
}  # fmt: skip
"""Types of values that have a fixed size, as `struct` writes them."""
TEXT, LIST = 8, 9

BLOCKS: Mapping[int, tuple[int, int]] = {
    0: (1, 4), 1: (1, 2), 2: (32, 18), 3: (32, 20), 6: (32, 22), 7: (32, 24), 8: (32, 34), 9: (32, 36),
    10: (256, 84), 11: (256, 110), 12: (256, 144), 13: (256, 176), 14: (256, 210), 15: (256, 292),
    16: (256, 66), 17: (256, 74), 18: (256, 98), 19: (256, 50), 20: (32, 18), 21: (256, 110), 22: (256, 82),
    23: (256, 136), 24: (1, 1), 25: (1, 2), 26: (1, 4), 27: (1, 8), 28: (1, 8), 29: (256, 56), 30: (1, 2),
    34: (256, 54), 35: (256, 66), 39: (32, 17),
}  # fmt: skip
"""Kind of tensor → numbers in a block, and its bytes. Of a newer kind only the first byte is counted."""


def check_gguf(path: Path) -> int:
    """The size of a complete file of weights, in bytes.

    Raises:
        ModelFault: it is missing, a folder, no GGUF of a known version, or shorter than its header says.
    """
    try:
        state = path.stat()
        if not stat.S_ISREG(state.st_mode):
            kind = "a folder" if stat.S_ISDIR(state.st_mode) else "no plain file"
            raise ModelFault(f"a GGUF file is needed; {path} is {kind}")
        with path.open("rb") as file:
            needed = _Header(file, state.st_size).needed_bytes()
    except FileNotFoundError:
        raise ModelFault(f"a GGUF file is needed; there is no {path}") from None
    except OSError as fault:
        raise ModelFault(f"a GGUF file is needed; {path} cannot be read: {fault.strerror}") from None
    except struct.error:
        raise ModelFault(
            f"a whole GGUF file is needed; {path} ends within its header; get it again"
        ) from None
    except ValueError as fault:
        raise ModelFault(f"a whole GGUF file is needed; {path} is damaged: {fault}; get it again") from None
    if state.st_size < needed:
        raise ModelFault(
            f"a whole GGUF file is needed; {path} has {state.st_size:,} bytes of {needed:,}: it is cut off;"
            " get it again"
        )
    return state.st_size


class _Header:
    """Reads a header front to back, once; ValueError, or struct.error at its end, where it makes no sense."""

    def __init__(self, file: BinaryIO, size: int) -> None:
        self.file, self.left = file, size

    def needed_bytes(self) -> int:
        """The size that the file must have at least."""
        if (magic := self.file.read(4)) != MAGIC:
            raise ValueError(f"it begins with {magic!r} and not with {MAGIC!r}")
        if (version := self._number("<I")) not in VERSIONS:
            raise ValueError(f"its version is {version}, and 2 and 3 can be read")
        n_tensors, n_settings = self._count(MOST_ENTRIES), self._count(MOST_ENTRIES)
        alignment = DEFAULT_ALIGNMENT
        for _ in range(n_settings):
            key = self._text(LONGEST_KEY)
            value = self._value(self._number("<I"))
            if key == ALIGNMENT:
                alignment = value
        if alignment < 1:
            raise ValueError("its alignment is no positive number")
        end = max((self._tensor_end() for _ in range(n_tensors)), default=0)
        begin = -(-self.file.tell() // alignment) * alignment
        return begin + end if n_tensors else self.file.tell()

    def _tensor_end(self) -> int:
        """Where a tensor ends, behind the beginning of the data."""
        self._text(LONGEST_KEY)
        n_dimensions = self._number("<I")
        if n_dimensions > MOST_DIMENSIONS:
            raise ValueError(f"a tensor has {n_dimensions} dimensions")
        n_numbers = prod(self._number("<Q") for _ in range(n_dimensions))
        block, n_bytes = BLOCKS.get(self._number("<I"), (max(1, n_numbers), 1))
        return self._number("<Q") + -(-n_numbers // block) * n_bytes

    def _value(self, kind: int) -> int:
        """Pass over a value; what it is where it is a whole number, 0 otherwise."""
        if kind == TEXT:
            self._skip(self._number("<Q"))
        elif kind == LIST:
            self._list()
        elif kind in FIXED:
            return int(self._number(FIXED[kind])) if kind not in (6, 12) else self._skip_fixed(kind)
        else:
            raise ValueError(f"a value is of the unknown kind {kind}")
        return 0

    def _skip_fixed(self, kind: int) -> int:
        self._skip(struct.calcsize(FIXED[kind]))
        return 0

    def _list(self) -> None:
        kind, n_values = self._number("<I"), self._count(MOST_VALUES)
        if kind in FIXED:
            self._skip(n_values * struct.calcsize(FIXED[kind]))
        elif kind == TEXT:
            for _ in range(n_values):
                self._skip(self._number("<Q"))
        else:
            raise ValueError(f"a list is of the unknown kind {kind}")

    def _count(self, most: int) -> int:
        number = self._number("<Q")
        if number > most:
            raise ValueError(f"it claims {number:,} entries")
        return number

    def _text(self, most: int) -> bytes:
        length = self._number("<Q")
        if length > most:
            raise ValueError(f"a name is {length:,} bytes long")
        return self.file.read(length)

    def _number(self, form: str) -> int:
        return int(struct.unpack(form, self.file.read(struct.calcsize(form)))[0])

    def _skip(self, n_bytes: int) -> None:
        if n_bytes > self.left:
            raise ValueError(f"a value is {n_bytes:,} bytes long")
        self.file.seek(n_bytes, os.SEEK_CUR)


def digest_gguf(path: Path) -> str:
    """The sha256 of a file, in hexadecimal digits; read anew where the file was changed."""
    state = path.stat()
    return _digest(path, state.st_size, state.st_mtime_ns)


@lru_cache(maxsize=16)
def _digest(path: Path, size: int, changed_ns: int) -> str:  # noqa: ARG001
    whole = sha256()
    with path.open("rb") as file:
        while piece := file.read(1 << 20):
            whole.update(piece)
    return whole.hexdigest()
