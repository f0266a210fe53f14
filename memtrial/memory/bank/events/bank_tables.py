"""The tables of a bank's file: the log, which only grows, and what is read from it, which can be made again.

Triggers in the file itself forbid changing or deleting an event, whoever opens it.
"""

import sqlite3

from memtrial.memory.bank.events.seed_views import VIEWS
from memtrial.memory.stored_item import MemoryFault

APPLICATION_ID = 0x6D656D62
"""`memb`, in the head of each file: whose database it is."""
VERSION = 3
LOG = """
CREATE TABLE IF NOT EXISTS log (
    sequence INTEGER PRIMARY KEY,
    id TEXT NOT NULL,
    moment REAL NOT NULL,
    who TEXT NOT NULL,
    why TEXT NOT NULL,
    kind TEXT NOT NULL,
    body TEXT NOT NULL,
    vector BLOB,
    digest TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS bank (name TEXT PRIMARY KEY, body TEXT NOT NULL);
CREATE TRIGGER IF NOT EXISTS log_stays BEFORE UPDATE ON log
    BEGIN SELECT RAISE(ABORT, 'the log only grows'); END;
CREATE TRIGGER IF NOT EXISTS log_keeps BEFORE DELETE ON log
    BEGIN SELECT RAISE(ABORT, 'the log only grows'); END;
"""
PROJECTIONS = {
    "space": "id INTEGER PRIMARY KEY CHECK (id = 1), space TEXT NOT NULL, dimensions INTEGER NOT NULL",
    "items": """added INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE,
        version INTEGER NOT NULL, words_version INTEGER NOT NULL,
        schema TEXT NOT NULL, words TEXT NOT NULL, details TEXT NOT NULL, origin TEXT NOT NULL,
        project TEXT NOT NULL, domain TEXT NOT NULL, outcome TEXT NOT NULL, task_id TEXT NOT NULL,
        trajectory_id TEXT NOT NULL, created REAL NOT NULL, confidence REAL NOT NULL, standing TEXT NOT NULL,
        pinned INTEGER NOT NULL, retrieved INTEGER NOT NULL, shown INTEGER NOT NULL, cited INTEGER NOT NULL,
        wins INTEGER NOT NULL, losses INTEGER NOT NULL, last_cited REAL""",
    "vectors": """item_id TEXT NOT NULL REFERENCES items (id), words_version INTEGER NOT NULL,
        key TEXT NOT NULL, sequence INTEGER NOT NULL, PRIMARY KEY (item_id, words_version, key)""",
    "links": """source TEXT NOT NULL REFERENCES items (id), target TEXT NOT NULL REFERENCES items (id),
        relation TEXT NOT NULL, weight REAL NOT NULL, created REAL NOT NULL,
        PRIMARY KEY (source, target, relation)""",
    "episodes": """id TEXT PRIMARY KEY, task_id TEXT NOT NULL, query TEXT NOT NULL, body TEXT NOT NULL,
        project TEXT NOT NULL, agent_id TEXT NOT NULL, began REAL, ended REAL, scaling_run TEXT NOT NULL,
        label TEXT, confidence REAL, judge TEXT, reason TEXT, sequence INTEGER NOT NULL""",
    "records": """id TEXT PRIMARY KEY, task_id TEXT NOT NULL, query TEXT NOT NULL, item_ids TEXT NOT NULL,
        episode_id TEXT NOT NULL, reply TEXT NOT NULL, sequence INTEGER NOT NULL""",
    "signals": """sequence INTEGER PRIMARY KEY, item_id TEXT NOT NULL REFERENCES items (id),
        signal TEXT NOT NULL, task_id TEXT NOT NULL, outcome TEXT, moment REAL NOT NULL""",
    "scaling_runs": """id TEXT PRIMARY KEY, task_id TEXT NOT NULL, mode TEXT NOT NULL, k INTEGER NOT NULL,
        status TEXT NOT NULL, summary TEXT NOT NULL, created REAL NOT NULL""",
    "consolidations": """id TEXT PRIMARY KEY, items_seen INTEGER NOT NULL, duplicates INTEGER NOT NULL,
        contradictions INTEGER NOT NULL, archived INTEGER NOT NULL, promoted INTEGER NOT NULL,
        took_ms REAL NOT NULL, created REAL NOT NULL""",
    "measures": """sequence INTEGER PRIMARY KEY, metric TEXT NOT NULL, value REAL NOT NULL,
        item_ids TEXT NOT NULL, moment REAL NOT NULL""",
    "subjects": "subject TEXT NOT NULL, sequence INTEGER NOT NULL, PRIMARY KEY (subject, sequence)",
}
"""What is read from the log, in an order in which a table stands behind those that it points at.

An item's `added` is the event that added it. In `subjects` are those events of items and episodes that no
other table names, so that an item that is added writes none (`SUBJECT_EVENTS`).
"""
SUBJECT_EVENTS = (
    "SELECT sequence FROM subjects WHERE subject = ?1 UNION SELECT added FROM items WHERE id = ?1"
    " UNION SELECT sequence FROM vectors WHERE item_id = ?1"
)
"""The places in the log of all events of an item or an episode."""
KEYED = {"vectors", "links", "subjects"}
"""Tables of short rows that lie in the order of their key: a row is written once, and in no index more."""
INDEXES = """
CREATE INDEX IF NOT EXISTS items_by_scope ON items (project, standing, confidence, created);
CREATE INDEX IF NOT EXISTS links_by_target ON links (target);
CREATE INDEX IF NOT EXISTS records_by_episode ON records (episode_id);
CREATE INDEX IF NOT EXISTS episodes_by_task ON episodes (task_id);
CREATE INDEX IF NOT EXISTS signals_by_item ON signals (item_id, sequence);
"""


def holds_bank(connection: sqlite3.Connection) -> bool:
    """Whether a bank of this version is laid down; not so in an empty file. MemoryFault for any other file,
    which stays as it is."""
    # in this order: another process may lay it down just now
    tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    ours = connection.execute("PRAGMA application_id").fetchone()[0]
    if tables and ours != APPLICATION_ID:
        raise MemoryFault("a bank's file is needed; this database is of something else: name another folder")
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if tables and version != VERSION:
        raise MemoryFault(
            f"a bank of version {VERSION} is needed; this one is of version {version}: export it with the"
            " release that made it, and import that"
        )
    return bool(tables)


def lay_bank(connection: sqlite3.Connection, bank_id: str) -> None:
    """Create all of a bank in an empty file, or nothing; once more changes nothing."""
    connection.execute("BEGIN IMMEDIATE")
    for statement in _statements():
        connection.execute(statement)
    connection.execute("INSERT OR IGNORE INTO bank VALUES ('id', ?)", (bank_id,))
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {VERSION}")
    connection.execute("COMMIT")


def _statements() -> list[str]:
    laid = [
        f"CREATE TABLE IF NOT EXISTS {name} ({columns}){' WITHOUT ROWID' if name in KEYED else ''}"
        for name, columns in PROJECTIONS.items()
    ]
    return [*_split(LOG), *laid, *_split(INDEXES), *_split(VIEWS)]


def _split(script: str) -> list[str]:
    """Statements of a script; a trigger's own end with END."""
    statements, part = [], ""
    for line in script.strip().splitlines():
        part += line + "\n"
        if sqlite3.complete_statement(part):
            statements.append(part)
            part = ""
    return statements


def clear_projections(connection: sqlite3.Connection) -> None:
    """Empty every table but the log, within the transaction that is open."""
    for name in reversed(PROJECTIONS):
        connection.execute(f"DELETE FROM {name}")
