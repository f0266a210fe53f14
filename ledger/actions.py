"""What the agent did in each trial, read as a stream: episodes are large, and only their actions are kept."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

from loadbearing.ledger.stored import unpacked

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
