"""Tables to sheets: CSV, Parquet and JSON lines files, and frames of polars and pandas."""

from __future__ import annotations

import csv
import re
import zlib
from pathlib import Path

import polars as pl
from polars.exceptions import PanicException, PolarsError

from loadbearing.outcomes.csv_table import SAMPLE, opened, read_csv
from loadbearing.outcomes.json_lines import read_json_lines
from loadbearing.outcomes.sheet import PandasFrame, Sheet, sheet_of_frame
from loadbearing.outcomes.table_fault import TableFault, unreadable

_PARQUET, _JSON_LINES = (".parquet", ".pq"), (".jsonl", ".ndjson")
_AS_LINES = "write it with one object a line and the ending .jsonl"


def read_sheet(table: Path | str | pl.DataFrame | PandasFrame) -> Sheet:
    """Read a table; all of its columns become text.

    Raises:
        TableFault: there is no such file, it is no table, or it has no rows; one line each.
    """
    if isinstance(table, Path | str):
        name, sheet = str(table), _file_sheet(Path(table))
    else:
        name, sheet = "the frame", sheet_of_frame(table, "the frame")
    if not (sheet.frame.height or sheet.unread):
        raise TableFault(f"a table of outcomes needs one row a trial; {name} has no rows below its header")
    return sheet


def _file_sheet(path: Path) -> Sheet:
    if not path.is_file():
        raise unreadable(path, "is a folder" if path.is_dir() else "is not there")
    try:
        with opened(path) as file:
            head = file.read(SAMPLE)
        _refuse_other_forms(path, head)
        if path.name.lower().endswith(_PARQUET):
            with path.open("rb") as file:
                return sheet_of_frame(pl.read_parquet(file), str(path))
        if path.name.lower().endswith(_JSON_LINES):
            return read_json_lines(path)
        return read_csv(path, head)
    # polars panics at some damaged Parquet files
    except (PolarsError, PanicException, OSError, EOFError, zlib.error, csv.Error, UnicodeError) as fault:
        said = (str(fault).strip().splitlines() or [type(fault).__name__])[0]
        raise unreadable(path, f"cannot be read: {said}") from fault


def _refuse_other_forms(path: Path, head: bytes) -> None:
    """Say of a file in another form, known by its first bytes, what it is and what to do with it."""
    name, text = path.name.lower(), head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if head.startswith((b"PK\x03\x04", b"\xd0\xcf\x11\xe0")):
        raise unreadable(path, "is an Excel workbook or an archive: save the sheet as CSV")
    if head.startswith(b"PAR1") and not name.endswith(_PARQUET):
        raise unreadable(path, "is Parquet, the name of which ends in .parquet")
    if re.match(rb"\[\s*[\[{\]]", text) or (text.startswith(b"[") and name.endswith(".json")):
        raise unreadable(path, f"is a JSON array: {_AS_LINES}")
    if re.match(rb"\{\s*[\"}]", text) and not name.endswith(_JSON_LINES):
        raise unreadable(path, f"is JSON: {_AS_LINES}")
