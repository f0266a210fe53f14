"""Retrieval beside its peers: the nearest, those of a domain, ranked with all parts, all before a task."""

from collections.abc import Coroutine, Mapping
from dataclasses import dataclass, replace
from itertools import count
from typing import Any

from memtrial.memory.bank.events.bank_log import BankLog
from memtrial.memory.bank.index.faiss_index import FaissIndex
from memtrial.memory.bank.index.index_upkeep import keep_up
from memtrial.memory.bank.index.vector_index import search_index
from memtrial.memory.bank.ranking.ranked_hit import Ranking
from memtrial.memory.bank.ranking.ranking_profile import RankingProfile
from memtrial.memory.bank.ranking.shipped_profiles import SEED003
from memtrial.memory.bank.redaction.redactor import redact
from memtrial.memory.bank.search.bank_search import BankSearch, note_use
from memtrial.memory.bank.timing.bench_rows import RETRIEVE, TASK, BenchRow, Contestant
from memtrial.memory.bank.timing.made_memories import DOMAINS
from memtrial.memory.bank.timing.plain_peers import FlatFaiss
from memtrial.memory.bank.timing.timed_bank import ALL, CAUSE, TimedBank
from memtrial.memory.bank.timing.timed_turns import CallTimes, Work, time_turns

NEAREST = RankingProfile(name="nearest", key="item")
"""By similarity alone, three items: what the peers find, too."""
K = NEAREST.k
COLD_CALLS = 3
TOOK_S = 0.001
"""What is noted of a retrieval; any number takes as long to be written."""


@dataclass(frozen=True, slots=True)
class BenchPlan:
    """How a bench is made: calls of each contestant, the seconds that one may take, inserts one by one."""

    dimensions: int = 1_024
    calls: int = 100
    budget_s: float = 2.0
    inserts: int = 1_000

    def time(self, works: Mapping[Contestant, Work], calls: int | None = None) -> dict[Contestant, CallTimes]:
        """Time contestants in turns."""
        return time_turns(works, calls or self.calls, self.budget_s)


def time_retrieval(bank: TimedBank, plan: BenchPlan) -> list[BenchRow]:
    """All of retrieval; use is written into the bank by the last alone."""
    rows = [_first(bank, plan), *_all_and_domain(bank, plan), _index(bank, plan)]
    return [*rows, *_ranked(bank, plan)]


def count_agreed(bank: TimedBank, asked: int) -> int:
    """Of how many queries all peers find the bank's neighbours."""
    search, agreed = _open(bank, NEAREST), 0
    flat = FlatFaiss(bank.scan)
    for name in bank.queries[:asked]:
        query = bank.given.by_text[name]
        ours = [hit.id for hit in _finish(search.rank(name)).hits]
        peers = [peer.nearest(query, K) for peer in (bank.scan, flat, bank.table)]
        if bank.lines is not None:
            peers.append(bank.lines.nearest(query, K))
        agreed += all(peer == ours for peer in peers)
    return agreed


def _open(bank: TimedBank, profile: RankingProfile, domain: str = "") -> BankSearch:
    return BankSearch(bank.log, bank.given, profile, replace(ALL, domain=domain))


def _finish(ranked: Coroutine[Any, Any, Ranking]) -> Ranking:
    """What a search gives that waits for nothing: its vectors are there, and no loop is timed with it."""
    try:
        ranked.send(None)
    except StopIteration as end:
        ranking: Ranking = end.value
        return ranking
    raise RuntimeError("a search with vectors that are there waited for something")


def _first(bank: TimedBank, plan: BenchPlan) -> BenchRow:
    """In a process that has the bank not open yet."""
    names = bank.turns()

    def open_and_rank() -> None:
        log = BankLog(bank.log.path, redact)
        _finish(BankSearch(log, bank.given, NEAREST, ALL).rank(next(names)))
        log.close()

    works: dict[Contestant, Work] = {"bank": open_and_rank}
    if (lines := bank.lines) is not None:
        works["jsonl"] = lambda: lines.nearest(bank.given.by_text[next(names)], K)
    return BenchRow("first retrieval", plan.time(works, COLD_CALLS))


def _all_and_domain(bank: TimedBank, plan: BenchPlan) -> list[BenchRow]:
    return [
        BenchRow(RETRIEVE, plan.time(_nearest(bank, ""))),
        BenchRow("retrieve in a domain", plan.time(_nearest(bank, DOMAINS[0]))),
    ]


def _nearest(bank: TimedBank, domain: str) -> dict[Contestant, Work]:
    search, names, vectors = _open(bank, NEAREST, domain), bank.turns(), bank.given.by_text
    works: dict[Contestant, Work] = {
        "bank": lambda: _finish(search.rank(next(names))),
        "numpy": lambda: bank.scan.nearest(vectors[next(names)], K, domain),
        "sqlite": lambda: bank.table.nearest(vectors[next(names)], K, domain),
    }
    if not domain:
        flat = FlatFaiss(bank.scan)
        works["faiss"] = lambda: flat.nearest(vectors[next(names)], K)
    if (lines := bank.lines) is not None and not domain:
        works["jsonl"] = lambda: lines.nearest(vectors[next(names)], K)
    return works


def _index(bank: TimedBank, plan: BenchPlan) -> BenchRow:
    """By the index in FAISS, which is kept level before each search."""
    index, names = FaissIndex(), bank.turns()

    def search() -> None:
        keep_up(bank.log, index, "item")
        search_index(index, bank.given.by_text[next(names)], K, ALL)

    def scan() -> None:
        bank.scan.nearest(bank.given.by_text[next(names)], K)

    return BenchRow("search the index", plan.time({"bank": search, "numpy": scan}))


def _ranked(bank: TimedBank, plan: BenchPlan) -> list[BenchRow]:
    """With recency, confidence and diversity; then with the query's embedding and a note of its use."""
    search, names = _open(bank, SEED003), bank.turns()

    def rank() -> None:
        _finish(search.rank(next(names)))

    def scan() -> None:
        bank.scan.nearest(bank.given.by_text[next(names)], K)

    task = replace(search, embedder=bank.embedder)
    numbers = count()

    def prepare() -> None:
        ranking = _finish(task.rank(f"What does order {next(numbers)} cost after it was changed?"))
        bank.log.append(note_use(ranking, TOOK_S, "task"), CAUSE)

    ranked = BenchRow("retrieve as seed003", plan.time({"bank": rank, "numpy": scan}))
    return [ranked, BenchRow(TASK, plan.time({"bank": prepare}))]
