"""The ledger of a run in PostgreSQL: many workers add rows, and a worker that comes back late adds none."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from memtrial.ledger.blocks.block_outcomes import BlockOutcomes, group_trials
from memtrial.ledger.fact_names import CODED, group_codes, name_code, name_lost
from memtrial.ledger.memory_accounts import MemoryAccounts
from memtrial.ledger.postgres.database import Database, TwiceFault
from memtrial.ledger.postgres.lease_time import LEASE_S
from memtrial.ledger.postgres.postgres_calls import PostgresCallStore
from memtrial.ledger.postgres.postgres_tables import lay_tables
from memtrial.ledger.postgres.run_tables import RunTables
from memtrial.ledger.postgres.worker_lease import WorkerLease
from memtrial.ledger.row_text import (
    ASKED,
    PLACE,
    TRIAL,
    LedgerFault,
    episode_of,
    now,
    pack_episode,
    parse_json,
    place_columns,
    placed_row,
    read_ending,
    read_mapping,
    text_of,
    trial_of,
    unpack_episode,
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
from memtrial.ledger.sqlite.audit import Damage
from memtrial.ledger.trial_cells import TrialScore, score_of

_ASKED = ", ".join((*PLACE, "ordinal"))
_TRIAL = ", ".join(TRIAL)
_LAST = "attempt = (SELECT max(attempt) FROM memtrial.trials WHERE run = t.run AND key = t.key)"


class PostgresLedger:
    """One run of a database, named there; `path` is beside what else belongs to the run.

    The database keeps rows from being changed, and from strangers by its own rights: there are no seals.

    Args:
        address: postgresql://…; `name`: of the run.
        lease_s: how long others wait for this worker; None to read alone.

    Raises:
        LedgerFault: nothing answers there, or, to read, there is no such run.
    """

    damage = Damage()

    def __init__(self, address: str, name: str, path: Path, lease_s: float | None = LEASE_S) -> None:
        self.path, self.name = path, name
        self.database = Database(address)
        self.lease: WorkerLease | None = None
        try:
            lay_tables(self.database)
            if lease_s is not None:
                query = "INSERT INTO memtrial.runs (name) VALUES (%s) ON CONFLICT DO NOTHING"
                self.database.look(query, (name,))
            held = self.database.look("SELECT id FROM memtrial.runs WHERE name = %s", (name,))
            if not held:
                raise LedgerFault(f"the name of a run of this database is needed; there is no {name!r}")
            self.run = int(held[0][0])
            self.lease = None if lease_s is None else WorkerLease(address, self.run, self.database, lease_s)
        except LedgerFault:
            self.database.close()
            raise
        self.tables = RunTables(self.database, self.run, self.lease)
        self.calls = PostgresCallStore(self.database, self.run, self.lease)

    @property
    def accounts(self) -> MemoryAccounts:
        """Counted here, over the calls as they are now: for a copy of the run, and before it begins."""
        return MemoryAccounts(self, self.calls.snapshot())

    def close(self) -> None:
        if self.lease is not None:
            self.lease.give_up()
        self.database.close()

    def keep_spec(self, spec: str) -> None:
        """What workers play by, as JSON; budget and engine may be others than before."""
        self.database.look("UPDATE memtrial.runs SET spec = %s WHERE id = %s", (spec, self.run))

    def look_again(self) -> None:
        """Nothing is sealed here."""

    def wait_for_disk(self) -> None:
        """Every commit ends when the database has it on its disk."""

    def state(self, name: str, body: Any) -> None:
        text = text_of(body)
        if self.fact_text(name) is None:
            self.tables.keep("facts", [(name, text)])
        if self.fact(name) != parse_json(text):  # stated before, or by another worker meanwhile
            raise LedgerFault(f"{name!r} is stated once; this ledger holds it otherwise")

    def fact(self, name: str) -> Any:
        return None if (text := self.fact_text(name)) is None else parse_json(text)

    def fact_text(self, name: str) -> str | None:
        rows = self.tables.rows("SELECT body FROM memtrial.facts WHERE run = %s AND name = %s", name)
        return rows[0][0] if rows else None

    def facts_with(self, prefix: str) -> dict[str, str]:
        query = "SELECT name, body FROM memtrial.facts WHERE run = %s AND starts_with(name, %s) ORDER BY nth"
        return {name[len(prefix) :]: body for name, body in self.tables.rows(query, prefix)}

    def add_codes(self, coder: str, codes: Mapping[str, Json]) -> None:
        self.tables.keep("facts", [(name_code(coder, case), text_of(body)) for case, body in codes.items()])

    def codes(self) -> dict[str, dict[str, Json]]:
        return group_codes(self.facts_with(CODED).items())

    def lose_trace(self, backbone: str, task: str, why: str) -> None:
        self.state(name_lost(backbone, task), why)

    def lost_traces(self, backbone: str) -> dict[str, str]:
        return {task: parse_json(why) for task, why in self.facts_with(name_lost(backbone)).items()}

    def add_traces(self, rows: Iterable[TraceRow]) -> None:
        self.tables.add("traces", [(row.backbone, row.task, text_of(row.body)) for row in rows])

    def traces(self, backbone: str) -> dict[str, Json]:
        query = "SELECT task, body FROM memtrial.traces WHERE run = %s AND backbone = %s ORDER BY nth"
        return {task: parse_json(body) for task, body in self.tables.rows(query, backbone)}

    def shared_traces(self) -> Iterator[tuple[list[str], dict[str, Any]]]:
        query = (
            "SELECT array_agg(backbone ORDER BY nth), body FROM memtrial.traces WHERE run = %s"
            " GROUP BY task, body ORDER BY min(nth)"
        )
        yield from ((names, parse_json(body)) for names, body in self.tables.rows(query))

    def add_condensations(self, rows: Iterable[CondensationRow]) -> None:
        values = [(row.backbone, row.condenser, row.draw, row.task, text_of(row.body)) for row in rows]
        self.tables.add("condensations", values)

    def condensations(self) -> Iterator[CondensationRow]:
        query = (
            "SELECT backbone, condenser, task, body, draw FROM memtrial.condensations WHERE run = %s"
            " ORDER BY nth"
        )
        for backbone, condenser, task, body, draw in self.tables.rows(query):
            yield CondensationRow(backbone, condenser, task, parse_json(body), draw)

    def add_slots(self, texts: dict[str, str]) -> None:
        if texts:
            self.tables.carry(lambda _: self.write_slots(texts))

    def write_slots(self, texts: Mapping[str, str]) -> None:
        """Within a transaction that may write: texts by digest; those that are there stay."""
        # as JSON: a text of PostgreSQL holds no character zero
        # in one order: two workers that keep the same texts would wait for each other
        rows = [(digest, text_of(text)) for digest, text in sorted(texts.items())]
        self.tables.insert("slots", rows, " ON CONFLICT DO NOTHING")

    def slots(self) -> Iterator[tuple[str, str]]:
        for digest, body in self.tables.rows(
            "SELECT digest, body FROM memtrial.slots WHERE run = %s ORDER BY digest"
        ):
            yield digest, parse_json(body)

    def slot(self, digest: str) -> str | None:
        rows = self.tables.rows("SELECT body FROM memtrial.slots WHERE run = %s AND digest = %s", digest)
        return str(parse_json(rows[0][0])) if rows else None

    def add_checks(self, rows: Iterable[CheckRow]) -> None:
        self.tables.keep("checks", [place_columns(row, PLACE) for row in rows])

    def checks(self) -> Iterator[CheckRow]:
        query = f"SELECT {', '.join(PLACE)}, body FROM memtrial.checks WHERE run = %s ORDER BY nth"
        for *place, body in self.tables.rows(query):
            yield placed_row(CheckRow, PLACE, place, body)

    def add_decisions(self, rows: Iterable[DecisionRow]) -> None:
        self.tables.keep("decisions", [place_columns(row, ASKED) for row in rows])

    def decisions(self) -> Iterator[DecisionRow]:
        query = f"SELECT {_ASKED}, body FROM memtrial.decisions WHERE run = %s ORDER BY {_ASKED}"
        for *place, body in self.tables.rows(query):
            yield placed_row(DecisionRow, ASKED, place, body)

    def add_trials(self, rows: Iterable[TrialRow], episodes: Iterable[EpisodeRow] = ()) -> None:
        values = [place_columns(row, TRIAL) for row in rows]
        packed = [(row.key, pack_episode(row)) for row in episodes]
        self.tables.carry(lambda _: self.write_trials(values, packed))

    def write_trials(self, values: Sequence[tuple[Any, ...]], packed: Sequence[tuple[str, bytes]]) -> None:
        """Within a transaction that may write: trials by `TRIAL`, and episodes as they are kept."""
        keys = [key for key, *_ in values]
        # key by key: a plan for all at once would read those of the whole run
        query = (
            "SELECT added.key, attempt, ended FROM unnest(%s::text[]) AS added (key) CROSS JOIN LATERAL"
            " (SELECT max(attempt) AS attempt, bool_or(status != 'error') AS ended FROM memtrial.trials"
            " WHERE run = %s AND key = added.key) AS before WHERE attempt IS NOT NULL"
        )
        there = {key: (attempt, ended) for key, attempt, ended in self.database.ask(query, (keys, self.run))}
        if any(ended for _, ended in there.values()):
            raise TwiceFault(f"a trial is added until it ends; one of {len(values)} has ended")
        attempts = {key: there[key][0] + 1 if key in there else 0 for key in keys}
        self.tables.insert("trials", [(key, attempts[key], *rest) for key, *rest in values])
        self.tables.insert("episodes", [(key, attempts.get(key, 0), body) for key, body in packed])

    def trials(self) -> Iterator[TrialRow]:
        query = f"SELECT {_TRIAL}, body FROM memtrial.trials AS t WHERE run = %s AND {_LAST} ORDER BY nth"
        yield from map(trial_of, self.tables.rows(query))

    def scores(self) -> Iterator[TrialScore]:
        return map(score_of, self.trials())

    def block_outcomes(self) -> tuple[BlockOutcomes, ...]:
        return group_trials(self.trials())

    def trial(self, key: str) -> TrialRow | None:
        query = f"SELECT {_TRIAL}, body FROM memtrial.trials AS t WHERE run = %s AND {_LAST} AND key = %s"
        return next(map(trial_of, self.tables.rows(query, key)), None)

    def all_attempts(self) -> Iterator[TrialRow]:
        """Every attempt of every trial, in the order of adding."""
        query = f"SELECT {_TRIAL}, body FROM memtrial.trials WHERE run = %s ORDER BY nth"
        yield from map(trial_of, self.tables.rows(query))

    def attempts(self, key: str) -> tuple[tuple[int, str, str], ...]:
        query = "SELECT attempt + 1, status, body FROM memtrial.trials WHERE run = %s AND key = %s ORDER BY 1"
        rows = ((*ended, read_mapping(body)) for *ended, body in self.tables.rows(query, key))
        return tuple((number, status, str(body.get("cause", ""))) for number, status, body in rows)

    def episode(self, key: str) -> EpisodeRow | None:
        query = f"SELECT body FROM memtrial.episodes AS t WHERE run = %s AND key = %s AND {_LAST}"
        rows = self.tables.rows(query, key)
        return episode_of(key, rows[0][0]) if rows else None

    def steps(self) -> Iterator[tuple[str, list[dict[str, Any]]]]:
        query = f"SELECT key, body FROM memtrial.episodes AS t WHERE run = %s AND {_LAST} ORDER BY nth"
        for key, body in self.tables.rows(query):
            yield key, unpack_episode(body)["steps"]

    def finished_keys(self) -> frozenset[str]:
        query = "SELECT key FROM memtrial.trials WHERE run = %s AND status != 'error'"
        return frozenset(key for (key,) in self.tables.rows(query))

    def failed_keys(self) -> frozenset[str]:
        query = "SELECT key FROM memtrial.trials WHERE run = %s GROUP BY key HAVING every(status = 'error')"
        return frozenset(key for (key,) in self.tables.rows(query))

    def tasks_played(self) -> frozenset[str]:
        rows = self.tables.rows("SELECT DISTINCT task FROM memtrial.trials WHERE run = %s")
        return frozenset(task for (task,) in rows)

    def add_recollection(self, backbone: str, arm: str, task: str, body: Any) -> None:
        self.tables.add("recollections", [(backbone, arm, task, text_of(body))])

    def recollections(self, backbone: str, arm: str) -> dict[str, Any]:
        query = "SELECT task, body FROM memtrial.recollections WHERE run = %s AND backbone = %s AND arm = %s"
        return {task: parse_json(body) for task, body in self.tables.rows(query, backbone, arm)}

    def begin_session(self, settings: Any) -> int:
        body = text_of(settings)

        def begin(_: bool) -> int:
            # workers begin at the same moment: a number goes to one of them
            self.database.ask("SELECT 1 FROM memtrial.runs WHERE id = %s FOR NO KEY UPDATE", (self.run,))
            query = "SELECT coalesce(max(number), 0) + 1 FROM memtrial.sessions WHERE run = %s"
            number = int(self.database.ask(query, (self.run,))[0][0])
            self.tables.insert("sessions", [(number, now(), body)])
            return number

        return self.tables.carry(begin)

    def end_session(self, number: int, how: str, why: str = "") -> None:
        self.tables.add("session_ends", [(number, now(), how, why)])

    def sessions(self) -> tuple[SessionRow, ...]:
        query = (
            "SELECT s.number, begun, s.body, coalesce(ended, ''), coalesce(how, ''), coalesce(why, '')"
            " FROM memtrial.sessions AS s LEFT JOIN memtrial.session_ends AS e"
            " ON e.run = s.run AND e.number = s.number WHERE s.run = %s ORDER BY s.number"
        )
        return tuple(
            SessionRow(number, begun, read_mapping(body), ended, *read_ending(how, why))
            for number, begun, body, ended, how, why in self.tables.rows(query)
        )
