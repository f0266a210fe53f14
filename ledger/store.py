"""The ledger: one SQLite file to which rows are added and in which none is changed."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from ledger.rows import CheckRow, CondensationRow, TraceRow, TrialRow
from ledger.schema import PLACE, lay

ADD_TRIAL = (
    "INSERT INTO trials"
    " VALUES (?1, (SELECT count(*) FROM trials WHERE key = ?1), ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)"
)
TRIAL = ("key", *PLACE, "status", "score")
IN_BODY = tuple(one.name for one in fields(TrialRow) if one.name not in TRIAL)


class LedgerFault(RuntimeError):
    """The file is no ledger or cannot be opened, or a row would contradict one that is there."""


class Ledger:
    """Append-only rows in SQLite. Triggers in the file itself forbid changing or deleting one.

    Raises:
        LedgerFault: on opening, when the file is something else.
    """

    def __init__(self, path: Path) -> None:
        """Open the file, or create it."""
        try:
            self.connection = sqlite3.connect(path)
            lay(self.connection)
            self.connection.execute("PRAGMA journal_mode=WAL")
            self.connection.execute("PRAGMA synchronous=NORMAL")
            # a checkpoint waits for the disk: one every 40 MB instead of every 4
            self.connection.execute("PRAGMA wal_autocheckpoint=10000")
        except (sqlite3.Error, ValueError) as fault:
            raise LedgerFault(f"a ledger is needed; {path} cannot be opened as one: {fault}") from fault

    def close(self) -> None:
        """Close the file."""
        self.connection.close()

    def state(self, name: str, body: Any) -> None:
        """State a fact of the run once; saying the same again is no change.

        Raises:
            LedgerFault: it was stated otherwise.
        """
        stated, now = self.fact(name), json.loads(_json(body))
        if stated is None:
            self._add("facts", [(name, _json(body))])
        elif stated != now:
            where = _difference(stated, now)
            raise LedgerFault(f"{name!r} is stated once; this ledger holds it otherwise{where}")

    def fact(self, name: str) -> Any:
        """A stated fact, or None."""
        row = self.connection.execute("SELECT body FROM facts WHERE name = ?", (name,)).fetchone()
        return None if row is None else json.loads(row[0])

    def add_traces(self, rows: Iterable[TraceRow]) -> None:
        """Add collected trajectories."""
        self._add("traces", [(row.backbone, row.task, _json(row.body)) for row in rows])

    def add_condensations(self, rows: Iterable[CondensationRow]) -> None:
        """Add what condensers made."""
        self._add("condensations", [(row.backbone, row.condenser, row.task, _json(row.body)) for row in rows])

    def add_slots(self, texts: dict[str, str]) -> None:
        """Add slot texts by digest; one that is there already stays."""
        self._add("slots", list(texts.items()))

    def add_checks(self, rows: Iterable[CheckRow]) -> None:
        """Add manipulation checks; one that is there already stays: the same seed gives the same check."""
        values = []
        for row in rows:
            body = asdict(row)
            values.append((*(body.pop(name) for name in PLACE), _json(body)))
        self._add("checks", values)

    def add_trials(self, rows: Iterable[TrialRow]) -> None:
        """Add episodes. A trial that was an error before gets a further attempt; the older row stays.

        Raises:
            LedgerFault: one of them has ended already as the agent's doing; none is added.
        """
        values = [
            (*(getattr(row, name) for name in TRIAL), _json({name: getattr(row, name) for name in IN_BODY}))
            for row in rows
        ]
        try:
            with self.connection:
                self.connection.executemany(ADD_TRIAL, values)
        except sqlite3.IntegrityError as fault:
            said = f"a trial is added until it ends; one of {len(values)} has ended: {fault}"
            raise LedgerFault(said) from fault

    def traces(self, backbone: str) -> dict[str, dict[str, Any]]:
        """Trace lines by task."""
        query = "SELECT task, body FROM traces WHERE backbone = ? ORDER BY rowid"
        return {task: json.loads(body) for task, body in self.connection.execute(query, (backbone,))}

    def condensations(self) -> Iterator[CondensationRow]:
        """All condensations, in the order written."""
        query = "SELECT backbone, condenser, task, body FROM condensations ORDER BY rowid"
        for backbone, condenser, task, body in self.connection.execute(query):
            yield CondensationRow(backbone, condenser, task, json.loads(body))

    def checks(self) -> Iterator[CheckRow]:
        """All manipulation checks."""
        query = "SELECT backbone, arm, condition, task, repeat, body FROM checks ORDER BY rowid"
        for *place, body in self.connection.execute(query):
            yield CheckRow(*place, **json.loads(body))

    def slot(self, digest: str) -> str | None:
        """The text of a slot."""
        row = self.connection.execute("SELECT body FROM slots WHERE digest = ?", (digest,)).fetchone()
        return None if row is None else str(row[0])

    def finished(self) -> frozenset[str]:
        """Keys of trials that ended as the agent's doing; errors are not among them."""
        query = "SELECT key FROM trials WHERE status != 'error'"
        return frozenset(key for (key,) in self.connection.execute(query))

    def trials(self) -> Iterator[TrialRow]:
        """The last attempt of every trial."""
        query = (
            f"SELECT {', '.join(TRIAL)}, body FROM trials AS t"
            " WHERE attempt = (SELECT max(attempt) FROM trials WHERE key = t.key) ORDER BY rowid"
        )
        for *columns, text in self.connection.execute(query):
            body = json.loads(text)
            body["steps"], body["firings"] = tuple(body["steps"]), tuple(body["firings"])
            yield TrialRow(**dict(zip(TRIAL, columns, strict=True)), **body)

    def _add(self, table: str, values: list[tuple[Any, ...]]) -> None:
        if values:
            marks = ", ".join("?" * len(values[0]))
            with self.connection:
                self.connection.executemany(f"INSERT INTO {table} VALUES ({marks})", values)


def _json(body: Any) -> str:
    return json.dumps(body, ensure_ascii=False, separators=(",", ":"))


def _difference(stated: Any, now: Any) -> str:
    """Which keys of two facts differ, where both have keys."""
    if not (isinstance(stated, dict) and isinstance(now, dict)):
        return ""
    differing = sorted(key for key in stated.keys() | now.keys() if stated.get(key) != now.get(key))
    return f", in {', '.join(differing)}"
