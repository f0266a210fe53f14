"""A file of Parquet, Arrow or CSV becomes its rows on standard output, a JSON object a line.

A process of its own, started by `task_rows`: the library that reads such files ends its process at some
damaged ones, which nothing in it can catch.
"""

import json
import sys
from pathlib import Path

import polars as pl
from polars.exceptions import PanicException, PolarsError

from memtrial.reader_process import bound_process


def read_frame(path: Path) -> pl.DataFrame:
    """The frame of a file, by its suffix."""
    if path.suffix == ".arrow":
        return pl.read_ipc_stream(path)
    return pl.read_csv(path) if path.suffix == ".csv" else pl.read_parquet(path)


def main(path: Path) -> None:
    """Write the rows, or one line on standard error and exit code 1."""
    try:
        rows = read_frame(path).to_dicts()
    except (PolarsError, PanicException, OSError, ValueError, OverflowError, MemoryError) as fault:
        lines = str(fault).strip().splitlines() or [type(fault).__name__]
        sys.exit(lines[0])
    for row in rows:
        sys.stdout.write(f"{json.dumps(row, default=str)}\n")


if __name__ == "__main__":
    bound_process()
    main(Path(sys.argv[1]))
