"""What the calls of a run were and cost, read from the tables in which `models` keeps them."""

import sqlite3
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Spending:
    """The answered calls of one purpose, each counted once however often its answer was used.

    A call that several purposes share is counted under the one that sorts first, whichever asked first.

    Args:
        purpose: `play`, `collect`, `condense <condenser>`, `gate <condenser> <gate>`, …
        usd: None where a price is unknown.
    """

    purpose: str
    calls: int
    input_tokens: int
    output_tokens: int
    cache_read_tokens: int
    cache_write_tokens: int
    usd: float | None


@dataclass(frozen=True, slots=True)
class Answering:
    """One model as it was asked for, and as it answered.

    Args:
        answered: the model id that came back.
        temperatures: those really sent; None among them where none was.
        altered: calls in whose request a text did not stand verbatim.
    """

    asked: str
    answered: str
    calls: int
    temperatures: tuple[float | None, ...]
    altered: int


@dataclass(frozen=True, slots=True)
class Sending:
    """What went over the network, over all sessions. Depends on when a run was broken off.

    Args:
        sent: requests that were about to be sent.
        answered: those whose answer is kept.
        faults: the others, by kind.
        open: neither: in flight when the process ended. They may have been paid without an answer.
    """

    sent: int
    answered: int
    faults: dict[str, int]
    open: int


def spending(connection: sqlite3.Connection) -> tuple[Spending, ...]:
    """By purpose, sorted."""
    shared = "SELECT min(purpose) FROM shared_calls WHERE key = calls.key"
    rows = connection.execute(
        f"SELECT min(purpose, coalesce(({shared}), purpose)) AS counted, count(*), sum(input_tokens),"
        " sum(output_tokens), sum(cache_read_tokens), sum(cache_write_tokens),"
        " CASE WHEN count(usd) = count(*) THEN sum(usd) END"
        " FROM calls GROUP BY counted ORDER BY counted"
    )
    return tuple(Spending(*row) for row in rows)


def used(connection: sqlite3.Connection) -> dict[str, tuple[int, int, int]]:
    """By purpose the calls, and their input and output tokens, as if nobody shared a call with another."""
    rows = connection.execute(
        "SELECT asked.purpose, count(*), sum(input_tokens), sum(output_tokens) FROM calls JOIN"
        " (SELECT key, purpose FROM calls UNION SELECT key, purpose FROM shared_calls) AS asked"
        " ON asked.key = calls.key GROUP BY asked.purpose ORDER BY asked.purpose"
    )
    return {purpose: (n, sent, said) for purpose, n, sent, said in rows}


def answering(connection: sqlite3.Connection) -> tuple[Answering, ...]:
    """By model asked for and model that answered, sorted."""
    found = []
    for asked, answered, calls, altered in connection.execute(
        "SELECT asked, answered, count(*), sum(NOT verbatim) FROM calls"
        " GROUP BY asked, answered ORDER BY asked, answered"
    ).fetchall():
        query = "SELECT DISTINCT temperature FROM calls WHERE asked = ? AND answered = ? ORDER BY temperature"
        sent = tuple(one for (one,) in connection.execute(query, (asked, answered)))
        found.append(Answering(asked, answered, calls, sent, altered))
    return tuple(found)


def sending(connection: sqlite3.Connection) -> Sending:
    """Over all sessions of the run."""
    sent = connection.execute("SELECT count(*) FROM sends").fetchone()[0]
    answered = connection.execute("SELECT count(*) FROM calls WHERE send IS NOT NULL").fetchone()[0]
    faults = dict(connection.execute("SELECT kind, count(*) FROM send_faults GROUP BY kind ORDER BY kind"))
    return Sending(sent, answered, faults, sent - answered - sum(faults.values()))


def settings_of(connection: sqlite3.Connection, key: bytes) -> str:
    """The model that was asked in one call, and the temperature that was sent; empty where none is kept."""
    row = connection.execute("SELECT asked, temperature FROM calls WHERE key = ? LIMIT 1", (key,)).fetchone()
    return "" if row is None else f"{row[0]}, temperature {'not sent' if row[1] is None else f'{row[1]:g}'}"
