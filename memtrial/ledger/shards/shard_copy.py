"""A ledger becomes a shard: one that was prepared is copied, and what was there before is marked."""

import os
import sqlite3
from contextlib import closing
from hashlib import sha256
from pathlib import Path

from memtrial.ledger.row_text import LedgerFault
from memtrial.ledger.shards.shard_facts import ShardMark
from memtrial.ledger.sqlite.ledger_draft import draft_of, remove_draft
from memtrial.ledger.sqlite.sqlite_ledger import SqliteLedger
from memtrial.private_file import claim_database
from memtrial.protocols import LedgerStore


def state_shard(ledger: LedgerStore, number: int, of: int) -> None:
    """State that this ledger is one shard of so many from now on."""
    kept = as_file(ledger)
    (seals,) = kept.connection.execute("SELECT count(*) FROM main.seals").fetchone()
    usd, _ = kept.calls.spent()
    mark = ShardMark(
        number=number,
        of=of,
        seals=seals,
        digest=digest_of_seals(kept, seals),
        sends=kept.calls.last_send(),
        usd=usd,
    )
    ledger.state(ShardMark.NAME, mark.facts)


def digest_of_seals(ledger: LedgerStore, count: int) -> str:
    """Sha256 of the seals of the first rows, by which two ledgers are seen to have begun as one."""
    query = "SELECT of_table, digest FROM main.seals WHERE number <= ? ORDER BY number"
    total = sha256()
    for table, digest in as_file(ledger).connection.execute(query, (count,)):
        total.update(f"{table}\n".encode() + digest)
    return total.hexdigest()


def copy_prepared(source: Path, target: Path, number: int, of: int) -> None:
    """Write a copy of a prepared run's ledger that is a shard; whole, or not at all.

    Raises:
        LedgerFault: one of the two cannot be read, or written.
    """
    draft = draft_of(target)
    try:
        remove_draft(draft)
        claim_database(draft)
        with (
            closing(SqliteLedger.open_read_only(source)) as prepared,
            closing(sqlite3.connect(draft)) as copy,
        ):
            prepared.connection.backup(copy)
        with closing(SqliteLedger(draft)) as copied:
            state_shard(copied, number, of)
        os.replace(draft, target)
    except (OSError, sqlite3.Error) as fault:
        raise LedgerFault(f"{source} cannot be copied to {target}: {fault}") from fault
    finally:
        remove_draft(draft)


def as_file(ledger: LedgerStore) -> SqliteLedger:
    """The ledger as that of a folder, which alone has seals; else LedgerFault."""
    if not isinstance(ledger, SqliteLedger):
        raise LedgerFault("shards are kept in folders; workers of a database need none")
    return ledger
