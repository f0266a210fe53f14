"""What agents did in the trials of a ledger, without all that their rows hold."""

import sqlite3
from collections.abc import Iterator

from loadbearing.ledger.schema import LAST, unpacked


def actions(connection: sqlite3.Connection) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Key and actions, in order, of every trial whose last attempt was not an error.

    A reply without a readable action counts as the action that stands in its step, which may be empty.
    """
    for key, body in connection.execute(f"SELECT key, body FROM episodes AS t WHERE {LAST}"):
        steps = unpacked(body)["steps"]
        yield key, tuple(str(step.get("action", "")) for step in steps)
