"""When two items are duplicates or contradict each other, and when one is promoted or archived.

Sources: seeds/003 section 6; REQUIREMENTS F-23 to F-27, A-15 to A-18, C11; the issue's readings 1 and 4.
"""

from dataclasses import dataclass
from typing import NamedTuple

from memtrial.memory.bank.bank_item import Relation

DAY_S = 86_400.0


@dataclass(frozen=True, slots=True)
class ConsolidationPolicy:
    """Thresholds, days and counts; the defaults are the documents'.

    Args:
        duplicate_from: cosine from which on, it included, two items are one.
        contradict_above: strength above which two items contradict each other.
        related_from: cosine from which on two items are compared for a contradiction at all.
        most_related: of each item, the nearest so many are; and each leader that it might join.
        frequent_citations, window_days, top_share: frequently used is an item that was cited so often in so
            many days, and no less than the last of this share of its project's active items.
        half_life_days: in which confidence halves for pruning, from the last citation on.
        prune_days, keep_confidence: an item never cited and older, whose decayed confidence is below, is
            proposed for archiving.
        guardrail_factor: so many times as long is an item of a failure spared.
        promote_wins, promote_tasks: so many tasks won that cited an item, so many of them distinct.
    """

    duplicate_from: float = 0.87
    contradict_above: float = 0.6
    related_from: float = 0.5
    most_related: int = 10
    frequent_citations: int = 5
    window_days: float = 90.0
    top_share: float = 0.25
    half_life_days: float = 90.0
    prune_days: float = 180.0
    keep_confidence: float = 0.3
    guardrail_factor: float = 2.0
    promote_wins: int = 3
    promote_tasks: int = 2

    def __post_init__(self) -> None:
        shares = ("duplicate_from", "contradict_above", "related_from", "top_share", "keep_confidence")
        for name in shares:
            if not 0 <= getattr(self, name) <= 1:
                raise ValueError(f"{name} of a consolidation is from 0 to 1; got {getattr(self, name)!r}")
        for name in ("window_days", "half_life_days", "prune_days", "guardrail_factor"):
            if not getattr(self, name) > 0:
                raise ValueError(f"{name} of a consolidation is above 0; got {getattr(self, name)!r}")
        for name in ("most_related", "frequent_citations", "promote_wins", "promote_tasks"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} of a consolidation is at least 1; got {getattr(self, name)!r}")


class Citation(NamedTuple):
    """That an episode followed or quoted an item.

    Args:
        item_id: the item.
        task_id: what the episode was about.
        time: seconds since 1970, UTC.
        won: the episode succeeded.
    """

    item_id: str
    task_id: str
    time: float
    won: bool


class KnownLink(NamedTuple):
    """A link that the bank holds already: it is not proposed again, whatever became of its items."""

    source: str
    target: str
    relation: Relation


@dataclass(frozen=True, slots=True)
class BankHistory:
    """What of a bank's events a consolidation reads beside its items."""

    citations: tuple[Citation, ...] = ()
    links: frozenset[KnownLink] = frozenset()
