"""The timings of a bank as lines: a table a size, then what was aimed at."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from memtrial.console.line_width import columns

if TYPE_CHECKING:
    from memtrial.api.bank.bench_memory import MemoryBench
    from memtrial.memory.bank.timing.bench_rows import Contestant, SizeBench

WORDS: Mapping[Contestant, str] = {
    "bank": "the bank",
    "numpy": "product in memory",
    "faiss": "FAISS alone",
    "sqlite": "plain table",
    "jsonl": "lines, read anew",
    "yaml": "YAML alone",
}
HEADS = ("what", "by", "calls", "p50 ms", "p95 ms", "p99 ms", "bank/it")


def bench_lines(bench: MemoryBench, width: int | None) -> Iterator[str]:
    """For people, in so many columns; the last column is the bank's median by that of its peer."""
    for size in bench.sizes:
        yield from _size_lines(size, width)
        yield ""
    rows = [
        (aim.name, f"{aim.memories:,}", f"{aim.figure:.3g}", f"{aim.bound:g}", "met" if aim.met else "missed")
        for aim in bench.aims
    ]
    yield from columns([("aimed at", "memories", "measured", "at most", ""), *rows], width, (1, 2, 3))


def _size_lines(size: SizeBench, width: int | None) -> Iterator[str]:
    taken = ", ".join(f"{WORDS[name]} {value:,.0f}" for name, value in size.bytes_each.items())
    grown = ", ".join(f"{WORDS[name]} {value:.2f}" for name, value in size.growth.items())
    yield f"{size.memories:,} memories, vectors of {size.dimensions:,} numbers"
    yield f"bytes of a memory: {taken}"
    yield f"inserts one by one, the last tenth by the first: {grown}"
    yield f"neighbours as by all peers: {size.agreed} of {size.asked} queries"
    rows = []
    for row in size.rows:
        for number, (name, times) in enumerate(row.times.items()):
            ratio = "" if name == "bank" else f"{row.times['bank'].p50 / times.p50:.2f}"
            figures = (f"{times.p50:.3f}", f"{times.p95:.3f}", f"{times.p99:.3f}")
            rows.append(("" if number else row.name, WORDS[name], str(times.calls), *figures, ratio))
    yield from columns([HEADS, *rows], width, (2, 3, 4, 5, 6))


def describe_bench(bench: MemoryBench) -> dict[str, object]:
    """The same for programs: times in milliseconds."""
    sizes = []
    for size in bench.sizes:
        rows = [
            {
                "name": row.name,
                "times": {
                    name: {"calls": times.calls, "p50": times.p50, "p95": times.p95, "p99": times.p99}
                    for name, times in row.times.items()
                },
            }
            for row in size.rows
        ]
        about = {"memories": size.memories, "dimensions": size.dimensions, "benchmarks": rows}
        alike = {"same_neighbours": size.agreed, "queries": size.asked}
        sizes.append({**about, "bytes_each": size.bytes_each, "growth": size.growth, **alike})
    aims = [
        {
            "name": aim.name,
            "memories": aim.memories,
            "figure": aim.figure,
            "at_most": aim.bound,
            "met": aim.met,
        }
        for aim in bench.aims
    ]
    return {"sizes": sizes, "aims": aims}
