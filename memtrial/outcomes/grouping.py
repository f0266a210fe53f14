"""Rows by a key, rows by numbers that stand for their texts, and tasks by the family that a column names."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import TYPE_CHECKING, TypeVar

from memtrial.outcomes.table_fault import TableFault

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

Key = TypeVar("Key", bound=Hashable)
Row = TypeVar("Row")


def group_by(rows: Iterable[Row], key: Callable[[Row], Key]) -> dict[Key, list[Row]]:
    """Rows by a key, in the order in which they come."""
    groups: dict[Key, list[Row]] = {}
    for row in rows:
        groups.setdefault(key(row), []).append(row)
    return groups


_LARGEST_KEY = 1 << 62


def with_codes(column: pl.Series) -> pl.Series:
    """The texts as an enumeration in the order in which they first appear: many rows of few texts."""
    import polars as pl

    return column.cast(pl.Enum(column.unique(maintain_order=True)))


def constant(text: str, size: int) -> pl.Series:
    """A column of one text."""
    import polars as pl

    return pl.zeros(size, dtype=pl.UInt32, eager=True).cat.to(pl.Enum([text]))


def codes_of(column: pl.Series) -> NDArray[np.int64]:
    """A number from 0 for each text, as they first appear; of integers how far each is above the least."""
    import numpy as np
    import polars as pl

    if column.dtype.is_integer():
        numbers = column.to_numpy().astype(np.int64)
        return np.asarray(numbers - (numbers.min() if len(numbers) else 0), dtype=np.int64)
    coded = column if isinstance(column.dtype, pl.Enum) else with_codes(column)
    return coded.to_physical().to_numpy().astype(np.int64)


def keys_of(columns: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
    """A number for each row, ordered as its codes are, those of the first column first.

    Args:
        columns: codes from 0, at least one column, each of the same length.
    """
    key = columns[0]
    size = int(key.max(initial=0)) + 1
    for codes in columns[1:]:
        several = int(codes.max(initial=0)) + 1
        if size * several > _LARGEST_KEY:
            key = rank_keys(key)
            size = int(key.max(initial=0)) + 1
        key, size = key * several + codes, size * several
    return key


def rank_keys(key: NDArray[np.int64]) -> NDArray[np.int64]:
    """The dense rank of each key from 0, without gaps."""
    import numpy as np

    if key.max(initial=0) > 4 * len(key):
        return np.unique(key, return_inverse=True)[1]
    there = np.bincount(key) > 0
    return (np.cumsum(there) - 1)[key]


def number_keys(key: NDArray[np.int64]) -> NDArray[np.int64]:
    """A number from 0 for each key, in the order in which they first appear."""
    import numpy as np
    import polars as pl

    ranks = rank_keys(key)
    numbers = np.empty(int(ranks.max(initial=-1)) + 1, dtype=np.int64)
    numbers[pl.Series(ranks).unique(maintain_order=True).to_numpy()] = np.arange(len(numbers))
    return numbers[ranks]


def count_keys(key: NDArray[np.int64]) -> int:
    """How many different keys there are."""
    import polars as pl

    return pl.Series(key).n_unique()


FAMILY_COLUMNS = ("task_family", "family", "category", "subject", "domain", "topic", "task_type")
"""Names of a column that says of which kind a task is, the likeliest first."""


def take_families(frame: pl.DataFrame, task: str, asked: str | None) -> tuple[str | None, dict[str, str]]:
    """The column that names the family of each task, and the families by task; None and none without one.

    A column that is only guessed and gives a task two families, or all the same, is left.

    Raises:
        TableFault: the column that was asked for is not there, or gives a task two families.
    """
    if asked is not None and asked not in frame.columns:
        raise TableFault(f"--family-column {asked}: there is no such column; there are {frame.columns[:12]}")
    by_name = {name.strip().lower().replace(" ", "_"): name for name in reversed(frame.columns)}
    named = asked or next((by_name[name] for name in FAMILY_COLUMNS if name in by_name), None)
    if named is None or named == task:
        return None, {}
    families: dict[str, str] = {}
    for name, family in zip(frame[task], frame[named], strict=True):
        if families.setdefault(name, family) != family:
            if asked is None:
                return None, {}
            raise TableFault(
                f"--family-column {asked}: each task needs one family; {name!r} has {families[name]!r} and"
                f" {family!r}"
            )
    if asked is None and len({*families.values()}) < 2:
        return None, {}
    return named, families
