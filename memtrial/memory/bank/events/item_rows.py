"""An item as a row of the table `items`, there and back; its versions, from the events that made them."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from memtrial.memory.bank.bank_item import BankItem, ItemDetails, ItemOrigin, ItemUses, Standing
from memtrial.memory.bank.events.bank_events import (
    BankEvent,
    ItemAdded,
    ItemRevised,
    ItemRolledBack,
    StandingSet,
)
from memtrial.memory.bank.events.bank_tables import SUBJECT_EVENTS
from memtrial.memory.bank.events.item_body import fields_text, words_text
from memtrial.memory.item import Item, item_from_json, schema_of

ITEM_COLUMNS = (
    "id, version, words, details, origin, created, confidence, standing, pinned, retrieved, shown, cited,"
    " wins, losses, last_cited"
)
"""What an item is read from, in the order of `item_of`."""

VERSION_EVENTS = (
    f"SELECT sequence, kind, body FROM log WHERE sequence IN ({SUBJECT_EVENTS}) AND sequence <= ?2 AND kind"
    " IN ('ItemAdded', 'ItemRevised', 'StandingSet', 'ItemRolledBack') ORDER BY sequence"
)
"""The events that made the versions of an item, up to one of the log."""


@dataclass(frozen=True, slots=True)
class ItemState:
    """What a version of an item holds, and a rollback brings back.

    Args:
        words_version: the version that had these words first; vectors are of that.
    """

    words: Item
    details: ItemDetails
    standing: Standing
    words_version: int


def replay_versions(events: Iterable[BankEvent]) -> list[ItemState]:
    """The versions of one item, the first one first; other events make none."""
    states: list[ItemState] = []
    for event in events:
        match event:
            case ItemAdded(item):
                states.append(ItemState(item.item, item.details, item.standing, 1))
            case ItemRevised(_, words, details):
                states.append(ItemState(words, details, states[-1].standing, len(states) + 1))
            case StandingSet(_, standing):
                states.append(replace(states[-1], standing=standing))
            case ItemRolledBack(_, to_version):
                states.append(states[to_version - 1])
            case _:
                pass
    return states


def item_row(sequence: int, item: BankItem) -> tuple[object, ...]:
    """All columns of an item that this event adds."""
    origin, uses = item.origin, item.uses
    return (
        sequence, item.id, item.version, item.version, schema_of(item.item), words_text(item.item),
        fields_text(item.details), fields_text(origin), origin.project, origin.domain,
        origin.outcome, origin.task_id, origin.trajectory_id, item.created, item.confidence, item.standing,
        int(item.pinned), uses.retrieved, uses.shown, uses.cited, uses.wins, uses.losses, uses.last_cited,
    )  # fmt: skip


def item_of(row: Sequence[Any]) -> BankItem:
    """The item of a row of `ITEM_COLUMNS`; the row is the log's own, and is not checked again."""
    (id_, version, words, details, origin, created, confidence, standing, pinned, *uses) = row
    # read at once: half of what a short text takes is the call
    words, details, source = json.loads(f"[{words},{details},{origin}]")
    source["tags"] = tuple(source["tags"])
    return BankItem(
        id_,
        version,
        item_from_json(words),
        ItemOrigin(**source),
        created,
        confidence,
        ItemDetails(
            details["instead"],
            tuple(details["preconditions"]),
            tuple(details["pitfalls"]),
            details["exemplar"],
        ),
        ItemUses(*uses),
        standing,
        bool(pinned),
    )
