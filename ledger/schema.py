"""The ledger's tables, and the triggers by which the file itself keeps its rows."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Table:
    """One table that only grows.

    Args:
        columns: as in CREATE TABLE.
        taken: when a new row meets one that is there. Looked at before the insertion, because
            INSERT OR REPLACE would slip past the ban on DELETE.
        again: what happens then: ABORT refuses the new row, IGNORE keeps the old one and says nothing.
    """

    columns: str
    taken: str
    again: str = "ABORT"


REFUSE = "SELECT RAISE(ABORT, 'the ledger only grows')"
KEEP = "SELECT RAISE(IGNORE)"
PLACE = ("backbone", "arm", "condition", "task", "repeat")
TABLES = {
    "facts": Table("name TEXT PRIMARY KEY, body TEXT NOT NULL", "name = NEW.name"),
    "traces": Table(
        "backbone TEXT, task TEXT, body TEXT NOT NULL, PRIMARY KEY (backbone, task)",
        "backbone = NEW.backbone AND task = NEW.task",
    ),
    "condensations": Table(
        "backbone TEXT, condenser TEXT, draw INTEGER, task TEXT, body TEXT NOT NULL,"
        " PRIMARY KEY (backbone, condenser, draw, task)",
        "backbone = NEW.backbone AND condenser = NEW.condenser AND draw = NEW.draw AND task = NEW.task",
    ),
    "slots": Table("digest TEXT PRIMARY KEY, body TEXT NOT NULL", "digest = NEW.digest", "IGNORE"),
    "checks": Table(
        "backbone TEXT, arm TEXT, condition TEXT, task TEXT, repeat INTEGER, body TEXT NOT NULL,"
        " PRIMARY KEY (backbone, arm, condition, task, repeat)",
        " AND ".join(f"{name} = NEW.{name}" for name in PLACE),
        "IGNORE",
    ),
    "decisions": Table(
        "backbone TEXT, arm TEXT, condition TEXT, task TEXT, repeat INTEGER, nth INTEGER,"
        " body TEXT NOT NULL, PRIMARY KEY (backbone, arm, condition, task, repeat, nth)",
        " AND ".join(f"{name} = NEW.{name}" for name in (*PLACE, "nth")),
        "IGNORE",
    ),
    "trials": Table(
        "key TEXT, attempt INTEGER, backbone TEXT, arm TEXT, condition TEXT, task TEXT, repeat INTEGER,"
        " status TEXT, score REAL, body TEXT NOT NULL, PRIMARY KEY (key, attempt)",
        # a trial that ended as the agent's doing stays ended
        "key = NEW.key AND (attempt = NEW.attempt OR status != 'error')",
    ),
    # zlib of JSON: what was said is large and seldom read
    "episodes": Table(
        "key TEXT, attempt INTEGER, body BLOB NOT NULL, PRIMARY KEY (key, attempt)",
        "key = NEW.key AND attempt = NEW.attempt",
    ),
    "recollections": Table(
        "backbone TEXT, arm TEXT, task TEXT, body TEXT NOT NULL, PRIMARY KEY (backbone, arm, task)",
        "backbone = NEW.backbone AND arm = NEW.arm AND task = NEW.task",
    ),
    "sessions": Table(
        "number INTEGER PRIMARY KEY, begun TEXT NOT NULL, body TEXT NOT NULL", "number = NEW.number"
    ),
    "session_ends": Table(
        "number INTEGER PRIMARY KEY, ended TEXT NOT NULL, how TEXT NOT NULL", "number = NEW.number"
    ),
}


def lay(connection: sqlite3.Connection) -> None:
    """Create tables and triggers where they are missing, all of them or none.

    Raises:
        ValueError: the file holds tables of something else.
    """
    statements = _statements()
    found = dict(
        connection.execute("SELECT name, type FROM sqlite_master WHERE type IN ('table', 'trigger')")
    )
    if found.keys() >= TABLES.keys() and (missing := missing_in(connection)):
        raise ValueError(f"of another version: it has no {', '.join(missing)}")
    if found.keys() >= statements.keys():
        return
    if "table" in found.values() and not found.keys() >= TABLES.keys():
        raise ValueError("a database of something else")
    with connection:
        connection.execute("BEGIN IMMEDIATE")
        for statement in statements.values():
            connection.execute(statement)


def missing_in(connection: sqlite3.Connection, declared: Mapping[str, str] | None = None) -> list[str]:
    """Tables and columns that a ledger of this version has and this file has not, named as what they are.

    Args:
        declared: table → its columns as in CREATE TABLE; those of a ledger's rows unless given.
    """
    wanted = {name: table.columns for name, table in TABLES.items()} if declared is None else declared
    there = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    lacking = [f"table {name}" for name in sorted(wanted.keys() - there)]
    for name in sorted(wanted.keys() & there):
        columns = {row[1] for row in connection.execute(f"PRAGMA table_info({name})")}
        names = [one.split()[0] for one in wanted[name].split(" PRIMARY KEY (")[0].split(",") if one.split()]
        lacking += [f"column {name}.{one}" for one in names if one not in columns]
    return lacking


def _statements() -> dict[str, str]:
    """What creates each table and each trigger, by name."""
    statements = {
        name: f"CREATE TABLE IF NOT EXISTS {name} ({table.columns})" for name, table in TABLES.items()
    }
    for name, table in TABLES.items():
        met = f"INSERT ON {name} WHEN EXISTS (SELECT 1 FROM {name} WHERE {table.taken})"
        guards = {
            f"{name}_no_update": f"UPDATE ON {name} BEGIN {REFUSE}",
            f"{name}_no_delete": f"DELETE ON {name} BEGIN {REFUSE}",
            f"{name}_no_replace": f"{met} BEGIN {REFUSE if table.again == 'ABORT' else KEEP}",
        }
        for guard, what in guards.items():
            statements[guard] = f"CREATE TRIGGER IF NOT EXISTS {guard} BEFORE {what}; END"
    return statements
