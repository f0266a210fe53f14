"""The runs of a database."""

from contextlib import closing
from dataclasses import dataclass

from memtrial.ledger.postgres.database import Database
from memtrial.ledger.postgres.postgres_tables import lay_tables


@dataclass(frozen=True, slots=True)
class KeptRun:
    """A run by its name, and its spec as JSON; `over`: all its blocks are done."""

    name: str
    spec: str
    over: bool


def kept_runs(address: str) -> tuple[KeptRun, ...]:
    """Those that were begun, in that order. Raises LedgerFault: nothing answers there."""
    with closing(Database(address)) as database:
        lay_tables(database)
        rows = database.look(
            "SELECT name, spec, EXISTS (SELECT 1 FROM memtrial.blocks WHERE run = r.id) AND NOT EXISTS"
            " (SELECT 1 FROM memtrial.blocks WHERE run = r.id AND NOT done) FROM memtrial.runs AS r"
            " WHERE spec != '' ORDER BY id"
        )
        return tuple(KeptRun(*row) for row in rows)


def is_begun(address: str, name: str) -> bool:
    """Whether the database has rows of a run of this name; it is only read. LedgerFault: nothing answers."""
    with closing(Database(address)) as database:
        if database.look("SELECT to_regclass('memtrial.facts')") == [(None,)]:
            return False
        query = (
            "SELECT 1 FROM memtrial.facts AS f JOIN memtrial.runs AS r ON r.id = f.run"
            " WHERE r.name = %s AND f.name = 'identity'"
        )
        return bool(database.look(query, (name,)))
