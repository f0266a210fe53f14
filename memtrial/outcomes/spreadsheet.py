"""CSV as it is written here: no text begins a formula in a spreadsheet, and each reads back equal.

A spreadsheet runs a cell that begins with `=`, `+`, `-` or `@`, and some look for the sign behind blanks. So
a text that begins with one of them, or with a blank, gets an apostrophe before it (OWASP, CSV injection). A
text that begins so behind apostrophes of its own gets one more: what is taken off is what was put on.
"""

from collections.abc import Iterable, Sequence
from io import StringIO
from itertools import chain
from typing import TextIO
from unicodedata import normalize

GUARD = "'"
SIGNS = "=+-@"
QUOTED = ',;\t|"\r\n'
"""What parts cells, here or in a spreadsheet that expects another delimiter."""
Value = str | float | None


def write_csv(file: TextIO, heads: Sequence[str], rows: Iterable[Sequence[Value]]) -> int:
    """Write a table with its header into a file opened with `newline=""`; how many rows there were.

    Texts are guarded, numbers stand as they are, None is an empty cell.
    """
    count = -1  # the heads are no row
    for row in chain([heads], rows):
        file.write(",".join(map(_cell, row)) + "\n")
        count += 1
    return count


def csv_text(heads: Sequence[str], rows: Iterable[Sequence[Value]]) -> str:
    """The table that `write_csv` writes, as text."""
    text = StringIO(newline="")
    write_csv(text, heads, rows)
    return text.getvalue()


def guard_cell(text: str) -> str:
    """The text as a cell that begins no formula and keeps the blanks at its ends."""
    if _is_risky(text):
        return f"{GUARD}{text}"
    # readers cut blanks at the end; two, as foreign tables hold words such as 'tis
    return f"{GUARD}{GUARD}{text}" if text[-1:].isspace() else text


def unguard_cell(cell: str) -> str:
    """The text that was guarded; a cell that was not is returned as it is."""
    if cell.startswith(GUARD) and _is_risky(cell[1:]):
        return cell[1:]
    if cell.startswith(GUARD * 2) and cell[-1:].isspace():
        return cell[2:]
    return cell


def _is_risky(text: str) -> bool:
    """Whether it begins a formula, or with what may be skipped before one, behind any apostrophes."""
    first = text.lstrip(GUARD)[:1]
    return bool(first) and (
        first.isspace() or not first.isprintable() or normalize("NFKC", first)[0] in SIGNS
    )


def _cell(value: Value) -> str:
    # by hand: the csv module of Python 3.11 leaves a carriage return without quotes
    text = guard_cell(value) if isinstance(value, str) else "" if value is None else str(value)
    return f'"{text.replace(chr(34), chr(34) * 2)}"' if any(sign in text for sign in QUOTED) else text
