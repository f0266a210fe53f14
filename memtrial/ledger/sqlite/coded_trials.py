"""How failures were coded, beside the trials of an index."""

import sqlite3
from collections.abc import Mapping

from memtrial.ledger.fact_names import name_case

_SOLVED = (
    "(SELECT w.key FROM side.plays AS w WHERE (w.backbone, w.task) = (f.backbone, f.task)"
    " AND w.condition = 'without' AND w.status = 'success' {} LIMIT 1)"
)
_PAIRS = (
    f"SELECT f.key, coalesce({_SOLVED.format('AND w.repeat = f.repeat')},"
    f" {_SOLVED.format('ORDER BY w.repeat')}) FROM side.plays AS f"
    " WHERE f.status = 'failure' AND f.condition != 'without'"
)
"""As a failure is coded: beside the trial without memory of its repeat, or the first that solved the task."""


def mark_modes(connection: sqlite3.Connection, modes: Mapping[str, str]) -> None:
    """Write the mode of each case to the failure in it; those of before are taken away."""
    found = [
        (mode, failed)
        for failed, solved in (connection.execute(_PAIRS).fetchall() if modes else ())
        if solved and (mode := modes.get(name_case(solved, failed)))
    ]
    with connection:
        connection.execute("UPDATE side.plays SET mode = NULL WHERE mode IS NOT NULL")
        connection.executemany("UPDATE side.plays SET mode = ? WHERE key = ?", found)
