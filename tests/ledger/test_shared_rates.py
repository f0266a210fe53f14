"""What workers of a run agree by in a database: rates, errors, and the end of one that was stopped."""

import threading
from collections.abc import Iterator
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtrial.call_purpose import PLAY
from memtrial.call_records import CallBatch, KeptCall
from memtrial.ledger.postgres.database import Database
from memtrial.ledger.postgres.postgres_ledger import PostgresLedger
from memtrial.ledger.postgres.postgres_work import PostgresWork
from memtrial.ledger.postgres.provider_rates import divide
from memtrial.ledger.postgres.run_progress import look_at_runs
from memtrial.ledger.rows import TrialRow
from memtrial.ledger.shared_work import BlockCost, BlockRows, OfferedBlock, RateUse, WorkTotals
from tests.support.postgres_server import postgres_server, skip_without_postgres

ROW = TrialRow("k", "b", "artifact", "intact", "t", "f", 0, "failure", 0.0, "", "s", False, "r")
CALL = KeptCall(b"1", "m/a", "m-1", "yes", 10, 2, 1, 0, 0.5, "end", None, True, PLAY, None)
IDLE, HUNGRY = RateUse(0, 0, 0), RateUse(0, 99, 0)


@given(st.integers(1, 40), st.lists(st.integers(0, 30), min_size=1, max_size=6))
def test_parts_are_fair_and_leave_nothing_over(total: int, wanted: list[int]) -> None:
    parts = divide(total, wanted)
    assert sum(parts) == total
    if sum(wanted) >= total:
        assert all(part <= want for part, want in zip(parts, wanted, strict=True))
        # whoever has less than it wants has about as much as the one who has most
        hungry = [part for part, want in zip(parts, wanted, strict=True) if part < want]
        assert all(part >= max(parts) - 1 for part in hungry)
    else:
        assert all(part >= want for part, want in zip(parts, wanted, strict=True))


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    skip_without_postgres()
    with postgres_server() as running:
        yield f"{running}&options=-clock_timeout%3D30s"  # whoever waits for a lock here waits for ever


@pytest.fixture
def works(address: str, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[list[PostgresWork]]:
    """Three workers of a run of their own."""
    with ExitStack() as opened:
        ledgers = [PostgresLedger(address, request.node.name, tmp_path) for _ in range(3)]
        for ledger in ledgers:
            opened.enter_context(closing(ledger))
        ledgers[0].keep_spec("{}")
        yield [PostgresWork(ledger) for ledger in ledgers]


def test_connections_go_to_who_wants_them_and_never_beyond_the_most(works: list[PostgresWork]) -> None:
    first, second, third = works
    assert first.share_connections("p", 2, HUNGRY) == 2
    # what another one has in flight is not taken from it
    assert second.share_connections("p", 2, HUNGRY) == 0
    assert first.share_connections("p", 2, RateUse(2, 99, 0)) == 2
    assert first.share_connections("p", 2, RateUse(0, 99, 0)) == 1
    assert second.share_connections("p", 2, HUNGRY) == 1
    # two workers have both; a third one waits until one of them wants none, and does not wait for ever
    assert third.share_connections("p", 2, HUNGRY) == 0
    assert first.share_connections("p", 2, IDLE) == 0
    assert third.share_connections("p", 2, HUNGRY) == 1
    assert first.share_connections("another", 2, HUNGRY) == 2


def test_a_refusal_of_one_halves_and_closes_for_all_and_answers_give_it_back(
    works: list[PostgresWork],
) -> None:
    first, second, _ = works
    for work in (first, second, first, second):
        work.share_connections("p", 8, RateUse(4, 99, 0))
    assert first.calls.rates.note_refusal("p", 0.0, 30.0)
    # what was under way at that moment does not halve it again, and a shorter wait does not open it
    assert not second.calls.rates.note_refusal("p", 60.0, 1.0)
    assert 25 < second.calls.rates.closed_s("p") <= 30
    assert second.calls.rates.closed_s("another") == 0
    assert [work.share_connections("p", 8, HUNGRY) for work in (first, second, first)] == [0, 2, 2]
    assert second.calls.rates.note_refusal("p", 0.0, 0.0)
    assert [work.share_connections("p", 8, HUNGRY) for work in (first, second, first)] == [0, 1, 1]
    for _ in range(40):
        shares = [work.share_connections("p", 8, RateUse(0, 99, 2)) for work in (first, second)]
        assert sum(shares) <= 8
    assert shares == [4, 4]


def test_a_wait_is_over_once_the_other_one_has_an_answer_or_asks_no_more(works: list[PostgresWork]) -> None:
    first, second, _ = (work.calls for work in works)
    keys = [b"answered", b"given up", b"asked", b"free"]
    assert all(first.claim(key) for key in keys[:3])
    assert not any(second.claim(key) for key in keys[:3])
    assert second.list_settled(keys) == [b"free"]
    first.commit(CallBatch(calls=(replace(CALL, key=b"answered"),)))
    first.release(b"given up")
    assert sorted(second.list_settled(keys)) == [b"answered", b"free", b"given up"]
    assert [second.claim(key) for key in keys] == [False, True, False, True]


def commit_block(work: PostgresWork, errors: int) -> WorkTotals:
    place = work.take("9", (), lambda _: True)
    assert place is not None
    rows = [
        replace(ROW, key=f"{place}.{n}", status="error", score=None) if n < errors else
        replace(ROW, key=f"{place}.{n}")
        for n in range(4)
    ]  # fmt: skip
    return work.commit(
        place,
        BlockRows(rows, [], {}, CallBatch()),
        BlockCost(0.5, 4, 0.25, errors, "a cause\0" if errors else ""),
    )


def test_errors_and_costs_are_counted_over_all_who_play_together(
    works: list[PostgresWork], address: str, request: pytest.FixtureRequest
) -> None:
    first, second, third = works
    offered = [OfferedBlock(str(place), False, 10) for place in range(10)]
    for work in (first, second):
        work.offer(offered, again=False)
    commit_block(first, 0)
    totals = commit_block(second, 3)
    assert totals == WorkTotals(0, 0.5, 4, 0.5, 8, 3, "a cause\0")
    third.offer(offered, again=False)
    assert commit_block(third, 4).errors == 7
    (progress,) = look_at_runs(address, request.node.name)
    assert (progress.state, progress.blocks, progress.trials) == ("running", (10, 3, 0), (12, 7))
    assert [worker.done for worker in progress.workers] == [1, 1, 1]


def test_who_begins_when_nobody_plays_any_more_counts_anew(address: str, tmp_path: Path) -> None:
    offered = [OfferedBlock(str(place), False, 10) for place in range(10)]
    for errors in (4, 1):
        with closing(PostgresLedger(address, "anew", tmp_path)) as ledger:
            work = PostgresWork(ledger)
            work.offer(offered, again=False)
            totals = commit_block(work, errors)
            assert (totals.played, totals.errors) == (4, errors)


def test_who_comes_late_waits_for_no_block_that_is_being_written(
    works: list[PostgresWork], address: str, request: pytest.FixtureRequest
) -> None:
    offered = [OfferedBlock(str(place), False, 10) for place in range(3)]
    first, second, _ = works
    first.offer(offered, again=False)
    name = request.node.name

    def write(_: bool) -> None:
        of_run = "run = (SELECT id FROM memtrial.runs WHERE name = %s)"
        another.ask(f"UPDATE memtrial.blocks SET done = true WHERE place = '1' AND {of_run}", (name,))
        second.offer(offered, again=False)
        assert second.take("2", (), lambda _: True) == "0"

    with closing(Database(address)) as another:
        another.carry(write)
    assert [first.take("2", (), lambda _: True) for _ in range(2)] == ["2", None]


def test_of_two_that_wait_for_each_other_one_is_undone_and_does_it_again(address: str) -> None:
    both, tries = threading.Barrier(2), list[int]()

    def lock(places: tuple[int, int]) -> None:
        def lock_both(again: bool) -> None:
            assert not again  # it is known that nothing was written
            tries.append(places[0])
            database.ask("SELECT pg_advisory_xact_lock(%s)", (places[0],))
            if len(tries) < 3:
                both.wait(60)
            database.ask("SELECT pg_advisory_xact_lock(%s)", (places[1],))

        with closing(Database(address)) as database:
            database.carry(lock_both)

    threads = [threading.Thread(target=lock, args=(places,)) for places in ((1, 2), (2, 1))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert sorted(tries) in ([1, 1, 2], [1, 2, 2])


def test_a_lease_is_renewed_within_a_transaction_and_ended_by_nobody(
    works: list[PostgresWork], address: str
) -> None:
    """One that waits for others, or computes a look, may last for longer than the lease."""
    held = "FROM memtrial.workers WHERE NOT gone"
    with closing(Database(address)) as another:

        def look() -> tuple[int, int]:
            renewed = another.ask("UPDATE memtrial.workers SET until = until WHERE NOT gone RETURNING 1")
            free = another.ask(f"SELECT 1 {held} FOR UPDATE SKIP LOCKED")
            return len(renewed), len(free)

        assert works[0].decide_alone(look) == (3, 2)


def test_a_worker_that_was_stopped_within_a_transaction_holds_up_nobody(address: str, tmp_path: Path) -> None:
    with (
        closing(PostgresLedger(address, "held", tmp_path, lease_s=1)) as ledger,
        closing(Database(address)) as stopped,
    ):
        query = (
            "INSERT INTO memtrial.workers (run, place, until) VALUES (%s, 'stopped', clock_timestamp()"
            " + interval '0.2 s') RETURNING id"
        )
        token = stopped.ask(query, (ledger.run,))[0][0]
        stopped.take_name(f"memtrial worker {token}")
        through = threading.Event()
        work = PostgresWork(ledger)

        def hold(again: bool) -> None:
            if again:
                return
            stopped.ask("SELECT 1 FROM memtrial.runs WHERE id = %s FOR UPDATE", (ledger.run,))
            stopped.ask("SELECT 1 FROM memtrial.workers WHERE id = %s FOR KEY SHARE", (token,))
            thread = threading.Thread(target=lambda: work.decide_alone(through.set), daemon=True)
            thread.start()
            assert through.wait(60)
            thread.join(60)

        stopped.carry(hold)
