"""Rows by a key, and tasks by the family that a column names."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import TYPE_CHECKING, TypeVar

from memtrial.outcomes.table_fault import TableFault

if TYPE_CHECKING:
    import polars as pl

Key = TypeVar("Key", bound=Hashable)
Row = TypeVar("Row")


def group_by(rows: Iterable[Row], key: Callable[[Row], Key]) -> dict[Key, list[Row]]:
    """Rows by a key, in the order in which they come."""
    groups: dict[Key, list[Row]] = {}
    for row in rows:
        groups.setdefault(key(row), []).append(row)
    return groups


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
