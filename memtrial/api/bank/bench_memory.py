"""Times a bank of memories that nobody wrote, beside plain programs; in a temporary folder."""

import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass

from memtrial.faults import SpecFault, refused
from memtrial.ledger.random_streams import fixed_generator
from memtrial.memory.bank.timing.bench_rows import BenchAim, SizeBench, list_aims
from memtrial.memory.bank.timing.micro_benchmarks import run_bench
from memtrial.memory.bank.timing.retrieval_timings import BenchPlan
from memtrial.memory.stored_item import MemoryFault

SIZES = (1_000, 2_431, 10_000, 100_000)
LEAST, MOST = 10, 1_000_000
BYTES = 40_000
"""On the disk, of a memory with its peers and its write-ahead log, and some room."""


@dataclass(frozen=True, slots=True)
class MemoryBench:
    """All sizes, in the order in which they were asked for, and what was aimed at."""

    sizes: tuple[SizeBench, ...]
    aims: tuple[BenchAim, ...]


def read_sizes(text: str) -> tuple[int, ...]:
    """Numbers of memories, as `1000,2431`; SpecFault for anything else."""
    words = [word.strip() for word in text.split(",")]
    if not all(word.isascii() and word.isdigit() and len(word) < 9 for word in words):
        raise SpecFault(f"--sizes is numbers of memories with commas, as 1000,2431; got {text[:80]!r}")
    return check_sizes(tuple(map(int, words)))


def check_sizes(sizes: tuple[int, ...]) -> tuple[int, ...]:
    """The same sizes; SpecFault where one cannot be timed, or stands twice."""
    for size in sizes:
        if not LEAST <= size <= MOST:
            raise SpecFault(f"a bench is of {LEAST} to {MOST:,} memories; got {size:,}")
    if not sizes or len(set(sizes)) < len(sizes):
        raise SpecFault(f"sizes are needed, each once; got {', '.join(map(str, sizes)) or 'none'}")
    room = shutil.disk_usage(tempfile.gettempdir()).free
    if max(sizes) * BYTES > room:
        raise SpecFault(
            f"{max(sizes):,} memories need {max(sizes) * BYTES / 1e9:.1f} GB for a while, and the temporary"
            f" folder has {room / 1e9:.1f} GB: set TMPDIR to another, or ask for fewer"
        )
    return sizes


def bench_memory(
    sizes: tuple[int, ...] = SIZES, say: Callable[[str], None] = lambda _: None, plan: BenchPlan | None = None
) -> MemoryBench:
    """Time the twelve operations of document 003, and some more, at each size.

    Args:
        sizes: numbers of memories; 100,000 take minutes.
        say: is told of each step that is done.

    Raises:
        SpecFault: a size that cannot be timed, or a temporary folder that cannot be written.
    """
    rng = fixed_generator()
    with refused(MemoryFault):
        benches = tuple(run_bench(check_sizes(sizes), rng, say, plan or BenchPlan()))
    return MemoryBench(benches, list_aims(benches))
