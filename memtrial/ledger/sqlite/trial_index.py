"""An index of the trials of a ledger, for whoever looks through many of them while a run may go on.

It lies in a temporary file of SQLite's own, which goes with the connection: nothing is written into the run's
folder, and memory stays flat however many trials there are.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from memtrial.ledger.natural_order import spell_order
from memtrial.ledger.row_text import PLACE, TRIAL, placed_row, read_mapping
from memtrial.ledger.rows import CheckRow, CondensationRow, TrialRow
from memtrial.ledger.sqlite.coded_trials import mark_modes
from memtrial.ledger.sqlite.request_course import count_course
from memtrial.ledger.sqlite.row_seals import SEAL, digest_of
from memtrial.ledger.sqlite.sqlite_ledger import SqliteLedger
from memtrial.ledger.sqlite.tables import LAST, columns_in
from memtrial.ledger.trial_cells import CellCount, CondensedCount, TaskCount, TaskFilter, TaskTrial, TimeCount

_LAY = (
    "CREATE TABLE side.plays (key TEXT PRIMARY KEY, backbone TEXT, arm TEXT, condition TEXT, task TEXT,"
    " repeat INTEGER, status TEXT, score REAL, family TEXT, fired INTEGER, flip INTEGER NOT NULL,"
    " cause TEXT, mode TEXT)",
    "CREATE INDEX side.plays_by_task ON plays (backbone, task, repeat, condition, arm, status, flip)",
    "CREATE INDEX side.plays_by_cell ON plays (backbone, arm, condition, task, status, flip, fired, family,"
    " mode)",
)
_TAKE = (
    "INSERT OR REPLACE INTO side.plays SELECT key, backbone, arm, condition, task, repeat, status, score,"
    " json_extract(text, '$.family'), json_array_length(text, '$.firings'), 0,"
    " CASE WHEN status = 'error' THEN json_extract(text, '$.cause') END, NULL"
    " FROM (SELECT *, body_text(body) AS text FROM trials"
    " WHERE rowid > ?1 AND rowid <= ?2 AND rowid NOT IN (SELECT value FROM json_each(?3)) ORDER BY rowid"
    " LIMIT -1)"  # a query of its own, so that each body is opened once
)
_PAIR = (
    "UPDATE side.plays AS t SET flip = coalesce((SELECT (t.status = 'success') - (w.status = 'success')"
    " FROM side.plays AS w WHERE (w.backbone, w.task, w.repeat) = (t.backbone, t.task, t.repeat)"
    " AND w.condition = 'without' AND w.status != 'error'), 0) WHERE t.status != 'error'"
)
_TOUCHED = (
    " AND (t.backbone, t.task, t.repeat) IN (SELECT backbone, task, repeat FROM side.plays WHERE rowid > ?)"
)
_COUNTS = "count(*), sum(status = 'success'), sum(status = 'error'), sum(flip < 0), sum(flip > 0)"
_MATCHES = {
    "lost": "flip < 0",
    "gained": "flip > 0",
    "solved": "status = 'success'",
    "failed": "status = 'failure'",
    "error": "status = 'error'",
}
_ORDERS = {
    "task": "spell_order(task)",
    "family": "family, spell_order(task)",
    "lost": "lost DESC, spell_order(task)",
    "gained": "gained DESC, spell_order(task)",
    "solved": "1.0 * solved / trials, spell_order(task)",
}


class TrialIndex:
    """The trials of one ledger, counted and found quickly; what came since is taken in by `follow`.

    The ledger was compared with its seals when it was opened; rows that come later are compared as they come.

    Args:
        ledger: opened to be read; its snapshot is given up, so that it is seen as it goes on.
    """

    def __init__(self, ledger: SqliteLedger) -> None:
        self.ledger, self.changed, self._last, self._seal = ledger, 0, 0, 0
        self.coder, self._coded = "", (0, 0)
        self._connection, self._still = ledger.connection, _stamp_still(ledger.path)
        self._connection.commit()
        self._connection.execute("ATTACH '' AS side")
        self._connection.create_function("spell_order", 1, spell_order, deterministic=True)
        with self._connection:
            for statement in _LAY:
                self._connection.execute(statement)
        self.follow(checked=True)

    def close(self) -> None:
        self.ledger.close()

    @property
    def outdated(self) -> bool:
        """A writer has taken up a file that nobody wrote when it was opened, so that it was read as one that
        stays as it is: it has to be opened anew."""
        return self._still is not None and self._still != _stamp_still(self.ledger.path)

    def follow(self, checked: bool = False) -> bool:
        """Take in what was added since; whether anything was. `changed` counts rows without their seal.

        Args:
            checked: all that is there was compared with its seals just now.
        """
        ask = self._connection.execute
        (last,) = ask("SELECT coalesce(max(rowid), 0) FROM main.trials").fetchone()
        if last == self._last:
            return False
        with self._connection:
            # one snapshot of rows and seals; rows and seal of a block are added in one transaction
            ask("BEGIN")
            (last,) = ask("SELECT max(rowid) FROM main.trials").fetchone()
            (seal,) = ask("SELECT coalesce(max(number), 0) FROM main.seals").fetchone()
            bare = [] if checked else self._bare_rows(last)
            (before,) = ask("SELECT coalesce(max(rowid), 0) FROM side.plays").fetchone()
            ask(_TAKE, (self._last, last, json.dumps(bare)))
            ask(_PAIR + _TOUCHED, (before,)) if before else ask(_PAIR)
        self._last, self._seal, self.changed = last, seal, self.changed + len(bare)
        return True

    def follow_codes(self) -> None:
        """Take in how failures were coded; `coder` is who began last, as `failures` goes by."""
        (last,) = self._connection.execute("SELECT coalesce(max(rowid), 0) FROM main.facts").fetchone()
        if self._coded == (last, self._last):
            return
        self._coded = last, self._last
        stored = self.ledger.codes()
        if not (stored or self.coder):
            return
        self.coder = next(reversed(stored), "")
        codes = stored.get(self.coder, {})
        mark_modes(self._connection, {case: str(code.get("mode") or "") for case, code in codes.items()})

    def _bare_rows(self, last: int) -> list[int]:
        """New rows that do not agree with a seal of theirs."""
        query = "SELECT digest FROM main.seals WHERE number > ? AND of_table = 'trials'"
        seals = {digest[:SEAL] for (digest,) in self._connection.execute(query, (self._seal,))}
        columns = ", ".join(f'"{name}"' for name in columns_in(self._connection, "trials"))
        query = f"SELECT rowid, {columns} FROM main.trials WHERE rowid > ? AND rowid <= ?"
        rows = self._connection.execute(query, (self._last, last))
        return [number for number, *values in rows if digest_of("trials", *values) not in seals]

    def cells(self) -> tuple[CellCount, ...]:
        """Every cell that was played."""
        query = (
            f"SELECT backbone, arm, condition, '', {_COUNTS} FROM side.plays"
            " GROUP BY backbone, arm, condition"
        )
        return tuple(CellCount(*row) for row in self._connection.execute(query))

    def families(self, backbone: str) -> tuple[str, ...]:
        """Families of tasks, sorted."""
        query = "SELECT DISTINCT family FROM side.plays WHERE backbone = ? ORDER BY family"
        return tuple(name for (name,) in self._connection.execute(query, (backbone,)))

    def tasks(self, wanted: TaskFilter, most: int, after: int = 0) -> tuple[TaskCount, ...]:
        """The tasks of a filter in its order, at most so many, after so many that are passed over."""
        having = [f"sum({_MATCHES[wanted.outcome]}) > 0"] if wanted.outcome else []
        if wanted.fired is not None:
            having.append(f"sum(fired > 0) {'>' if wanted.fired else '='} 0")
        if wanted.mode:
            having.append("sum(mode = ?6) > 0")
        query = (
            "SELECT task, min(family) AS family, sum(flip < 0) AS lost, sum(flip > 0) AS gained,"
            " sum(status = 'success') AS solved, count(*) AS trials, count(*) OVER () FROM json_each(?2) AS c"
            " CROSS JOIN side.plays AS p INDEXED BY plays_by_cell WHERE backbone = ?1"
            " AND arm = c.value ->> 0 AND condition = c.value ->> 1"
            f" {'AND family = ?5' if wanted.family else 'AND ?5 IS NOT NULL'} GROUP BY task"
            f" {'HAVING ' + ' AND '.join(having) if having else ''} ORDER BY {_ORDERS[wanted.sort]}"
            " LIMIT ?3 OFFSET ?4"
        )
        mode = (wanted.mode,) if wanted.mode else ()
        given = (wanted.backbone, json.dumps(wanted.cells), most, after, wanted.family, *mode)
        return tuple(TaskCount(*row) for row in self._connection.execute(query, given))

    def task_cells(
        self, backbone: str, tasks: Sequence[str], cells: Sequence[tuple[str, str]]
    ) -> tuple[CellCount, ...]:
        """Each of these cells of each of these tasks, as far as it was played."""
        query = (
            f"SELECT backbone, arm, condition, task, {_COUNTS} FROM side.plays WHERE backbone = ?1"
            " AND task IN (SELECT value FROM json_each(?2))"
            f" AND (arm, condition) IN {_VALUES.format('?3')} GROUP BY task, arm, condition"
        )
        rows = self._connection.execute(query, (backbone, json.dumps(tasks), json.dumps(cells)))
        return tuple(CellCount(*row) for row in rows)

    def task_trials(self, backbone: str, task: str) -> tuple[TaskTrial, ...]:
        """All trials of a task, by arm, condition and repeat."""
        query = (
            "SELECT key, arm, condition, repeat, status, score, fired, flip, coalesce(mode, '')"
            " FROM side.plays WHERE backbone = ? AND task = ? ORDER BY arm, condition, repeat"
        )
        return tuple(TaskTrial(*row) for row in self._connection.execute(query, (backbone, task)))

    def trial(self, key: str) -> TrialRow | None:
        """The last attempt of a trial that the index holds."""
        query = (
            f"SELECT {', '.join(TRIAL)}, body FROM trials AS t WHERE key = ? AND {LAST}"
            " AND EXISTS (SELECT 1 FROM side.plays WHERE key = t.key)"
        )
        row = self._connection.execute(query, (key,)).fetchone()
        return None if row is None else self.ledger.bodies.trial_of(row)

    def check(self, row: TrialRow) -> CheckRow | None:
        """The check of the damage of a trial's slot; None where nothing was damaged."""
        place = tuple(getattr(row, name) for name in PLACE)
        where = " AND ".join(f"{name} = ?" for name in PLACE)
        check = self._connection.execute(f"SELECT body FROM checks WHERE {where}", place).fetchone()
        if check is None:
            return None
        return placed_row(CheckRow, PLACE, place, self.ledger.bodies.read(check[0]))

    def cell_tasks(self, backbone: str, arm: str, condition: str) -> tuple[CellCount, ...]:
        """One cell, task by task."""
        query = (
            f"SELECT backbone, arm, condition, task, {_COUNTS} FROM side.plays"
            " WHERE (backbone, arm, condition) = (?, ?, ?) GROUP BY task"
        )
        return tuple(CellCount(*row) for row in self._connection.execute(query, (backbone, arm, condition)))

    def causes(self) -> tuple[tuple[str, str, int], ...]:
        """Arm, cause and count of trials that were lost to the infrastructure, the most frequent first."""
        query = (
            "SELECT arm, cause, count(*) AS n FROM side.plays WHERE cause IS NOT NULL GROUP BY arm, cause"
            " ORDER BY n DESC, arm, cause LIMIT 100"
        )
        return tuple(self._connection.execute(query))

    def condensed(self, most: int, after: int = 0) -> tuple[CondensedCount, ...]:
        """What was condensed, in the order in which it was added, at most so many after so many."""
        query = (
            "SELECT number, backbone, condenser, draw, task, json_array_length(text, '$.items'),"
            " json_array_length(text, '$.dropped'), (SELECT count(*) FROM json_each(text, '$.findings')"
            " WHERE json_extract(value, '$.finding') IN ('WARN', 'FAIL')),"
            " (SELECT count(*) FROM condensations) FROM (SELECT rowid AS number, backbone, condenser, draw,"
            " task, body_text(body) AS text FROM condensations ORDER BY rowid LIMIT ? OFFSET ?)"
        )
        return tuple(CondensedCount(*row) for row in self._connection.execute(query, (most, after)))

    def condensation(self, number: int) -> CondensationRow | None:
        """What was condensed under a number."""
        query = "SELECT backbone, condenser, task, body, draw FROM condensations WHERE rowid = ?"
        row = self._connection.execute(query, (number,)).fetchone()
        if row is None:
            return None
        backbone, condenser, task, body, draw = row
        return CondensationRow(backbone, condenser, task, read_mapping(self.ledger.bodies.read(body)), draw)

    def trace(self, backbone: str, task: str) -> str | None:
        """The trace of a training task, as JSON."""
        query = "SELECT body FROM traces WHERE backbone = ? AND task = ?"
        row = self._connection.execute(query, (backbone, task)).fetchone()
        return None if row is None else str(self.ledger.bodies.read(row[0]))

    def course(self) -> tuple[TimeCount, ...]:
        """Requests over time; empty where none was sent."""
        return count_course(self._connection)


def _stamp_still(path: Path) -> tuple[int, int] | None:
    """Size and time of a ledger that nobody writes; None where somebody does."""
    if path.with_name(f"{path.name}-wal").exists():
        return None
    state = path.stat()
    return state.st_size, state.st_mtime_ns


_VALUES = "(SELECT value ->> 0, value ->> 1 FROM json_each({}))"
"""Pairs of a parameter that holds JSON, as rows."""
