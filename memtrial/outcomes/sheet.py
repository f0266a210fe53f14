"""A table as it was read, every column as text; made of columns, and of frames of three libraries."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import numpy as np
import polars as pl

from memtrial.outcomes.count_words import list_names
from memtrial.outcomes.table_fault import TableFault


@runtime_checkable
class PandasFrame(Protocol):
    """What is used of a pandas frame; pandas itself is not needed."""

    index: Any
    columns: Any
    set_index: Any  # a Series has none
    reset_index: Any

    def items(self) -> Iterable[tuple[object, Any]]: ...


@runtime_checkable
class ArrowTable(Protocol):
    """What is used of a table of pyarrow; pyarrow itself is not needed."""

    @property
    def column_names(self) -> Sequence[str]: ...

    def itercolumns(self) -> Iterable[Any]: ...


Frame = pl.DataFrame | PandasFrame | ArrowTable


@dataclass(frozen=True, slots=True, eq=False)
class Sheet:
    """A table of text; columns of lists or objects are unread.

    A number is its shortest text, a missing value is an empty text.

    Args:
        files: the column that says which of several files a row is of; empty where there is none.
        absent: rows that the files say were to be there, and are not.
    """

    frame: pl.DataFrame
    unread: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    files: str = ""
    absent: int = 0


def sheet_of_frame(frame: Frame) -> Sheet:
    """Make a sheet of a frame of three libraries. Raises TableFault: it is none, or names are shared."""
    if isinstance(frame, pl.DataFrame):
        return sheet_of({column.name: column.to_list() for column in frame})
    if isinstance(frame, ArrowTable):
        heads = [str(head) for head in frame.column_names]
        refuse_shared_names(heads, "the table")
        columns_read = (column.to_pylist() for column in frame.itercolumns())
        return sheet_of(dict(zip(heads, columns_read, strict=True)))
    if not isinstance(frame, PandasFrame):
        raise TableFault(
            "a path, several paths, a list of dicts, or a frame of pandas, polars or pyarrow is needed; got"
            f" {type(frame).__name__}"
        )
    # what was grouped by stands in the index; one that only numbers the rows has no name
    grouped = [name for name in frame.index.names if name is not None and name not in frame.columns]
    whole = frame.reset_index(level=grouped) if grouped else frame
    columns = [(str(head), column.astype(object)) for head, column in whole.items()]
    refuse_shared_names([head for head, _ in columns], "the frame")
    # pandas has several marks for a missing value; None takes their place
    return sheet_of({head: column.where(column.notna(), None).to_list() for head, column in columns})


def sheet_of(columns: Mapping[str, Sequence[object]]) -> Sheet:
    """Make a sheet of values of any type, column by column."""
    nested = (list, tuple, set, dict, np.ndarray)
    unread = [head for head, values in columns.items() if any(isinstance(value, nested) for value in values)]
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
        raise TableFault(f"columns need names of their own; {name} has several called {list_names(doubled)}")


def distinct(column: pl.Series) -> tuple[str, ...]:
    """The texts of a column, in the order in which they first appear."""
    return tuple(column.unique(maintain_order=True))


def unreadable(path: Path, what: str) -> TableFault:
    """The fault of a file: what is needed, and what this one is."""
    return TableFault(f"a CSV, Parquet (.parquet), JSON or JSON lines (.jsonl) file is needed; {path} {what}")
