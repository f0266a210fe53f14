"""The twelve benchmarks of seeds/003, each beside plain programs in the same run, and three of ours.

Its own numbers are not repeated here: they contradict each other (63.52 ms to retrieve among 1,000 memories,
24.01 among 2,431). Sources: seeds/003, its report on performance; REQUIREMENTS F-51 to F-67.
"""

import sqlite3
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from statistics import median

import numpy as np

from memtrial.memory.bank.events.bank_events import MeasureTaken, SignalSeen
from memtrial.memory.bank.events.bank_log import BankLog
from memtrial.memory.bank.events.item_queries import list_items
from memtrial.memory.bank.index.vector_index import cosines
from memtrial.memory.bank.ranking.own_profile import read_profile, write_profile
from memtrial.memory.bank.ranking.shipped_profiles import SEED003
from memtrial.memory.bank.redaction.redactor import redact
from memtrial.memory.bank.timing.bench_rows import MANY, BenchRow, Contestant, SizeBench
from memtrial.memory.bank.timing.retrieval_timings import BenchPlan, count_agreed, time_retrieval
from memtrial.memory.bank.timing.timed_bank import ALL, CAUSE, TimedBank, lay_timed
from memtrial.memory.bank.timing.timed_turns import Work, summarise, time_call

ASKED = 10
"""Queries whose neighbours are compared."""
BATCH_CALLS, BATCH = 10, 100
VIEW = "SELECT count(*), avg(confidence) FROM v_active_memories"
SPARE = 3
PARTS = 10
"""Growth compares the last and the first tenth of the inserts."""


def run_bench(
    sizes: Sequence[int], rng: np.random.Generator, say: Callable[[str], None], plan: BenchPlan
) -> Iterator[SizeBench]:
    """One bench a size, each on a bank of its own in a temporary folder.

    Args:
        say: is told what was done.

    Raises:
        MemoryFault: the folder cannot be written.
    """
    for size in sizes:
        with tempfile.TemporaryDirectory(prefix="memtrial-bench-") as folder:
            bank = lay_timed(Path(folder), size, plan.dimensions, rng, say)
            say(f"{size:,} memories are laid down")
            try:
                yield _time_bank(bank, size, plan, say)
            finally:
                bank.close()


def _time_bank(bank: TimedBank, size: int, plan: BenchPlan, say: Callable[[str], None]) -> SizeBench:
    taken = _bytes_each(bank, size)
    agreed, asked = count_agreed(bank, ASKED), min(ASKED, len(bank.queries))
    reads = [*_time_reads(bank, plan), *time_retrieval(bank, plan)]
    say(f"{size:,} memories: reading is timed")
    writes = _time_writes(bank, plan)
    many, growth = _time_many_inserts(bank, plan)
    say(f"{size:,} memories: writing is timed")
    return SizeBench(size, plan.dimensions, (*reads, *writes, many), agreed, asked, taken, growth)


def _time_reads(bank: TimedBank, plan: BenchPlan) -> list[BenchRow]:
    """What changes nothing, but for retrieval."""
    text = write_profile(SEED003)
    pair = np.stack([bank.given.by_text[name] for name in bank.queries[:2]])

    def connect() -> None:
        BankLog(bank.log.path, redact).close()

    def connect_plain() -> None:
        connection = sqlite3.connect(bank.table.path)
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        connection.close()

    def parse() -> None:
        import yaml

        yaml.safe_load(text)

    def multiply() -> None:
        pair[0] @ pair[1] / (np.linalg.norm(pair[0]) * np.linalg.norm(pair[1]))

    return [
        BenchRow("connect", plan.time({"bank": connect, "sqlite": connect_plain})),
        BenchRow("load a profile", plan.time({"bank": lambda: read_profile(text), "yaml": parse})),
        BenchRow("cosine", plan.time({"bank": lambda: cosines(pair[0], pair[1:]), "numpy": multiply})),
        BenchRow(
            "query a view", plan.time({"bank": lambda: bank.log.read(VIEW), "sqlite": bank.table.summarise})
        ),
        BenchRow(
            "all active",
            plan.time({"bank": lambda: list_items(bank.log, ALL), "sqlite": bank.table.read_all}),
        ),
    ]


def _time_writes(bank: TimedBank, plan: BenchPlan) -> list[BenchRow]:
    """What is on the disk when it returns."""
    ids = bank.scan.ids

    def use() -> None:
        bank.log.append([SignalSeen(ids[0], "cited", "task", "success")], CAUSE)

    def measure() -> None:
        bank.log.append([MeasureTaken("retrieve_ms", 1.0)], CAUSE)

    batches = min(BATCH_CALLS, plan.calls)
    return [
        BenchRow("count a use", plan.time({"bank": use, "sqlite": lambda: bank.table.count_use(ids[0])})),
        BenchRow("log a metric", plan.time({"bank": measure, "sqlite": lambda: bank.table.measure(1.0)})),
        BenchRow("insert", plan.time(_inserts(bank, 1, plan.calls))),
        BenchRow(f"insert {BATCH}", plan.time(_inserts(bank, BATCH, batches), batches)),
    ]


def _inserts(bank: TimedBank, size: int, calls: int) -> dict[Contestant, Work]:
    """Batches of new memories, which are made before they are timed; enough for calls that do not count."""
    drawn = bank.draw(SPARE * calls * size)
    batches = [drawn[start : start + size] for start in range(0, len(drawn), size)]
    ours, plain = iter(batches), iter(batches)
    return {
        "bank": lambda: bank.append(next(ours)),
        "sqlite": lambda: bank.table.insert_all(next(plain)),
    }


def _time_many_inserts(bank: TimedBank, plan: BenchPlan) -> tuple[BenchRow, dict[Contestant, float]]:
    """One by one, the bank and the table in turns; and how much the last take by the first."""
    works = _inserts(bank, 1, plan.inserts)
    taken: dict[Contestant, list[float]] = {name: [] for name in works}
    for _ in range(plan.inserts):
        for name, work in works.items():
            taken[name].append(time_call(work))
    part = max(plan.inserts // PARTS, 1)
    growth = {name: median(times[-part:]) / median(times[:part]) for name, times in taken.items()}
    row = BenchRow(MANY, {name: summarise(times) for name, times in taken.items()})
    return row, growth


def _bytes_each(bank: TimedBank, size: int) -> dict[Contestant, float]:
    """Of files that hold all of it: what the write-ahead logs have is written over first."""
    bank.log.read("PRAGMA wal_checkpoint(TRUNCATE)")
    bank.table.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    paths: dict[Contestant, Path] = {"bank": bank.log.path, "sqlite": bank.table.path}
    if bank.lines is not None:
        paths["jsonl"] = bank.lines.path
    return {name: path.stat().st_size / size for name, path in paths.items()}
