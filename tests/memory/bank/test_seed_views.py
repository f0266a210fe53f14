"""Document 003's own SQL runs on a bank."""

import json
import re
import sqlite3
from pathlib import Path

import numpy as np
import pytest

from memtrial.memory.bank.events.bank_events import (
    Cause,
    ConsolidationEnded,
    EpisodeAdded,
    ItemAdded,
    LinkAdded,
    MeasureTaken,
    SignalSeen,
    StandingSet,
    VectorAdded,
    VerdictGiven,
)
from memtrial.memory.bank.events.bank_log import BankLog
from memtrial.memory.bank.events.kept_episode import EpisodeSource, make_episode
from memtrial.memory.stored_item import MemoryFault
from tests.support.event_bank import (
    BEGAN,
    CAUSE,
    SECRET,
    hide_secret,
    make_item,
    make_trajectory,
    make_vector,
    open_log,
)

# as printed in seeds/003
DDL = (
    """CREATE TABLE IF NOT EXISTS pattern_embeddings (
id TEXT PRIMARY KEY, -- same id as patterns.id
model TEXT NOT NULL, -- e.g., text-embedding-3-large or Claude embed
dims INTEGER NOT NULL,
vector BLOB NOT NULL, -- float32 array serialized
created_at TEXT DEFAULT CURRENT_TIMESTAMP
);""",
    """CREATE TABLE IF NOT EXISTS pattern_links (
src_id TEXT NOT NULL,
dst_id TEXT NOT NULL,
relation TEXT NOT NULL, -- 'entails' | 'contradicts' | 'refines' | 'duplicate_of'
weight REAL DEFAULT 1.0,
created_at TEXT DEFAULT CURRENT_TIMESTAMP,
PRIMARY KEY (src_id, dst_id, relation)
);""",
    """CREATE TABLE IF NOT EXISTS task_trajectories (
task_id TEXT PRIMARY KEY,
agent_id TEXT,
query TEXT NOT NULL,
trajectory_json TEXT NOT NULL, -- steps, messages, tool calls
started_at TEXT,
ended_at TEXT,
judge_label TEXT, -- 'Success' | 'Failure'
judge_conf REAL, -- 0..1
matts_run_id TEXT -- to link with scaling bundles
);""",
    """CREATE TABLE IF NOT EXISTS matts_runs (
run_id TEXT PRIMARY KEY,
task_id TEXT NOT NULL,
mode TEXT NOT NULL, -- 'parallel' | 'sequential'
k INTEGER NOT NULL,
status TEXT DEFAULT 'completed',
summary TEXT, -- JSON with outcomes
created_at TEXT DEFAULT CURRENT_TIMESTAMP
);""",
)
JUDGE = "UPDATE task_trajectories SET judge_label=?, judge_conf=? WHERE task_id=?"
SCALE = "INSERT INTO matts_runs(run_id, task_id, mode, k, summary) VALUES (?,?,?,?,?)"
KEEP = (
    "INSERT OR REPLACE INTO task_trajectories(task_id, query, trajectory_json, started_at, ended_at)"
    " VALUES (?,?,?,?,?)"
)
A, B = make_item(1), make_item(2)


def _columns(statement: str) -> list[str]:
    return [line.split()[0] for line in statement.splitlines()[1:-1] if not line.startswith("PRIMARY")]


@pytest.fixture
def log(tmp_path: Path) -> BankLog:
    log = open_log(tmp_path)
    episode = make_episode(make_trajectory(), EpisodeSource("org", "agent_web", BEGAN, BEGAN + 60))
    log.fix_space("test/8", 8, CAUSE)
    log.append(
        [
            ItemAdded(A),
            ItemAdded(B),
            VectorAdded(A.id, "item", make_vector(1)),
            VectorAdded(A.id, "query", make_vector(2)),
            LinkAdded(A.id, B.id, "contradicts", 0.9),
            StandingSet(B.id, "quarantined"),
            SignalSeen(A.id, "retrieved"),
            SignalSeen(A.id, "cited", "t", "success"),
            EpisodeAdded(episode),
            VerdictGiven(episode.id, "success", "judge", 0.75),
            MeasureTaken("retrieve_ms", 2.5, (A.id,)),
            ConsolidationEnded("run", 2, contradictions=1, took_ms=3.0),
        ],
        Cause("who", "why"),
    )
    return log


@pytest.mark.parametrize("statement", DDL)
def test_the_documents_tables_are_there_with_its_columns(log: BankLog, statement: str) -> None:
    name = re.findall(r"EXISTS (\w+)", statement)[0]
    before = log.read("SELECT * FROM sqlite_master ORDER BY name")
    for _ in range(2):
        assert log.execute(statement) == []
    assert log.read("SELECT * FROM sqlite_master ORDER BY name") == before
    there = [column for _, column, *_ in log.read(f"PRAGMA table_info({name})")]
    assert set(_columns(statement)) <= set(there)
    assert log.execute(f"SELECT {', '.join(_columns(statement))} FROM {name}") or name == "matts_runs"


def test_a_pattern_is_an_item_in_the_documents_schema(log: BankLog) -> None:
    rows = log.execute(
        "SELECT id, type, pattern_data, confidence, usage_count, created_at, last_used FROM patterns"
        " WHERE type='reasoning_memory' ORDER BY id"
    )
    id_, _, data, confidence, usage_count, created_at, last_used = rows[0]
    body = json.loads(data)
    assert (id_, confidence, usage_count, created_at) == (A.id, A.confidence, 1, "2027-01-15T08:00:01.000Z")
    assert last_used.startswith("2027-01-15T08:00:")
    assert (body["title"], body["description"], body["content"]) == ("title 1", "about 1", "do 1")
    assert body["source"] == {"task_id": "task-1", "agent_id": None, "outcome": "Success", "evidence": []}
    assert (body["tags"], body["domain"], body["n_uses"]) == (["python"], "forum", 1)
    assert [row[0] for row in rows] == [A.id, B.id]


def test_candidates_are_joined_to_their_vectors_by_domain_and_tags(log: BankLog) -> None:
    rows = log.execute(
        "SELECT p.id, e.model, e.dims, e.vector FROM patterns p JOIN pattern_embeddings e ON e.id = p.id"
        " WHERE p.type='reasoning_memory' AND json_extract(p.pattern_data, '$.domain') = ?",
        ("forum",),
    )
    assert [row[:3] for row in rows] == [(A.id, "test/8", 8)]
    assert np.array_equal(np.frombuffer(rows[0][3], "<f4"), np.frombuffer(make_vector(1), "<f4"))


def test_what_the_document_writes_becomes_events(log: BankLog) -> None:
    before = log.last()[0]
    steps = json.dumps({"steps": [{"tool": "x", "output": f"token {SECRET}"}]}, separators=(",", ":"))
    log.execute(KEEP, ("t9", "do it", steps, "2025-10-10T12:00:00Z", None))
    log.execute(JUDGE, ("Failure", 0.6, "t9"))
    log.execute(SCALE, ("run-9", "t9", "sequential", 3, json.dumps({"final": {"label": "Failure"}})))
    kept = log.execute(
        "SELECT trajectory_json, started_at, ended_at, judge_label, judge_conf FROM task_trajectories"
        " WHERE task_id=?",
        ("t9",),
    )
    clean = steps.replace(SECRET, "[SECRET]")
    assert kept == [(clean, "2025-10-10T12:00:00.000Z", None, "Failure", 0.6)]
    assert log.execute("SELECT task_id, mode, k, status FROM matts_runs") == [
        ("t9", "sequential", 3, "completed")
    ]
    kinds = [type(event.event).__name__ for event in log.history()][before:]
    assert kinds == ["EpisodeAdded", "VerdictGiven", "ScalingRunEnded"]
    log.check()
    last = log.last()
    log.execute(KEEP, ("t9", "do it", steps, None, None))
    assert log.last() == last
    log.execute(KEEP, ("t9", "do it", "{}", None, None))
    rows = log.execute("SELECT trajectory_json, judge_label FROM task_trajectories WHERE task_id='t9'")
    assert rows == [("{}", None)]


@pytest.mark.parametrize(
    ("statement", "values"),
    [
        (JUDGE, ("Maybe", 0.6, "task-1")),
        (JUDGE, ("Success", 6, "task-1")),
        (SCALE, ("r", "t", "sideways", 3, "")),
        (SCALE, ("r", "t", "parallel", 0, "")),
        ("DELETE FROM log", ()),
        ("DELETE FROM items", ()),
        ("UPDATE items SET confidence = 1", ()),
        ("INSERT INTO patterns(id) VALUES ('x')", ()),
        ("DROP TABLE log", ()),
        ("ATTACH 'x.db' AS other", ()),
        ("CREATE TABLE mine (x)", ()),
        ("PRAGMA writable_schema = 1", ()),
        ("SELECT nothing FROM patterns", ()),
        ("SELECT 1; SELECT 2", ()),
        ("SELECT ?", (1 << 70,)),
        ("SELECT ?", (object(),)),
        ("SELECT ?", ()),
    ],
)
def test_whatever_else_is_written_is_refused(
    log: BankLog, statement: str, values: tuple[object, ...]
) -> None:
    before = log.last()
    with pytest.raises(MemoryFault) as fault:
        log.execute(statement, values)
    assert "\n" not in str(fault.value)
    assert log.last() == before
    log.append([SignalSeen(A.id, "shown")], CAUSE)


def test_another_program_reads_and_writes_nothing(log: BankLog) -> None:
    with sqlite3.connect(log.path) as other:
        assert other.execute("SELECT count(*) FROM v_active_memories").fetchone() == (1,)
        with pytest.raises(sqlite3.OperationalError, match="bank_write"):
            other.execute(SCALE, ("run-9", "t9", "parallel", 3, SECRET))
        with pytest.raises(sqlite3.IntegrityError, match="only grows"):
            other.execute("DELETE FROM log")
    other.close()
    assert SECRET.encode() not in log.path.with_name("memory.db-wal").read_bytes()


def test_the_originals_views(log: BankLog) -> None:
    assert log.execute("SELECT src_id, dst_id, src_title FROM v_memory_contradictions") == [
        (A.id, B.id, "title 1")
    ]
    assert log.execute("SELECT * FROM v_agent_performance") == [("agent_web", 1, 1, 1.0, 0.75)]
    assert log.execute("SELECT metric, value, ids FROM performance_metrics") == [
        ("retrieve_ms", 2.5, f'["{A.id}"]')
    ]
    assert log.execute("SELECT count(*) FROM events WHERE type='reasoning_memory.created'") == [(2,)]
    assert log.execute(
        "SELECT items_processed, contradictions_found, duration_ms FROM consolidation_runs"
    ) == [(2, 1, 3.0)]


def test_opening_twice_lays_nothing_twice(log: BankLog) -> None:
    before = log.read("SELECT * FROM sqlite_master ORDER BY name")
    again = BankLog(log.path, hide_secret)
    assert again.read("SELECT * FROM sqlite_master ORDER BY name") == before
