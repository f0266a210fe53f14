"""What an event does to the tables: the same for one that happens now and one that is read from the log.

Raises MemoryFault where an event names what is not there; the transaction around it then changes nothing.
"""

import json
import sqlite3
from dataclasses import asdict
from math import isfinite
from typing import NoReturn

import numpy as np

from memtrial.memory.bank.bank_item import BankItem, ItemDetails
from memtrial.memory.bank.events.bank_events import (
    BankEvent,
    ConfidenceSet,
    ConsolidationEnded,
    EpisodeAdded,
    ItemAdded,
    ItemRevised,
    ItemRolledBack,
    LinkAdded,
    LinkRemoved,
    MeasureTaken,
    PinSet,
    RecordAdded,
    ScalingRunEnded,
    SignalSeen,
    SpaceFixed,
    StandingSet,
    VectorAdded,
    VerdictGiven,
)
from memtrial.memory.bank.events.item_body import fields_text, read_event, words_text
from memtrial.memory.bank.events.item_rows import (
    ITEM_COLUMNS,
    VERSION_EVENTS,
    ItemState,
    item_of,
    item_row,
    replay_versions,
)
from memtrial.memory.bank.events.project_scope import check_project
from memtrial.memory.item import Item, schema_of
from memtrial.memory.stored_item import MemoryFault

NUMBER_BYTES = 4
ADD_VECTOR = (
    " INTO vectors SELECT items.id, items.words_version, ?, ? FROM items, space"
    " WHERE items.id = ? AND space.dimensions = ?"
)
"""Where the item is there, and the bank's vectors are as long."""
COUNT = (
    "UPDATE items SET retrieved = retrieved + ?, shown = shown + ?, cited = cited + ?, wins = wins + ?,"
    " losses = losses + ?, last_cited = coalesce(max(?, coalesce(last_cited, ?)), last_cited) WHERE id = ?"
)
"""The last citation stays the latest: a clock may be set back."""
NOTE_REPLACED = (
    "INSERT INTO subjects SELECT item_id, sequence FROM vectors WHERE item_id = ? AND key = ?"
    " AND words_version = (SELECT words_version FROM items WHERE id = item_id)"
)
"""The event whose vector another is about to replace."""


def project_event(connection: sqlite3.Connection, sequence: int, moment: float, event: BankEvent) -> None:
    """Enter an event into the tables."""
    match event:
        case SpaceFixed(space, dimensions):
            _need(dimensions > 0, f"a vector has at least one number; got {dimensions}")
            _once(connection, "space", (1, space, dimensions), "the embedder of a bank is fixed once")
        case EpisodeAdded(episode):
            check_project(episode.project)
            values = (*asdict(episode).values(), None, None, None, None, sequence)
            _once(connection, "episodes", values, f"an episode is added once; {episode.id!r} is there")
            _note(connection, sequence, episode.id)
        case VerdictGiven(episode_id, label, judge, confidence, reason):
            _need_share(confidence if confidence is not None else 0.0, "a verdict's confidence")
            done = connection.execute(
                "UPDATE episodes SET label = ?, confidence = ?, judge = ?, reason = ? WHERE id = ?",
                (label, confidence, judge, reason, episode_id),
            )
            _need(done.rowcount == 1, f"the id of an episode in the bank is needed; got {episode_id!r}")
            _note(connection, sequence, episode_id)
        case RecordAdded():
            for item_id in event.item_ids:
                find_item(connection, item_id)
            values = (event.record_id, event.task_id, event.query, json.dumps(event.item_ids))
            values = (*values, event.episode_id, event.reply, sequence)
            _once(connection, "records", values, f"a record is added once; {event.record_id!r} is there")
        case ScalingRunEnded():
            _need(event.k > 0, f"a run has at least one try; got {event.k}")
            values = (*asdict(event).values(), moment)
            _once(connection, "scaling_runs", values, f"a run is added once; {event.run_id!r} is there")
        case ConsolidationEnded():
            values = (*asdict(event).values(), moment)
            _once(connection, "consolidations", values, f"a run is added once; {event.run_id!r} is there")
        case MeasureTaken(metric, value, item_ids):
            _need(isfinite(value), f"a measure is a finite number; {metric!r} is {value}")
            values = (sequence, metric, value, json.dumps(item_ids), moment)
            _once(connection, "measures", values, "a measure is added once")
        case _:
            _project_of_item(connection, sequence, moment, event)


def _project_of_item(connection: sqlite3.Connection, sequence: int, moment: float, event: BankEvent) -> None:
    match event:
        case ItemAdded(item):
            return _add_item(connection, sequence, item)
        case ItemRevised(item_id, words, details):
            _revise(connection, find_item(connection, item_id), words, details)
        case StandingSet(item_id, standing):
            item = find_item(connection, item_id)
            words_version = _words_version(connection, item_id)
            _next_version(connection, item, ItemState(item.item, item.details, standing, words_version))
        case ItemRolledBack(item_id, to_version):
            _roll_back(connection, sequence, find_item(connection, item_id), to_version)
        case ConfidenceSet(item_id, confidence):
            _need_share(confidence, "an item's confidence")
            _set(connection, item_id, "confidence = ?", confidence)
        case PinSet(item_id, pinned):
            _set(connection, item_id, "pinned = ?", int(pinned))
        case LinkAdded(source, target, relation, weight):
            for item_id in (source, target):
                find_item(connection, item_id)
            _need(isfinite(weight), f"a link's weight is a finite number; got {weight}")
            _need(source != target, f"a link is between two items; got {source!r} twice")
            connection.execute(
                "INSERT INTO links VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET weight = excluded.weight",
                (source, target, relation, weight, moment),
            )
            _note(connection, sequence, target)
        case LinkRemoved(source, target, relation):
            done = connection.execute(
                "DELETE FROM links WHERE source = ? AND target = ? AND relation = ?",
                (source, target, relation),
            )
            _need(done.rowcount == 1, f"a link that is there is needed; got {source!r} {relation} {target!r}")
            _note(connection, sequence, target)
        case SignalSeen():
            _count(connection, sequence, moment, event)
        case VectorAdded():
            return _add_vector(connection, sequence, event)
        case _:
            raise TypeError(f"an event of a bank is needed, got {event!r}")
    _note(connection, sequence, _subject(event))


def _subject(event: BankEvent) -> str:
    match event:
        case LinkAdded(source) | LinkRemoved(source):
            return source
        case _:
            return str(getattr(event, "item_id", ""))


def find_item(connection: sqlite3.Connection, item_id: str) -> BankItem:
    """An item as it is now; MemoryFault where there is none of this id."""
    row = connection.execute(f"SELECT {ITEM_COLUMNS} FROM items WHERE id = ?", (item_id,)).fetchone()
    if row is None:
        some = [repr(known) for (known,) in connection.execute("SELECT id FROM items ORDER BY id LIMIT 3")]
        raise MemoryFault(
            f"the id of an item in the bank is needed; got {item_id[:80]!r}; it holds"
            f" {', '.join(some) or 'nothing'}; nothing was changed"
        )
    return item_of(row)


def _add_item(connection: sqlite3.Connection, sequence: int, item: BankItem) -> None:
    _need(bool(item.id.strip()) and item.id.isprintable(), f"an item's id is one line; got {item.id!r}")
    _need(item.version == 1, f"a new item is of version 1; {item.id!r} is of version {item.version}")
    _need_share(item.confidence, f"the confidence of {item.id!r}")
    _need(isfinite(item.created), f"the time of {item.id!r} is seconds since 1970; got {item.created}")
    check_project(item.origin.project)
    _once(connection, "items", item_row(sequence, item), f"an item is added once; {item.id!r} is there")


def _revise(connection: sqlite3.Connection, item: BankItem, words: Item, details: ItemDetails) -> None:
    before = _words_version(connection, item.id)
    _next_version(connection, item, ItemState(words, details, item.standing, item.version + 1))
    # the source task's text is the same, and so is its vector
    connection.execute(
        "INSERT INTO vectors SELECT item_id, ?, key, sequence FROM vectors"
        " WHERE item_id = ? AND words_version = ? AND key = 'query'",
        (item.version + 1, item.id, before),
    )


def _roll_back(connection: sqlite3.Connection, sequence: int, item: BankItem, to_version: int) -> None:
    _need(
        1 <= to_version <= item.version,
        f"a version of {item.id!r} from 1 to {item.version} is needed; got {to_version}; nothing was changed",
    )
    rows = connection.execute(VERSION_EVENTS, (item.id, sequence - 1))
    states = replay_versions(read_event(kind, body, None) for _, kind, body in rows)
    _next_version(connection, item, states[to_version - 1])


def _next_version(connection: sqlite3.Connection, item: BankItem, state: ItemState) -> None:
    words, details = words_text(state.words), fields_text(state.details)
    connection.execute(
        "UPDATE items SET version = ?, words_version = ?, schema = ?, words = ?, details = ?, standing = ?"
        " WHERE id = ?",
        (
            item.version + 1,
            state.words_version,
            schema_of(state.words),
            words,
            details,
            state.standing,
            item.id,
        ),
    )


def _words_version(connection: sqlite3.Connection, item_id: str) -> int:
    row = connection.execute("SELECT words_version FROM items WHERE id = ?", (item_id,)).fetchone()
    if row is None:
        find_item(connection, item_id)
    return int(row[0])


def _count(connection: sqlite3.Connection, sequence: int, moment: float, event: SignalSeen) -> None:
    cited = event.signal == "cited"
    counts = (
        event.signal == "retrieved",
        event.signal == "shown",
        cited,
        cited and event.outcome == "success",
        cited and event.outcome == "failure",
    )
    last = (moment, moment) if cited else (None, None)
    done = connection.execute(COUNT, (*counts, *last, event.item_id))
    if done.rowcount != 1:
        find_item(connection, event.item_id)
    values = (sequence, event.item_id, event.signal, event.task_id, event.outcome, moment)
    connection.execute("INSERT INTO signals VALUES (?, ?, ?, ?, ?, ?)", values)


def _add_vector(connection: sqlite3.Connection, sequence: int, event: VectorAdded) -> None:
    numbers = len(event.vector) / NUMBER_BYTES
    values = (event.key, sequence, event.item_id, numbers)
    try:
        done = connection.execute(f"INSERT{ADD_VECTOR}", values)
    except sqlite3.IntegrityError:
        connection.execute(NOTE_REPLACED, (event.item_id, event.key))
        done = connection.execute(f"REPLACE{ADD_VECTOR}", values)
    if done.rowcount != 1:
        _refuse_vector(connection, event.item_id, numbers)
    _need(_is_finite(event.vector), "a vector of finite numbers is needed; got NaN or infinity")


def _is_finite(vector: bytes) -> bool:
    numbers = np.frombuffer(vector, dtype="<f4")
    # a sum that is finite is one of finite numbers
    return isfinite(np.dot(numbers, numbers)) or bool(np.isfinite(numbers).all())


def _refuse_vector(connection: sqlite3.Connection, item_id: str, numbers: float) -> NoReturn:
    """Say why a vector of so many numbers was not added."""
    find_item(connection, item_id)
    row = connection.execute("SELECT space, dimensions FROM space").fetchone()
    _need(row is not None, "a bank's embedder is fixed before its first vector")
    raise MemoryFault(
        f"vectors of {row[1]} numbers are needed, as {row[0]!r} gives them; got {numbers:g} numbers: use the"
        " bank's own embedder"
    )


def _set(connection: sqlite3.Connection, item_id: str, change: str, value: float) -> None:
    find_item(connection, item_id)
    connection.execute(f"UPDATE items SET {change} WHERE id = ?", (value, item_id))


def _once(connection: sqlite3.Connection, table: str, values: tuple[object, ...], line: str) -> None:
    try:
        connection.execute(f"INSERT INTO {table} VALUES ({', '.join('?' * len(values))})", values)
    except sqlite3.IntegrityError as fault:
        raise MemoryFault(f"{line}; nothing was changed") from fault


def _note(connection: sqlite3.Connection, sequence: int, subject: str) -> None:
    connection.execute("INSERT OR IGNORE INTO subjects VALUES (?, ?)", (subject, sequence))


def _need_share(value: float, what: str) -> None:
    _need(isfinite(value) and 0 <= value <= 1, f"{what} is a number from 0 to 1; got {value}")


def _need(holds: bool, line: str) -> None:
    if not holds:
        raise MemoryFault(line)
