"""A Parquet file on standard input becomes the lines of `log_lines` on standard output.

A process of its own: the library that reads such files ends its process at some damaged ones.
"""

import json
import subprocess
import sys
from pathlib import Path
from typing import BinaryIO

from memtrial.memory.stored_item import MemoryFault
from memtrial.reader_process import bound_process, reader_variables

PROGRAM = "memtrial.memory.bank.exports.parquet_lines"
HEAD = "memtrial"
"""Under which name the head stands in the file's own metadata."""
LONGEST_S = 300
UNREADABLE = 3


def lines_of(file: BinaryIO, path: Path) -> list[str]:
    """The lines of a Parquet file, the head first; MemoryFault where it cannot be read."""
    try:
        done = subprocess.run(
            [sys.executable, "-P", "-m", PROGRAM],
            stdin=file,
            capture_output=True,
            env=reader_variables(),
            timeout=LONGEST_S,
            check=False,
        )
    except subprocess.TimeoutExpired as fault:
        raise MemoryFault(f"{path} is damaged: its reader came to no end in {LONGEST_S} seconds") from fault
    if done.returncode:
        last = done.stderr.decode("utf-8", "replace").strip().splitlines()[-1:] or ["its reader broke off"]
        why = f": {last[0][:200]}" if done.returncode == UNREADABLE else ""
        raise MemoryFault(f"{path} is no export of a bank, or damaged{why}; nothing was imported")
    return done.stdout.decode().splitlines()


def print_lines(held: bytes) -> int:
    """The exit code; 0 where all was printed."""
    import polars as pl
    from polars.exceptions import PanicException, PolarsError

    try:
        head = pl.read_parquet_metadata(held).get(HEAD, "{}")
        frame = pl.read_parquet(held)
        sys.stdout.write(head.replace("\n", " ") + "\n")
        for row in frame.iter_rows(named=True):
            sys.stdout.write(json.dumps(row) + "\n")
    except (PolarsError, PanicException, OSError, ValueError, TypeError, OverflowError, MemoryError) as fault:
        sys.stderr.write((str(fault).strip().splitlines() or [type(fault).__name__])[0] + "\n")
        return UNREADABLE
    return 0


if __name__ == "__main__":
    bound_process()
    sys.exit(print_lines(sys.stdin.buffer.read()))
