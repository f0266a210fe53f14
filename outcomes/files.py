"""Files to sheets: CSV with any delimiter, Parquet, JSON lines."""

from __future__ import annotations

import codecs
import csv
import io
import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from loadbearing.outcomes.columns import Coded
from loadbearing.outcomes.formats import FORMS, refuse_other_forms
from loadbearing.outcomes.sheet import Sheet, listed
from loadbearing.outcomes.spreadsheet import unguarded
from loadbearing.outcomes.table_fault import TableFault

if TYPE_CHECKING:
    import pyarrow as pa

_DELIMITERS = (",", ";", "\t", "|")
_NAMES = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "upright strokes"}
_SAMPLE = 1 << 16
_MANY = 500
"""Lists and objects in a row that need no look at how deep they are."""


def read_sheet(path: Path) -> Sheet:
    """Read a table; all of its columns become text.

    Raises:
        TableFault: there is no such file, it is no table, or it has no rows; one line each.
    """
    if not path.is_file():
        what = "a folder" if path.is_dir() else "not there"
        raise TableFault(f"{FORMS} is needed; {path} is {what}")
    import pyarrow as pa

    name = path.name.lower()
    notes: tuple[str, ...] = ()
    text: Callable[[object], str] = _text
    try:
        refuse_other_forms(path)
        if name.endswith((".parquet", ".pq")):
            table = _parquet(path)
        elif name.endswith((".jsonl", ".ndjson")):
            table = _json_lines(path)
        else:
            table, notes = _csv(path)
            text = _cell
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, OSError, EOFError) as fault:
        raise TableFault(f"{FORMS} is needed; {path} cannot be read: {_first_line(fault)}") from fault
    _refuse_names(path, table.column_names)
    if not table.num_rows:
        raise TableFault(f"{path} has a header and no rows; a table of outcomes has one row a trial")
    unread = tuple(field.name for field in table.schema if pa.types.is_nested(field.type))
    columns = {
        field.name: _coded(table.column(at), text)
        for at, field in enumerate(table.schema)
        if field.name not in unread
    }
    return Sheet(columns, unread, notes)


def _parquet(path: Path) -> pa.Table:
    import pyarrow.parquet as pq

    return pq.read_table(path)


def _json_lines(path: Path) -> pa.Table:
    import pyarrow.json as pj

    if not path.stat().st_size:
        raise TableFault(f"{path} is empty; {FORMS} is needed")
    _refuse_deep(path)
    return pj.read_json(path)


def _refuse_deep(path: Path) -> None:
    """Arrow follows lists in lists until the process dies; a row that holds many is tried before."""
    with path.open("rb") as file:
        for number, raw in enumerate(file, 1):
            line = raw.removeprefix(codecs.BOM_UTF8).strip()
            where = f"{FORMS} is needed; {path} cannot be read: line {number} is no JSON object"
            # one that went on in the next line would go on getting deeper, unseen
            if line and not (line.startswith(b"{") and line.endswith(b"}")):
                raise TableFault(f"{where} that ends there")
            if line.count(b"[") + line.count(b"{") > _MANY:
                try:
                    json.loads(line)
                except (ValueError, RecursionError) as fault:
                    raise TableFault(f"{where} that can be read: {fault}") from fault


def _csv(path: Path) -> tuple[pa.Table, tuple[str, ...]]:
    """The table and what was done to read it: another delimiter than the comma, another encoding.

    Its names are as they were before they were guarded; its cells still are guarded.
    """
    import pyarrow as pa
    import pyarrow.csv as pc

    with pa.input_stream(path) as stream:
        head = bytes(stream.read(_SAMPLE) or b"")
    encoding, notes = _encoding(path, head)
    cut = len(head) == _SAMPLE
    delimiter, names = _delimiter(path, head.decode(encoding, errors="replace"), cut)
    if delimiter != ",":
        notes += (f"columns are parted by {_NAMES[delimiter]}",)
    _refuse_names(path, names)
    text = pa.dictionary(pa.int32(), pa.string())

    def read(encoding: str) -> pa.Table:
        table = pc.read_csv(
            path,
            read_options=pc.ReadOptions(encoding=encoding, use_threads=True),
            parse_options=pc.ParseOptions(delimiter=delimiter, newlines_in_values=b'"' in head),
            convert_options=pc.ConvertOptions(
                column_types=dict.fromkeys(names, text), strings_can_be_null=False, check_utf8=True
            ),
        )
        return table.rename_columns([unguarded(name) for name in table.column_names])

    try:
        return read("utf8" if encoding.startswith("utf-8") else encoding), notes
    except pa.ArrowInvalid as fault:
        if "UTF8" not in str(fault).upper() or encoding == "latin-1":
            raise
    return read("latin-1"), (*notes, _LATIN)


_LATIN = "the file is not UTF-8 and was read as Latin-1; look at names with accents"


def _encoding(path: Path, head: bytes) -> tuple[str, tuple[str, ...]]:
    if not head.strip():
        raise TableFault(f"{path} is empty; {FORMS} is needed")
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16", ("the file is UTF-16",)
    if b"\0" in head:
        raise TableFault(f"{FORMS} is needed; {path} is binary")
    try:
        # the sample may end inside a character
        head[: -4 if len(head) == _SAMPLE else None].decode("utf-8")
    except UnicodeDecodeError as fault:
        if fault.end < len(head) - 4 or len(head) < _SAMPLE:
            return "latin-1", (_LATIN,)
    return "utf-8-sig", ()


def _delimiter(path: Path, text: str, cut: bool) -> tuple[str, list[str]]:
    """The delimiter that parts the first rows into the most columns of equal number, and the header.

    Args:
        cut: the text ends somewhere inside a row.
    """
    best: tuple[tuple[bool, int], str, list[str]] = (False, 0), ",", []
    for delimiter in _DELIMITERS:
        rows = [row for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter) if row]
        rows = rows[:-1] if cut and len(rows) > 2 else rows
        if not rows:
            continue
        usual = Counter(map(len, rows)).most_common(1)[0][0]
        rank = len(rows[0]) == usual, len(rows[0])
        if rank > best[0]:
            best = rank, delimiter, rows[0]
    if len(best[2]) < 2:
        raise TableFault(
            f"{path} has one column, {listed(best[2])}; columns are parted by commas, semicolons or tabs, "
            "under a header"
        )
    return best[1], best[2]


def _refuse_names(path: Path, names: list[str]) -> None:
    """Every column has a name of its own."""
    doubled = [name for name, count in Counter(names).items() if count > 1]
    if doubled:
        raise TableFault(f"columns need names of their own; {path} has several called {listed(doubled)}")


def _coded(column: pa.ChunkedArray, text: Callable[[object], str]) -> Coded:
    """One column as text."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    if not pa.types.is_dictionary(column.type):
        column = column.dictionary_encode()
    whole = column.combine_chunks()
    codes = pc.fill_null(whole.indices, -1).to_numpy(zero_copy_only=False).astype(np.int64)
    texts = [text(value) for value in whole.dictionary.to_pylist()]
    place: dict[str, int] = {}
    # texts that differ by the spaces around them are one
    moved = np.array([*(place.setdefault(one, len(place)) for one in texts), 0], dtype=np.int64)
    if (codes < 0).any():
        moved[-1] = place.setdefault("", len(place))
    return Coded(moved[codes], tuple(place))


def _cell(value: object) -> str:
    """A cell of a CSV file: exactly the text that was guarded, else without the spaces around it."""
    text = unguarded(str(value))
    return text if text != value else text.strip()


def _text(value: object) -> str:
    if value is None or value != value:
        return ""  # NaN is not itself
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))  # ids that a missing value turned into floats
    return str(value).strip()


def _first_line(fault: BaseException) -> str:
    return str(fault).strip().splitlines()[0] if str(fault).strip() else type(fault).__name__
