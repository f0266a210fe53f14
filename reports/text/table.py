"""A table as a value: what stands in it, apart from how it is shown."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

from loadbearing.reports.base.lookup import in_order
from loadbearing.reports.model.results import Results
from loadbearing.reports.text.reading import condition_name

E = TypeVar("E")
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


Filling = tuple[str, Kind, Callable[[Any], str]]
"""A column by its heading, its kind and how a record fills it."""


def tabulate(caption: str, rows: Iterable[object], *columns: Filling) -> Table:
    """A table from records: for each column its heading, its kind and how a record fills it."""
    return Table(
        caption,
        tuple(Column(head, kind) for head, kind, _ in columns),
        tuple(tuple(fill(row) for _, _, fill in columns) for row in rows),
    )


def number(field: str, show: Callable[[Any], str], head: str = "") -> Filling:
    """A column of numbers from one field of a record."""
    return head or field.replace("_", " "), "number", lambda row: show(getattr(row, field))


def text(field: str, kind: Kind, head: str = "") -> Filling:
    """A column of text from one field of a record; empty where there is none."""

    def shown(row: object) -> str:
        value = getattr(row, field)
        return "" if value is None else str(value)

    return head or field.replace("_", " "), kind, shown


CONDITION: Filling = ("condition", "name", lambda row: condition_name(row.condition))
"""The condition of a record; the placebo is marked."""


def by_arm(
    results: Results, found: Mapping[str, E], caption: str, *columns: tuple[str, Callable[[E], str]]
) -> Table:
    """A table from a mapping of arms, in the run's order: for each column its heading and its filling."""
    return Table(
        caption,
        (Column("arm", "name"), *(Column(head) for head, _ in columns)),
        tuple((arm, *(fill(found[arm]) for _, fill in columns)) for arm in in_order(results.arms, found)),
    )
