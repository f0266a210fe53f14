"""JSON lines, an array of objects, and the rows that Python code has as a list of dicts."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from memtrial.outcomes.count_words import list_names
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


def read_json(path: Path, encoding: str) -> Sheet:
    """Read an array of objects, an object that holds one such array, or one object a line.

    Raises:
        TableFault: it is other JSON, or none.
    """
    text = path.read_text(encoding=encoding)
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as fault:
        if text.lstrip()[:1] == "{":
            return read_json_lines(path, encoding)
        raise unreadable(path, f"cannot be read: it is no JSON: {fault}") from fault
    if isinstance(value, list):
        return sheet_of_rows(value, str(path))
    arrays = [key for key, rows in value.items() if rows and _are_rows(rows)]
    if len(arrays) == 1:
        sheet = sheet_of_rows(value[arrays[0]], f"{arrays[0]!r} in {path}")
        return replace(sheet, notes=(f"rows are those of {arrays[0]!r} in {path.name}",))
    raise unreadable(
        path, f"is other JSON, an object of {list_names(list(value))}: write an array of objects, a row each"
    )


def _are_rows(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(row, dict) for row in value)


def read_json_lines(path: Path, encoding: str = "utf-8-sig") -> Sheet:
    """Read one object a line. Raises TableFault: a line is none."""
    # by hand: polars refuses the NaN that Python's json writes, and names no line
    rows: list[Mapping[object, object]] = []
    with path.open(encoding=encoding) as lines:
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
