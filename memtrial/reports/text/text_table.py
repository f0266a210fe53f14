"""A table as a value: what stands in it, apart from how it is shown."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from memtrial.reports.text.reading import condition_name
from memtrial.views import numbers
from memtrial.views.lookup import by_backbone

if TYPE_CHECKING:
    from memtrial.views.rows.results import Results

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
class TextTable:
    """Rows of text under columns, an entry for each; the caption says what they show and how to read them."""

    caption: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Listing:
    """A table declared once: the rows that results hold under a key, backbones in the order of the run."""

    key: str
    caption: str
    columns: tuple[Column, ...]

    def __call__(self, results: Results) -> TextTable:
        rows = getattr(results, self.key)
        named = all(hasattr(row, "backbone") for row in rows)
        return tabulate(self.caption, by_backbone(results, rows) if named else rows, *self.columns)


def tabulate(caption: str, rows: Iterable[object], *columns: Column) -> TextTable:
    """A table from records; a column that says nothing of any of them is left out."""
    filled = [tuple(column.fill(row) for column in columns) for row in rows]
    is_column_told = [
        not filled or any(row[number] not in _BLANK for row in filled) for number in range(len(columns))
    ]

    def keep_entries(entries: Iterable[Any]) -> tuple[Any, ...]:
        return tuple(entry for entry, is_told in zip(entries, is_column_told, strict=True) if is_told)

    return TextTable(caption, keep_entries(columns), tuple(map(keep_entries, filled)))


LEAST = "p with ≤: the least that its draws can show."
_BLANK = ("", numbers.MISSING, numbers.NO_INTERVAL)
_SHOWN: dict[str, tuple[Kind, Callable[[Any], str]]] = {
    **dict.fromkeys(("backbone", "arm", "versus", "estimand", "task"), ("name", str)),
    **dict.fromkeys(("condenser", "purpose", "answered", "name", "domain", "gate", "family"), ("name", str)),
    **dict.fromkeys(("group", "heading"), ("name", str)),
    "condition": ("name", condition_name),
    **dict.fromkeys(("method", "word", "role", "claim", "adjusted_by", "outcome"), ("text", str)),
    **dict.fromkeys(("strain", "named", "gates", "injection", "what", "blocks"), ("text", str)),
    "order": ("text", lambda value: "" if value is None else str(value)),
    **dict.fromkeys(("reason", "note", "example", "excerpt", "memory"), ("remark", str)),
    "verdict": ("verdict", str),
    **dict.fromkeys(
        ("estimate", "shrunk", "delta", "worst_low", "worst_high"), ("number", numbers.with_sign)
    ),
    **dict.fromkeys(("p", "p_adjusted", "p_mid", "placebo_p", "anytime_p"), ("number", numbers.probability)),
    **dict.fromkeys(("p_equivalence", "p_equivalence_adjusted"), ("number", numbers.probability)),
    **dict.fromkeys(("across", "aa", "sd", "tau", "kappa", "median_seconds"), ("number", numbers.plain)),
    **dict.fromkeys(
        ("words_changed", "content_words_left", "length_ratio", "flips", "contradictions"),
        ("number", numbers.plain),
    ),
    **dict.fromkeys(("fluency_distance", "shapley"), ("number", numbers.with_sign)),
    **dict.fromkeys(("share", "same_text", "shown", "shadow"), ("number", numbers.share)),
    "usd": ("number", numbers.dollars),
}
"""How the fields of records are shown; all others are counts."""


def fields(*names: str) -> tuple[Column, ...]:
    """Columns from fields of a record, each `field`, or `field: heading` where its name does not head it.

    `low..high: heading` is an interval, `some of all: heading` two counts, `p from least: heading` a p-value
    and the least that its draws can show.
    """
    return tuple(map(_column, names))


def _column(name: str) -> Column:
    field, _, head = name.partition(": ")
    if ".." in field:
        low, _, high = field.partition("..")
        return Column(head, "number", lambda row: numbers.ends(getattr(row, low), getattr(row, high)))
    if " of " in field:
        some, _, every = field.partition(" of ")
        return Column(head, "number", lambda row: f"{getattr(row, some):,} of {getattr(row, every):,}")
    if " from " in field:
        p, _, least = field.partition(" from ")
        return Column(head, "number", lambda row: numbers.probability(getattr(row, p), getattr(row, least)))
    shown, show = _SHOWN.get(field, ("number", numbers.count))
    return Column(head or field.replace("_", " "), shown, lambda row: show(getattr(row, field)))
