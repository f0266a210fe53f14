"""JSON lines, and the rows that Python code has as a list of dicts."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path

from memtrial.outcomes.sheet import Sheet, sheet_of, unreadable
from memtrial.outcomes.table_fault import TableFault

_MOST_KEYS = 1_000
"""A table in which every row brings another key would grow with the square of its rows."""


def sheet_of_rows(rows: Iterable[Mapping[object, object]], name: str) -> Sheet:
    """Make a sheet of rows by key; a key that a row lacks is an empty text. Raises TableFault: no rows."""
    kept: list[Mapping[object, object]] = []
    heads: dict[str, None] = {}
    for number, row in enumerate(rows, 1):
        if not isinstance(row, Mapping) or not all(isinstance(key, str) for key in row):
            raise TableFault(
                f"a row of {name} is a mapping from a column's name to its value; row {number} is"
                f" {type(row).__name__}"
            )
        heads |= dict.fromkeys(str(key) for key in row)
        if len(heads) > _MOST_KEYS:
            raise TableFault(f"at most {_MOST_KEYS:,} keys are read; {name} has more by line {number}")
        kept.append(row)
    return sheet_of({head: [row.get(head) for row in kept] for head in heads})


def read_json_lines(path: Path) -> Sheet:
    """Read one object a line. Raises TableFault: a line is none."""
    # by hand: polars refuses the NaN that Python's json writes, and names no line
    rows: list[Mapping[object, object]] = []
    with path.open(encoding="utf-8-sig") as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                row = json.loads(line)
            except (ValueError, RecursionError) as fault:
                raise unreadable(path, f"cannot be read: line {number} is no JSON object: {fault}") from fault
            if not isinstance(row, dict):
                raise unreadable(path, f"cannot be read: line {number} is no JSON object")
            rows.append(row)
    return sheet_of_rows(rows, str(path))
