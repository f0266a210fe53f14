"""The plan of one consolidation: contradictions first, then duplicates, promotions and archivings.

Only active items take part, and only those of one project are compared. A bank to which its plan was applied
has no other plan until something is added, cited or grows older.
"""

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from memtrial.memory.bank.bank_item import BankItem, Standing
from memtrial.memory.bank.consolidation.consolidation_plan import (
    ConsolidationPlan,
    ProposedChange,
    ProposedLink,
)
from memtrial.memory.bank.consolidation.consolidation_policy import (
    BankHistory,
    ConsolidationPolicy,
    KnownLink,
)
from memtrial.memory.bank.consolidation.contradiction import Contradicts
from memtrial.memory.bank.consolidation.item_usage import (
    CitedItem,
    count_citations,
    find_archiving,
    find_frequent,
    find_promotion,
)
from memtrial.memory.bank.consolidation.near_items import UnitRows, Vectors, find_leaders, find_near_pairs

ItemPair = tuple[BankItem, BankItem]
"""Two items of one project, the older first."""


def plan_consolidation(
    items: Sequence[BankItem],
    vectors: Vectors,
    contradicts: Contradicts,
    history: BankHistory,
    clock: float,
    policy: ConsolidationPolicy = ConsolidationPolicy(),
) -> ConsolidationPlan:
    """Propose what is to become of the items; their order does not matter.

    Args:
        vectors: one row an item, in their order.
        contradicts: asked about the nearest pairs, and about each leader that an item might join.
        history: citations and the links that are there.
        clock: now, in seconds since 1970.

    Raises:
        ValueError: rows and items do not agree, an id stands twice, or the clock is no time.
    """
    if not math.isfinite(clock):
        raise ValueError(f"the clock of a consolidation is seconds since 1970; got {clock!r}")
    cited = count_citations(history.citations, clock, policy.window_days)
    parts = [
        _plan_project(
            part, rows, _Comparison(contradicts, policy.contradict_above), history, cited, clock, policy
        )
        for part, rows in _cut_projects(items, vectors)
    ]
    return ConsolidationPlan(
        tuple(sorted(link for part in parts for link in part.links)),
        tuple(sorted(change for part in parts for change in part.quarantines)),
        tuple(sorted(change for part in parts for change in part.duplicates)),
        tuple(sorted(change for part in parts for change in part.promotions)),
        tuple(sorted(change for part in parts for change in part.archivings)),
        sum(part.n_compared for part in parts),
        sum(part.n_unread for part in parts),
    )


def list_pairs(
    items: Sequence[BankItem], vectors: Vectors, policy: ConsolidationPolicy = ConsolidationPolicy()
) -> tuple[ItemPair, ...]:
    """The pairs that a consolidation compares, for a judge that has to be asked beforehand."""
    return tuple(
        _by_age(part[first], part[second])
        for part, rows in _cut_projects(items, vectors)
        for first, second in find_near_pairs(rows, policy.related_from, policy.most_related)
    )


def _cut_projects(items: Sequence[BankItem], vectors: Vectors) -> Iterator[tuple[list[BankItem], UnitRows]]:
    """The active items of each project by their ids, with their rows."""
    if len(items) != len(vectors):
        raise ValueError(f"one vector an item is needed; got {len(vectors)} for {len(items)} items")
    if len({item.id for item in items}) != len(items):
        raise ValueError("an id stands once in a bank; got one twice")
    rows = UnitRows.of(vectors)
    projects: dict[str, list[int]] = defaultdict(list)
    for place in sorted(range(len(items)), key=lambda place: items[place].id):
        if items[place].standing == "active":
            projects[items[place].origin.project].append(place)
    for _, places in sorted(projects.items()):
        yield [items[place] for place in places], UnitRows(rows.exact[places], rows.quick[places])


@dataclass
class _Comparison:
    """Answers of the port, each asked for once; two items of the same words do not contradict each other."""

    contradicts: Contradicts
    above: float
    answers: dict[tuple[str, str], float | None] = field(default_factory=dict)

    def ask(self, first: BankItem, second: BankItem) -> float | None:
        low, high = sorted((first, second), key=lambda item: item.id)
        if low.item == high.item and low.details == high.details:
            return 0.0
        if (low.id, high.id) not in self.answers:
            self.answers[low.id, high.id] = self.contradicts(low, high)
        return self.answers[low.id, high.id]

    def opposes(self, first: BankItem, second: BankItem) -> bool:
        strength = self.ask(first, second)
        return strength is not None and strength > self.above


def _plan_project(
    items: list[BankItem],
    rows: UnitRows,
    comparison: _Comparison,
    history: BankHistory,
    cited: Mapping[str, CitedItem],
    clock: float,
    policy: ConsolidationPolicy,
) -> ConsolidationPlan:
    opposed = {
        pair
        for pair in find_near_pairs(rows, policy.related_from, policy.most_related)
        if comparison.opposes(items[pair[0]], items[pair[1]])
    }
    links, quarantined = _link_opposed(
        items, opposed, comparison, history, find_frequent(items, cited, policy)
    )

    vetoed: dict[int, list[int]] = defaultdict(list)

    def may_join(row: int, leader: int) -> bool:
        if KnownLink(items[row].id, items[leader].id, "duplicate_of") in history.links:
            return False  # somebody took it out again
        strength = comparison.ask(items[row], items[leader])
        if strength is not None and strength > policy.contradict_above:
            vetoed[row].append(leader)
        return strength is not None and strength <= policy.contradict_above

    order = [place for place in _order_leaders(items) if items[place].id not in quarantined]
    leader_of = find_leaders(rows, order, policy.duplicate_from, may_join)
    further = {
        (min(row, other), max(row, other))
        for row, others in vetoed.items()
        if row not in leader_of
        for other in others
    }
    more, late = _link_opposed(
        items, further - opposed, comparison, history, find_frequent(items, cited, policy)
    )
    links, quarantined = links + more, late | quarantined
    duplicates = list[ProposedChange]()
    for row, leader in leader_of.items():
        cosine = max(0.0, rows.cosine(row, leader))
        reason = (
            f"cosine {cosine:.3f} with {items[leader].id}, which comes before it in confidence, support or id"
        )
        links.append(ProposedLink(items[row].id, items[leader].id, "duplicate_of", cosine, reason))
        duplicates.append(_change(items[row], "duplicate", reason))
    changed = {*quarantined, *(change.id for change in duplicates)}
    promotions, archivings = list[ProposedChange](), list[ProposedChange]()
    for item in items:
        use = cited.get(item.id, CitedItem())
        if item.id in changed:
            continue
        if reason := find_promotion(item, use, policy):
            promotions.append(
                ProposedChange(item.id, item.version, item.standing, item.standing, True, reason)
            )
        elif reason := find_archiving(item, use, clock, policy):
            archivings.append(_change(item, "archived", reason))
    return ConsolidationPlan(
        tuple(links),
        tuple(quarantined.values()),
        tuple(duplicates),
        tuple(promotions),
        tuple(archivings),
        len(comparison.answers),
        sum(answer is None for answer in comparison.answers.values()),
    )


def _link_opposed(
    items: list[BankItem],
    opposed: set[tuple[int, int]],
    comparison: _Comparison,
    history: BankHistory,
    frequent: frozenset[str],
) -> tuple[list[ProposedLink], dict[str, ProposedChange]]:
    """A link from the newer item of each pair to the older.

    The newer one goes to quarantine where the older is frequently used; the older one stays as it is.
    """
    links = list[ProposedLink]()
    quarantined: dict[str, ProposedChange] = {}
    for first, second in sorted(opposed):
        old, new = _by_age(items[first], items[second])
        both_ways = ((old.id, new.id), (new.id, old.id))
        if any(KnownLink(*ends, "contradicts") in history.links for ends in both_ways):
            continue
        strength = comparison.ask(old, new) or 0.0
        reason = f"contradicts {old.id} with strength {strength:.2f}"
        links.append(ProposedLink(new.id, old.id, "contradicts", strength, reason))
        if old.id in frequent:
            quarantined.setdefault(new.id, _change(new, "quarantined", f"{reason}, which is frequently used"))
    return links, quarantined


def _order_leaders(items: list[BankItem]) -> list[int]:
    """By confidence, then support (tasks won with it), then id."""
    return sorted(
        range(len(items)),
        key=lambda place: (-items[place].confidence, -items[place].uses.wins, items[place].id),
    )


def _by_age(first: BankItem, second: BankItem) -> ItemPair:
    return (first, second) if (first.created, first.id) <= (second.created, second.id) else (second, first)


def _change(item: BankItem, after: Standing, reason: str) -> ProposedChange:
    return ProposedChange(item.id, item.version, item.standing, after, item.pinned, reason)
