"""What a bank holds: items by project, domain, tags, outcome, confidence and standing; versions; vectors."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from memtrial.memory.bank.bank_item import BankItem, Outcome, Relation, Standing
from memtrial.memory.bank.events.bank_events import VectorKey
from memtrial.memory.bank.events.bank_log import BankLog
from memtrial.memory.bank.events.item_body import read_event, words_digest
from memtrial.memory.bank.events.item_rows import ITEM_COLUMNS, VERSION_EVENTS, item_of, replay_versions
from memtrial.memory.bank.events.project_scope import cascade
from memtrial.models.embeddings.embedding import Array


@dataclass(frozen=True, slots=True)
class ItemFilter:
    """Which items are asked for.

    Args:
        project: who asks, as `org/team/project`: its own items, its team's, its organisation's. Empty: the
            items of no project, and no others.
        domain: exactly this one; empty for any.
        tags: all of these.
        outcome: of a success or of a failure; None for both.
        least_confidence: in [0, 1]; an item of exactly this confidence is in.
        above: strictly more confident than this, as seeds/001 wants it.
        standings: only an active item is shown.
    """

    project: str
    domain: str = ""
    tags: tuple[str, ...] = ()
    outcome: Outcome | None = None
    least_confidence: float = 0.0
    above: float = -1.0
    standings: tuple[Standing, ...] = ("active",)

    @property
    def projects(self) -> tuple[str, ...]:
        """The paths that are in, the nearest first; MemoryFault where `project` is none."""
        return cascade(self.project)

    def takes(self, item: BankItem) -> bool:
        """Whether an item is asked for: what `items` does in SQL, and an index in its own way."""
        return (
            item.origin.project in self.projects
            and self.domain in ("", item.origin.domain)
            and set(self.tags) <= set(item.origin.tags)
            and self.outcome in (None, item.origin.outcome)
            and item.confidence >= self.least_confidence
            and item.confidence > self.above
            and item.standing in self.standings
        )


@dataclass(frozen=True, slots=True)
class ItemVersion:
    """An item as it was in a version, and the event that made it.

    Args:
        digest: of words, details, origin and standing; the same after a rollback.
    """

    item: BankItem
    sequence: int
    digest: str


@dataclass(frozen=True, slots=True)
class ItemLink:
    """One item stands in a relation to another since `created`, in seconds since 1970."""

    source: str
    target: str
    relation: Relation
    weight: float
    created: float


def list_items(log: BankLog, asked: ItemFilter) -> tuple[BankItem, ...]:
    """The items that are asked for: the nearest project's first, then by time and id."""
    where, values = where_clause(asked)
    items = [item_of(row) for row in log.read(f"SELECT {ITEM_COLUMNS} FROM items WHERE {where}", values)]
    near = {project: place for place, project in enumerate(asked.projects)}
    items.sort(key=lambda item: (near[item.origin.project], item.created, item.id))
    return tuple(items)


def list_items_of(log: BankLog, trajectory_ids: Sequence[str]) -> tuple[BankItem, ...]:
    """The items of some trajectories, whatever their standing, by id."""
    chosen = "trajectory_id IN (SELECT value FROM json_each(?))"
    rows = log.read(
        f"SELECT {ITEM_COLUMNS} FROM items WHERE {chosen} ORDER BY id", (json.dumps(list(trajectory_ids)),)
    )
    return tuple(item_of(row) for row in rows)


def where_clause(asked: ItemFilter) -> tuple[str, list[object]]:
    """The filter as a condition on the table `items`, and its values."""
    projects, standings = asked.projects, asked.standings
    parts = [f"project IN ({_marks(projects)})", f"standing IN ({_marks(standings)})"]
    parts += ["confidence >= ?", "confidence > ?"]
    values: list[object] = [*projects, *standings, asked.least_confidence, asked.above]
    if asked.domain:
        parts.append("domain = ?")
        values.append(asked.domain)
    if asked.outcome is not None:
        parts.append("outcome = ?")
        values.append(asked.outcome)
    for tag in asked.tags:
        parts.append("? IN (SELECT value FROM json_each(items.origin, '$.tags'))")
        values.append(tag)
    return " AND ".join(parts), values


def _marks(values: Sequence[object]) -> str:
    return ", ".join("?" * len(values))


def every_item(log: BankLog) -> tuple[BankItem, ...]:
    """All items of all projects, whatever their standing, by time and id: for whoever keeps the bank."""
    rows = log.read(f"SELECT {ITEM_COLUMNS} FROM items ORDER BY created, id")
    return tuple(item_of(row) for row in rows)


def changed_items(log: BankLog, after: int, until: int, kinds: Sequence[str]) -> list[str]:
    """The ids of items that events of these kinds changed, behind one of the log and up to another; in order.

    From the beginning on these are all items.
    """
    if after == 0:
        return [str(name) for (name,) in log.read("SELECT id FROM items ORDER BY id")]
    query = (
        "SELECT DISTINCT coalesce(json_extract(body, '$.item_id'), json_extract(body, '$.item.id')) FROM log"
        f" WHERE sequence > ? AND sequence <= ? AND kind IN ({_marks(kinds)}) ORDER BY 1"
    )
    return [str(name) for (name,) in log.read(query, (after, until, *kinds))]


def get_item(log: BankLog, item_id: str) -> BankItem:
    """One item; MemoryFault where there is none of this id."""
    return log.find(item_id)


def list_versions(log: BankLog, item_id: str) -> tuple[ItemVersion, ...]:
    """All versions of an item, the first one first; MemoryFault where there is none of this id.

    Confidence, uses and pin are those of today: no version holds them.
    """
    item = get_item(log, item_id)
    rows = log.read(VERSION_EVENTS, (item_id, log.last()[0]))
    states = replay_versions(read_event(kind, body, None) for _, kind, body in rows)
    versions = []
    for version, (state, (sequence, _, _)) in enumerate(zip(states, rows, strict=True), 1):
        words, details, standing = state.words, state.details, state.standing
        then = replace(item, version=version, item=words, details=details, standing=standing)
        versions.append(ItemVersion(then, sequence, words_digest(then)))
    return tuple(versions)


def digest_now(log: BankLog, item_id: str) -> str:
    """The digest of an item as it is; MemoryFault where there is none of this id."""
    return words_digest(get_item(log, item_id))


def list_links(log: BankLog, item_id: str | None = None) -> tuple[ItemLink, ...]:
    """The links of an item, in both directions, or all."""
    where = "" if item_id is None else " WHERE source = ?1 OR target = ?1"
    values = () if item_id is None else (item_id,)
    query = f"SELECT source, target, relation, weight, created FROM links{where} ORDER BY 1, 2, 3"
    return tuple(ItemLink(*row) for row in log.read(query, values))


def read_vectors(log: BankLog, key: VectorKey, item_ids: Sequence[str] | None = None) -> dict[str, Array]:
    """By item, the vector of its words as they are, shape (d,); items without one are left out."""
    return dict(walk_vectors(log, key, item_ids))


def walk_vectors(
    log: BankLog, key: VectorKey, item_ids: Sequence[str] | None = None
) -> Iterator[tuple[str, Array]]:
    """The same, item by item."""
    chosen = "" if item_ids is None else " AND i.id IN (SELECT value FROM json_each(?2))"
    values = (key,) if item_ids is None else (key, json.dumps(list(item_ids)))
    query = (
        "SELECT i.id, l.vector FROM items AS i JOIN vectors AS v ON v.item_id = i.id"
        " AND v.words_version = i.words_version JOIN log AS l ON l.sequence = v.sequence"
        f" WHERE v.key = ?1{chosen} ORDER BY i.id"
    )
    for item_id, vector in log.read(query, values):
        yield item_id, np.frombuffer(vector, dtype="<f4")
