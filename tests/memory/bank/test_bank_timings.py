"""Timings of a bank: what is in them, percentiles by hand, peers that find the same. No speed is tested."""

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from memtrial.api.bank.bench_memory import MemoryBench, bench_memory, read_sizes
from memtrial.cli.bank.bench_lines import bench_lines, describe_bench
from memtrial.console.line_width import fold
from memtrial.faults import SpecFault
from memtrial.memory.bank.events.item_queries import every_item
from memtrial.memory.bank.timing.bench_rows import AIMED_AT, BenchRow, SizeBench, list_aims
from memtrial.memory.bank.timing.made_memories import DOMAINS
from memtrial.memory.bank.timing.plain_peers import FlatFaiss
from memtrial.memory.bank.timing.retrieval_timings import BenchPlan, count_agreed
from memtrial.memory.bank.timing.timed_bank import TimedBank, lay_timed
from memtrial.memory.bank.timing.timed_turns import FEWEST, CallTimes, summarise, time_turns

SMALL = BenchPlan(dimensions=64, calls=3, budget_s=0.1, inserts=10)
NAMES = [
    "connect", "load a profile", "cosine", "query a view", "all active", "first retrieval", "retrieve",
    "retrieve in a domain", "search the index", "retrieve as seed003", "before a task", "count a use",
    "log a metric", "insert", "insert 100", "insert, many times",
]  # fmt: skip


@pytest.fixture(scope="module")
def bench() -> MemoryBench:
    return bench_memory((20, 30), plan=SMALL)


@pytest.fixture
def bank(tmp_path: Path) -> Iterator[TimedBank]:
    made = lay_timed(tmp_path, 40, 64, np.random.default_rng(1), lambda _: None)
    yield made
    made.close()


def test_percentiles_are_those_by_hand() -> None:
    # 1 to 101: the 95th percentile lies at 1 + .95 * 100
    assert summarise([float(number) for number in range(101, 0, -1)]) == CallTimes(101, 51.0, 96.0, 100.0)
    # of two, 95 % of the way from the one to the other
    two = summarise([10.0, 20.0])
    assert (two.calls, two.p50, two.p95, two.p99) == (2, 15.0, pytest.approx(19.5), pytest.approx(19.9))


def test_contestants_take_turns_and_the_slow_stop_early() -> None:
    order: list[str] = []

    def quick() -> None:
        order.append("quick")

    def slow() -> None:
        order.append("slow")

    times = time_turns({"quick": quick, "slow": slow}, 25, 1e9)
    assert {name: taken.calls for name, taken in times.items()} == {"quick": 25, "slow": 25}
    # the first of eleven warms up and does not count
    assert order[:23] == ["quick"] * 11 + ["slow"] * 11 + ["quick"]
    assert time_turns({"all": quick}, 25, 0.0)["all"].calls == FEWEST


def test_a_bench_has_every_benchmark_with_its_peers(bench: MemoryBench) -> None:
    assert [size.memories for size in bench.sizes] == [20, 30]
    for size in bench.sizes:
        assert [row.name for row in size.rows] == NAMES
        assert all(next(iter(row.times)) == "bank" for row in size.rows)
        assert set(size.row("retrieve").times) == {"bank", "numpy", "faiss", "sqlite", "jsonl"}
        assert (size.agreed, size.asked) == (10, 10)
        assert set(size.bytes_each) == {"bank", "sqlite", "jsonl"}
        # a vector of 64 numbers alone has 256 bytes
        assert all(value > 256 for value in size.bytes_each.values())
        for row in size.rows:
            assert all(0 < taken.p50 <= taken.p95 <= taken.p99 for taken in row.times.values())
    assert json.loads(json.dumps(describe_bench(bench)))["sizes"][1]["memories"] == 30


@pytest.mark.parametrize("width", [40, 80, 120])
def test_a_bench_fits_the_terminal(bench: MemoryBench, width: int) -> None:
    lines = [part for line in bench_lines(bench, width) for part in fold(line, width)]
    assert max(map(len, lines)) <= width
    text = " ".join(" ".join(lines).split())
    assert all(name.split()[0] in text for name in NAMES)


def test_peers_and_bank_hold_and_find_the_same(bank: TimedBank) -> None:
    assert bank.lines is not None
    query = bank.given.by_text["query 0"]
    by_hand = sorted(range(40), key=lambda place: -float(bank.scan.vectors[place] @ query))
    nearest = [bank.scan.ids[place] for place in by_hand]
    for peer in (bank.scan, FlatFaiss(bank.scan), bank.table, bank.lines):
        assert peer.nearest(query, 5) == nearest[:5]
    inside = [name for place, name in zip(by_hand, nearest, strict=True) if place % 4 == 1]
    assert bank.scan.nearest(query, 3, DOMAINS[1]) == bank.table.nearest(query, 3, DOMAINS[1]) == inside[:3]
    assert {item.id for item in every_item(bank.log)} == set(bank.scan.ids)
    assert count_agreed(bank, 10) == 10
    bank.table.connection.execute("DELETE FROM memories WHERE id = ?", (nearest[0],))
    assert count_agreed(bank, 10) < 10


def _size(memories: int, retrieve: float, insert: float) -> SizeBench:
    def times(value: float) -> CallTimes:
        return CallTimes(1, value, value, value)

    rows = (
        BenchRow(
            "retrieve",
            {"bank": times(retrieve), "faiss": times(0.5), "sqlite": times(10.0), "jsonl": times(500.0)},
        ),
        BenchRow("insert, many times", {"bank": times(insert), "sqlite": times(2.0)}),
        BenchRow("before a task", {"bank": times(9.0)}),
    )
    return SizeBench(memories, 4, rows, 1, 1, {}, {})


def test_aims_are_ratios_in_the_same_run() -> None:
    aims = {
        (aim.name, aim.memories): (aim.figure, aim.met)
        for aim in list_aims([_size(AIMED_AT, 1.5, 3.0), _size(10 * AIMED_AT, 12.0, 5.0)])
    }
    assert aims == {
        ("retrieve / scan in sqlite, p95", AIMED_AT): (pytest.approx(0.15), False),
        ("retrieve / reload of lines, p95", AIMED_AT): (pytest.approx(0.003), True),
        ("before a task, p95 in ms", AIMED_AT): (9.0, True),
        ("retrieve / bare FAISS, p50", AIMED_AT): (3.0, True),
        ("retrieve / bare FAISS, p50", 10 * AIMED_AT): (24.0, False),
        ("insert / bare durable insert, p50", AIMED_AT): (1.5, True),
        ("insert / bare durable insert, p50", 10 * AIMED_AT): (2.5, False),
        ("retrieve against 2,431, by memories", 10 * AIMED_AT): (pytest.approx(0.8), True),
    }


@pytest.mark.parametrize("text", ["", "a", "1000,", "1000,1000", "9", "1e3", "-5", "99999999"])
def test_a_size_that_cannot_be_timed_is_refused(text: str) -> None:
    with pytest.raises(SpecFault) as fault:
        read_sizes(text)
    assert "\n" not in str(fault.value)
