"""A bank of made memories and its peers with the same ones, laid down to be timed."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import cycle, islice
from pathlib import Path

import numpy as np

from memtrial.memory.bank.events.bank_events import Cause
from memtrial.memory.bank.events.bank_log import FILE, BankLog
from memtrial.memory.bank.events.item_queries import ItemFilter
from memtrial.memory.bank.redaction.redactor import redact
from memtrial.memory.bank.timing.made_memories import PROJECT, MadeMemory, make_memories, make_vector
from memtrial.memory.bank.timing.plain_peers import LinesReload, NumpyScan, PlainTable
from memtrial.models.embeddings.embedding import Array, HashingEmbedder

CAUSE = Cause("timing", "memories that nobody wrote")
ALL = ItemFilter(PROJECT)
MOST_LINES = 10_000
"""Memories up to which lines are reloaded: of 100,000 the file has 2 GB, and a query takes half a minute."""
BATCH = 500
QUERIES = 64


@dataclass(frozen=True, slots=True)
class GivenVectors:
    """An embedder whose vectors are there already: the time of a model is not the bank's."""

    space: str
    by_text: dict[str, Array]

    async def embed(self, texts: Sequence[str]) -> Array:
        return np.stack([self.by_text[text] for text in texts])


@dataclass
class TimedBank:
    """A bank and its peers, open; `close` them.

    Args:
        lines: None where there are too many memories.
        queries: texts, with the vectors that `given` has of them.
    """

    log: BankLog
    scan: NumpyScan
    table: PlainTable
    lines: LinesReload | None
    given: GivenVectors
    embedder: HashingEmbedder
    more: Iterator[MadeMemory]
    queries: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        self.queries = tuple(self.given.by_text)

    def turns(self) -> Iterator[str]:
        """The queries, one after the other, without end."""
        return cycle(self.queries)

    def draw(self, count: int) -> list[MadeMemory]:
        """Memories that neither the bank nor a peer has yet."""
        return list(islice(self.more, count))

    def append(self, memories: Sequence[MadeMemory]) -> None:
        """Add memories to the bank, as one batch."""
        self.log.append([event for memory in memories for event in memory.events], CAUSE)

    def close(self) -> None:
        self.log.close()
        self.table.close()


def lay_timed(
    folder: Path, size: int, dimensions: int, rng: np.random.Generator, say: Callable[[str], None]
) -> TimedBank:
    """A bank of `size` memories in a folder, and its peers; MemoryFault where it cannot be written."""
    embedder = HashingEmbedder(dimensions)
    log, table = BankLog(folder / FILE, redact), PlainTable(folder / "plain.db")
    log.fix_space(embedder.space, dimensions, CAUSE)
    vectors = np.empty((size, dimensions), dtype=np.float32)
    ids, domains = list[str](), list[str]()
    memories = make_memories(0, size, dimensions, rng)
    while batch := list(islice(memories, BATCH)):
        log.append([event for memory in batch for event in memory.events], CAUSE)
        table.insert_all(batch)
        vectors[len(ids) : len(ids) + len(batch)] = [memory.vector for memory in batch]
        ids += [memory.item.id for memory in batch]
        domains += [memory.item.origin.domain for memory in batch]
        if len(ids) % (20 * BATCH) == 0:
            say(f"{len(ids):,} of {size:,} memories are laid down")
    scan = NumpyScan(tuple(ids), np.asarray(domains), vectors)
    given = {f"query {number}": make_vector(dimensions, rng) for number in range(QUERIES)}
    lines = _write_lines(folder, scan) if size <= MOST_LINES else None
    # more than any bench adds; they are made when they are drawn
    more = make_memories(size, 10_000_000, dimensions, rng)
    return TimedBank(log, scan, table, lines, GivenVectors(embedder.space, given), embedder, more)


def _write_lines(folder: Path, scan: NumpyScan) -> LinesReload:
    lines = LinesReload(folder / "embeddings.jsonl")
    lines.write(scan.ids, scan.vectors)
    return lines
