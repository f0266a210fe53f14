"""The index of trials: it says what the rows say, follows a writer, and leaves no trace."""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from memtrial.ledger.open_ledger import open_ledger, open_trial_index
from memtrial.ledger.rows import TrialRow
from memtrial.ledger.sqlite.read_only import peek_trials
from memtrial.ledger.sqlite.trial_index import TrialIndex
from memtrial.ledger.trial_cells import TaskFilter
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
