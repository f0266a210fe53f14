"""The tables of a ledger in SQLite, and the triggers by which the file itself keeps its rows."""

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass

from memtrial.ledger.row_text import ASKED, PLACE


@dataclass(frozen=True, slots=True)
class LedgerTable:
    """One table that only grows.

    Args:
        columns: as in CREATE TABLE; those of `key` tell rows apart.
        taken: when a new row meets one that is there; when the key is the same unless given. Looked at before
            the insertion, because INSERT OR REPLACE would slip past the ban on DELETE.
        again: what happens then: ABORT refuses the new row, IGNORE keeps the old one and says nothing.
        later: columns that a file of before they were thought of lacks. They are null in its rows, are added
            to it when it is opened to write, and are no part of a row's seal while they are null.
    """

    columns: str
    key: tuple[str, ...]
    taken: str = ""
    again: str = "ABORT"
    later: tuple[str, ...] = ()

    @property
    def first_names(self) -> tuple[str, ...]:
        """The columns that every ledger has, in their order."""
        return tuple(column.split()[0] for column in self.columns.split(","))

    @property
    def later_names(self) -> tuple[str, ...]:
        return tuple(column.split()[0] for column in self.later)


REFUSE = "SELECT RAISE(ABORT, 'the ledger only grows')"
KEEP = "SELECT RAISE(IGNORE)"
LAST = "attempt = (SELECT max(attempt) FROM trials WHERE key = t.key)"
"""What holds of the last attempt of a trial; `t` is the table that is asked."""
LATEST = (
    "t.rowid NOT IN (SELECT old.rowid FROM trials AS new CROSS JOIN trials AS old ON old.key = new.key"
    " AND old.attempt < new.attempt WHERE new.attempt > 0)"
)
"""The same where all trials are asked: the few that have a later attempt are looked up once."""
# `main` holds every row; without it a table is seen without those that cannot be trusted
_ATTEMPT = "(SELECT coalesce(max(CAST(attempt AS INTEGER)) + 1, 0) FROM main.trials WHERE key = ?1)"
ADD_TRIAL = f"INSERT INTO main.trials VALUES (?1, {_ATTEMPT}, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)"
ADD_EPISODE = "INSERT INTO main.episodes VALUES (?1, (SELECT max(attempt) FROM trials WHERE key = ?1), ?2)"
"""What adds the next attempt of a trial, and what was said in it."""
_PLACE = "backbone TEXT, arm TEXT, condition TEXT, task TEXT, repeat INTEGER"
TABLES = {
    "facts": LedgerTable("name TEXT, body TEXT NOT NULL", ("name",)),
    "traces": LedgerTable("backbone TEXT, task TEXT, body TEXT NOT NULL", ("backbone", "task")),
    "condensations": LedgerTable(
        "backbone TEXT, condenser TEXT, draw INTEGER, task TEXT, body TEXT NOT NULL",
        ("backbone", "condenser", "draw", "task"),
    ),
    "slots": LedgerTable("digest TEXT, body TEXT NOT NULL", ("digest",), again="IGNORE"),
    "checks": LedgerTable(f"{_PLACE}, body TEXT NOT NULL", PLACE, again="IGNORE"),
    "decisions": LedgerTable(f"{_PLACE}, nth INTEGER, body TEXT NOT NULL", ASKED, again="IGNORE"),
    "trials": LedgerTable(
        f"key TEXT, attempt INTEGER, {_PLACE}, status TEXT, score REAL, body TEXT NOT NULL",
        ("key", "attempt"),
        # a trial that ended as the agent's doing stays ended
        "key = NEW.key AND (attempt = NEW.attempt OR status != 'error')",
    ),
    # what was said is large and seldom read: `episode_packs.py`
    "episodes": LedgerTable("key TEXT, attempt INTEGER, body BLOB NOT NULL", ("key", "attempt")),
    "recollections": LedgerTable(
        "backbone TEXT, arm TEXT, task TEXT, body TEXT NOT NULL", ("backbone", "arm", "task")
    ),
    "sessions": LedgerTable(
        "number INTEGER PRIMARY KEY, begun TEXT NOT NULL, body TEXT NOT NULL", ("number",)
    ),
    "session_ends": LedgerTable(
        "number INTEGER PRIMARY KEY, ended TEXT NOT NULL, how TEXT NOT NULL", ("number",), later=("why TEXT",)
    ),
}
BESIDE = {
    "seals": LedgerTable(
        "number INTEGER PRIMARY KEY, of_table TEXT NOT NULL, name TEXT NOT NULL, digest BLOB NOT NULL",
        ("number",),
    ),
    # what the rows of a block say in short: memtrial/ledger/blocks/block_rows.py
    "block_outcomes": LedgerTable(
        """number INTEGER PRIMARY KEY, backbone TEXT NOT NULL, task TEXT NOT NULL, repeat INTEGER NOT NULL,
        cells BLOB NOT NULL, statuses TEXT NOT NULL, scores TEXT NOT NULL""",
        ("number",),
    ),
}
"""What is kept about the rows: the digest of each, and how the trials of a block ended."""
CALLS = {
    "calls": LedgerTable(
        """key BLOB NOT NULL, asked TEXT NOT NULL, answered TEXT NOT NULL, reply TEXT NOT NULL,
        input_tokens INTEGER NOT NULL, output_tokens INTEGER NOT NULL,
        cache_read_tokens INTEGER NOT NULL, cache_write_tokens INTEGER NOT NULL, usd REAL, stop TEXT NOT NULL,
        temperature REAL, verbatim INTEGER NOT NULL, purpose TEXT NOT NULL,
        send INTEGER, nth INTEGER NOT NULL""",
        ("key", "nth"),
        again="IGNORE",
        later=("blocks TEXT", "shares TEXT", "ended_s REAL"),
    ),
    "sends": LedgerTable(
        "id INTEGER PRIMARY KEY, key BLOB NOT NULL, asked TEXT NOT NULL, at REAL NOT NULL", ("id",)
    ),
    "send_faults": LedgerTable(
        "id INTEGER PRIMARY KEY, kind TEXT NOT NULL, message TEXT NOT NULL, usd REAL NOT NULL",
        ("id",),
        later=("ended_s REAL",),
    ),
    "shared_calls": LedgerTable(
        "key BLOB NOT NULL, purpose TEXT NOT NULL", ("key", "purpose"), again="IGNORE"
    ),
    # many in a row: memtrial/ledger/calls/call_packs.py
    "free_calls": LedgerTable(
        """number INTEGER PRIMARY KEY, asked TEXT NOT NULL, answered TEXT NOT NULL, purpose TEXT NOT NULL,
        stop TEXT NOT NULL, temperature REAL, verbatim INTEGER NOT NULL, calls INTEGER NOT NULL,
        input_tokens INTEGER NOT NULL, output_tokens INTEGER NOT NULL, keys BLOB NOT NULL,
        tokens BLOB NOT NULL""",
        ("number",),
    ),
}
"""What `models` keeps of its calls (memtrial/models/client/cache.py); one that is lost is asked again."""
ALL = TABLES | BESIDE | CALLS
LATER = ("free_calls", "block_outcomes")
"""Tables that a file of before they were thought of lacks; it is read as if they had no rows."""
APPLICATION_ID = 0x6D656D74
"""`memt`, in the head of each file: whose database it is. Before version 0.2 the package had another name."""
FORMER = (
    "made before version 0.2, when this package had another name; read it with the version that made it, or"
    " play its spec again: --out with a new folder, or --clean"
)


def lay(connection: sqlite3.Connection) -> None:
    """Create what is missing, all of it or nothing. Raises ValueError: the file holds something else."""
    statements = _statements()
    there = dict(
        connection.execute("SELECT name, type FROM sqlite_master WHERE type IN ('table', 'index', 'trigger')")
    )
    if there.keys() >= TABLES.keys():
        refuse_former(connection)
        if missing := missing_in(connection):
            raise ValueError(f"of another version: it has no {', '.join(missing)}")
    elif "table" in there.values():
        raise ValueError("a database of something else")
    if not there.keys() >= statements.keys() or any(_list_additions(connection)):
        with connection:
            connection.execute("BEGIN IMMEDIATE")
            for statement in statements.values():
                connection.execute(statement)
            # asked again: another process may have added them since
            for statement in list(_list_additions(connection)):
                connection.execute(statement)
            connection.execute(f"PRAGMA main.application_id = {APPLICATION_ID}")


def refuse_former(connection: sqlite3.Connection) -> None:
    """Raises ValueError: the ledger is of the time before the package had its name."""
    (number,) = connection.execute("PRAGMA main.application_id").fetchone()
    (trials,) = connection.execute(
        "SELECT count(*) FROM main.sqlite_master WHERE type = 'table' AND name = 'trials'"
    ).fetchone()
    if trials and number != APPLICATION_ID:
        raise ValueError(FORMER)


def missing_in(connection: sqlite3.Connection) -> list[str]:
    """Tables and columns that a ledger of this version has and this file has not, or the reverse."""
    query = "SELECT name FROM main.sqlite_master WHERE type = 'table'"
    there = {name for (name,) in connection.execute(query)}
    lacking = [f"table {name}" for name in sorted(ALL.keys() - there - set(LATER))]
    for name in sorted(ALL.keys() & there):
        columns, first, later = columns_in(connection, name), ALL[name].first_names, ALL[name].later_names
        lacking += [f"column {name}.{column}" for column in first if column not in columns]
        unknown = sorted(set(columns).difference(first, later))
        lacking += [f"place for column {name}.{column}" for column in unknown]
    return lacking


def columns_in(connection: sqlite3.Connection, table: str) -> tuple[str, ...]:
    """The columns that a table has in the file."""
    return tuple(row[1] for row in connection.execute(f'PRAGMA main.table_info("{table}")'))


def select_all(connection: sqlite3.Connection, table: str) -> str:
    """The columns of a table as a query asks for them; later ones that the file lacks are null."""
    there = columns_in(connection, table)
    later = ALL[table].later_names if table in ALL else ()
    absent = (f'NULL AS "{name}"' for name in later if name not in there)
    return ", ".join((*(f'"{name}"' for name in there), *absent))


def select_none(table: str) -> str:
    """A table that the file lacks, as a query that gives none of its rows."""
    columns = ", ".join(f'NULL AS "{name}"' for name in ALL[table].first_names)
    return f"SELECT {columns} WHERE false"


def _list_additions(connection: sqlite3.Connection) -> Iterator[str]:
    """The statements that add the columns which a file lacks."""
    for name, table in ALL.items():
        there = columns_in(connection, name)
        for column, column_name in zip(table.later, table.later_names, strict=True):
            if there and column_name not in there:
                yield f"ALTER TABLE main.{name} ADD COLUMN {column}"


def _statements() -> dict[str, str]:
    statements = {
        name: f"CREATE TABLE IF NOT EXISTS {name} ({', '.join((table.columns, *table.later))})"
        for name, table in ALL.items()
    }
    for name, table in ALL.items():
        if "PRIMARY KEY" not in table.columns:
            columns = ", ".join(table.key)
            statements[f"{name}_key"] = f"CREATE INDEX IF NOT EXISTS {name}_key ON {name} ({columns})"
        taken = table.taken or " AND ".join(f"{column} = NEW.{column}" for column in table.key)
        met = f"INSERT ON {name} WHEN EXISTS (SELECT 1 FROM {name} WHERE {taken})"
        guards = {
            f"{name}_no_update": f"UPDATE ON {name} BEGIN {REFUSE}",
            f"{name}_no_delete": f"DELETE ON {name} BEGIN {REFUSE}",
            f"{name}_no_replace": f"{met} BEGIN {REFUSE if table.again == 'ABORT' else KEEP}",
        }
        for guard, what in guards.items():
            statements[guard] = f"CREATE TRIGGER IF NOT EXISTS {guard} BEFORE {what}; END"
    return statements
