"""The trials of a ledger as a list: where each belongs and how it ended, without all that its row holds."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import starmap

from loadbearing.ledger.schema import LAST, PLACE
from loadbearing.ledger.stored import unpacked


@dataclass(frozen=True, slots=True)
class Listed:
    """One trial, by its last attempt; the fields are those of its row."""

    key: str
    backbone: str
    arm: str
    condition: str
    task: str
    repeat: int
    status: str
    score: float | None
    cause: str


@dataclass(frozen=True, slots=True)
class Attempt:
    """One go at a trial, counted from 1."""

    number: int
    status: str
    cause: str


def listing(connection: sqlite3.Connection) -> Iterator[Listed]:
    """Every trial, in the order written."""
    query = (
        f"SELECT key, {', '.join(PLACE)}, status, score, coalesce(json_extract(body, '$.cause'), '')"
        f" FROM trials AS t WHERE {LAST} ORDER BY rowid"
    )
    return starmap(Listed, connection.execute(query))


def attempts(connection: sqlite3.Connection, key: str) -> tuple[Attempt, ...]:
    """Every attempt at one trial, in order."""
    query = "SELECT attempt + 1, status, json_extract(body, '$.cause') FROM trials WHERE key = ? ORDER BY 1"
    return tuple(Attempt(*row) for row in connection.execute(query, (key,)))


def actions(connection: sqlite3.Connection) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Key and actions, in order, of every trial whose last attempt was not an error.

    A reply without a readable action counts as the action that stands in its step, which may be empty.
    """
    for key, body in connection.execute(f"SELECT key, body FROM episodes AS t WHERE {LAST}"):
        steps = unpacked(body)["steps"]
        yield key, tuple(str(step.get("action", "")) for step in steps)
