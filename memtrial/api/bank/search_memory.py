"""Searches a bank in a folder: what a task would be shown, what would be withheld, and why."""

import asyncio
import os
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from memtrial.api.bank.kept_bank import open_bank
from memtrial.api.bank.search_answer import SearchAnswer
from memtrial.api.given_spec import done_by
from memtrial.faults import SpecFault, refused
from memtrial.ledger.memory_calls import MemoryCallStore
from memtrial.memory.bank.events.bank_log import BankLog
from memtrial.memory.bank.events.item_queries import ItemFilter
from memtrial.memory.bank.ranking.own_profile import read_profile
from memtrial.memory.bank.ranking.ranked_hit import Hit, Ranking
from memtrial.memory.bank.ranking.ranking_profile import RankingProfile
from memtrial.memory.bank.ranking.shipped_profiles import PROFILES
from memtrial.memory.bank.search.bank_search import BankSearch
from memtrial.memory.stored_item import MemoryFault
from memtrial.models.client.cache import CallCache
from memtrial.models.client.client import ModelClient
from memtrial.models.client.keys import read_keys
from memtrial.models.client.limits import MAX_REPLY_BYTES
from memtrial.models.client.types import ModelFault
from memtrial.models.embeddings.embedding import HashingEmbedder
from memtrial.models.embeddings.provider import check_embedder, open_embedder, open_provider
from memtrial.outcomes.given_path import path_of
from memtrial.prompts.plain_text import text_of

HASHING = "hashing"
LARGEST_PROFILE = 1 << 20


@dataclass(frozen=True, slots=True)
class SearchChoice:
    """How a bank is searched.

    Args:
        profile: the name of a shipped profile, or a YAML file of one's own.
        project: whose items, as `org/team/project`; empty: those of no project.
        domain: only of this one; empty for any.
        tags: all of these.
        most: items that are listed at most.
        embedder: `hashing`, or a provider's: the one that made the bank's vectors.
        base_urls: where a provider's requests go, URL or PROVIDER=URL.
    """

    profile: str = "seed003"
    project: str = ""
    domain: str = ""
    tags: tuple[str, ...] = ()
    most: int = 10
    embedder: str = HASHING
    base_urls: tuple[str, ...] = ()


def search_memory(
    folder: str | os.PathLike[str], query: str, choice: SearchChoice | None = None
) -> SearchAnswer:
    """Search a bank; nothing is written into it.

    Raises:
        SpecFault: no bank is there, or the choice does not fit it.
        RunFault: the embedder's provider gave no vector.
    """
    chosen = choice or SearchChoice()
    profile = choose_profile(chosen.profile)
    if chosen.most < 0:
        raise SpecFault(f"a number of items, 0 or more, is listed; got {chosen.most}")
    if not query.strip():
        raise SpecFault("a query is needed, the text of a task; got none")
    with refused(MemoryFault), open_bank(path_of(folder, "the folder of a bank", SpecFault)) as log:
        asked = ItemFilter(chosen.project, chosen.domain, chosen.tags)
        ranking, hits = _search(log, query, profile, asked, chosen)
    return SearchAnswer(query, chosen.project, profile, ranking, hits)


def choose_profile(given: str) -> RankingProfile:
    """A shipped profile by its name, or one's own in a YAML file; SpecFault where it is neither."""
    for profile in PROFILES:
        if profile.name == given:
            return profile
    names = ", ".join(profile.name for profile in PROFILES)
    needed = f"--profile is {names}, or a YAML file"
    return read_profile(text_of(path_of(given, needed, SpecFault), needed, SpecFault, LARGEST_PROFILE))


def _search(
    log: BankLog, query: str, profile: RankingProfile, asked: ItemFilter, chosen: SearchChoice
) -> tuple[Ranking, tuple[Hit, ...]]:
    if chosen.embedder == HASHING:
        space = log.read("SELECT dimensions FROM space")
        search = BankSearch(log, HashingEmbedder(*(space[0] if space else ())), profile, asked)
        return asyncio.run(_both(search, query, chosen.most))
    with refused(ModelFault):
        keys = read_keys(os.environ, Path.cwd(), chosen.base_urls)
        check_embedder(chosen.embedder, keys)
    opener = partial(open_provider, keys=keys, max_reply_bytes=MAX_REPLY_BYTES)
    client = ModelClient(CallCache(MemoryCallStore()), opener)
    search = BankSearch(log, open_embedder(chosen.embedder, client), profile, asked)
    return done_by(client, lambda: _both(search, query, chosen.most), lambda: "no vector could be had")


async def _both(search: BankSearch, query: str, most: int) -> tuple[Ranking, tuple[Hit, ...]]:
    return await search.rank(query), await search.find(query, most)
