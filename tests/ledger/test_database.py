"""A connection to PostgreSQL: what its server or a pooler before it is set to for other programs."""

from collections.abc import Iterator
from contextlib import closing

import pytest

from memtrial.ledger.postgres.database import Database
from memtrial.ledger.row_text import LedgerFault
from tests.support.postgres_server import postgres_server, skip_without_postgres

ADMINISTRATOR = {
    "statement_timeout": "1h",
    "lock_timeout": "1h",
    "idle_in_transaction_session_timeout": "1h",
    "default_transaction_isolation": "serializable",
    "enable_seqscan": "on",
}


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    skip_without_postgres()
    with postgres_server() as running:
        yield running


def test_limits_that_were_set_for_other_programs_end_no_worker(address: str) -> None:
    with closing(Database(address)) as database:
        before = dict(database.ask("SELECT name, setting FROM pg_settings"))
        for name, setting in ADMINISTRATOR.items():
            database.ask(f"ALTER DATABASE postgres SET {name} = '{setting}'")
    with closing(Database(address)) as database:
        assert dict(database.ask("SELECT name, setting FROM pg_settings")) == before
    assert [before[name] for name in ADMINISTRATOR] == ["0", "0", "0", "read committed", "off"]


def test_a_pooler_that_shares_sessions_by_transaction_is_named(address: str) -> None:
    with closing(Database(address)) as database:
        # what another client of the pooler did in the same session
        database.ask("PREPARE _pg3_0 AS SELECT 1")
        with pytest.raises(LedgerFault, match="a pooler shares sessions by transaction"):
            database.carry(lambda _: [database.ask("SELECT 2") for _ in range(9)])
