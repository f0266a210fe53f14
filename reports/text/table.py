"""A table as a value: what stands in it, apart from how it is shown."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from loadbearing.reports.base.numbers import count, dollars, plain, probability, share, signed
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
    """Rows of text under columns, an entry for each; the caption says what they show and how to read them."""

    caption: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[str, ...], ...]


def tabulate(caption: str, rows: Iterable[object], *columns: Column) -> Table:
    """A table from records."""
    return Table(caption, columns, tuple(tuple(one.fill(row) for one in columns) for row in rows))


_SHOWN: dict[str, tuple[Kind, Callable[[Any], str]]] = {
    **dict.fromkeys(("backbone", "arm", "versus", "estimand", "task"), ("name", str)),
    **dict.fromkeys(("condenser", "purpose", "answered", "name", "domain", "gate"), ("name", str)),
    "condition": ("name", condition_name),
    **dict.fromkeys(("method", "word", "role", "claim", "adjusted_by", "outcome"), ("text", str)),
    "order": ("text", lambda value: "" if value is None else str(value)),
    **dict.fromkeys(("reason", "note"), ("remark", str)),
    "verdict": ("verdict", str),
    **dict.fromkeys(("estimate", "delta", "worst_low", "worst_high"), ("number", signed)),
    **dict.fromkeys(("p", "p_adjusted", "p_mid", "placebo_p", "anytime_p"), ("number", probability)),
    **dict.fromkeys(("p_equivalence", "p_equivalence_adjusted"), ("number", probability)),
    **dict.fromkeys(("across", "aa", "sd"), ("number", plain)),
    **dict.fromkeys(("words_changed", "content_words_left", "length_ratio", "flips"), ("number", plain)),
    "fluency_distance": ("number", signed),
    **dict.fromkeys(("share", "same_text", "shown", "shadow"), ("number", share)),
    "usd": ("number", dollars),
}
"""How the fields of records are shown; all others are counts."""


def fields(*names: str) -> tuple[Column, ...]:
    """Columns from fields of a record, each `field`, or `field: heading` where its name does not head it."""
    return tuple(map(_column, names))


def _column(name: str) -> Column:
    field, _, head = name.partition(": ")
    kind, show = _SHOWN.get(field, ("number", count))
    return Column(head or field.replace("_", " "), kind, lambda row: show(getattr(row, field)))
