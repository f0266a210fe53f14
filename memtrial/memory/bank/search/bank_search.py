"""Searches a bank that is open: for a task, what it is shown; for a person, what fits best and why."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from memtrial.memory.bank.events.bank_events import BankEvent, MeasureTaken, Signal, SignalSeen
from memtrial.memory.bank.events.bank_log import BankLog
from memtrial.memory.bank.events.item_queries import ItemFilter
from memtrial.memory.bank.ranking.item_pool import ItemPool
from memtrial.memory.bank.ranking.query_vectors import QueryVectors
from memtrial.memory.bank.ranking.ranked_hit import Hit, Ranking
from memtrial.memory.bank.ranking.ranked_items import list_hits, rank_items
from memtrial.memory.bank.ranking.ranking_profile import RankingProfile
from memtrial.memory.bank.ranking.tokenizer import count_tokens
from memtrial.memory.bank.search.live_pool import LivePool
from memtrial.memory.stored_item import MemoryFault
from memtrial.models.embeddings.embedding import Array
from memtrial.protocols import Embedder

SHOWN_TOKENS = "shown_tokens_cl100k_base"
"""The measure of how long a block is, by the tokenizer in its name."""
KEPT_S = 300.0
"""How long a query's vector is kept."""


@dataclass
class BankSearch:
    """One bank, one profile, one project. Texts that the bank has no vector of are embedded, and kept here.

    Args:
        embedder: the one that made the bank's vectors.
        asked: whose items; its standings do not count.
    """

    log: BankLog
    embedder: Embedder
    profile: RankingProfile
    asked: ItemFilter
    clock: Callable[[], float] = time.time
    _queries: QueryVectors = field(init=False)
    _pool: LivePool = field(init=False)
    _space: list[tuple[str, int]] = field(default_factory=list, init=False)

    def __post_init__(self) -> None:
        self._queries = QueryVectors(self.embedder, KEPT_S, time.monotonic)
        self._pool = LivePool(self.log, self.asked, self.profile.key)

    async def rank(self, query: str) -> Ranking:
        """What the task of a query is shown.

        Raises:
            MemoryFault: the bank cannot be read, or its embedder is another.
            ModelFault: the embedder gives no vector.
        """
        pool, vector = await self._meet(query)
        return rank_items(pool, vector, self.profile, self.clock())

    async def find(self, query: str, most: int) -> tuple[Hit, ...]:
        """The items that fit a query best, those that would be withheld too; faults as `rank`.

        Raises:
            ValueError: `most` is negative.
        """
        pool, vector = await self._meet(query)
        return list_hits(pool, vector, self.profile, self.clock(), most)

    async def _meet(self, query: str) -> tuple[ItemPool, Array]:
        """All items with a vector each, and that of the query; where there are none nothing is asked for."""
        pool = self._pool.refresh()
        if not pool.items:
            return pool, np.zeros(pool.vectors.shape[1], dtype=np.float32)
        # a bank's embedder is fixed once
        space = self._space = self._space or self.log.read("SELECT space, dimensions FROM space")
        if space and self.embedder.space != space[0][0]:
            raise self._refusal(*space[0])
        if texts := self._pool.absent():
            self._pool.supply(dict(zip(texts, await self.embedder.embed(texts), strict=True)))
            pool = self._pool.refresh()
        vector = await self._queries.vector(query)
        if space and vector.shape != (space[0][1],):
            raise self._refusal(*space[0])
        # items without any text leave a pool without a dimension
        return pool, vector[: pool.vectors.shape[1]]

    def _refusal(self, space: str, dimensions: int) -> MemoryFault:
        return MemoryFault(
            f"the bank's embedder is {space!r} with {dimensions} numbers; got {self.embedder.space!r}:"
            " search with that one"
        )


def note_use(ranking: Ranking, took_s: float, task_id: str = "") -> list[BankEvent]:
    """The events of a ranking that reached a prompt: what was retrieved, shown, how long that took, and how
    many tokens the block has (seeds/001, SC-002)."""
    ids = tuple(hit.id for hit in ranking.hits)
    measures = [MeasureTaken("retrieve_ms", took_s * 1000, ids)]
    if ranking.block:
        measures.append(MeasureTaken(SHOWN_TOKENS, count_tokens(ranking.block, "cl100k_base"), ids))
    return [*note_hits(ranking, task_id), *measures]


def note_hits(ranking: Ranking, task_id: str) -> list[SignalSeen]:
    """The signals of a ranking that reached a prompt: what was retrieved, and then what was shown."""
    kinds: tuple[Signal, ...] = ("retrieved", "shown")
    return [SignalSeen(hit.id, kind, task_id) for kind in kinds for hit in ranking.hits]
