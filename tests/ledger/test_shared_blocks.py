"""Blocks of a run in a database: laid out once with their sizes, and kept whole or not at all."""

from collections.abc import Iterator
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path

import pytest

from memtrial.call_purpose import PLAY
from memtrial.call_records import CallBatch, KeptCall
from memtrial.ledger.postgres.database import Database
from memtrial.ledger.postgres.postgres_ledger import PostgresLedger
from memtrial.ledger.postgres.postgres_work import PostgresWork
from memtrial.ledger.postgres.worker_lease import LeaseFault
from memtrial.ledger.rows import EpisodeRow, TrialRow
from memtrial.ledger.shared_work import BlockCost, BlockRows, OfferedBlock
from tests.support.postgres_server import postgres_server, skip_without_postgres

ROW = TrialRow("k", "b", "artifact", "intact", "t", "f", 0, "failure", None, "", "s", False, "r")
CALL = KeptCall(b"1", "m/a", "m-1", "yes", 10, 2, 1, 0, 0.5, "end", None, True, PLAY, None)
ROWS = BlockRows(
    [replace(ROW, key=str(number), score=score) for number, score in ((2, None), (0, 1.0), (1, 0.0))],
    [EpisodeRow("0", (), (), ()), EpisodeRow("1", (), (), ())],
    {"d2": "a text\0", "d1": "ein Text, naïv"},
    CallBatch(calls=(CALL, replace(CALL, key=b"\0\\x", usd=None))),
)
COST = BlockCost(0.5, 4, 0.0, 0, "")


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    skip_without_postgres()
    with postgres_server() as running:
        yield running


@pytest.fixture
def ledgers(address: str, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[list[PostgresLedger]]:
    """One run, opened by two workers."""
    with ExitStack() as opened:
        yield [
            opened.enter_context(closing(PostgresLedger(address, request.node.name, tmp_path)))
            for _ in range(2)
        ]


def test_who_comes_later_hears_how_the_blocks_were_laid_out(ledgers: list[PostgresLedger]) -> None:
    first, second = map(PostgresWork, ledgers)
    assert list(second.list_laid()) == []
    offered = [OfferedBlock("b", True, 3), OfferedBlock("a", False, 9), OfferedBlock("c", False, 1)]
    first.offer(offered, again=False)
    second.offer((), again=False)
    assert list(second.list_laid()) == offered
    assert second.take("c", (), lambda _: True) == "a"
    second.commit("a", ROWS, COST)
    assert [block.done for block in first.list_laid()] == [True, True, False]


def test_a_block_is_kept_whole_in_its_order_by_who_has_it(ledgers: list[PostgresLedger]) -> None:
    first, second = ledgers
    works = PostgresWork(first), PostgresWork(second)
    for work in works:
        work.offer([OfferedBlock("a", False, 3)], again=False)
    assert works[0].take("a", (), lambda _: True) == "a"
    with pytest.raises(LeaseFault):
        works[1].commit("a", ROWS, COST)
    assert (list(first.trials()), list(first.slots()), list(first.calls.records())) == ([], [], [])
    assert works[0].commit("a", ROWS, COST).played == 3
    assert list(second.trials()) == list(ROWS.trials)
    assert [second.episode(key) is not None for key in "012"] == [True, True, False]
    assert dict(second.slots()) == ROWS.texts
    assert {call.key: call.usd for call in second.calls.records()} == {b"1": 0.5, b"\0\\x": None}
    assert second.calls.spent() == (0.5, 1)


def test_a_database_of_before_counts_no_trials_until_a_run_is_laid_out_in_it(
    ledgers: list[PostgresLedger], address: str, tmp_path: Path
) -> None:
    PostgresWork(ledgers[0]).offer([OfferedBlock("a", False, 3)], again=False)
    with closing(Database(address)) as database:
        database.ask("ALTER TABLE memtrial.blocks DROP COLUMN trials")
    with closing(PostgresLedger(address, ledgers[0].name, tmp_path)) as again:
        assert list(PostgresWork(again).list_laid()) == []
    with closing(PostgresLedger(address, "another", tmp_path)) as another:
        work, offered = PostgresWork(another), [OfferedBlock("a", False, 3)]
        work.offer(offered, again=False)
        assert list(work.list_laid()) == offered


def test_a_question_that_looks_dear_is_not_compiled(address: str) -> None:
    # PostgreSQL takes 10 ms to compile what it thinks dear: each question about the blocks of a large run
    numbers = ", ".join(f"generate_series(1, 1000) AS {name}" for name in "abc")
    with closing(Database(address)) as database:
        plan = [line for (line,) in database.ask(f"EXPLAIN SELECT count(*) FROM {numbers}")]
    assert len(plan) > 3
    assert not any("JIT" in line for line in plan)
