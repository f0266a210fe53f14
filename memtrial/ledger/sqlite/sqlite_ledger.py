"""The ledger: one SQLite file to which rows are added and in which none is changed."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from memtrial.ledger.blocks.block_outcomes import BlockOutcomes, group_trials
from memtrial.ledger.blocks.block_rows import OutcomeRows
from memtrial.ledger.fact_names import CODED, group_codes, name_code, name_lost
from memtrial.ledger.row_text import (
    ASKED,
    PLACE,
    TRIAL,
    LedgerFault,
    now,
    parse_json,
    place_columns,
    placed_row,
    read_ending,
    read_mapping,
    text_of,
)
from memtrial.ledger.rows import (
    CheckRow,
    CondensationRow,
    DecisionRow,
    EpisodeRow,
    Json,
    SessionRow,
    TraceRow,
    TrialRow,
)
from memtrial.ledger.sqlite.audit import Damage, SeenRows, audit, refuse_damaged
from memtrial.ledger.sqlite.audit_note import close_noting, note_begun
from memtrial.ledger.sqlite.episode_packs import pack_episodes, read_episode, read_steps
from memtrial.ledger.sqlite.read_only import open_read_only
from memtrial.ledger.sqlite.row_bodies import bodies_of, read_shared_traces
from memtrial.ledger.sqlite.sqlite_accounts import SqliteAccounts
from memtrial.ledger.sqlite.sqlite_calls import SqliteCallStore
from memtrial.ledger.sqlite.sqlite_faults import interrupt_in
from memtrial.ledger.sqlite.tables import ADD_EPISODE, ADD_TRIAL, LAST, LATEST
from memtrial.ledger.trial_cells import TrialScore


class SqliteLedger:
    """Append-only rows in SQLite. Triggers in the file itself forbid changing or deleting one.

    What was changed all the same is noticed on opening and not seen after it.

    Raises:
        LedgerFault: on opening, when the file is something else, or what its trials rest on was changed.
    """

    def __init__(self, path: Path) -> None:
        self._connect(path, *open_read_only(path, True))
        self._writes = True
        note_begun(path, self.connection, self.damage)

    @classmethod
    def open_read_only(
        cls, path: Path, glance: bool = False, running: bool = False, seen: SeenRows | None = None
    ) -> SqliteLedger:
        """Open a ledger to look at it, as it stands at this moment, while somebody else may be writing it.

        Arguments: those of `open_read_only` of read_only.py."""
        ledger = cls.__new__(cls)
        ledger._connect(path, *open_read_only(path, False, glance, running, seen))
        return ledger

    def _connect(self, path: Path, connection: sqlite3.Connection, damage: Damage) -> None:
        self.path, self.connection, self.damage = path, connection, damage
        self.calls, self.accounts = SqliteCallStore(connection), SqliteAccounts(connection)
        self.bodies = bodies_of(connection)
        self._blocks = OutcomeRows(connection, self.bodies)
        self._slots_there = set[str]()  # every block brings slots that others brought
        self._writes = False

    def close(self) -> None:
        writes, self._writes = self._writes, False
        if writes:
            close_noting(self.path, self.connection, self.damage)
        else:
            self.connection.close()

    def look_again(self) -> None:
        """Compare all rows with their seals anew: the file may have been changed since it was opened."""
        self.calls.forget()  # 20 MB of a run that has ended
        try:
            self.damage = audit(self.connection)
        except sqlite3.Error as fault:
            raise LedgerFault(f"an intact ledger is needed; this is damaged: {fault}") from fault
        refuse_damaged(self.damage)

    def state(self, name: str, body: Any) -> None:
        """State a fact of the run once, or the same again. Raises LedgerFault: it was stated otherwise."""
        stated, restated = self.fact(name), json.loads(text_of(body))
        if stated is None:
            self._add("facts", [(name, text_of(body))])
        elif stated != restated:
            where = ""
            if isinstance(stated, dict) and isinstance(restated, dict):
                keys = sorted(stated.keys() | restated.keys())
                where = ", in " + ", ".join(key for key in keys if stated.get(key) != restated.get(key))
            raise LedgerFault(f"{name!r} is stated once; this ledger holds it otherwise{where}")

    def fact(self, name: str) -> Any:
        text = self.fact_text(name)
        return None if text is None else parse_json(text)

    def fact_text(self, name: str) -> str | None:
        row = self.connection.execute("SELECT body FROM facts WHERE name = ?", (name,)).fetchone()
        return None if row is None else row[0]

    def facts_with(self, prefix: str) -> dict[str, str]:
        """Facts whose name begins so: the rest of the name → JSON, in the order in which they were stated."""
        query = "SELECT name, body FROM facts WHERE substr(name, 1, ?) = ? ORDER BY rowid"
        rows = self.connection.execute(query, (len(prefix), prefix))
        return {name[len(prefix) :]: body for name, body in rows}

    def lose_trace(self, backbone: str, task: str, why: str) -> None:
        self.state(name_lost(backbone, task), why)

    def lost_traces(self, backbone: str) -> dict[str, str]:
        return {task: parse_json(why) for task, why in self.facts_with(name_lost(backbone)).items()}

    def add_codes(self, coder: str, codes: Mapping[str, Json]) -> None:
        """Add how a coder coded failures, by case; what it said already stays."""
        there = self.codes().get(coder, {})
        new = {case: body for case, body in codes.items() if case not in there}
        self._add("facts", [(name_code(coder, case), text_of(body)) for case, body in new.items()])

    def codes(self) -> dict[str, dict[str, Json]]:
        return group_codes(self.facts_with(CODED).items())

    def add_traces(self, rows: Iterable[TraceRow]) -> None:
        values = ((row.backbone, row.task, text_of(row.body)) for row in rows)
        self._add("traces", self.bodies.pack_rows("traces", values))

    def add_condensations(self, rows: Iterable[CondensationRow]) -> None:
        values = ((row.backbone, row.condenser, row.draw, row.task, text_of(row.body)) for row in rows)
        self._add("condensations", self.bodies.pack_rows("condensations", values))

    def add_slots(self, texts: dict[str, str]) -> None:
        """Add slot texts by digest; one that is there already stays."""
        new = {digest: text for digest, text in texts.items() if digest not in self._slots_there}
        self._add("slots", self.bodies.pack_rows("slots", new.items()))
        self._slots_there |= new.keys()

    def add_checks(self, rows: Iterable[CheckRow]) -> None:
        """Add manipulation checks; one that is there already stays: the same seed gives the same check."""
        self._add("checks", self.bodies.pack_rows("checks", (place_columns(row, PLACE) for row in rows)))

    def add_decisions(self, rows: Iterable[DecisionRow]) -> None:
        """Add what a judge said that slots advise; what was said already stays."""
        self._add("decisions", [place_columns(row, ASKED) for row in rows])

    def add_trials(self, rows: Iterable[TrialRow], episodes: Iterable[EpisodeRow] = ()) -> None:
        """Add trials, and what was said in them. One that was an error before gets a further attempt.

        Raises LedgerFault: one of them has ended already as the agent's doing; none is added.
        """
        rows = tuple(rows)
        values = self.bodies.pack_rows("trials", (place_columns(row, TRIAL) for row in rows))
        with self._write_batch(f"a trial is added until it ends; one of {len(values)} has ended"):
            self._blocks.add(rows)
            self.connection.executemany(ADD_TRIAL, values)
            self.connection.executemany(ADD_EPISODE, pack_episodes(rows, episodes))

    def add_recollection(self, backbone: str, arm: str, task: str, body: Any) -> None:
        self._add("recollections", [(backbone, arm, task, text_of(body))])

    def recollections(self, backbone: str, arm: str) -> dict[str, Any]:
        query = "SELECT task, body FROM recollections WHERE backbone = ? AND arm = ?"
        return {task: parse_json(body) for task, body in self.connection.execute(query, (backbone, arm))}

    def begin_session(self, settings: Any) -> int:
        query = "SELECT coalesce(max(number), 0) + 1 FROM main.sessions"
        number = int(self.connection.execute(query).fetchone()[0])
        self._add("sessions", [(number, now(), text_of(settings))])
        return number

    def end_session(self, number: int, how: str, why: str = "") -> None:
        self._add("session_ends", [(number, now(), how, why)])

    def copy_session(self, row: SessionRow) -> None:
        """A session of a copied ledger, with the times it had."""
        self._add("sessions", [(row.number, row.begun, text_of(row.settings))])
        if row.ended:
            self._add("session_ends", [(row.number, row.ended, row.how, row.why)])

    def sessions(self) -> tuple[SessionRow, ...]:
        query = (
            "SELECT s.number, begun, body, coalesce(ended, ''), coalesce(how, ''), why"
            " FROM sessions AS s LEFT JOIN session_ends AS e ON e.number = s.number ORDER BY s.number"
        )
        rows = self.connection.execute(query)
        return tuple(
            SessionRow(number, begun, read_mapping(body), ended, *read_ending(how, why))
            for number, begun, body, ended, how, why in rows
        )

    def traces(self, backbone: str) -> dict[str, Json]:
        query = "SELECT task, body FROM traces WHERE backbone = ? ORDER BY rowid"
        rows = self.connection.execute(query, (backbone,))
        return {task: parse_json(self.bodies.read(body)) for task, body in rows}

    def condensations(self) -> Iterator[CondensationRow]:
        query = "SELECT backbone, condenser, task, body, draw FROM condensations ORDER BY rowid"
        for backbone, condenser, task, body, draw in self.connection.execute(query):
            yield CondensationRow(backbone, condenser, task, parse_json(self.bodies.read(body)), draw)

    def checks(self) -> Iterator[CheckRow]:
        query = f"SELECT {', '.join(PLACE)}, body FROM checks ORDER BY rowid"
        for *place, body in self.connection.execute(query):
            yield placed_row(CheckRow, PLACE, place, self.bodies.read(body))

    def decisions(self) -> Iterator[DecisionRow]:
        """What slots were said to advise, in the order of their places."""
        query = f"SELECT {', '.join(ASKED)}, body FROM decisions ORDER BY {', '.join(ASKED)}"
        for *place, body in self.connection.execute(query):
            yield placed_row(DecisionRow, ASKED, place, body)

    def slots(self) -> Iterator[tuple[str, str]]:
        for digest, body in self.connection.execute("SELECT digest, body FROM slots ORDER BY digest"):
            yield digest, str(self.bodies.read(body))

    def slot(self, digest: str) -> str | None:
        row = self.connection.execute("SELECT body FROM slots WHERE digest = ?", (digest,)).fetchone()
        return None if row is None else str(self.bodies.read(row[0]))

    def finished_keys(self) -> frozenset[str]:
        query = "SELECT key FROM trials WHERE status != 'error'"
        return frozenset(key for (key,) in self.connection.execute(query))

    def failed_keys(self) -> frozenset[str]:
        query = "SELECT key FROM trials GROUP BY key HAVING min(status = 'error')"
        return frozenset(key for (key,) in self.connection.execute(query))

    def trials(self) -> Iterator[TrialRow]:
        query = f"SELECT {', '.join(TRIAL)}, body FROM trials AS t WHERE {LATEST} ORDER BY rowid"
        return map(self.bodies.trial_of, self.connection.execute(query))

    def scores(self) -> Iterator[TrialScore]:
        query = f"SELECT {', '.join(TRIAL)} FROM trials AS t WHERE {LATEST} ORDER BY rowid"
        return map(TrialScore._make, self.connection.execute(query))

    def block_outcomes(self) -> tuple[BlockOutcomes, ...]:
        # of files that anybody may have changed what is counted is the trials, less those left out
        read = None if self.damage.compared else self._blocks.read()
        return group_trials(self.scores()) if read is None else read

    def trial(self, key: str) -> TrialRow | None:
        query = f"SELECT {', '.join(TRIAL)}, body FROM trials AS t WHERE key = ? AND {LAST}"
        row = self.connection.execute(query, (key,)).fetchone()
        return None if row is None else self.bodies.trial_of(row)

    def episode(self, key: str) -> EpisodeRow | None:
        return read_episode(self.connection, key)

    def attempts(self, key: str) -> tuple[tuple[int, str, str], ...]:
        query = (
            "SELECT attempt + 1, status, json_extract(body_text(body), '$.cause') FROM trials WHERE key = ?"
            " ORDER BY 1"
        )
        return tuple(self.connection.execute(query, (key,)))

    def tasks_played(self) -> frozenset[str]:
        return frozenset(task for (task,) in self.connection.execute("SELECT DISTINCT task FROM trials"))

    def steps(self) -> Iterator[tuple[str, list[dict[str, Any]]]]:
        return read_steps(self.connection)

    def shared_traces(self) -> Iterator[tuple[list[str], dict[str, Any]]]:
        return read_shared_traces(self.connection)

    def wait_for_disk(self) -> None:
        """From now on a commit ends when the disk has it: what a person said is worth the wait."""
        self.connection.execute("PRAGMA synchronous=FULL")

    @contextmanager
    def _write_batch(self, again: str = "a row is written once; this one is there") -> Iterator[None]:
        """One transaction; a LedgerFault where a row contradicts one, or none can be written."""
        try:
            with self.connection:
                yield
        except sqlite3.OperationalError as fault:
            raise interrupt_in(fault) or LedgerFault(f"the ledger cannot be written: {fault}") from fault
        except sqlite3.IntegrityError as fault:
            raise LedgerFault(f"{again}: {fault}") from fault

    def _add(self, table: str, values: list[tuple[Any, ...]]) -> None:
        if values:
            marks = ", ".join("?" * len(values[0]))
            with self._write_batch():
                self.connection.executemany(f"INSERT INTO main.{table} VALUES ({marks})", values)
