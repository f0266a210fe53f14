"""A ledger of before a column was thought of: read as it is, written on, and never taken for damaged."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from memtrial.call_purpose import PLAY
from memtrial.call_records import CallBatch, FreeCall, KeptCall
from memtrial.ledger.row_text import LedgerFault
from memtrial.ledger.sqlite.row_seals import lay_seals
from memtrial.ledger.sqlite.sqlite_calls import RecordedCalls
from memtrial.ledger.sqlite.sqlite_ledger import SqliteLedger
from memtrial.ledger.sqlite.tables import ALL, columns_in
from memtrial.ledger.sqlite.tables import LATER as LATER_TABLES

PLAIN = KeptCall(b"1", "m/a", "m-1", "yes", 10, 2, 1, 0, 0.5, "end", None, True, PLAY, None)
CALLED = replace(PLAIN, key=b"2", reply="", stop="tool use", blocks='[{"type":"text","text":"b"}]')
FREE = FreeCall(b"8 bytes.", "simulated/reader", "simulated/reader", PLAY, "end", None, True, 30, 7)
LATER = {(name, column) for name, table in ALL.items() for column in table.later_names}
OPENED = (SqliteLedger, SqliteLedger.open_read_only)


@pytest.fixture
def older(tmp_path: Path) -> Path:
    """A file without the later columns, with rows and seals as the version of then wrote them."""
    path = tmp_path / "ledger.sqlite"
    SqliteLedger(path).close()
    with closing(sqlite3.connect(path)) as connection:
        for name, column in LATER:
            connection.execute(f"ALTER TABLE {name} DROP COLUMN {column}")
        for name in LATER_TABLES:
            connection.execute(f"DROP TABLE {name}")
        lay_seals(connection)
        with connection:
            connection.execute(
                "INSERT INTO calls VALUES"
                " (x'31', 'm/a', 'm-1', 'yes', 10, 2, 1, 0, 0.5, 'end', NULL, 1, 'play', NULL, 0)"
            )
            for number, how in enumerate(("interrupted", "budget: $5.00 are spent: all of it"), 1):
                connection.execute("INSERT INTO sessions VALUES (?, '2026-01-01', '{}')", (number,))
                connection.execute("INSERT INTO session_ends VALUES (?, '2026-01-02', ?)", (number, how))
    return path


def columns_there(path: Path) -> set[tuple[str, str]]:
    with closing(sqlite3.connect(path)) as connection:
        return {(name, column) for name in ALL for column in columns_in(connection, name)} & LATER


@pytest.mark.parametrize("open_ledger", OPENED, ids=["to write", "to read"])
def test_its_rows_are_read_and_none_is_taken_for_changed(
    older: Path, open_ledger: Callable[[Path], SqliteLedger]
) -> None:
    with closing(open_ledger(older)) as ledger:
        assert not ledger.damage
        assert list(ledger.calls.records()) == [PLAIN]
        assert ledger.calls.find(b"1") == PLAIN
        assert (list(ledger.calls.free_calls()), ledger.accounts.counts().answers) == ([], 1)
        assert [(session.how, session.why) for session in ledger.sessions()] == [
            ("interrupted", ""),
            ("budget", "$5.00 are spent: all of it"),
        ]
    # looking writes nothing
    assert columns_there(older) == (LATER if open_ledger is SqliteLedger else set())


def test_it_is_written_on_and_old_and_new_rows_stand_side_by_side(older: Path) -> None:
    with closing(SqliteLedger(older)) as ledger:
        ledger.calls.commit(CallBatch(calls=(CALLED,), free=(FREE,)))
        ledger.end_session(ledger.begin_session({}), "failed", "a line: with a colon")
    for open_ledger in OPENED:
        with closing(open_ledger(older)) as ledger:
            assert not ledger.damage
            assert list(ledger.calls.records()) == [PLAIN, CALLED]
            assert list(ledger.calls.free_calls()) == [FREE]
            assert ledger.accounts.counts().answers == 3
            assert ledger.sessions()[-1].end_text == "failed: a line: with a colon"


def test_a_replay_reads_it_and_leaves_it_as_it_is(older: Path) -> None:
    before = older.read_bytes()
    calls = RecordedCalls(older)
    assert (calls.models_asked(), calls.find(b"1"), calls.find(b"2")) == (["m/a"], PLAIN, None)
    calls.close()
    assert older.read_bytes() == before


@pytest.mark.parametrize("open_ledger", OPENED, ids=["to write", "to read"])
@pytest.mark.parametrize(
    ("change", "seen"),
    [
        ("UPDATE calls SET blocks = NULL WHERE key = x'32'", [PLAIN]),
        ("UPDATE calls SET blocks = '[]' WHERE key = x'31'", [CALLED]),
    ],
)
def test_a_later_column_that_was_changed_is_noticed(
    older: Path, change: str, seen: list[KeptCall], open_ledger: Callable[[Path], SqliteLedger]
) -> None:
    with closing(SqliteLedger(older)) as ledger:
        ledger.calls.commit(CallBatch(calls=(CALLED,)))
    with closing(sqlite3.connect(older)) as stranger, stranger:
        stranger.execute("DROP TRIGGER calls_no_update")
        stranger.execute(change)
    with closing(open_ledger(older)) as ledger:
        assert ledger.damage.rows == {"calls": 1}
        assert list(ledger.calls.records()) == seen


def test_a_column_that_every_ledger_has_is_still_needed(older: Path) -> None:
    with closing(sqlite3.connect(older)) as connection:
        connection.execute("ALTER TABLE sends DROP COLUMN at")
    for open_ledger in OPENED:
        with pytest.raises(LedgerFault, match=r"has no column sends\.at"):
            open_ledger(older)
