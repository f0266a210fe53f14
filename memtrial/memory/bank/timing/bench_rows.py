"""What the timings of a bank say: a row a benchmark, with its peers; a bench a size; what was aimed at."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from memtrial.memory.bank.timing.timed_turns import CallTimes

Contestant = Literal["bank", "numpy", "faiss", "sqlite", "jsonl", "yaml"]
"""The bank; a product in memory; a flat index of FAISS; a plain table; upstream's lines, read for each
query; the YAML library."""
AIMED_AT = 2_431
"""The number of memories in the report of seeds/003."""


@dataclass(frozen=True, slots=True)
class BenchRow:
    """One benchmark: the bank first, then its peers."""

    name: str
    times: Mapping[Contestant, CallTimes]

    def ratio(self, peer: Contestant, percentile: Literal["p50", "p95"]) -> float | None:
        """The bank's time by a peer's; None where the peer was left out."""
        if peer not in self.times:
            return None
        return float(getattr(self.times["bank"], percentile) / getattr(self.times[peer], percentile))


@dataclass(frozen=True, slots=True)
class SizeBench:
    """All benchmarks at one number of memories.

    Args:
        memories: how many the bank held when the first of them began.
        agreed: of how many queries the peers that were asked gave the bank's neighbours.
        asked: how many queries that was.
        bytes_each: of a memory on the disk, by contestant, without what other indexes take.
        growth: of 1,000 inserts one by one, the median of the last tenth by that of the first.
    """

    memories: int
    dimensions: int
    rows: tuple[BenchRow, ...]
    agreed: int
    asked: int
    bytes_each: Mapping[Contestant, float]
    growth: Mapping[Contestant, float]

    def row(self, name: str) -> BenchRow:
        """The row of a benchmark."""
        return next(row for row in self.rows if row.name == name)


@dataclass(frozen=True, slots=True)
class BenchAim:
    """A figure that was aimed at: at most `bound`."""

    name: str
    memories: int
    figure: float
    bound: float

    @property
    def met(self) -> bool:
        return self.figure <= self.bound


RETRIEVE = "retrieve"
MANY = "insert, many times"
TASK = "before a task"


def list_aims(benches: Sequence[SizeBench]) -> tuple[BenchAim, ...]:
    """What the issue aims at, as ratios; the time before a task, in milliseconds, at 2,431 memories alone."""
    aims = []
    for bench in benches:
        scanned = bench.row(RETRIEVE).ratio("sqlite", "p95")
        reloaded = bench.row(RETRIEVE).ratio("jsonl", "p95")
        inserted = bench.row(MANY).ratio("sqlite", "p50")
        if bench.memories == AIMED_AT:
            for name, figure, bound in (
                ("retrieve / scan in sqlite, p95", scanned, 0.1),
                ("retrieve / reload of lines, p95", reloaded, 0.01),
            ):
                if figure is not None:
                    aims.append(BenchAim(name, bench.memories, figure, bound))
            aims.append(
                BenchAim("before a task, p95 in ms", bench.memories, bench.row(TASK).times["bank"].p95, 10)
            )
        searched = bench.row(RETRIEVE).ratio("faiss", "p50")
        if searched is not None and bench.memories >= AIMED_AT:
            aims.append(BenchAim("retrieve / bare FAISS, p50", bench.memories, searched, 3.0))
        if inserted is not None:
            aims.append(BenchAim("insert / bare durable insert, p50", bench.memories, inserted, 2.0))
    for few, many in pairwise(sorted(benches, key=lambda bench: bench.memories)):
        grown = many.row(RETRIEVE).times["bank"].p50 / few.row(RETRIEVE).times["bank"].p50
        share = grown / (many.memories / few.memories)
        aims.append(BenchAim(f"retrieve against {few.memories:,}, by memories", many.memories, share, 1.0))
    return tuple(aims)
