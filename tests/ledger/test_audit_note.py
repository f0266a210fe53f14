"""The note that rows agreed with their seals: who only looks believes it while the files are the same."""

import json
import os
import shutil
import sqlite3
from contextlib import closing
from hashlib import blake2b
from pathlib import Path

import pytest

from memtrial.ledger.open_ledger import open_ledger, open_ledger_at_glance, open_ledger_to_read
from memtrial.ledger.sqlite.audit import Damage
from memtrial.ledger.sqlite.audit_note import SMALL
from tests.support.another_hand import changed
from tests.support.verb_ledger import trial

CELL = ("none", "without")
SPOIL = "UPDATE trials SET score = 0.5 WHERE task = 't1'"
PLACES = {("b", "t1", 0)}


@pytest.fixture
def large(tmp_path: Path) -> Path:
    """A run of one session whose ledger is too large to be compared in passing."""
    return write_ledger(tmp_path / "run", SMALL)


def write_ledger(folder: Path, size: int, ends: bool = True) -> Path:
    folder.mkdir()
    with closing(open_ledger(folder / "ledger.sqlite")) as ledger:
        ledger.begin_session({})
        ledger.state("large", "x" * size)
        ledger.add_trials([trial("b", CELL, task, 0, "success") for task in ("t1", "t2")])
        if ends:
            ledger.end_session(1, "done")
    return folder / "ledger.sqlite"


def note_of(path: Path) -> Path:
    return path.with_name("ledger.sqlite-audit")


def glance(path: Path, running: bool = False) -> Damage:
    with closing(open_ledger_at_glance(path, running)) as ledger:
        return ledger.damage


def compare(path: Path) -> Damage:
    with closing(open_ledger_to_read(path)) as ledger:
        return ledger.damage


def believe(path: Path) -> None:
    """A forger's note on the files as they are now."""
    state = path.stat()
    note = json.loads(note_of(path).read_text())
    note["files"] = [[state.st_size, state.st_mtime_ns, state.st_ctime_ns, state.st_ino]]
    note_of(path).write_text(json.dumps(note))


def digest_of(path: Path) -> str:
    return blake2b(b" %d\n" % path.stat().st_size + path.read_bytes(), digest_size=32).hexdigest()


def restate(path: Path, **keys: object) -> None:
    """Write other values into the note."""
    note_of(path).write_text(json.dumps(json.loads(note_of(path).read_text()) | keys))


def test_who_looks_believes_the_note_and_who_computes_a_result_does_not(large: Path) -> None:
    changed(large, SPOIL)
    believe(large)
    assert not glance(large)
    assert compare(large).blocks.keys() == PLACES


@pytest.mark.parametrize("hidden", [False, True])
def test_a_row_that_was_changed_is_named_to_who_looks(large: Path, hidden: bool) -> None:
    before = large.stat()
    changed(large, SPOIL)
    if hidden:
        os.utime(large, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert large.stat().st_size == before.st_size
    assert glance(large).blocks.keys() == PLACES


def test_a_change_that_waits_beside_the_file_is_named(large: Path) -> None:
    with closing(sqlite3.connect(large)) as other:
        other.execute("DROP TRIGGER trials_no_update")
        other.execute(SPOIL)
        other.commit()
        assert glance(large).blocks.keys() == PLACES


def test_a_copy_is_compared(large: Path, tmp_path: Path) -> None:
    changed(large, SPOIL)
    believe(large)
    shutil.copytree(large.parent, tmp_path / "copy")
    assert glance(tmp_path / "copy" / "ledger.sqlite").blocks.keys() == PLACES


def test_a_copy_is_known_by_its_bytes(large: Path, tmp_path: Path) -> None:
    changed(large, SPOIL)
    restate(large, digest=digest_of(large))  # a forger's, so that a comparison would be seen
    shutil.copytree(large.parent, tmp_path / "copy")
    copy = tmp_path / "copy" / "ledger.sqlite"
    assert not glance(copy)
    assert compare(copy).blocks.keys() == PLACES
    changed(copy, "UPDATE trials SET score = 0.25 WHERE task = 't1'")
    assert glance(copy).blocks.keys() == PLACES


def test_a_writer_notes_the_bytes_that_it_leaves(large: Path) -> None:
    def noted() -> str:
        return str(json.loads(note_of(large).read_text())["digest"])

    left = noted()
    assert left == digest_of(large)
    with closing(open_ledger(large)) as ledger:
        ledger.begin_session({})
    assert noted() == digest_of(large) != left


def test_bytes_that_wait_beside_the_file_are_in_the_digest(large: Path, tmp_path: Path) -> None:
    changed(large, SPOIL)
    restate(large, digest=digest_of(large))
    with closing(sqlite3.connect(large)) as other:
        other.execute("CREATE TABLE more (id)")
        other.commit()
        shutil.copytree(large.parent, tmp_path / "copy")
    assert (tmp_path / "copy" / "ledger.sqlite-wal").stat().st_size
    assert glance(tmp_path / "copy" / "ledger.sqlite").blocks.keys() == PLACES


def test_a_note_without_a_digest_speaks_of_no_copy(large: Path, tmp_path: Path) -> None:
    changed(large, SPOIL)
    believe(large)
    note = json.loads(note_of(large).read_text())
    note_of(large).write_text(json.dumps({key: note[key] for key in ("files", "sessions")}))
    assert not glance(large)
    shutil.copytree(large.parent, tmp_path / "copy")
    assert glance(tmp_path / "copy" / "ledger.sqlite").blocks.keys() == PLACES


@pytest.mark.parametrize(
    "text", ["", "[]", "null", "{}", '{"files": 1, "sessions": 1}', '{"files": [[1]], "sessions": 1}', "[" * 9999]
)
def test_what_is_no_note_is_not_believed(large: Path, text: str) -> None:
    changed(large, SPOIL)
    note_of(large).write_text(text)
    assert glance(large).blocks.keys() == PLACES


def test_a_small_ledger_needs_no_note(tmp_path: Path) -> None:
    path = write_ledger(tmp_path / "run", 100)
    assert [file.name for file in path.parent.iterdir()] == ["ledger.sqlite"]
    changed(path, SPOIL)
    assert glance(path).blocks.keys() == PLACES


def test_nothing_is_noted_where_another_hand_wrote_meanwhile(large: Path) -> None:
    with closing(open_ledger(large)) as ledger:
        before = note_of(large).read_bytes()
        changed(large, SPOIL)
        ledger.begin_session({})
    assert note_of(large).read_bytes() == before
    assert glance(large).blocks.keys() == PLACES


def test_rows_that_are_compared_again_are_noted(large: Path) -> None:
    with closing(open_ledger(large)) as ledger:
        before = note_of(large).read_bytes()
        with closing(open_ledger(large)) as other:
            other.state("word", 1)
        ledger.look_again()
        ledger.begin_session({})
    assert note_of(large).read_bytes() != before
    changed(large, SPOIL)
    believe(large)
    assert not glance(large)


def test_of_changed_rows_no_note_is_left(large: Path) -> None:
    changed(large, SPOIL)
    with closing(open_ledger(large)) as ledger:
        ledger.begin_session({})
        assert not note_of(large).exists()
        # nor beside the session that goes on with them
        assert glance(large, running=True).blocks.keys() == PLACES
    assert not note_of(large).exists()


@pytest.mark.parametrize("first", [True, False])
def test_beside_a_session_rows_are_not_compared_that_agreed_when_it_began(
    tmp_path: Path, first: bool
) -> None:
    path = write_ledger(tmp_path / "run", 100, ends=not first)
    with closing(open_ledger(path)) as ledger:
        if not first:
            ledger.begin_session({})
        changed(path, SPOIL)
        assert not glance(path, running=True)
        assert glance(path).blocks.keys() == PLACES
        ledger.look_again()
        assert ledger.damage.blocks.keys() == PLACES


def test_beside_a_session_that_did_not_compare_rows_are_compared(tmp_path: Path) -> None:
    path = write_ledger(tmp_path / "run", 100)
    changed(path, SPOIL)
    # whoever holds the folder now has not begun a session
    assert glance(path, running=True).blocks.keys() == PLACES
