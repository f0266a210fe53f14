"""A CSV file as people save them: its delimiter, its empty rows and columns, its summary rows."""

import csv
import io
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

import polars as pl

from memtrial.outcomes.count_words import how_many, list_names
from memtrial.outcomes.sheet import Sheet, refuse_shared_names, unreadable
from memtrial.outcomes.spreadsheet import unguard_cell
from memtrial.outcomes.table_fault import TableFault

_DELIMITERS = {",": "commas", ";": "semicolons", "\t": "tabs"}
_LONGEST_CELL = 1 << 20
_GROUP = 1 << 10
_BLANK = r"^[\s\x1c-\x1f]*$"
"""What Python's `strip` leaves nothing of."""


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
    whole = _split_lines(path, delimiter, tuple(places), encoding)
    frame, empty, again = whole or _read_rows(path, delimiter, tuple(places), encoding)
    unnamed = [
        name for name, place in places.items() if not names[place].strip() and (frame[name] == "").all()
    ]
    notes = [] if delimiter == "," else [f"columns are separated by {_DELIMITERS[delimiter]}"]
    notes += [f"{how_many(empty, 'row')} without any text left out"] if empty else []
    notes += [f"{how_many(again, 'row')} like the header left out"] if again else []
    return Sheet(frame.drop(unnamed), notes=tuple(notes))


def _split_lines(
    path: Path, delimiter: str, names: Sequence[str], encoding: str
) -> tuple[pl.DataFrame, int, int] | None:
    """What `_read_rows` gives, at a fifth of its time; None of a file that is not plain.

    Plain: UTF-8 without quotes, in which every line has as many cells as the header, or no character.
    """
    raw = path.read_bytes()
    if encoding != "utf-8-sig" or b'"' in raw or raw.count(b"\r") != raw.count(b"\r\n"):
        return None
    try:
        lines = pl.Series(raw.replace(b"\r\n", b"\n").decode(encoding).split("\n"), dtype=pl.String)
    except UnicodeDecodeError:
        return None
    lines = lines.filter(lines != "")
    cells = lines.str.count_matches(delimiter, literal=True)
    if (cells != len(names) - 1).any() or (lines.str.len_bytes() > _LONGEST_CELL).any():
        return None
    columns = lines.str.split_exact(delimiter, len(names) - 1).struct.unnest()
    columns.columns = list(names)
    first = int((lines.str.replace_all(delimiter, "", literal=True) != "").arg_max() or 0)
    header, rows = columns.row(first), columns.slice(first + 1)
    blank = rows.select(pl.all_horizontal(pl.all().str.contains(_BLANK))).to_series()
    like = rows.select(
        pl.all_horizontal(pl.col(name) == cell for name, cell in zip(names, header, strict=True))
    )
    again = like.to_series() & ~blank
    return _texts_of(rows.filter(~blank & ~again)), int(blank.sum()), int(again.sum())


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
    return _texts_of(pl.concat(groups)), empty, again


def _filled(rows: Sequence[list[str]]) -> Iterator[list[str]]:
    return (row for row in rows if any(map(str.strip, row)))


def _texts_of(rows: pl.DataFrame) -> pl.DataFrame:
    return pl.DataFrame([_texts(column) for column in rows])


def _texts(column: pl.Series) -> pl.Series:
    """Each distinct cell once: exactly the text that was guarded, else without the spaces around it."""
    raw = column.unique()
    texts = [cell.strip() if unguard_cell(cell) == cell else unguard_cell(cell) for cell in raw]
    return column.replace_strict(raw, texts, return_dtype=pl.String)
