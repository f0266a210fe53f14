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
