"""What is kept of a block in short says what its trials say, or is not believed."""

import random
import sqlite3
from collections.abc import Iterable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from memtrial.ledger.blocks.block_outcomes import BlockOutcomes, Place, count_trials, group_trials
from memtrial.ledger.blocks.block_rows import OutcomeRows
from memtrial.ledger.row_text import LedgerFault
from memtrial.ledger.rows import Status, TrialRow
from memtrial.ledger.sqlite.row_seals import lay_seals
from memtrial.ledger.sqlite.sqlite_ledger import SqliteLedger
from tests.support.another_hand import changed
from tests.support.verb_ledger import begun, play, trial

CELLS = [
    ("none", "without"),
    *((arm, name) for arm in ("artifact", "control") for name in ("intact", "filler")),
]
SCORES: dict[Status, tuple[float | None, ...]] = {
    "success": (1.0, 1.0, 0.75), "failure": (0.0, 0.0, 1 / 3), "error": (None,),
}  # fmt: skip
Outcomes = dict[Place, dict[tuple[str, str], tuple[Status, float | None]]]


def by_cell(blocks: Iterable[BlockOutcomes]) -> Outcomes:
    """Each block and each cell once, in whatever order."""
    outcomes: Outcomes = {}
    for block in blocks:
        assert block.place not in outcomes
        ended = zip(block.statuses, block.scores, strict=True)
        outcomes[block.place] = dict(zip(block.cells, ended, strict=True))
        assert len(outcomes[block.place]) == len(block.cells)
    return outcomes


def read_rows(ledger: SqliteLedger) -> tuple[BlockOutcomes, ...] | None:
    """What the rows of the blocks say alone."""
    return OutcomeRows(ledger.connection, ledger.bodies).read()


def draw_trial(rng: random.Random, cell: tuple[str, str], task: str, repeat: int) -> TrialRow:
    status: Status = rng.choice(("success", "failure", "failure", "error"))
    return replace(trial("b", cell, task, repeat, status), score=rng.choice(SCORES[status]))


@pytest.mark.parametrize("seed", range(8))
def test_rows_of_blocks_say_what_the_last_attempts_say(tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)
    with closing(SqliteLedger(tmp_path / "ledger.sqlite")) as ledger:
        for number in range(12):
            own = rng.sample(CELLS, rng.randint(1, len(CELLS)))
            rows = [draw_trial(rng, cell, f"t{number % 7}", number // 7) for cell in own]
            if rng.random() < 0.3:  # another block in the same transaction
                rows += [draw_trial(rng, cell, "other", number) for cell in CELLS]
            ledger.add_trials(rows)
            for _ in range(rng.randint(0, 2)):
                lost = [row for row in ledger.trials() if row.status == "error"]
                lost = rng.sample(lost, min(len(lost), 3))
                again = [draw_trial(rng, (row.arm, row.condition), row.task, row.repeat) for row in lost]
                # one of them twice at once, as a merge may add an error and what followed it
                twice = [replace(row, status="error", score=None) for row in again[:1]]
                ledger.add_trials([*twice, *again])
        ledger.add_trials([trial("b", CELLS[0], "last", 0, "error")])
        read, trials = read_rows(ledger), list(ledger.trials())
        assert read is not None
        assert by_cell(read) == by_cell(group_trials(trials)) == by_cell(ledger.block_outcomes())
        counts = count_trials(read)
        assert (counts.played, counts.blocks) == (len(trials), len({(t.task, t.repeat) for t in trials}))
        assert counts.errors == len(ledger.failed_keys()) > 0
        for arm in ("none", "artifact", "control"):
            solved = sum(row.arm == arm and row.status == "success" for row in trials)
            assert counts.by_arm[arm].get("success", 0) == solved


def test_an_error_and_what_followed_it_may_be_added_at_once(tmp_path: Path) -> None:
    with closing(SqliteLedger(tmp_path / "ledger.sqlite")) as ledger:
        lost, solved = (trial("b", CELLS[1], "t1", 0, status) for status in ("error", "success"))
        ledger.add_trials([lost, trial("b", CELLS[0], "t1", 0, "failure"), solved])
        read = read_rows(ledger)
        assert read is not None
        assert by_cell(read) == by_cell(group_trials(ledger.trials()))
        assert by_cell(read)["b", "t1", 0][CELLS[1]][0] == "success"


def test_what_is_not_added_leaves_none(tmp_path: Path) -> None:
    with closing(begun(tmp_path)) as ledger:
        rows = play(ledger)
        before = read_rows(ledger)
        solved = next(row for row in rows if row.status == "success")
        with pytest.raises(LedgerFault, match="until it ends"):
            ledger.add_trials([replace(solved, key="new", task="t9"), solved])
        assert read_rows(ledger) == before
        assert by_cell(before or ()) == by_cell(group_trials(rows))


def test_who_looks_while_a_session_goes_on_reads_them_in_the_place_of_trials(tmp_path: Path) -> None:
    with closing(begun(tmp_path)) as ledger:
        play(ledger)
    path = tmp_path / "ledger.sqlite"
    with closing(SqliteLedger(path)) as ledger:
        number, before = ledger.begin_session({}), by_cell(group_trials(ledger.trials()))
        changed(path, "UPDATE trials SET score = 0.125, status = 'failure'")
        with closing(SqliteLedger.open_read_only(path, glance=True, running=True)) as glanced:
            assert not glanced.damage.compared
            assert by_cell(glanced.block_outcomes()) == before != by_cell(group_trials(glanced.trials()))
        ledger.end_session(number, "done")
    # once it ended, the files are not those that were left
    with closing(SqliteLedger.open_read_only(path, glance=True)) as looked:
        assert looked.damage.blocks
        assert looked.block_outcomes() == group_trials(looked.trials())


@pytest.fixture
def path(tmp_path: Path) -> Path:
    with closing(begun(tmp_path)) as ledger:
        play(ledger)
    return tmp_path / "ledger.sqlite"


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE block_outcomes SET statuses = 'sss' WHERE number = 3",
        "UPDATE block_outcomes SET scores = '[1,1,1]' WHERE number = 3",
        "UPDATE block_outcomes SET task = 'mine' WHERE number = 3",
        "DELETE FROM block_outcomes WHERE number = 3",
        "INSERT INTO block_outcomes SELECT 99, backbone, 'mine', repeat, cells, statuses, scores"
        " FROM block_outcomes WHERE number = 3",
    ],
)
def test_a_row_that_another_hand_changed_is_named_and_not_believed(path: Path, change: str) -> None:
    with closing(SqliteLedger.open_read_only(path)) as ledger:
        before = by_cell(ledger.block_outcomes())
    changed(path, change)
    with closing(SqliteLedger.open_read_only(path)) as ledger:
        assert (ledger.damage.rows, ledger.damage.blocks) == ({"block_outcomes": 1}, {})
        assert by_cell(ledger.block_outcomes()) == before == by_cell(group_trials(ledger.trials()))


def test_a_block_that_cannot_be_trusted_is_in_neither(path: Path) -> None:
    changed(path, "UPDATE trials SET score = 0.125 WHERE rowid = 7")
    with closing(SqliteLedger.open_read_only(path)) as ledger:
        assert len(ledger.damage.blocks) == 1
        read = by_cell(ledger.block_outcomes())
        assert read == by_cell(group_trials(ledger.trials()))
        assert not read.keys() & ledger.damage.blocks.keys()


def make_older(path: Path) -> None:
    """As a version without the rows of blocks has left the file, with the seals of that time."""
    changed(path, "DROP TABLE block_outcomes", "DELETE FROM seals")
    with closing(sqlite3.connect(path)) as connection:
        lay_seals(connection)
        tables = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        with connection:
            for table in (name for name in tables if name != "seals"):
                connection.execute(f"CREATE TEMP TABLE kept AS SELECT rowid AS n, * FROM main.{table}")
                connection.execute(f"DELETE FROM main.{table}")
                columns = [row[1] for row in connection.execute(f"PRAGMA main.table_info({table})")]
                connection.execute(
                    f"INSERT INTO main.{table} SELECT {', '.join(columns)} FROM temp.kept ORDER BY n"
                )
                connection.execute("DROP TABLE temp.kept")


def test_in_a_ledger_of_before_the_trials_are_read(path: Path) -> None:
    make_older(path)
    with closing(SqliteLedger.open_read_only(path)) as ledger:
        assert not ledger.damage
        assert read_rows(ledger) is None
        before = by_cell(ledger.block_outcomes())
        assert before == by_cell(group_trials(ledger.trials())) != {}
    # played on by this version: rows of some blocks alone are not taken for all
    with closing(SqliteLedger(path)) as ledger:
        added = trial("b", CELLS[0], "t9", 0, "success")
        ledger.add_trials([added])
        assert read_rows(ledger) is None
        assert by_cell(ledger.block_outcomes()) == before | by_cell(group_trials([added]))
    # and a row that a stranger adds has no seal
    changed(path, "INSERT INTO block_outcomes VALUES (77, 'b', 't', 0, x'', 's', '')")
    with closing(SqliteLedger.open_read_only(path)) as ledger:
        assert ledger.damage.rows == {"block_outcomes": 1}


def test_a_stranger_cannot_add_the_first_of_them(path: Path) -> None:
    make_older(path)
    SqliteLedger(path).close()  # which lays the table
    changed(path, "INSERT INTO block_outcomes VALUES (1, 'b', 't', 0, x'', 'sssssssss', '')")
    with closing(SqliteLedger.open_read_only(path)) as ledger:
        assert ledger.damage.rows == {"block_outcomes": 1}


def test_two_trials_in_one_place_are_both_there(tmp_path: Path) -> None:
    row = trial("b", CELLS[1], "t1", 0, "error")
    for number, other in enumerate(("error", "success")):
        with closing(SqliteLedger(tmp_path / f"{number}.sqlite")) as ledger:
            ledger.add_trials([row])
            ledger.add_trials([replace(row, key="another", status=other)])
            assert read_rows(ledger) is None
            (block,) = ledger.block_outcomes()
            assert (block.cells, block.statuses) == ((CELLS[1],) * 2, ("error", other))
