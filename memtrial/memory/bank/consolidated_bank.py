"""Consolidates a bank: a plan is made of its items as they are, and carried out as events of one batch.

Nothing is lost by it: an item that was put aside comes back with `BankLog.rollback`, and is not proposed
again.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from memtrial.memory.bank.bank_item import BankItem
from memtrial.memory.bank.consolidation.advice_polarity import measure_opposition
from memtrial.memory.bank.consolidation.consolidation_plan import ConsolidationPlan
from memtrial.memory.bank.consolidation.consolidation_policy import (
    BankHistory,
    Citation,
    ConsolidationPolicy,
    KnownLink,
)
from memtrial.memory.bank.consolidation.consolidator import plan_consolidation
from memtrial.memory.bank.consolidation.contradiction import Contradicts
from memtrial.memory.bank.events.bank_events import (
    BankEvent,
    Cause,
    ConsolidationEnded,
    LinkAdded,
    LinkRemoved,
    PinSet,
    StandingSet,
)
from memtrial.memory.bank.events.bank_log import BankLog
from memtrial.memory.bank.events.item_body import read_event
from memtrial.memory.bank.events.item_queries import every_item, read_vectors
from memtrial.memory.bank.ranking.item_key import key_text
from memtrial.memory.stored_item import MemoryFault
from memtrial.models.embeddings.embedding import Array, EmbedTexts


@dataclass(frozen=True, slots=True)
class ProposedConsolidation:
    """A plan, and what it was made from.

    Args:
        items: the active ones, of all projects; only those of one project are compared.
        sequence: of the last event that was read.
    """

    plan: ConsolidationPlan
    items: tuple[BankItem, ...]
    sequence: int


def propose_consolidation(
    log: BankLog,
    embed: EmbedTexts,
    contradicts: Contradicts = measure_opposition,
    policy: ConsolidationPolicy = ConsolidationPolicy(),
) -> ProposedConsolidation:
    """What would be linked, put aside and promoted; items are compared by all of their words.

    Args:
        embed: of the embedder that made the bank's vectors; asked where an item has none of its words.

    Raises:
        MemoryFault: the bank cannot be read.
    """
    sequence, _ = log.last()
    items = tuple(item for item in every_item(log) if item.standing == "active")
    plan = plan_consolidation(
        items, _vectors_of(log, items, embed), contradicts, read_history(log), log.clock(), policy
    )
    return ProposedConsolidation(plan, items, sequence)


def read_history(log: BankLog) -> BankHistory:
    """The citations of a bank, and every link that it ever held: one that was taken out stays out."""
    rows = log.read("SELECT item_id, task_id, moment, outcome FROM signals WHERE signal = 'cited'")
    citations = (Citation(item, task, moment, outcome == "success") for item, task, moment, outcome in rows)
    links = log.read("SELECT kind, body FROM log WHERE kind IN ('LinkAdded', 'LinkRemoved')")
    events = (read_event(kind, body, None) for kind, body in links)
    known = frozenset(
        KnownLink(event.source, event.target, event.relation)
        for event in events
        if isinstance(event, LinkAdded | LinkRemoved)
    )
    return BankHistory(tuple(citations), known)


def carry_out(log: BankLog, proposed: ProposedConsolidation, who: str, took_s: float = 0.0) -> None:
    """Carry a plan out, all of it or nothing; of an empty one it is noted that it was made.

    Raises:
        MemoryFault: the bank was changed since the plan was made, or cannot be written; nothing is changed.
    """
    plan = proposed.plan
    events = list(_events_of(plan))
    contradictions = sum(link.relation == "contradicts" for link in plan.links)
    ended = ConsolidationEnded(
        log.make_id(),
        len(proposed.items),
        len(plan.duplicates),
        contradictions,
        len(plan.archivings),
        len(plan.promotions),
        took_s * 1000,
    )
    log.append([*events, ended], Cause(who, "consolidation"), proposed.sequence)


def count_new_items(log: BankLog) -> int:
    """Items that were added since the last consolidation."""
    last = "SELECT coalesce(max(sequence), 0) FROM log WHERE kind = 'ConsolidationEnded'"
    rows = log.read(f"SELECT count(*) FROM log WHERE kind = 'ItemAdded' AND sequence > ({last})")
    return int(rows[0][0])


def _vectors_of(log: BankLog, items: tuple[BankItem, ...], embed: EmbedTexts) -> Array:
    """A row an item; zero, which is near to nothing, where it has no words."""
    known = read_vectors(log, "item", [item.id for item in items])
    words = {item.id: key_text(item, "item") for item in items if item.id not in known}
    absent = tuple(dict.fromkeys(text for text in words.values() if text.strip()))
    by_text = dict(zip(absent, embed(absent), strict=True)) if absent else {}
    known |= {name: by_text[text] for name, text in words.items() if text in by_text}
    widths = {len(row) for row in known.values()} | {n for (n,) in log.read("SELECT dimensions FROM space")}
    if len(widths) > 1:
        raise MemoryFault(f"vectors of the bank's own embedder are needed; got {sorted(widths)} numbers")
    blank = np.zeros(max(widths, default=1), dtype=np.float32)
    return np.stack([known.get(item.id, blank) for item in items]) if items else blank[None][:0]


def _events_of(plan: ConsolidationPlan) -> Iterator[BankEvent]:
    for link in plan.links:
        yield LinkAdded(link.source, link.target, link.relation, link.weight)
    for change in plan.changes:
        if change.after != change.before:
            yield StandingSet(change.id, change.after)
        else:
            yield PinSet(change.id, change.pinned)
