"""A table as it was read, every column as text: from CSV, Parquet, JSON lines, polars and pandas."""

import csv
import io
import json
import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import numpy as np
import polars as pl
from polars.exceptions import PolarsError

from memtrial.outcomes.count_words import how_many, list_names
from memtrial.outcomes.given_path import path_of, show_text
from memtrial.outcomes.files.parquet_claims import DamageFault
from memtrial.outcomes.files.parquet_process import texts_of
from memtrial.outcomes.spreadsheet import unguard_cell
from memtrial.outcomes.table_fault import TableFault


@runtime_checkable
class PandasFrame(Protocol):
    """What is used of a pandas frame; pandas itself is not needed."""

    iloc: Any
    set_index: Any  # a Series has none

    def items(self) -> Iterable[tuple[object, Any]]: ...


@dataclass(frozen=True, slots=True, eq=False)
class Sheet:
    """A table of text; columns of lists or objects are unread.

    A number is its shortest text, a missing value is an empty text.
    """

    frame: pl.DataFrame
    unread: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def sheet_of_frame(frame: pl.DataFrame | PandasFrame) -> Sheet:
    """Make a sheet of a polars or pandas frame. Raises TableFault: it is none, or names are shared."""
    if isinstance(frame, pl.DataFrame):
        return sheet_of({column.name: column.to_list() for column in frame})
    if not isinstance(frame, PandasFrame):
        raise TableFault(f"a path, or a DataFrame of pandas or polars, is needed; got {type(frame).__name__}")
    columns = [(str(head), column.astype(object)) for head, column in frame.items()]
    refuse_shared_names([head for head, _ in columns], "the frame")
    # pandas has several marks for a missing value; None takes their place
    return sheet_of({head: column.where(column.notna(), None).to_list() for head, column in columns})


def sheet_of(columns: Mapping[str, Sequence[object]]) -> Sheet:
    """Make a sheet of values of any type, column by column."""
    nested = (list, tuple, set, dict, np.ndarray)
    unread = [head for head, values in columns.items() if any(isinstance(value, nested) for value in values)]
    texts = {
        head: pl.Series(map(_text, values), dtype=pl.String)
        for head, values in columns.items()
        if head not in unread
    }
    return Sheet(pl.DataFrame(texts), tuple(unread))


def _text(value: object) -> str:
    if value is None or value != value:
        return ""  # NaN is not itself
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))  # ids that a missing value turned into floats
    return str(value).strip()


def refuse_shared_names(heads: Sequence[str], name: str) -> None:
    """Every column has a name of its own. Raises TableFault: two columns share one."""
    doubled = [head for head, count in Counter(heads).items() if count > 1]
    if doubled:
        raise TableFault(f"columns need names of their own; {name} has several called {list_names(doubled)}")


def distinct(column: pl.Series) -> tuple[str, ...]:
    """The texts of a column, in the order in which they first appear."""
    return tuple(column.unique(maintain_order=True))


_HEAD = 1 << 16
"""Bytes by which the form and the delimiter of a file are known."""
_DELIMITERS = {",": "commas", ";": "semicolons", "\t": "tabs"}
_LONGEST_CELL = 1 << 20
_GROUP = 1 << 10
_MOST_KEYS = 1_000
"""A file in which every line brings another key would grow with the square of its lines."""


def read_sheet(table: Path | str | pl.DataFrame | PandasFrame) -> Sheet:
    """Read a table; all of its columns become text. Raises TableFault: it is none, or has no rows."""
    try:
        if isinstance(table, str | os.PathLike):
            sheet = _file_sheet(path_of(table, "a CSV, Parquet (.parquet) or JSON lines file", TableFault))
        else:
            sheet = sheet_of_frame(table)
    except UnicodeEncodeError as fault:
        text = show_text(str(fault.object))
        raise TableFault(f"texts of a table are Unicode; {text!r} holds half of a surrogate pair") from fault
    if not (sheet.frame.height or sheet.unread):
        raise TableFault("a table of outcomes needs one row a trial; this one has no rows below its header")
    return sheet


def _file_sheet(path: Path) -> Sheet:
    if not path.is_file():
        raise unreadable(path, "is a folder" if path.is_dir() else "is not there")
    ending = path.suffix.lower()
    try:
        if ending in (".parquet", ".pq"):
            return _parquet_sheet(path)
        with path.open("rb") as file:
            head = file.read(_HEAD)
        if not head.strip():
            raise unreadable(path, "is empty")
        if b"\0" in head:
            raise unreadable(path, "is binary: save a sheet as CSV in UTF-8")
        as_lines, first = ending in (".jsonl", ".ndjson"), head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1]
        if first == b"[" or (first == b"{" and not as_lines):
            raise unreadable(path, "is other JSON: write it with one object a line and the ending .jsonl")
        return _json_sheet(path) if as_lines else _csv_sheet(path, head)
    except UnicodeDecodeError as fault:
        raise unreadable(path, "is not UTF-8: save it as CSV or JSON lines in UTF-8") from fault
    except DamageFault as fault:
        raise unreadable(path, str(fault)) from fault
    except (PolarsError, OSError, csv.Error, UnicodeError) as fault:
        reason = (str(fault).strip().splitlines() or [type(fault).__name__])[0]
        raise unreadable(path, f"cannot be read: {reason}") from fault


def _parquet_sheet(path: Path) -> Sheet:
    held = texts_of(path)
    frame = pl.DataFrame(held.columns, schema=dict.fromkeys(held.columns, pl.String))
    return Sheet(frame, held.unread, () if held.checked else (UNCHECKED,))


UNCHECKED = "the file carries no checksums: a damaged value in it may look like any other"


def _json_sheet(path: Path) -> Sheet:
    # by hand: polars refuses the NaN that Python's json writes, and names no line
    rows: list[dict[str, object]] = []
    heads: dict[str, None] = {}
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
            heads |= dict.fromkeys(row)
            if len(heads) > _MOST_KEYS:
                raise TableFault(f"at most {_MOST_KEYS:,} keys are read; {path} has more by line {number}")
            rows.append(row)
    return sheet_of({head: [row.get(head) for row in rows] for head in heads})


def _csv_sheet(path: Path, head: bytes) -> Sheet:
    """A table under a header; the delimiter is the one that splits the header into the most cells."""
    text = head.decode("utf-8-sig", "replace")
    tables = {sign: csv.reader(io.StringIO(text, newline=""), delimiter=sign) for sign in _DELIMITERS}
    headers = {sign: next(filter(None, rows)) for sign, rows in tables.items()}
    delimiter = max(headers, key=lambda sign: len(headers[sign]))
    names = [unguard_cell(name) for name in headers[delimiter]]
    if len(names) < 2:
        raise TableFault(
            "columns separated by commas, semicolons or tabs are needed, under a header; "
            f"{path} has one column, {list_names(headers[delimiter])}"
        )
    refuse_shared_names(names, str(path))
    notes = () if delimiter == "," else (f"columns are separated by {_DELIMITERS[delimiter]}",)
    return Sheet(_csv_frame(path, delimiter, names), notes=notes)


def _csv_frame(path: Path, delimiter: str, names: list[str]) -> pl.DataFrame:
    # polars fills short rows with nothing and refuses quotes inside a text; the csv module does neither
    csv.field_size_limit(_LONGEST_CELL)
    schema = dict.fromkeys(names, pl.String)
    groups = [pl.DataFrame(schema=schema)]
    with path.open(encoding="utf-8-sig", newline="") as lines:
        rows = filter(None, csv.reader(lines, delimiter=delimiter))  # empty lines are skipped
        next(rows)
        while group := list(islice(rows, _GROUP)):
            for number, row in enumerate(group, 1 + _GROUP * (len(groups) - 1)):
                if len(row) != len(names):
                    counts = (
                        f"{how_many(len(names), 'column')} and row {number} has {how_many(len(row), 'cell')}"
                    )
                    excerpt = " ".join(" | ".join(row).split())[:80]
                    raise unreadable(path, f"cannot be read: its header has {counts}: {excerpt}")
            columns = zip(names, zip(*group, strict=True), strict=True)
            groups.append(pl.DataFrame(dict(columns), schema=schema))
    return pl.DataFrame([_texts(column) for column in pl.concat(groups)])


def _texts(column: pl.Series) -> pl.Series:
    """Each distinct cell once: exactly the text that was guarded, else without the spaces around it."""
    raw = column.unique()
    texts = [cell.strip() if unguard_cell(cell) == cell else unguard_cell(cell) for cell in raw]
    return column.replace_strict(raw, texts, return_dtype=pl.String)


def unreadable(path: Path, what: str) -> TableFault:
    """The fault of a file: what is needed, and what this one is."""
    return TableFault(f"a CSV, Parquet (.parquet) or JSON lines (.jsonl) file is needed; {path} {what}")
