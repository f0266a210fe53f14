"""SQLite tables whose rows are evidence: added, but never changed or deleted."""

from __future__ import annotations

from collections.abc import Sequence


def append_only(name: str, columns: str, key: Sequence[str], what: str) -> tuple[str, ...]:
    """The statements that create such a table in the main database where it is missing.

    Args:
        columns: their definitions.
        key: the columns that identify a row; a second row with the same values is ignored.
        what: names a row in the error of a change: "an answered call".
    """
    same = " AND ".join(f"{column} = NEW.{column}" for column in key)
    refuse = f"SELECT RAISE(ABORT, '{what} stays as it is')"
    return (
        f"CREATE TABLE IF NOT EXISTS main.{name} ({columns})",
        f"CREATE TRIGGER IF NOT EXISTS main.{name}_no_update BEFORE UPDATE ON {name} BEGIN {refuse}; END",
        f"CREATE TRIGGER IF NOT EXISTS main.{name}_no_delete BEFORE DELETE ON {name} BEGIN {refuse}; END",
        f"CREATE TRIGGER IF NOT EXISTS main.{name}_no_replace BEFORE INSERT ON {name}"
        f" WHEN EXISTS (SELECT 1 FROM {name} WHERE {same}) BEGIN SELECT RAISE(IGNORE); END",
    )
