"""Addresses of databases: what is shown of them, what is refused, and no password in either."""

from collections.abc import Iterator
from contextlib import closing

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtrial.faults import SpecFault
from memtrial.ledger.postgres.database import Database
from memtrial.ledger.postgres.database_address import hide_password, refuse_address
from memtrial.ledger.postgres.kept_runs import kept_runs
from memtrial.ledger.row_text import LedgerFault
from tests.support.postgres_server import postgres_server, skip_without_postgres

SECRET = "top-secret"


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("postgresql://me:top-secret@host:5433/db", "postgresql://me@host:5433/db"),
        ("postgres://me:top-%40secret@host/db", "postgres://me@host/db"),
        (
            "postgresql://me@host/db?password=top-secret&sslmode=require",
            "postgresql://me@host/db?sslmode=require",
        ),
        ("postgresql://host/db?sslpassword=top-secret", "postgresql://host/db"),
        ("postgresql://host/db?pass%77ord=top-secret", "postgresql://host/db"),
        ("postgresql://host:5432/db?user=me@there", "postgresql://host:5432/db?user=me@there"),
        ("postgresql:///db?host=/tmp/socket&port=5433", "postgresql:///db?host=/tmp/socket&port=5433"),
        ("postgresql://me:top-secret@one:1,[::1]:2/db", "postgresql://me@one:1,[::1]:2/db"),
        ("postgresql://", "postgresql://"),
    ],
)
def test_what_is_shown_leads_to_the_same_database_without_a_password(address: str, shown: str) -> None:
    pytest.importorskip("psycopg", reason="psycopg is not installed")
    refuse_address(address)
    assert hide_password(address) == shown
    refuse_address(shown)


@pytest.mark.parametrize(
    "address",
    [
        "postgresql://me:top-secret/x@host/db",
        "postgresql://me:top-secret@x@host/db",
        "postgresql://me:top-secret?x@host/db",
        "postgresql://me:top-secret#x@host/db",
        "postgresql://me:top-secret%zz@host/db",
        "postgresql://me:top-secret x@host/db",
        "postgresql://me:12/top-secret@host/db",
        "postgresql://host:top-secret/db",
        "mysql://me:top-secret@host/db",
        "me:top-secret@host",
    ],
)
def test_what_cannot_be_read_is_refused_and_not_shown(address: str) -> None:
    with pytest.raises(SpecFault, match="--ledger needs an address postgresql://USER@HOST") as refusal:
        refuse_address(address)
    assert SECRET not in f"{refusal.value}{hide_password(address)}"


@given(st.text(max_size=30), st.sampled_from(["@host/db", "@host", "@[::1]:1/db?x=y", ""]))
def test_no_password_is_shown(more: str, place: str) -> None:
    assert SECRET not in hide_password(f"postgresql://me:{SECRET}{more}{place}")


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    skip_without_postgres()
    with postgres_server() as there:
        yield there


def test_a_refusal_of_the_database_says_what_it_needs(address: str) -> None:
    with closing(Database(address)) as database:
        database.ask("CREATE ROLE guest LOGIN")
        database.ask("CREATE DATABASE standby")
        database.ask("ALTER DATABASE standby SET default_transaction_read_only = on")
        with pytest.raises(LedgerFault, match=r"a database that can be written is needed; .* read-only"):
            kept_runs(address.replace("/postgres?", "/standby?"))
        with pytest.raises(LedgerFault, match=r"a role that may create the schema.*; permission denied"):
            kept_runs(address.replace("postgres@", "guest@"))
        database.ask("CREATE SCHEMA memtrial")
        database.ask("CREATE TABLE memtrial.runs (id bigint, name text)")
        with pytest.raises(LedgerFault, match=r'are another.s: column "spec" does not exist'):
            kept_runs(address)
