"""A run's rows from a file into a database, and from a database into a file, as they stand."""

import os
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from memtrial.call_records import CallBatch
from memtrial.ledger.memory_calls import MemoryCallStore
from memtrial.ledger.postgres.database import AT_ONCE, AwayFault, cut
from memtrial.ledger.postgres.postgres_calls import fill_batch
from memtrial.ledger.postgres.postgres_ledger import PostgresLedger
from memtrial.ledger.row_text import TRIAL, episode_of, parse_json, text_of, trial_of
from memtrial.ledger.rows import EpisodeRow, TraceRow, TrialRow
from memtrial.ledger.sqlite.episode_packs import EpisodePacks
from memtrial.ledger.sqlite.ledger_draft import draft_of, remove_draft
from memtrial.ledger.sqlite.sqlite_ledger import SqliteLedger
from memtrial.private_file import database_files
from memtrial.protocols import LedgerStore

TRIES = 3
"""How often a copy is begun where the database goes away."""
Attempt = tuple[TrialRow, EpisodeRow | None]
Recollection = tuple[str, str, str, str]
_TRIAL = ", ".join(f"t.{name}" for name in TRIAL)
_ATTEMPTS = (
    f"SELECT {_TRIAL}, t.body, {{1}}e.body FROM {{0}}trials AS t LEFT JOIN {{0}}episodes AS e"
    " ON e.key = t.key AND e.attempt = t.attempt"
)
_RECALLED = "SELECT backbone, arm, task, body FROM {0}recollections"


def copy_down(source: PostgresLedger, path: Path) -> None:
    """Write the run as it stands into a file, in the place of the one that is there; whole, or not at all."""
    draft = draft_of(path)
    for left in reversed(range(TRIES)):
        remove_draft(draft)
        try:
            with closing(SqliteLedger(draft)) as target:
                _copy_whole(source, target)
            break
        except AwayFault:  # a look opens the connection anew
            if not left:
                raise
    # what a file of before left beside it would be taken for a part of the new one
    for beside in database_files(path):
        if beside != path:
            beside.unlink(missing_ok=True)
    os.replace(draft, path)
    remove_draft(draft)


def _copy_whole(source: PostgresLedger, target: SqliteLedger) -> None:
    def read(query: str) -> Iterator[tuple[Any, ...]]:
        return source.database.read(query, (source.run,))

    attempts = read(f"{_ATTEMPTS.format('memtrial.', '')} AND e.run = t.run WHERE t.run = %s ORDER BY t.nth")
    recalled = source.tables.rows(f"{_RECALLED.format('memtrial.')} WHERE run = %s ORDER BY nth")
    _copy_rows(source, target, map(_attempt_of, attempts), recalled)
    for batch in source.calls.batches():
        target.calls.commit(batch)
    for session in source.sessions():
        target.copy_session(session)


def copy_up(path: Path, target: PostgresLedger) -> None:
    """Write the run of a file into a database that has nothing of it yet, in one transaction."""

    def copy(source: SqliteLedger) -> None:
        ask, packs = source.connection.execute, EpisodePacks(source.connection)
        _copy_rows(source, target, _read_attempts(source, packs, "ORDER BY t.rowid"), recalled_in(source))
        sends = ask("SELECT id, key, asked, at FROM sends ORDER BY id").fetchall()
        faults = ask("SELECT id, kind, message, usd, ended_s FROM send_faults ORDER BY id")
        told = [(number, kind, text_of(message), *rest) for number, kind, message, *rest in faults]
        shared = ask("SELECT key, purpose FROM shared_calls ORDER BY rowid").fetchall()
        calls = MemoryCallStore()
        calls.commit(fill_batch(tuple(source.calls.records()), sends, told, shared))
        calls.commit(CallBatch(free=tuple(source.calls.free_calls())))
        _copy_calls(calls, target)
        for session in source.sessions():
            begun = (session.number, session.begun, text_of(session.settings))
            target.tables.insert("sessions", [begun])
            if session.ended:
                ended = (session.number, session.ended, session.how, session.why)
                target.tables.insert("session_ends", [ended])
        reported = sum(row.reported_usd for row in source.trials())
        query = "UPDATE memtrial.runs SET reported_usd = %s WHERE id = %s"
        target.database.ask(query, (reported, target.run))

    with closing(SqliteLedger.open_read_only(path)) as begun:
        target.tables.carry(lambda _: copy(begun))


def _copy_rows(
    source: LedgerStore,
    target: LedgerStore,
    attempts: Iterable[Attempt],
    recalled: Iterable[tuple[Any, ...]],
) -> None:
    for name, body in source.facts_with("").items():
        target.state(name, parse_json(body))
    copy_prepared_rows(source, target)
    for texts in cut(source.slots()):
        target.add_slots(dict(texts))
    for backbone, arm, task, body in recalled:
        target.add_recollection(backbone, arm, task, parse_json(body))
    add_attempts(target, attempts)


def copy_prepared_rows(source: LedgerStore, target: LedgerStore) -> None:
    """Traces, condensations, checks and decisions, as they stand."""
    backbones = dict.fromkeys(name for names, _ in source.shared_traces() for name in names)
    for backbone in backbones:
        target.add_traces(TraceRow(backbone, task, body) for task, body in source.traces(backbone).items())
    for several in cut(source.condensations()):
        target.add_condensations(several)
    for checks in cut(source.checks()):
        target.add_checks(checks)
    for decisions in cut(source.decisions()):
        target.add_decisions(decisions)


def add_attempts(target: LedgerStore, attempts: Iterable[Attempt]) -> None:
    """Attempts of trials in this order, many at once."""
    for together in _cut_attempts(attempts):
        rows, spoken = zip(*together, strict=True)
        target.add_trials(rows, (episode for episode in spoken if episode is not None))


def _copy_calls(source: MemoryCallStore, target: LedgerStore) -> None:
    for sends in cut(source.sends()):
        target.calls.commit(CallBatch(sends=tuple(sends)))
    for faults in cut(source.faults()):
        target.calls.commit(CallBatch(faults=tuple(faults)))
    for calls in cut(source.records()):
        target.calls.commit(CallBatch(calls=tuple(calls)))
    for shared in cut(source.shared()):
        target.calls.commit(CallBatch(shared=tuple(shared)))
    # in one: alike calls share a row
    target.calls.commit(CallBatch(free=tuple(source.free_calls())))


def attempts_of(source: SqliteLedger, keys: Iterable[str]) -> list[list[Attempt]]:
    """All attempts of each of these trials, in their order; trials of one block are soon read together."""
    packs, wanted = EpisodePacks(source.connection), "WHERE t.key = ? ORDER BY t.attempt"
    return [list(_read_attempts(source, packs, wanted, (key,))) for key in keys]


def _read_attempts(
    source: SqliteLedger, packs: EpisodePacks, wanted: str, values: tuple[str, ...] = ()
) -> Iterator[Attempt]:
    query = f"{_ATTEMPTS.format('', 'e.rowid, ')} {wanted}"
    for *columns, row, said in source.connection.execute(query, values):
        trial = source.bodies.trial_of(tuple(columns))
        yield trial, None if row is None else packs.episode(trial.key, row, said)


def recalled_in(source: SqliteLedger) -> Iterator[tuple[Any, ...]]:
    """Backbone, arm, task and text of what memory systems gave, in the order of adding."""
    yield from source.connection.execute(f"{_RECALLED.format('')} ORDER BY rowid")


def _attempt_of(row: tuple[Any, ...]) -> Attempt:
    *trial, episode = row
    played = trial_of(tuple(trial))
    return played, None if episode is None else episode_of(played.key, episode)


def _cut_attempts(attempts: Iterable[Attempt]) -> Iterator[list[Attempt]]:
    """Attempts in batches with one of each trial at most."""
    batch: dict[str, Attempt] = {}
    for attempt in attempts:
        key = attempt[0].key
        if key in batch or len(batch) == AT_ONCE:
            yield list(batch.values())
            batch = {}
        batch[key] = attempt
    if batch:
        yield list(batch.values())
