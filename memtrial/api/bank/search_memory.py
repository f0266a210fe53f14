"""Searches a bank in a folder: what a task would be shown, what would be withheld, and why."""

import os
from dataclasses import dataclass, replace

from memtrial.api.bank.bank_embedder import HASHING, embed_for
from memtrial.api.bank.kept_bank import make_folder, open_bank
from memtrial.api.bank.search_answer import SearchAnswer
from memtrial.faults import SpecFault, refused
from memtrial.memory.bank.events.bank_log import FILE, BankLog
from memtrial.memory.bank.events.item_queries import ItemFilter
from memtrial.memory.bank.exports.part_copy import copy_part
from memtrial.memory.bank.ranking.own_profile import read_profile
from memtrial.memory.bank.ranking.ranked_hit import Hit, Ranking
from memtrial.memory.bank.ranking.ranking_profile import RankingProfile
from memtrial.memory.bank.ranking.shipped_profiles import PROFILES
from memtrial.memory.bank.search.bank_search import BankSearch
from memtrial.memory.stored_item import MemoryFault
from memtrial.outcomes.given_path import path_of
from memtrial.prompts.plain_text import text_of
from memtrial.protocols import Embedder

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


def cache_memory(
    folder: str | os.PathLike[str],
    near: str,
    target: str | os.PathLike[str],
    n: int = 64,
    choice: SearchChoice | None = None,
) -> int:
    """Make a small bank of the n active items that fit a text best, with their vectors; how many there are.

    It answers alone, where the large one is not (seeds/000).

    Raises:
        SpecFault: no bank is there, one is at the target, or the choice does not fit.
        RunFault: the embedder's provider gave no vector.
    """
    out = path_of(target, "the folder of a new bank", SpecFault)
    hits = search_memory(folder, near, replace(choice or SearchChoice(), most=n)).hits
    ids = [hit.id for hit in hits if hit.item.standing == "active"]
    if not ids:
        raise SpecFault(f"{folder} has no active item of what was asked for; no bank was made")
    with refused(MemoryFault), open_bank(path_of(folder, "the folder of a bank", SpecFault)) as log:
        return copy_part(log, ids, make_folder(out) / FILE)


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
    async def search(embedder: Embedder) -> tuple[Ranking, tuple[Hit, ...]]:
        bank = BankSearch(log, embedder, profile, asked)
        return await bank.rank(query), await bank.find(query, chosen.most)

    return embed_for(log, chosen.embedder, chosen.base_urls, search)
