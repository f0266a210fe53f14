"""CSV files with any delimiter, in the usual encodings."""

from __future__ import annotations

import bz2
import csv
import gzip
import io
from collections import Counter
from itertools import islice
from pathlib import Path
from typing import BinaryIO, cast

import polars as pl

from loadbearing.outcomes.count_words import how_many, listed
from loadbearing.outcomes.sheet import Sheet, refuse_shared_names
from loadbearing.outcomes.spreadsheet import unguarded
from loadbearing.outcomes.table_fault import TableFault, unreadable

SAMPLE = 1 << 16
"""Bytes by which the encoding and the delimiter are known."""

_DELIMITERS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "upright strokes"}
_LONGEST_CELL = 1 << 20
_GROUP = 1 << 10
_LATIN = "the file is not UTF-8 and was read as Latin-1; look at names with accents"


def opened(path: Path) -> BinaryIO:
    """The bytes of a file, unpacked where its name ends in .gz or .bz2."""
    match path.suffix.lower():
        case ".gz":
            return cast(BinaryIO, gzip.open(path))
        case ".bz2":
            return cast(BinaryIO, bz2.open(path))
    return path.open("rb")


def read_csv(path: Path, head: bytes) -> Sheet:
    """Read a table with a header; its delimiter and its encoding are found out.

    Args:
        head: the first bytes, at most `SAMPLE` of them.

    Raises:
        TableFault: it is empty, binary, has one column, or a row with more or fewer cells than the header.
        csv.Error: a cell is longer than a million characters.
    """
    # polars fills short rows with nothing and refuses quotes inside a text; this module does neither
    encoding, notes = _encoding(path, head)
    delimiter, names = _header(path, head.decode(encoding, errors="replace"), len(head) == SAMPLE)
    if delimiter != ",":
        notes += (f"columns are separated by {_DELIMITERS[delimiter]}",)
    names = [unguarded(name) for name in names]
    refuse_shared_names(names, str(path))
    try:
        return Sheet(_frame(path, encoding, delimiter, names), notes=notes)
    except UnicodeDecodeError:
        if encoding != "utf-8-sig":
            raise
    return Sheet(_frame(path, "latin-1", delimiter, names), notes=(*notes, _LATIN))


def _encoding(path: Path, head: bytes) -> tuple[str, tuple[str, ...]]:
    """The encoding, and what to say about it."""
    if not head.strip():
        raise unreadable(path, "is empty")
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16", ("the file is UTF-16",)
    if b"\0" in head:
        raise unreadable(path, "is binary")
    try:
        # the sample may end inside a character
        head[: -4 if len(head) == SAMPLE else None].decode("utf-8")
    except UnicodeDecodeError as fault:
        if fault.end < len(head) - 4 or len(head) < SAMPLE:
            return "latin-1", (_LATIN,)
    return "utf-8-sig", ()


def _header(path: Path, text: str, cut: bool) -> tuple[str, list[str]]:
    """The delimiter that splits the first rows into the most columns of equal number, and the header.

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
            "columns separated by commas, semicolons or tabs are needed, under a header; "
            f"{path} has one column, {listed(best[2])}"
        )
    return best[1], best[2]


def _frame(path: Path, encoding: str, delimiter: str, names: list[str]) -> pl.DataFrame:
    """The columns, their texts as they were before they were guarded."""
    csv.field_size_limit(_LONGEST_CELL)
    schema = dict.fromkeys(names, pl.String)
    groups = [pl.DataFrame(schema=schema)]
    with io.TextIOWrapper(opened(path), encoding=encoding, newline="") as lines:
        # empty lines are skipped
        rows = filter(None, csv.reader(lines, delimiter=delimiter))
        next(rows)
        while group := list(islice(rows, _GROUP)):
            if {*map(len, group)} != {len(names)}:
                _refuse_width(path, group, len(names), 1 + _GROUP * (len(groups) - 1))
            groups.append(
                pl.DataFrame(dict(zip(names, zip(*group, strict=True), strict=True)), schema=schema)
            )
    return pl.DataFrame([_without_guards(column) for column in pl.concat(groups)])


def _refuse_width(path: Path, rows: list[list[str]], width: int, number: int) -> None:
    """Name the first row with more or fewer cells than the header; `number` is that of the first of them."""
    number, row = next((place, row) for place, row in enumerate(rows, number) if len(row) != width)
    counts = f"{how_many(width, 'column')} and row {number} has {how_many(len(row), 'cell')}"
    shown = " ".join(" | ".join(row).split())[:80]
    raise unreadable(path, f"cannot be read: its header has {counts}: {shown}")


def _without_guards(column: pl.Series) -> pl.Series:
    """Each distinct cell once: exactly the text that was guarded, else without the spaces around it."""
    raw = column.unique()
    texts = [cell.strip() if unguarded(cell) == cell else unguarded(cell) for cell in raw]
    return column.replace_strict(raw, texts, return_dtype=pl.String)
