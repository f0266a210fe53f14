"""A table as a value: what stands in it, apart from how it is shown."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

from reports.rows import Row

Kind = Literal["name", "number", "verdict", "text", "remark"]


@dataclass(frozen=True, slots=True)
class Column:
    """One column.

    Args:
        head: its heading.
        kind: `name` heads the row, `number` is set flush right, `verdict` gets symbol and tone, a
            `remark` is too long for a column and stands on a line of its own under the row.
    """

    head: str
    kind: Kind = "number"


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of text under columns; every row has one entry for each column.

    Args:
        caption: what the table shows and how to read it.
        columns: at least one.
        rows: in order; may be empty.

    Raises:
        ValueError: a row is longer or shorter than the columns.
    """

    caption: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[str, ...], ...]

    def __post_init__(self) -> None:
        for row in self.rows:
            if len(row) != len(self.columns):
                raise ValueError(f"a row needs {len(self.columns)} entries, got {len(row)}: {row}")


def tabulate(caption: str, rows: Iterable[Row], *columns: tuple[str, Kind, Callable[[Row], str]]) -> Table:
    """A table from records: for each column its heading, its kind and how a record fills it."""
    return Table(
        caption,
        tuple(Column(head, kind) for head, kind, _ in columns),
        tuple(tuple(fill(row) for _, _, fill in columns) for row in rows),
    )
