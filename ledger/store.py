"""The ledger: one SQLite file to which rows are added and in which none is changed."""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

from ledger.looking import look_at
from ledger.private_file import claim_database
from ledger.rows import CheckRow, CondensationRow, DecisionRow, EpisodeRow, SessionRow, TraceRow, TrialRow
from ledger.schema import PLACE, lay

ADD_TRIAL = (
    "INSERT INTO trials"
    " VALUES (?1, (SELECT count(*) FROM trials WHERE key = ?1), ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)"
)
ADD_EPISODE = "INSERT INTO episodes VALUES (?1, (SELECT max(attempt) FROM trials WHERE key = ?1), ?2)"
LOST = "lost trace of "
ASKED = (*PLACE, "nth")
TRIAL = ("key", *PLACE, "status", "score")
Row = TypeVar("Row", CheckRow, DecisionRow, TrialRow)
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
            claim_database(path)
            self.connection = sqlite3.connect(path)
            lay(self.connection)
            self.connection.execute("PRAGMA journal_mode=WAL")
            self.connection.execute("PRAGMA synchronous=NORMAL")
            # a checkpoint waits for the disk: one every 40 MB instead of every 4
            self.connection.execute("PRAGMA wal_autocheckpoint=10000")
        except (sqlite3.Error, ValueError, OSError) as fault:
            raise LedgerFault(f"a ledger is needed; {path} cannot be opened as one: {fault}") from fault

    @classmethod
    def reading(cls, path: Path) -> Ledger:
        """Open a ledger to look at it, as it stands at this moment, while somebody else may be writing it.

        Raises:
            LedgerFault: the file is no ledger of this version; nothing can be added through what is opened.
        """
        ledger = cls.__new__(cls)
        try:
            ledger.connection = look_at(path)
        except (sqlite3.Error, ValueError, OSError) as fault:
            raise LedgerFault(f"a ledger is needed; {path} cannot be read as one: {fault}") from fault
        return ledger

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
        try:
            return None if row is None else json.loads(row[0])
        except (ValueError, RecursionError) as fault:
            raise LedgerFault(f"a ledger that is whole is needed; its {name!r} is no JSON") from fault

    def lose_trace(self, backbone: str, task: str, why: str) -> None:
        """State that no trajectory of a training task could be had; the banks are made without it."""
        self.state(f"{LOST}{backbone}: {task}", why)

    def lost_traces(self, backbone: str) -> dict[str, str]:
        """Why there is no trajectory, by training task."""
        prefix = f"{LOST}{backbone}: "
        query = "SELECT name, body FROM facts WHERE substr(name, 1, ?) = ? ORDER BY rowid"
        rows = self.connection.execute(query, (len(prefix), prefix))
        return {name.removeprefix(prefix): json.loads(body) for name, body in rows}

    def add_traces(self, rows: Iterable[TraceRow]) -> None:
        """Add collected trajectories."""
        self._add("traces", [(row.backbone, row.task, _json(row.body)) for row in rows])

    def add_condensations(self, rows: Iterable[CondensationRow]) -> None:
        """Add what condensers made."""
        values = [(row.backbone, row.condenser, row.draw, row.task, _json(row.body)) for row in rows]
        self._add("condensations", values)

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

    def add_decisions(self, rows: Iterable[DecisionRow]) -> None:
        """Add what a judge said that slots advise; what was said already stays."""
        bodies = [asdict(row) for row in rows]
        self._add("decisions", [(*(body.pop(name) for name in ASKED), _json(body)) for body in bodies])

    def add_trials(self, rows: Iterable[TrialRow], episodes: Iterable[EpisodeRow] = ()) -> None:
        """Add trials, and what was said in them. One that was an error before gets a further attempt.

        Raises:
            LedgerFault: one of them has ended already as the agent's doing; none is added.
        """
        values = [
            (*(getattr(row, name) for name in TRIAL), _json({name: getattr(row, name) for name in IN_BODY}))
            for row in rows
        ]
        said = [(row.key, zlib.compress(_json(asdict(row)).encode(), 3)) for row in episodes]
        try:
            with self._writing():
                self.connection.executemany(ADD_TRIAL, values)
                self.connection.executemany(ADD_EPISODE, said)
        except sqlite3.IntegrityError as fault:
            why = f"a trial is added until it ends; one of {len(values)} has ended: {fault}"
            raise LedgerFault(why) from fault

    def add_recollection(self, backbone: str, arm: str, task: str, body: Any) -> None:
        """Add what a memory system recalled for one task."""
        self._add("recollections", [(backbone, arm, task, _json(body))])

    def recollections(self, backbone: str, arm: str) -> dict[str, Any]:
        """What a memory system recalled, by task."""
        query = "SELECT task, body FROM recollections WHERE backbone = ? AND arm = ?"
        return {task: json.loads(body) for task, body in self.connection.execute(query, (backbone, arm))}

    def begin_session(self, settings: Any) -> int:
        """Note that a `run` command begins; its number, counted from 1."""
        number = int(self.connection.execute("SELECT count(*) FROM sessions").fetchone()[0]) + 1
        self._add("sessions", [(number, _now(), _json(settings))])
        return number

    def end_session(self, number: int, how: str) -> None:
        """Note how it ended, in words."""
        self._add("session_ends", [(number, _now(), how)])

    def sessions(self) -> tuple[SessionRow, ...]:
        """Every `run` command on this ledger, in order."""
        query = (
            "SELECT s.number, begun, body, coalesce(ended, ''), coalesce(how, '')"
            " FROM sessions AS s LEFT JOIN session_ends AS e ON e.number = s.number ORDER BY s.number"
        )
        rows = self.connection.execute(query)
        return tuple(SessionRow(n, begun, _mapping(body), ended, how) for n, begun, body, ended, how in rows)

    def traces(self, backbone: str) -> dict[str, dict[str, Any]]:
        """Trace lines by task."""
        query = "SELECT task, body FROM traces WHERE backbone = ? ORDER BY rowid"
        return {task: json.loads(body) for task, body in self.connection.execute(query, (backbone,))}

    def condensations(self) -> Iterator[CondensationRow]:
        """All condensations, in the order written."""
        query = "SELECT backbone, condenser, task, body, draw FROM condensations ORDER BY rowid"
        for backbone, condenser, task, body, draw in self.connection.execute(query):
            yield CondensationRow(backbone, condenser, task, json.loads(body), draw)

    def checks(self) -> Iterator[CheckRow]:
        """All manipulation checks."""
        query = "SELECT backbone, arm, condition, task, repeat, body FROM checks ORDER BY rowid"
        for *place, body in self.connection.execute(query):
            yield _whole(CheckRow, dict(zip(PLACE, place, strict=True)) | _mapping(body))

    def decisions(self) -> Iterator[DecisionRow]:
        """What slots were said to advise, in the order of their places."""
        query = f"SELECT {', '.join(ASKED)}, body FROM decisions ORDER BY {', '.join(ASKED)}"
        for *place, body in self.connection.execute(query):
            yield _whole(DecisionRow, dict(zip(ASKED, place, strict=True)) | _mapping(body))

    def slots(self) -> Iterator[tuple[str, str]]:
        """Digest and text of every slot, by digest."""
        yield from self.connection.execute("SELECT digest, body FROM slots ORDER BY digest")

    def slot(self, digest: str) -> str | None:
        """The text of a slot."""
        row = self.connection.execute("SELECT body FROM slots WHERE digest = ?", (digest,)).fetchone()
        return None if row is None else str(row[0])

    def finished(self) -> frozenset[str]:
        """Keys of trials that ended as the agent's doing; errors are not among them."""
        query = "SELECT key FROM trials WHERE status != 'error'"
        return frozenset(key for (key,) in self.connection.execute(query))

    def failed(self) -> frozenset[str]:
        """Keys of trials whose last attempt was an error."""
        query = "SELECT key FROM trials GROUP BY key HAVING min(status = 'error')"
        return frozenset(key for (key,) in self.connection.execute(query))

    def trials(self) -> Iterator[TrialRow]:
        """The last attempt of every trial."""
        query = (
            f"SELECT {', '.join(TRIAL)}, body FROM trials AS t"
            " WHERE attempt = (SELECT max(attempt) FROM trials WHERE key = t.key) ORDER BY rowid"
        )
        for row in self.connection.execute(query):
            yield _trial(row)

    def trial(self, key: str) -> TrialRow | None:
        """The last attempt of one trial; None where it was not played."""
        query = f"SELECT {', '.join(TRIAL)}, body FROM trials WHERE key = ? ORDER BY attempt DESC"
        row = self.connection.execute(query, (key,)).fetchone()
        return None if row is None else _trial(row)

    def episode(self, key: str) -> EpisodeRow | None:
        """What was said in the last attempt of a trial; None where nothing is kept, as after an error."""
        last = "(SELECT max(attempt) FROM trials WHERE key = ?1)"
        query = f"SELECT body FROM episodes WHERE key = ?1 AND attempt = {last}"
        row = self.connection.execute(query, (key,)).fetchone()
        if row is None:
            return None
        body = json.loads(zlib.decompress(row[0]))
        conversation, steps, calls = (tuple(body[name]) for name in ("conversation", "steps", "calls"))
        return EpisodeRow(key, conversation, steps, calls, body["start"])

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """One transaction.

        Raises:
            LedgerFault: the disk is full or the file cannot be written; nothing of it stands.
        """
        try:
            with self.connection:
                yield
        except sqlite3.OperationalError as fault:
            raise LedgerFault(f"the ledger cannot be written: {fault}") from fault

    def _add(self, table: str, values: list[tuple[Any, ...]]) -> None:
        if values:
            marks = ", ".join("?" * len(values[0]))
            with self._writing():
                self.connection.executemany(f"INSERT INTO {table} VALUES ({marks})", values)


def _trial(row: tuple[Any, ...]) -> TrialRow:
    *columns, text = row
    body = _mapping(text)
    body["firings"] = tuple(body.get("firings", ()))
    return _whole(TrialRow, dict(zip(TRIAL, columns, strict=True)) | body)


def _mapping(text: str) -> dict[str, Any]:
    if isinstance(body := json.loads(text), dict):
        return body
    raise LedgerFault(f"a ledger that is whole is needed; a row of it holds {type(body).__name__}")


def _whole(kind: type[Row], named: dict[str, Any]) -> Row:
    try:
        return kind(**named)
    except TypeError as fault:
        raise LedgerFault(f"a ledger of this version is needed; this has another row: {fault}") from fault


def _json(body: Any) -> str:
    return json.dumps(body, ensure_ascii=False, separators=(",", ":"))


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _difference(stated: Any, now: Any) -> str:
    """Which keys of two facts differ, where both have keys."""
    if not (isinstance(stated, dict) and isinstance(now, dict)):
        return ""
    differing = sorted(key for key in stated.keys() | now.keys() if stated.get(key) != now.get(key))
    return f", in {', '.join(differing)}"
