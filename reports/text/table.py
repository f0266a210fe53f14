"""A table as a value: what stands in it, apart from how it is shown."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from loadbearing.reports.text.reading import condition_name

Kind = Literal["name", "number", "verdict", "text", "remark"]


class Column(NamedTuple):
    """One column: its heading, its kind, and how a record fills it.

    A `name` heads the row, a `number` is set flush right, a `verdict` gets symbol and tone; a `remark` is too
    long for a column and stands on a line of its own under the row.
    """

    head: str
    kind: Kind
    fill: Callable[[Any], str]


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of text under columns; every row has one entry for each column.

    Args:
        caption: what the table shows and how to read it.
    """

    caption: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[str, ...], ...]


def tabulate(caption: str, rows: Iterable[object], *columns: Column) -> Table:
    """A table from records."""
    return Table(caption, columns, tuple(tuple(one.fill(row) for one in columns) for row in rows))


def number(field: str, show: Callable[[Any], str], head: str = "") -> Column:
    """A column of numbers from one field of a record."""
    return Column(head or field.replace("_", " "), "number", lambda row: show(getattr(row, field)))


def text(field: str, kind: Kind, head: str = "") -> Column:
    """A column of text from one field of a record; empty where there is none."""

    def shown(row: object) -> str:
        value = getattr(row, field)
        return "" if value is None else str(value)

    return Column(head or field.replace("_", " "), kind, shown)


BACKBONE, ARM = text("backbone", "name"), text("arm", "name")
CONDITION = Column("condition", "name", lambda row: condition_name(row.condition))
"""The condition of a record; the placebo is marked."""
