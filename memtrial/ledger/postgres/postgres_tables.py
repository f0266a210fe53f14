"""The tables of all runs of a database, in the schema `memtrial`; those of rows only grow."""

from memtrial.ledger.postgres.database import Database

_TEXT = 'text COLLATE "C" NOT NULL'
_PLACE = f"backbone {_TEXT}, arm {_TEXT}, condition {_TEXT}, task {_TEXT}, repeat bigint NOT NULL"
_PLACE_KEY = "backbone, arm, condition, task, repeat"
ROWS: dict[str, tuple[str, str]] = {
    "facts": (f"name {_TEXT}, body text NOT NULL", "name"),
    "traces": (f"backbone {_TEXT}, task {_TEXT}, body text NOT NULL", "backbone, task"),
    "condensations": (
        f"backbone {_TEXT}, condenser {_TEXT}, draw bigint NOT NULL, task {_TEXT}, body text NOT NULL",
        "backbone, condenser, draw, task",
    ),
    "slots": (f"digest {_TEXT}, body text NOT NULL", "digest"),
    "checks": (f"{_PLACE}, body text NOT NULL", _PLACE_KEY),
    "decisions": (f"{_PLACE}, ordinal bigint NOT NULL, body text NOT NULL", f"{_PLACE_KEY}, ordinal"),
    "trials": (
        f"key {_TEXT}, attempt bigint NOT NULL, {_PLACE}, status text NOT NULL, score double precision,"
        " body text NOT NULL",
        "key, attempt",
    ),
    "episodes": (f"key {_TEXT}, attempt bigint NOT NULL, body bytea NOT NULL", "key, attempt"),
    "recollections": (
        f"backbone {_TEXT}, arm {_TEXT}, task {_TEXT}, body text NOT NULL",
        "backbone, arm, task",
    ),
    "sessions": ("number bigint NOT NULL, begun text NOT NULL, body text NOT NULL", "number"),
    "session_ends": (
        "number bigint NOT NULL, ended text NOT NULL, how text NOT NULL, why text NOT NULL",
        "number",
    ),
    # the key of a call is the digest of its request and its ordinal among equal ones
    "calls": (
        f"key bytea NOT NULL, asked {_TEXT}, answered {_TEXT}, reply text NOT NULL,"
        " input_tokens bigint NOT NULL, output_tokens bigint NOT NULL, cache_read_tokens bigint NOT NULL,"
        " cache_write_tokens bigint NOT NULL, usd double precision, stop text NOT NULL,"
        " temperature double precision, verbatim boolean NOT NULL, purpose text NOT NULL, send bigint,"
        " blocks text, shares text, ended_s double precision",
        "key",
    ),
    "sends": (
        f"id bigint NOT NULL, key bytea NOT NULL, asked {_TEXT}, sent_s double precision NOT NULL",
        "id",
    ),
    "send_faults": (
        "id bigint NOT NULL, kind text NOT NULL, message text NOT NULL, usd double precision NOT NULL,"
        " ended_s double precision",
        "id",
    ),
    "shared_calls": (f"key bytea NOT NULL, purpose {_TEXT}", "key, purpose"),
    # many in a row; two workers may have asked the same, of which the first counts
    "free_calls": (
        f"asked {_TEXT}, answered {_TEXT}, purpose {_TEXT}, stop text NOT NULL, temperature double precision,"
        " verbatim boolean NOT NULL, calls bigint NOT NULL, input_tokens bigint NOT NULL,"
        " output_tokens bigint NOT NULL, keys bytea NOT NULL, tokens bytea NOT NULL",
        "nth",
    ),
}
"""Columns and key of each table of rows, beside `run` and `nth`, the order in which they were added."""
WORK = (
    "CREATE TABLE IF NOT EXISTS memtrial.runs (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,"
    " name text UNIQUE NOT NULL, spec text NOT NULL DEFAULT '', sends bigint NOT NULL DEFAULT 0,"
    " dearest_usd double precision, most_calls bigint, reported_usd double precision NOT NULL DEFAULT 0,"
    " preparer bigint)",
    # a lease is in force until `until`, and never again once it is `gone`; its id is the fencing token
    "CREATE TABLE IF NOT EXISTS memtrial.workers (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,"
    " run bigint NOT NULL, place text NOT NULL, begun timestamptz NOT NULL DEFAULT clock_timestamp(),"
    " until timestamptz NOT NULL, gone boolean NOT NULL DEFAULT false, sends bigint NOT NULL DEFAULT 0,"
    " usd double precision NOT NULL DEFAULT 0, unpriced bigint NOT NULL DEFAULT 0)",
    "CREATE INDEX IF NOT EXISTS workers_of_run ON memtrial.workers (run)",
    "CREATE TABLE IF NOT EXISTS memtrial.blocks (run bigint NOT NULL, place text NOT NULL,"
    " nth bigint NOT NULL, worker bigint, done boolean NOT NULL DEFAULT false, PRIMARY KEY (run, place))",
    # of databases that were laid out before it, 0 says that nobody counted
    "ALTER TABLE memtrial.blocks ADD COLUMN IF NOT EXISTS trials bigint NOT NULL DEFAULT 0",
    "CREATE INDEX IF NOT EXISTS blocks_left ON memtrial.blocks (run, nth) WHERE NOT done",
    "CREATE INDEX IF NOT EXISTS blocks_held ON memtrial.blocks (run, worker)"
    " WHERE NOT done AND worker IS NOT NULL",
    "CREATE TABLE IF NOT EXISTS memtrial.claims (run bigint NOT NULL, key bytea NOT NULL,"
    " worker bigint NOT NULL, PRIMARY KEY (run, key))",
    # what may be in flight to a provider of what the spec allows, and until when nothing may be sent
    "CREATE TABLE IF NOT EXISTS memtrial.rates (run bigint NOT NULL, provider text NOT NULL,"
    " part double precision NOT NULL DEFAULT 1, cut timestamptz NOT NULL DEFAULT 'epoch',"
    " answered bigint NOT NULL DEFAULT 0, refused bigint NOT NULL DEFAULT 0,"
    " closed timestamptz NOT NULL DEFAULT 'epoch', PRIMARY KEY (run, provider))",
    "CREATE TABLE IF NOT EXISTS memtrial.shares (run bigint NOT NULL, provider text NOT NULL,"
    " worker bigint NOT NULL, connections bigint NOT NULL, wanted bigint NOT NULL,"
    " PRIMARY KEY (run, provider, worker))",
    # trials that a worker ended; `first` is the worker with which those began that play together
    "CREATE TABLE IF NOT EXISTS memtrial.tallies (worker bigint PRIMARY KEY, run bigint NOT NULL,"
    " first bigint NOT NULL, played bigint NOT NULL DEFAULT 0, errors bigint NOT NULL DEFAULT 0,"
    " cause text NOT NULL DEFAULT '')",
    "CREATE INDEX IF NOT EXISTS tallies_together ON memtrial.tallies (run, first)",
)
"""What workers agree by; these rows change."""
_LAID = (
    "SELECT 1 FROM information_schema.columns WHERE table_schema = 'memtrial' AND table_name = 'blocks'"
    " AND column_name = 'trials' AND to_regclass('memtrial.free_calls') IS NOT NULL"
)
LAYING = 0x6D656D74
"""The number of the lock under which tables are made; `memt`."""


def lay_tables(database: Database) -> None:
    """Create what is missing, all of it or nothing."""
    if database.look(_LAID):
        return
    statements = ["CREATE SCHEMA IF NOT EXISTS memtrial"]
    for name, (columns, key) in ROWS.items():
        statements.append(
            f"CREATE TABLE IF NOT EXISTS memtrial.{name} (run bigint NOT NULL,"
            f" nth bigint GENERATED ALWAYS AS IDENTITY, {columns}, PRIMARY KEY (run, {key}))"
        )
    statements.append(
        "CREATE OR REPLACE FUNCTION memtrial.refuse_change() RETURNS trigger LANGUAGE plpgsql AS"
        " $$ BEGIN RAISE EXCEPTION 'the ledger only grows'; END $$"
    )
    for name in ROWS:
        statements.append(
            f"CREATE OR REPLACE TRIGGER only_grows BEFORE UPDATE OR DELETE OR TRUNCATE ON memtrial.{name}"
            " EXECUTE FUNCTION memtrial.refuse_change()"
        )

    def lay(_: bool) -> None:
        database.ask("SELECT pg_advisory_xact_lock(%s)", (LAYING,))
        for statement in (*statements, *WORK):
            database.ask(statement)

    database.carry(lay)
