"""The trials of a ledger as a list: where each belongs and how it ended, without all that its row holds."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass

from loadbearing.ledger.schema import PLACE
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
    """One go at a trial.

    Args:
        number: counted from 1.
    """

    number: int
    status: str
    cause: str


def listing(connection: sqlite3.Connection) -> Iterator[Listed]:
    """Every trial, in the order written."""
    query = (
        f"SELECT key, {', '.join(PLACE)}, status, score, coalesce(json_extract(body, '$.cause'), '')"
        " FROM trials AS t WHERE attempt = (SELECT max(attempt) FROM trials WHERE key = t.key) ORDER BY rowid"
    )
    for row in connection.execute(query):
        yield Listed(*row)


def attempts(connection: sqlite3.Connection, key: str) -> tuple[Attempt, ...]:
    """Every attempt at one trial, in order."""
    query = "SELECT attempt + 1, status, json_extract(body, '$.cause') FROM trials WHERE key = ? ORDER BY 1"
    return tuple(Attempt(*row) for row in connection.execute(query, (key,)))


_LAST = (
    "SELECT key, body FROM episodes AS e WHERE attempt = (SELECT max(attempt) FROM trials WHERE key = e.key)"
)


def actions(connection: sqlite3.Connection) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Key and actions, in order, of every trial whose last attempt was not an error.

    A reply without a readable action counts as the action that stands in its step, which may be empty.
    """
    for key, body in connection.execute(_LAST):
        steps = unpacked(body)["steps"]
        yield key, tuple(str(step.get("action", "")) for step in steps)
