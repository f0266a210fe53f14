"""The ledger: one SQLite file to which rows are added and in which none is changed."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ledger.rows import CheckRow, CondensationRow, TraceRow, TrialRow

TABLES = {
    "facts": "name TEXT PRIMARY KEY, body TEXT NOT NULL",
    "traces": "backbone TEXT, task TEXT, body TEXT NOT NULL, PRIMARY KEY (backbone, task)",
    "condensations": "backbone TEXT, condenser TEXT, task TEXT, body TEXT NOT NULL,"
    " PRIMARY KEY (backbone, condenser, task)",
    "slots": "digest TEXT PRIMARY KEY, body TEXT NOT NULL",
    "checks": "backbone TEXT, arm TEXT, condition TEXT, task TEXT, repeat INTEGER, body TEXT NOT NULL,"
    " PRIMARY KEY (backbone, arm, condition, task, repeat)",
    "trials": "key TEXT, attempt INTEGER, backbone TEXT, arm TEXT, condition TEXT, task TEXT, repeat INTEGER,"
    " status TEXT, score REAL, body TEXT NOT NULL, PRIMARY KEY (key, attempt)",
}


class LedgerFault(RuntimeError):
    """The file is no ledger, or cannot be opened."""


class Ledger:
    """Append-only rows in SQLite. Triggers in the file itself forbid changing or deleting one.

    Raises:
        LedgerFault: on opening, when the file is something else.
    """

    def __init__(self, path: Path) -> None:
        """Open the file, or create it."""
        try:
            self.connection = sqlite3.connect(path)
            self.connection.execute("PRAGMA journal_mode=WAL")
            self.connection.execute("PRAGMA synchronous=NORMAL")
            with self.connection:
                for table, columns in TABLES.items():
                    self.connection.execute(f"CREATE TABLE IF NOT EXISTS {table} ({columns})")
                    for verb in ("UPDATE", "DELETE"):
                        self.connection.execute(
                            f"CREATE TRIGGER IF NOT EXISTS {table}_no_{verb.lower()} BEFORE {verb} ON {table}"
                            " BEGIN SELECT RAISE(ABORT, 'the ledger only grows'); END"
                        )
        except sqlite3.Error as fault:
            raise LedgerFault(f"a ledger is needed; {path} cannot be opened as one: {fault}") from fault

    def close(self) -> None:
        """Close the file."""
        self.connection.close()

    def state(self, name: str, body: Any) -> None:
        """State a fact of the run once; saying the same again is no change."""
        if self.fact(name) is None:
            self._add("facts", [(name, _json(body))])

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
        self._add("slots", list(texts.items()), "OR IGNORE ")

    def add_checks(self, rows: Iterable[CheckRow]) -> None:
        """Add manipulation checks; one that is there already stays, for the same seed gives the same check."""
        where = ("backbone", "arm", "condition", "task", "repeat")
        values = []
        for row in rows:
            body = asdict(row)
            values.append((*(body.pop(name) for name in where), _json(body)))
        self._add("checks", values, "OR IGNORE ")

    def add_trials(self, rows: Iterable[TrialRow]) -> None:
        """Add episodes. A trial that was an error before gets a further attempt; the older row stays."""
        values = []
        for row in rows:
            body = {"steps": row.steps, "firings": row.firings}
            for name in ("family", "cause", "slot", "empty_slot", "record", "calls", "cached"):
                body[name] = getattr(row, name)
            body |= {"input_tokens": row.input_tokens, "output_tokens": row.output_tokens}
            (attempt,) = self.connection.execute("SELECT count(*) FROM trials WHERE key = ?", (row.key,)).fetchone()
            place = (row.backbone, row.arm, row.condition, row.task, row.repeat)
            values.append((row.key, attempt, *place, row.status, row.score, _json(body)))
        self._add("trials", values)

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
            "SELECT key, backbone, arm, condition, task, repeat, status, score, body FROM trials AS t"
            " WHERE attempt = (SELECT max(attempt) FROM trials WHERE key = t.key) ORDER BY rowid"
        )
        for key, backbone, arm, condition, task, repeat, status, score, text in self.connection.execute(query):
            body = json.loads(text)
            body["steps"], body["firings"] = tuple(body["steps"]), tuple(body["firings"])
            yield TrialRow(
                key=key, backbone=backbone, arm=arm, condition=condition, task=task, repeat=repeat,
                status=status, score=score, **body,
            )  # fmt: skip

    def _add(self, table: str, values: list[tuple[Any, ...]], clause: str = "") -> None:
        if values:
            marks = ", ".join("?" * len(values[0]))
            with self.connection:
                self.connection.executemany(f"INSERT {clause}INTO {table} VALUES ({marks})", values)


def _json(body: Any) -> str:
    return json.dumps(body, ensure_ascii=False, separators=(",", ":"))
