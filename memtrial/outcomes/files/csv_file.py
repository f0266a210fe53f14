"""A CSV file as people save them: its delimiter, its empty rows and columns, its summary rows."""

import csv
import io
import re
from codecs import BOM_UTF8
from collections.abc import Iterator, Sequence
from functools import reduce
from itertools import islice
from operator import and_
from pathlib import Path

import polars as pl
from polars.exceptions import PolarsError

from memtrial.outcomes.count_words import how_many, list_names
from memtrial.outcomes.sheet import Sheet, refuse_shared_names, unreadable
from memtrial.outcomes.spreadsheet import unguard_cell
from memtrial.outcomes.table_fault import TableFault

_DELIMITERS = {",": "commas", ";": "semicolons", "\t": "tabs"}
_LONGEST_CELL = 1 << 20
_GROUP = 1 << 10
_ODD = r"^$|^['\s\x1c-\x1f]|[\s\x1c-\x1f]$"
"""Cells that may be blank, guarded, or have blanks at an end that Python's `strip` takes off."""


def read_csv_file(path: Path, head: bytes, encoding: str) -> Sheet:
    """A table under a header; the delimiter is the one that splits the header into the most cells.

    Args:
        head: the first bytes of the file.

    Raises:
        TableFault: no header with several columns, two of one name, or a row of another length.
    """
    text = head.decode(encoding, "replace")
    tables = {sign: csv.reader(io.StringIO(text, newline=""), delimiter=sign) for sign in _DELIMITERS}
    headers = {sign: next(filter(any, rows), [""]) for sign, rows in tables.items()}
    delimiter = max(headers, key=lambda sign: len(headers[sign]))
    names = [unguard_cell(name) for name in headers[delimiter]]
    if len(names) < 2:
        raise TableFault(
            "columns separated by commas, semicolons or tabs are needed, under a header; "
            f"{path} has one column, {list_names(headers[delimiter])}"
        )
    if names[0].strip() and not any(map(str.strip, names[1:])):
        raise unreadable(
            path,
            f"has {names[0][:60]!r} alone in its first row, which has to be the header: take out what"
            " stands above the header",
        )
    refuse_shared_names([name for name in names if name.strip()], str(path))
    # a spreadsheet writes columns that were once formatted; of those without a name one may hold an index
    places = {name if name.strip() else f"column {place + 1}": place for place, name in enumerate(names)}
    whole = _read_plain(path, delimiter, tuple(places), encoding)
    frame, empty, again = whole or _read_rows(path, delimiter, tuple(places), encoding)
    unnamed = [
        name for name, place in places.items() if not names[place].strip() and (frame[name] == "").all()
    ]
    notes = [] if delimiter == "," else [f"columns are separated by {_DELIMITERS[delimiter]}"]
    notes += [f"{how_many(empty, 'row')} without any text left out"] if empty else []
    notes += [f"{how_many(again, 'row')} like the header left out"] if again else []
    return Sheet(frame.drop(unnamed), notes=tuple(notes))


def _read_plain(
    path: Path, delimiter: str, names: Sequence[str], encoding: str
) -> tuple[pl.DataFrame, int, int] | None:
    """What `_read_rows` gives, at a tenth of its time; None of a file that is not plain.

    Plain: UTF-8 without quotes, in which every line has as many cells as the header, or no character.
    """
    raw = path.read_bytes()
    if encoding != "utf-8-sig" or b'"' in raw or raw.count(b"\r") != raw.count(b"\r\n"):
        return None
    lines = raw.removeprefix(BOM_UTF8).replace(b"\r\n", b"\n").strip(b"\n")
    if b"\n\n" in lines:
        lines = re.sub(rb"\n{2,}", b"\n", lines)
    # polars refuses a line with more cells: where none has more and the sum is right, none has fewer
    if lines.count(delimiter.encode()) != (len(names) - 1) * (lines.count(b"\n") + 1):
        return None
    try:
        table = pl.read_csv(
            lines,
            has_header=False,
            separator=delimiter,
            quote_char=None,
            schema=dict.fromkeys(names, pl.String),
            empty_string_is_null=False,
        )
    except PolarsError:
        return None
    if any((column.str.len_bytes() > _LONGEST_CELL).any() for column in table):
        return None
    first = int(table.select(pl.any_horizontal(pl.all() != "")).to_series().arg_max() or 0)
    header, rows = table.row(first), table.slice(first + 1)
    cells = [column.unique() for column in rows]
    odd = list(map(_odd_cells, cells))
    blank = _rows_of(rows, [[cell for cell in among if not cell.strip()] for among in odd])
    there = ((column == name).any() for name, column in zip(header, cells, strict=True))
    again = _rows_of(rows, [[name] if held else [] for name, held in zip(header, there, strict=True)])
    again &= ~blank
    kept = rows.filter(~blank & ~again) if (blank | again).any() else rows
    return _texts_of(kept, odd), int(blank.sum()), int(again.sum())


def _rows_of(rows: pl.DataFrame, cells: Sequence[Sequence[str]]) -> pl.Series:
    """Whether every column of a row holds any of its cells."""
    if not all(cells):
        return pl.repeat(False, rows.height, eager=True)
    held = (column.is_in(texts) for column, texts in zip(rows, cells, strict=True))
    return reduce(and_, held)


def _read_rows(
    path: Path, delimiter: str, names: Sequence[str], encoding: str
) -> tuple[pl.DataFrame, int, int]:
    """The rows as texts, and how many were left out as all of their cells are empty, or are the header's."""
    # polars fills short rows with nothing and refuses quotes inside a text; the csv module does neither
    csv.field_size_limit(_LONGEST_CELL)
    schema = dict.fromkeys(names, pl.String)
    groups, empty, again, number = [pl.DataFrame(schema=schema)], 0, 0, 0
    with path.open(encoding=encoding, newline="") as lines:
        rows = filter(None, csv.reader(lines, delimiter=delimiter))  # empty lines are skipped
        header = next(filter(any, rows))
        while group := list(islice(rows, _GROUP)):
            filled = list(_filled(group))
            kept = [row for row in filled if row != header]
            for row in group:
                number += 1
                if len(row) != len(names) and any(map(str.strip, row)):
                    counts = (
                        f"{how_many(len(names), 'column')} and row {number} has {how_many(len(row), 'cell')}"
                    )
                    excerpt = " ".join(" | ".join(row).split())[:80]
                    raise unreadable(path, f"cannot be read: its header has {counts}: {excerpt}")
            empty += len(group) - len(filled)
            again += len(filled) - len(kept)
            columns = zip(names, zip(*kept, strict=True), strict=True) if kept else ()
            groups.append(pl.DataFrame(dict(columns), schema=schema))
    table = pl.concat(groups)
    return _texts_of(table, [_odd_cells(column.unique()) for column in table]), empty, again


def _filled(rows: Sequence[list[str]]) -> Iterator[list[str]]:
    return (row for row in rows if any(map(str.strip, row)))


def _odd_cells(cells: pl.Series) -> list[str]:
    return cells.filter(cells.str.contains(_ODD)).to_list()


def _texts_of(rows: pl.DataFrame, odd: Sequence[Sequence[str]]) -> pl.DataFrame:
    return pl.DataFrame([_texts(column, cells) for column, cells in zip(rows, odd, strict=True)])


def _texts(column: pl.Series, odd: Sequence[str]) -> pl.Series:
    """Each distinct cell once: exactly the text that was guarded, else without the spaces around it."""
    changed = {cell: text for cell in odd if (text := _text(cell)) != cell}
    return column.replace(changed) if changed else column


def _text(cell: str) -> str:
    guarded = unguard_cell(cell)
    return guarded if guarded != cell else cell.strip()
