"""JSON lines: one object a line."""

from __future__ import annotations

import codecs
import json
from pathlib import Path

from loadbearing.outcomes.sheet import Sheet, sheet_of
from loadbearing.outcomes.table_fault import TableFault, unreadable

_MOST_COLUMNS = 1_000
"""A file in which every line brings another key would grow with the square of its lines."""


def read_json_lines(path: Path) -> Sheet:
    """Read a table; keys that a line lacks are missing values.

    Raises:
        TableFault: a line is no JSON object, or there are no lines or too many keys.
    """
    # by hand: polars refuses the NaN that Python's json writes, and names no line
    columns: dict[str, list[object]] = {}
    n_rows = 0
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            text = line.removeprefix(codecs.BOM_UTF8) if number == 1 else line
            if not text.strip():
                continue
            row = _object(path, number, text)
            for head in row:
                columns.setdefault(head, [None] * n_rows)
            if len(columns) > _MOST_COLUMNS:
                raise TableFault(f"at most {_MOST_COLUMNS:,} keys are read; {path} has more by line {number}")
            for head, values in columns.items():
                values.append(row.get(head))
            n_rows += 1
    if not n_rows:
        raise unreadable(path, "is empty")
    return sheet_of(columns)


def _object(path: Path, number: int, text: bytes) -> dict[str, object]:
    try:
        row = json.loads(text, object_pairs_hook=_once)
    except (ValueError, RecursionError) as fault:
        said = str(fault)
    else:
        if isinstance(row, dict):
            return row
        said = f"it holds {type(row).__name__}"
    raise unreadable(path, f"cannot be read: line {number} is no JSON object that can be read: {said}")


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    row = dict(pairs)
    if len(row) < len(pairs):
        raise ValueError("a key is given twice")
    return row
