"""The index of trials: it says what the rows say, follows a writer, and leaves no trace."""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from memtrial.call_purpose import PLAY
from memtrial.call_records import CallBatch, KeptCall, SendFaultRecord, SendRecord
from memtrial.ledger.open_ledger import open_ledger, open_trial_index
from memtrial.ledger.rows import TrialRow
from memtrial.ledger.sqlite.read_only import peek_trials
from memtrial.ledger.sqlite.row_seals import lay_seals
from memtrial.ledger.sqlite.sqlite_ledger import SqliteLedger
from memtrial.ledger.sqlite.trial_index import TrialIndex
from memtrial.ledger.trial_cells import TaskFilter
from memtrial.views.evidence.mode_rates import failed_pairs
from tests.support.verb_ledger import CELLS, begun, play, said, trial

READER = "simulated/reader"
INTACT = ("control", "intact")
PLACE = (READER, "none", "without")


@pytest.fixture
def rows(tmp_path: Path) -> list[TrialRow]:
    with closing(begun(tmp_path)) as ledger:
        return play(ledger)


@pytest.fixture
def index(tmp_path: Path, rows: list[TrialRow]) -> Iterator[TrialIndex]:
    with closing(open_trial_index(tmp_path / "ledger.sqlite")) as opened:
        yield opened


def flip_of(row: TrialRow, rows: list[TrialRow]) -> int:
    """By the definition: against the trial without memory of the same block; 0 where one is an error."""
    block = (row.backbone, row.task, row.repeat)
    (other,) = (w for w in rows if (w.backbone, w.task, w.repeat) == block and w.condition == "without")
    if "error" in (row.status, other.status):
        return 0
    return (row.status == "success") - (other.status == "success")


def test_cells_and_tasks_are_counted_as_the_rows_say(index: TrialIndex, rows: list[TrialRow]) -> None:
    assert sum(cell.trials for cell in index.cells()) == len(rows)
    for cell in index.cells():
        own = [row for row in rows if (row.backbone, *cell.cell) == (cell.backbone, row.arm, row.condition)]
        flips = [flip_of(row, rows) for row in own]
        statuses = [row.status for row in own]
        assert (cell.trials, cell.solved, cell.errors, cell.lost, cell.gained) == (
            len(own), statuses.count("success"), statuses.count("error"), flips.count(-1), flips.count(1),
        )  # fmt: skip
    wanted = TaskFilter(READER, (INTACT,), sort="gained")
    gained = {
        task: sum(flip_of(row, rows) > 0 for row in rows
                  if row.task == task and (row.backbone, row.arm, row.condition) == (READER, *INTACT))
        for task in ("t0", "t1", "t2")
    }  # fmt: skip
    assert {task.task: task.gained for task in index.tasks(wanted, 9)} == gained
    assert sorted(gained.values(), reverse=True) == [task.gained for task in index.tasks(wanted, 9)]
    assert [task.task for task in index.tasks(wanted, 1, 1)] == [index.tasks(wanted, 9)[1].task]
    assert all(task.tasks == 3 for task in index.tasks(wanted, 1))


def test_against_an_error_nothing_is_lost_or_gained(tmp_path: Path) -> None:
    with closing(begun(tmp_path)) as ledger:
        rows = play(ledger, tasks=1, errors=1)
    with closing(open_trial_index(tmp_path / "ledger.sqlite")) as index:
        (cell,) = (cell for cell in index.cells() if (cell.backbone, *cell.cell) == (READER, *INTACT))
        assert [row.status for row in rows[:2]] == ["error", "success"]
        assert (cell.solved, cell.gained) == (2, 1)  # of two repeats


@pytest.mark.parametrize(
    ("changes", "tasks"),
    [
        ({"outcome": "gained"}, ["t0", "t1", "t2"]),
        ({"outcome": "lost"}, []),
        ({"outcome": "error"}, ["t0"]),
        ({"outcome": "failed"}, []),
        ({"family": "family"}, ["t0", "t1", "t2"]),
        ({"family": "another"}, []),
        ({"fired": True}, ["t0", "t1", "t2"]),
        ({"fired": False}, []),
        ({"backbone": "nobody"}, []),
    ],
)
def test_a_filter_finds_the_tasks_it_names(
    index: TrialIndex, changes: dict[str, object], tasks: list[str]
) -> None:
    wanted = replace(TaskFilter(READER, (INTACT,)), **changes)  # type: ignore[arg-type]
    assert [task.task for task in index.tasks(wanted, 9)] == tasks


def test_tasks_stand_as_people_count_and_coded_failures_are_found_by_their_mode(tmp_path: Path) -> None:
    def task_names(index: TrialIndex, **words: str) -> list[str]:
        wanted = replace(TaskFilter(READER, (INTACT,)), **words)  # type: ignore[arg-type]
        return [task.task for task in index.tasks(wanted, 9)]

    with closing(begun(tmp_path)) as ledger:
        rows = [
            trial(READER, cell, task, repeat, "success" if cell == CELLS[0] and (task, repeat) != ("x10", 0)
                  else "failure")
            for task in ("x10", "x2", "x02b") for repeat in (0, 1) for cell in CELLS[:2]
        ]  # fmt: skip
        ledger.add_trials(rows)
        with closing(open_trial_index(tmp_path / "ledger.sqlite")) as index:
            index.follow_codes()
            assert index.coder == ""
            assert task_names(index) == ["x2", "x02b", "x10"]
            assert task_names(index, sort="lost") == ["x2", "x02b", "x10"]
            pairs = {pair.failed.key: pair.case for pair in failed_pairs(rows)}
            modes = {"x2": "reliance", "x10": "other", "x02b": "distraction"}
            ledger.add_codes("rules", {pairs[r.key]: {"mode": modes[r.task]} for r in rows if r.key in pairs})
            index.follow_codes()
            assert index.coder == "rules"
            for task, mode in modes.items():
                assert task_names(index, mode=mode) == [task]
                coded = [entry.mode for entry in index.task_trials(READER, task)]
                assert coded == [mode, mode, "", ""]
            ledger.add_codes("a model", {})
            case = pairs[rows[1].key]
            ledger.add_codes("a model", {case: {"mode": "premature"}})
            index.follow_codes()
            assert (index.coder, task_names(index, mode="premature")) == ("a model", ["x10"])
            assert task_names(index, mode="reliance") == []


def test_how_many_requests_were_under_way_is_what_their_times_say(tmp_path: Path) -> None:
    sends = ((1, 100.0, 220.0), (2, 130.0, 160.0), (3, 219.0, None), (4, 220.0, 340.0))
    batch = CallBatch(
        calls=tuple(
            KeptCall(b"%d" % n, "m", "m", "", 1, 1, 0, 0, 0.5, "end", None, True, PLAY, n, ended_s=end)
            for n, _, end in sends[:3]
        ),
        sends=tuple(SendRecord(n, b"%d" % n, "m", begin) for n, begin, _ in sends),
        faults=(SendFaultRecord(4, "busy", "later", 0.25, 340.0),),
    )
    with closing(begun(tmp_path)) as ledger:
        ledger.calls.commit(batch)
    path = tmp_path / "ledger.sqlite"
    with closing(open_trial_index(path)) as index:
        course = index.course()
    length, ended = 1.0, [(begin, end) for _, begin, end in sends if end is not None]
    for stretch in course:
        spans = (min(end, stretch.begun + length) - max(begin, stretch.begun) for begin, end in ended)
        mean = sum(max(span, 0.0) for span in spans) / length
        if stretch.begun == 219.0:
            assert stretch.at_once is None  # all that was sent then has no end
        else:
            assert stretch.at_once == pytest.approx(mean)
    assert [stretch.begun for stretch in course] == [100.0, 130.0, 160.0, 219.0, 220.0, 340.0]
    assert [course[1].at_once, sum(entry.faults for entry in course)] == [2.0, 1]


def test_a_ledger_of_before_ends_were_kept_says_so(tmp_path: Path) -> None:
    path = tmp_path / "ledger.sqlite"
    SqliteLedger(path).close()
    with closing(sqlite3.connect(path)) as connection:
        for table in ("calls", "send_faults"):
            connection.execute(f"ALTER TABLE {table} DROP COLUMN ended_s")
        lay_seals(connection)
        with connection:
            connection.execute("INSERT INTO sends VALUES (1, x'31', 'm', 100.0), (2, x'32', 'm', 101.0)")
            connection.execute("INSERT INTO send_faults VALUES (2, 'busy', 'later', 0.25)")
    with closing(open_trial_index(path)) as index:
        assert {stretch.at_once for stretch in index.course()} == {None}
        assert [(stretch.sent, stretch.faults, stretch.usd) for stretch in index.course()] == [
            (1, 0, 0.0),
            (1, 1, 0.25),
        ]


def test_a_writer_is_followed_and_an_error_is_replaced_by_its_next_attempt(tmp_path: Path) -> None:
    with closing(begun(tmp_path)) as ledger:
        play(ledger, tasks=1)
        with closing(open_trial_index(tmp_path / "ledger.sqlite")) as index:
            (before,) = (cell for cell in index.cells() if cell.cell == INTACT and cell.backbone == READER)
            assert (before.errors, before.gained) == (1, 1)
            assert not index.follow()
            again = [trial(READER, CELLS[0], "t0", 0, "failure"), trial(READER, INTACT, "t0", 0, "success")]
            ledger.add_trials(again, [said(row) for row in again])
            ledger.add_trials([trial(READER, CELLS[0], "t9", 0, "failure")])
            assert index.follow()
            (after,) = (cell for cell in index.cells() if cell.cell == INTACT and cell.backbone == READER)
            # the block of an older trial is paired anew as well
            assert (after.trials, after.errors, after.gained) == (before.trials, 0, 2)
            assert "t9" in {count.task for count in index.cell_tasks(*PLACE)}
            assert index.changed == 0
            assert index.trial(again[0].key) == again[0]


def test_a_row_that_somebody_adds_without_a_seal_is_not_seen(tmp_path: Path) -> None:
    path = tmp_path / "ledger.sqlite"
    with closing(begun(tmp_path)) as ledger:
        play(ledger)
        with closing(open_trial_index(path)) as index, closing(sqlite3.connect(path)) as stranger:
            before = index.cells()
            stranger.execute(
                "INSERT INTO trials SELECT 'forged', attempt, backbone, arm, condition, 'forged', repeat,"
                " 'success', 1.0, body FROM trials LIMIT 1"
            )
            stranger.commit()
            assert index.follow()
            assert index.cells() == before
            assert index.changed == 1
            assert index.trial("forged") is None


def test_a_file_that_nobody_wrote_is_outdated_once_somebody_does(tmp_path: Path, index: TrialIndex) -> None:
    assert not index.outdated
    with closing(open_ledger(tmp_path / "ledger.sqlite")) as ledger:
        ledger.add_trials([trial(READER, CELLS[0], "t9", 0, "failure")])
        assert index.outdated
    assert index.outdated


def test_nothing_is_left_in_the_folder_and_a_writer_is_not_held_up(tmp_path: Path) -> None:
    with closing(begun(tmp_path)) as ledger:
        play(ledger)
        files = sorted(path.name for path in tmp_path.iterdir())
        with closing(open_trial_index(tmp_path / "ledger.sqlite")):
            assert sorted(path.name for path in tmp_path.iterdir()) == files
            # no snapshot is held: all that was written can be brought into the file
            busy, _, _ = ledger.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            assert busy == 0


def test_what_else_a_page_asks_for(tmp_path: Path, index: TrialIndex, rows: list[TrialRow]) -> None:
    damaged = next(row for row in rows if row.condition == "filler")
    check = index.check(damaged)
    assert check is not None
    assert (check.condition, check.task, check.measured) == ("filler", damaged.task, {"flips": 1})
    assert index.check(next(row for row in rows if row.condition == "intact")) is None
    (first, *_) = condensed = index.condensed(9)
    assert (first.condenser, first.task, first.items, first.flags, first.total) == ("native", "s0", 1, 0, 2)
    row = index.condensation(condensed[0].number)
    assert row is not None
    assert row.body["items"] == [{"markdown": "m"}]
    assert index.condensation(99) is None
    assert json.loads(index.trace(READER, "s0") or "")["task_id"] == "s0"
    assert index.causes()[0][2] == 1
    course = index.course()
    assert (sum(c.sent for c in course), sum(c.faults for c in course), sum(c.usd for c in course)) == (
        3,
        1,
        1.75,
    )
    assert peek_trials(tmp_path / "ledger.sqlite") == (len(rows), 36)
