"""Tables to sheets: CSV, Parquet and JSON lines files, and frames of polars and pandas."""

import csv
import gzip
import io
import json
import re
import zlib
from itertools import islice
from pathlib import Path
from typing import BinaryIO, cast

import polars as pl
from polars.exceptions import PanicException, PolarsError

from loadbearing.outcomes.count_words import how_many, listed
from loadbearing.outcomes.sheet import PandasFrame, Sheet, refuse_shared_names, sheet_of, sheet_of_frame
from loadbearing.outcomes.spreadsheet import unguarded
from loadbearing.outcomes.table_fault import TableFault, unreadable

_HEAD = 1 << 16
"""Bytes by which the form and the delimiter of a file are known."""
_DELIMITERS = {",": "commas", ";": "semicolons", "\t": "tabs"}
_LONGEST_CELL = 1 << 20
_GROUP = 1 << 10
_MOST_KEYS = 1_000
"""A file in which every line brings another key would grow with the square of its lines."""


def read_sheet(table: Path | str | pl.DataFrame | PandasFrame) -> Sheet:
    """Read a table; all of its columns become text.

    Raises:
        TableFault: there is no such file, it is no table, or it has no rows; one line each.
    """
    sheet = _file_sheet(Path(table)) if isinstance(table, Path | str) else sheet_of_frame(table)
    if not (sheet.frame.height or sheet.unread):
        raise TableFault("a table of outcomes needs one row a trial; this one has no rows below its header")
    return sheet


def _file_sheet(path: Path) -> Sheet:
    if not path.is_file():
        raise unreadable(path, "is a folder" if path.is_dir() else "is not there")
    ending = path.suffix.lower()
    try:
        if ending in (".parquet", ".pq"):
            return sheet_of_frame(pl.read_parquet(path.read_bytes()))
        with _opened(path) as file:
            head = file.read(_HEAD)
        if not head.strip():
            raise unreadable(path, "is empty")
        if b"\0" in head:
            raise unreadable(path, "is binary: save a sheet as CSV in UTF-8")
        as_lines = ending in (".jsonl", ".ndjson")
        text = head.removeprefix(b"\xef\xbb\xbf").lstrip()
        if re.match(rb"\[\s*[\[{\]]", text) or (not as_lines and re.match(rb"\{\s*[\"}]", text)):
            raise unreadable(path, "is other JSON: write it with one object a line and the ending .jsonl")
        return _json_sheet(path) if as_lines else _csv_sheet(path, head)
    except UnicodeDecodeError as fault:
        raise unreadable(path, "is not UTF-8: save it as CSV or JSON lines in UTF-8") from fault
    # polars panics at some damaged Parquet files
    except (PolarsError, PanicException, OSError, EOFError, zlib.error, csv.Error, UnicodeError) as fault:
        said = (str(fault).strip().splitlines() or [type(fault).__name__])[0]
        raise unreadable(path, f"cannot be read: {said}") from fault


def _opened(path: Path) -> BinaryIO:
    return cast(BinaryIO, gzip.open(path)) if path.suffix.lower() == ".gz" else path.open("rb")


def _json_sheet(path: Path) -> Sheet:
    """One object a line; keys that a line lacks are missing values."""
    # by hand: polars refuses the NaN that Python's json writes, and names no line
    columns: dict[str, list[object]] = {}
    n_rows = 0
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
            for head in row:
                columns.setdefault(head, [None] * n_rows)
            if len(columns) > _MOST_KEYS:
                raise TableFault(f"at most {_MOST_KEYS:,} keys are read; {path} has more by line {number}")
            for head, values in columns.items():
                values.append(row.get(head))
            n_rows += 1
    return sheet_of(columns)


def _csv_sheet(path: Path, head: bytes) -> Sheet:
    """A table under a header, in UTF-8."""
    names, delimiter = _header(path, head.decode("utf-8-sig", "replace"))
    notes = () if delimiter == "," else (f"columns are separated by {_DELIMITERS[delimiter]}",)
    return Sheet(_csv_frame(path, delimiter, names), notes=notes)


def _header(path: Path, text: str) -> tuple[list[str], str]:
    """Names of the columns, and the delimiter: the one that splits the header into the most cells."""
    found = []
    for delimiter in _DELIMITERS:
        rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
        found.append((next(filter(None, rows)), delimiter))
    names, delimiter = max(found, key=lambda one: len(one[0]))
    if len(names) < 2:
        raise TableFault(
            "columns separated by commas, semicolons or tabs are needed, under a header; "
            f"{path} has one column, {listed(names)}"
        )
    names = [unguarded(name) for name in names]
    refuse_shared_names(names, str(path))
    return names, delimiter


def _csv_frame(path: Path, delimiter: str, names: list[str]) -> pl.DataFrame:
    # polars fills short rows with nothing and refuses quotes inside a text; the csv module does neither
    csv.field_size_limit(_LONGEST_CELL)
    schema = dict.fromkeys(names, pl.String)
    groups = [pl.DataFrame(schema=schema)]
    with io.TextIOWrapper(_opened(path), "utf-8-sig", newline="") as lines:
        rows = filter(None, csv.reader(lines, delimiter=delimiter))  # empty lines are skipped
        next(rows)
        while group := list(islice(rows, _GROUP)):
            for number, row in enumerate(group, 1 + _GROUP * (len(groups) - 1)):
                if len(row) != len(names):
                    counts = (
                        f"{how_many(len(names), 'column')} and row {number} has {how_many(len(row), 'cell')}"
                    )
                    shown = " ".join(" | ".join(row).split())[:80]
                    raise unreadable(path, f"cannot be read: its header has {counts}: {shown}")
            columns = zip(names, zip(*group, strict=True), strict=True)
            groups.append(pl.DataFrame(dict(columns), schema=schema))
    return pl.DataFrame([_texts(column) for column in pl.concat(groups)])


def _texts(column: pl.Series) -> pl.Series:
    """Each distinct cell once: exactly the text that was guarded, else without the spaces around it."""
    raw = column.unique()
    texts = [cell.strip() if unguarded(cell) == cell else unguarded(cell) for cell in raw]
    return column.replace_strict(raw, texts, return_dtype=pl.String)
