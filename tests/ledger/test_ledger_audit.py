"""The audit of a ledger: whatever was changed in a row, its block is left out and nothing else is."""

import pickle
import shutil
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from memtrial.ledger.memory_ledger import MemoryLedger
from memtrial.ledger.open_ledger import share_rows
from memtrial.ledger.row_text import LedgerFault
from memtrial.ledger.rows import CheckRow, TrialRow
from memtrial.ledger.sqlite.row_seals import digest_of
from memtrial.ledger.sqlite.sqlite_ledger import SqliteLedger
from memtrial.protocols import LedgerStore
from tests.support.another_hand import changed
from tests.support.verb_ledger import begun, play, trial

BACKBONE = "simulated/ignorer"
PLACE = (BACKBONE, "t1", 1)
HERE = f"backbone = '{BACKBONE}' AND task = 't1' AND repeat = 1"
ONE = f"rowid = (SELECT max(rowid) FROM trials WHERE {HERE})"
KEY = f"key = (SELECT key FROM trials WHERE {ONE})"
FIRST = f"key = (SELECT key FROM trials WHERE rowid = (SELECT min(rowid) FROM trials WHERE {HERE}))"
OTHER = "(SELECT {0} FROM {1} ORDER BY rowid LIMIT 1)"
IN_A_BLOCK: dict[str, tuple[str, ...]] = {
    "a score": (f"UPDATE trials SET score = score / 2 WHERE {ONE}",),
    "a score in its last bit": (f"UPDATE trials SET score = score + 1e-16 WHERE {ONE}",),
    "a score that is text": (f"UPDATE trials SET score = 'much' WHERE {ONE}",),
    "a score that is nothing": (f"UPDATE trials SET score = NULL WHERE {ONE}",),
    "a row taken away": (f"DELETE FROM trials WHERE {ONE}",),
    "a row and what was said": (f"DELETE FROM episodes WHERE {KEY}", f"DELETE FROM trials WHERE {ONE}"),
    "a whole block": (f"DELETE FROM trials WHERE {HERE}",),
    "a body that is none": (f"UPDATE trials SET body = '[' WHERE {ONE}",),
    "the same body as text": (f"UPDATE trials SET body = CAST(body AS TEXT) WHERE {ONE}",),
    "other spaces in a body": (f"UPDATE trials SET body = replace(body, ',', ', ') WHERE {ONE}",),
    "another key": (f"UPDATE trials SET key = 'other' WHERE {ONE}",),
    "no key": (f"UPDATE trials SET key = NULL, attempt = NULL WHERE {ONE}",),
    "a task that does not exist": (f"UPDATE trials SET task = 'mine' WHERE {ONE}",),
    "a task that is no UTF-8": (f"UPDATE trials SET task = CAST(x'ff00fe' AS TEXT) WHERE {ONE}",),
    "a repeat that is text": (f"UPDATE trials SET repeat = 'x' WHERE {ONE}",),
    "another attempt": (f"UPDATE trials SET attempt = 9223372036854775807 WHERE {ONE}",),
    "a second attempt": (
        "INSERT INTO trials SELECT key, 1, backbone, arm, condition, task, repeat, 'success', 1, body"
        f" FROM trials WHERE {ONE}",
    ),
    "the same row twice": (f"INSERT INTO trials SELECT * FROM trials WHERE {ONE}",),
    "one row more": (
        "INSERT INTO trials SELECT 'mine', 0, backbone, 'artifact', condition, task, repeat, 'success', 1,"
        f" body FROM trials WHERE {ONE}",
    ),
    "other words": (
        f"UPDATE episodes SET body = {OTHER.format('body', 'episodes')} WHERE {KEY}",
    ),
    "half an episode": (f"UPDATE episodes SET body = substr(body, 1, 2) WHERE {KEY}",),
    "half a pack": (f"UPDATE episodes SET body = substr(body, 1, 40) WHERE {FIRST}",),
    "an episode of text": (f"UPDATE episodes SET body = 'said' WHERE {KEY}",),
    "an episode taken away": (f"DELETE FROM episodes WHERE {KEY}",),
    "another seal": ("UPDATE seals SET digest = x'00' WHERE name LIKE '%t1\",1,%' AND name LIKE '%ign%'",),
    "an index that is gone": ("DROP INDEX trials_key", f"UPDATE trials SET score = 7 WHERE {ONE}"),
}  # fmt: skip


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("written")
    ledger = begun(folder)
    play(ledger)
    ledger.close()
    return folder


@pytest.fixture
def path(written: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(written / "ledger.sqlite", tmp_path / "ledger.sqlite"))


@pytest.mark.parametrize("damage", IN_A_BLOCK)
@pytest.mark.parametrize(
    "open_ledger", [SqliteLedger, SqliteLedger.open_read_only], ids=["to write", "to read"]
)
def test_a_block_in_which_a_row_was_changed_is_not_seen(
    path: Path, damage: str, open_ledger: Callable[[Path], SqliteLedger]
) -> None:
    whole = SqliteLedger.open_read_only(path)
    trials = list(whole.trials())
    whole.close()
    changed(path, *IN_A_BLOCK[damage])
    ledger = open_ledger(path)
    assert ledger.damage.blocks == {PLACE: 3}
    assert ledger.damage.rows == {}
    assert [one for one in trials if (one.backbone, one.task, one.repeat) != PLACE] == list(ledger.trials())
    lost = {one.key for one in trials if (one.backbone, one.task, one.repeat) == PLACE}
    assert ledger.damage.touches(("other", "t1", 0), lost)
    assert not ledger.damage.touches(("other", "t1", 0), {one.key for one in trials} - lost)
    assert ledger.finished_keys() | ledger.failed_keys() == {one.key for one in trials} - lost
    assert all(ledger.episode(key) is None for key in lost)
    ledger.close()


WHOLE_NAMES = (
    "UPDATE seals SET name = (SELECT json_array(backbone, task, repeat, key) FROM trials"
    " WHERE substr(key, -16) = json_extract(name, '$[3]')) WHERE of_table = 'trials'",
    "UPDATE seals SET name = (SELECT json_array(key) FROM episodes"
    " WHERE substr(key, -16) = json_extract(name, '$[0]')) WHERE of_table = 'episodes'",
)
"""What seals of before say: all of a key."""


@pytest.mark.parametrize("damage", ["a row taken away", "an episode taken away", "a whole block", "a score"])
def test_seals_that_name_all_of_a_key_say_the_same(path: Path, damage: str) -> None:
    with closing(SqliteLedger.open_read_only(path)) as ledger:
        played = ledger.accounts.trials_ever()
    changed(path, *WHOLE_NAMES)
    # one that was an error is played again by the version of now
    with closing(SqliteLedger(path)) as ledger:
        assert not ledger.damage
        again = [row for row in ledger.trials() if row.status == "error"]
        assert again
        ledger.add_trials(again)
        assert ledger.accounts.trials_ever() == played
    changed(path, *IN_A_BLOCK[damage])
    with closing(SqliteLedger.open_read_only(path)) as ledger:
        assert ledger.damage.blocks.keys() == {PLACE}
        assert ledger.accounts.trials_ever() == played


def test_a_forgotten_seal_is_one_line(path: Path) -> None:
    changed(path, "DELETE FROM seals WHERE number = 20")
    with pytest.raises(LedgerFault, match="of its seals number 20 is gone"):
        SqliteLedger.open_read_only(path)


def test_a_page_that_is_no_page_is_one_line(path: Path) -> None:
    ledger = SqliteLedger(path)
    page = ledger.connection.execute(
        "SELECT rootpage FROM sqlite_master WHERE name = 'trials_key'"
    ).fetchone()[0]
    ledger.close()
    held = bytearray(path.read_bytes())
    held[(page - 1) * 4096 + 3 : (page - 1) * 4096 + 5] = b"\x00\x01"  # an index that has lost its entries
    path.write_bytes(held)
    with pytest.raises(LedgerFault, match="damaged"):
        SqliteLedger.open_read_only(path)


def test_tables_of_others_are_sealed_when_they_are_there(path: Path) -> None:
    ledger = SqliteLedger(path)
    ledger.connection.execute("CREATE TABLE notes (text TEXT, at REAL)")
    ledger.close()
    ledger = SqliteLedger(path)
    with ledger.connection:
        ledger.connection.execute("INSERT INTO notes VALUES ('one', -0.0), ('two', 1)")
    ledger.close()
    assert not SqliteLedger.open_read_only(path).damage
    changed(path, "UPDATE notes SET text = 'three' WHERE text = 'two'")
    ledger = SqliteLedger.open_read_only(path)
    assert ledger.damage.rows == {"notes": 1}
    assert ledger.connection.execute("SELECT text, at FROM notes").fetchall() == [("one", 0.0)]
    ledger.close()


def test_a_digest_tells_apart_what_looks_alike() -> None:
    rows = [("t", 1, "a"), ("t", "1", "a"), ("t", b"1", "a"), ("t", 1.0, "a"), ("t", None, "a"),
            ("t", "1a", ""), ("t", "", "1a"), ("t1", "", "a"), ("t", "1", "\udcff"),
            ("u", 1, "a"), ("u", "1", "a")]  # fmt: skip
    assert len({digest_of(*row) for row in rows}) == len(rows)
    assert digest_of("t", -0.0) == digest_of("t", 0.0)


def test_a_trial_is_added_and_sealed_in_one_transaction(path: Path) -> None:
    ledger = SqliteLedger(path)
    row: TrialRow = trial(BACKBONE, ("none", "without"), "t9", 0, "failure")
    with pytest.raises(LedgerFault):
        ledger.add_trials([row, row])
    ledger.close()
    ledger = SqliteLedger.open_read_only(path)
    assert not ledger.damage
    assert row.key not in {one.key for one in ledger.trials()}
    ledger.close()


def all_rows(ledger: LedgerStore) -> tuple[object, ...]:
    return [*ledger.trials()], [*ledger.steps()], [*ledger.checks()], [*ledger.slots()], ledger.sessions()


@pytest.mark.parametrize("damage", ["a score", "half a pack", "a whole block", "one row more", "none"])
def test_another_process_sees_the_rows_that_are_seen_here_and_none_that_came_later(
    path: Path, damage: str
) -> None:
    check = CheckRow(BACKBONE, "control", "filler", "t1", 0, True, True, "", "x", "y", {})
    with closing(SqliteLedger(path)) as ledger:
        ledger.add_checks([check])
        number = ledger.begin_session({})
    if damage != "none":
        changed(path, *IN_A_BLOCK[damage])
    with closing(SqliteLedger(path)) as ledger:
        assert bool(ledger.damage.blocks) == (damage != "none")
        before = all_rows(ledger)
        open_rows = pickle.loads(pickle.dumps(share_rows(ledger)))
        with open_rows() as same:
            assert same is not ledger
            assert all_rows(same) == before
        broken = [row for row in ledger.trials() if row.status == "error"]
        assert broken
        ledger.add_trials([replace(row, status="success", score=1.0) for row in broken])
        ledger.add_checks([replace(check, task="t later")])
        ledger.add_slots({"later": "text"})
        ledger.end_session(number, "done")
        changed_kinds = [later != earlier for later, earlier in zip(all_rows(ledger), before, strict=True)]
        assert changed_kinds == [True, False, True, True, True]
        with open_rows() as same:
            assert all_rows(same) == before


def test_rows_that_are_in_no_file_are_shared_with_this_process_alone() -> None:
    ledger = MemoryLedger()
    with share_rows(ledger)() as same:
        assert same is ledger
