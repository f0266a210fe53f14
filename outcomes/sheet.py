"""A table as it was read: every column as text."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
import polars as pl

from loadbearing.outcomes.count_words import listed
from loadbearing.outcomes.table_fault import TableFault


@runtime_checkable
class PandasFrame(Protocol):
    """What is used of a pandas frame; pandas itself is not needed."""

    iloc: Any

    def items(self) -> Iterable[tuple[object, Any]]:
        """Names and columns."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class Sheet:
    """A table of text; columns of lists or objects are unread.

    A number is its shortest text, a missing value is an empty text.
    """

    frame: pl.DataFrame
    unread: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def sheet_of_frame(frame: pl.DataFrame | PandasFrame) -> Sheet:
    """Make a sheet of a polars or pandas frame.

    Raises:
        TableFault: it is another object, or two columns share a name.
    """
    if isinstance(frame, pl.DataFrame):
        return sheet_of({column.name: column.to_list() for column in frame})
    if not isinstance(frame, PandasFrame):
        raise TableFault(f"a path, or a DataFrame of pandas or polars, is needed; got {type(frame).__name__}")
    columns = [(str(head), column.astype(object)) for head, column in frame.items()]
    refuse_shared_names([head for head, _ in columns], "the frame")
    # pandas has several marks for a missing value; None takes their place
    return sheet_of({head: column.where(column.notna(), None).to_list() for head, column in columns})


def sheet_of(columns: Mapping[str, Sequence[object]]) -> Sheet:
    """Make a sheet of values of any type, column by column."""
    nested = (list, tuple, set, dict, np.ndarray)
    unread = [head for head, values in columns.items() if any(isinstance(one, nested) for one in values)]
    texts = {
        head: pl.Series(map(_text, values), dtype=pl.String)
        for head, values in columns.items()
        if head not in unread
    }
    return Sheet(pl.DataFrame(texts), tuple(unread))


def _text(value: object) -> str:
    if value is None or value != value:
        return ""  # NaN is not itself
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))  # ids that a missing value turned into floats
    return str(value).strip()


def refuse_shared_names(heads: Sequence[str], name: str) -> None:
    """Every column has a name of its own. Raises TableFault: two columns share one."""
    doubled = [head for head, count in Counter(heads).items() if count > 1]
    if doubled:
        raise TableFault(f"columns need names of their own; {name} has several called {listed(doubled)}")


def distinct(column: pl.Series) -> tuple[str, ...]:
    """The texts of a column, in the order in which they first appear."""
    return tuple(column.unique(maintain_order=True))
