"""How an item was used of late, what its confidence decays to, and what follows: promotion and archiving.

Decay is of ranking and pruning; what is stored stays (the issue's reading 2).
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from memtrial.memory.bank.bank_item import BankItem
from memtrial.memory.bank.consolidation.consolidation_policy import DAY_S, Citation, ConsolidationPolicy


@dataclass(frozen=True, slots=True)
class CitedItem:
    """How often it was cited within the window, the tasks won with it, and how many of them are distinct."""

    recent: int = 0
    wins: int = 0
    tasks: int = 0


def count_citations(
    citations: Iterable[Citation], clock: float, window_days: float
) -> Mapping[str, CitedItem]:
    """By item; a citation that is exactly as old as the window is in it, one of the future is not."""
    recent: dict[str, int] = defaultdict(int)
    won: dict[str, list[str]] = defaultdict(list)
    for citation in citations:
        recent[citation.item_id] += 0 <= clock - citation.time <= window_days * DAY_S
        if citation.won:
            won[citation.item_id].append(citation.task_id)
    return {name: CitedItem(recent[name], len(won[name]), len(set(won[name]))) for name in {*recent, *won}}


def find_frequent(
    items: Sequence[BankItem], cited: Mapping[str, CitedItem], policy: ConsolidationPolicy
) -> frozenset[str]:
    """The ids of frequently used items: cited often enough, and no less than the last of the top share.

    Items that tie with the last of it are in.
    """
    counts = sorted((cited.get(item.id, CitedItem()).recent for item in items), reverse=True)
    if not counts:
        return frozenset()
    last = counts[max(1, math.ceil(policy.top_share * len(counts))) - 1]
    least = max(policy.frequent_citations, last)
    return frozenset(item.id for item in items if cited.get(item.id, CitedItem()).recent >= least)


def decay_confidence(item: BankItem, clock: float, half_life_days: float) -> float:
    """The confidence of an item that nobody has cited since: half after each half-life."""
    since = max(item.created, item.uses.last_cited or item.created)
    return item.confidence * math.exp2(-max(0.0, clock - since) / (half_life_days * DAY_S))


def find_promotion(item: BankItem, cited: CitedItem, policy: ConsolidationPolicy) -> str:
    """Why an active item is to be promoted; empty where it is not, or is already."""
    if item.pinned or cited.wins < policy.promote_wins or cited.tasks < policy.promote_tasks:
        return ""
    return f"cited in {cited.wins} tasks that were won, {cited.tasks} of them distinct"


def find_archiving(item: BankItem, cited: CitedItem, clock: float, policy: ConsolidationPolicy) -> str:
    """Why an item is to be archived; empty where it is kept: pinned, ever cited, young, or trusted still."""
    age_days = (clock - item.created) / DAY_S
    spared = policy.prune_days * (policy.guardrail_factor if item.origin.outcome == "failure" else 1.0)
    confidence = decay_confidence(item, clock, policy.half_life_days)
    used = item.uses.cited or cited.recent or cited.wins
    if item.pinned or used or age_days <= spared or confidence >= policy.keep_confidence:
        return ""
    return f"never cited in {age_days:.0f} days; confidence {item.confidence:.2f} is {confidence:.2f} by now"
