"""Tables to sheets: CSV, Parquet and JSON lines files, and frames of polars and pandas."""

from __future__ import annotations

import csv
import zlib
from pathlib import Path

import polars as pl
from polars.exceptions import PanicException, PolarsError

from loadbearing.outcomes.csv_table import SAMPLE, opened, read_csv
from loadbearing.outcomes.formats import FORMS, JSON_LINES, PARQUET, refuse_other_forms
from loadbearing.outcomes.json_lines import read_json_lines
from loadbearing.outcomes.sheet import PandasFrame, Sheet, sheet_of_frame
from loadbearing.outcomes.table_fault import TableFault


def read_sheet(table: Path | str | pl.DataFrame | PandasFrame) -> Sheet:
    """Read a table; all of its columns become text.

    Raises:
        TableFault: there is no such file, it is no table, or it has no rows; one line each.
    """
    named = str(table) if isinstance(table, Path | str) else "the frame"
    sheet = _file(Path(table)) if isinstance(table, Path | str) else sheet_of_frame(table, named)
    if not (sheet.frame.height or sheet.unread):
        raise TableFault(f"a table of outcomes needs one row a trial; {named} has no rows below its header")
    return sheet


def _file(table: Path) -> Sheet:
    if not table.is_file():
        raise TableFault(f"{FORMS} is needed; {table} is {'a folder' if table.is_dir() else 'not there'}")
    name = table.name.lower()
    try:
        with opened(table) as file:
            head = file.read(SAMPLE)
        refuse_other_forms(table, head)
        if name.endswith(PARQUET):
            with table.open("rb") as file:
                return sheet_of_frame(pl.read_parquet(file), str(table))
        if name.endswith(JSON_LINES):
            return read_json_lines(table)
        return read_csv(table, head)
    # polars panics at some damaged Parquet files
    except (PolarsError, PanicException, OSError, EOFError, zlib.error, csv.Error, UnicodeError) as fault:
        said = (str(fault).strip().splitlines() or [type(fault).__name__])[0]
        raise TableFault(f"{FORMS} is needed; {table} cannot be read: {said}") from fault
