"""What the calls of a run were and cost, and how far it has come, counted by the file itself."""

import sqlite3
from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise

from memtrial.ledger.tables import LAST


@dataclass(frozen=True, slots=True)
class Spending:
    """The answered calls of one purpose (`play`, `condense <condenser>`, …), each counted once.

    A call that several purposes share is counted under the one that sorts first. `usd` is None where a price
    is unknown.
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
    """One model as it was asked for, and the model id that came back.

    Args:
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
    """What went over the network, over all sessions: requests whose answer is kept, and faults by kind.

    `open`: neither; in flight when the process ended. They may have been paid without an answer.
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


@dataclass(frozen=True, slots=True)
class Drawn:
    """Calls of one purpose to one model, by the temperature that was sent; None where none was."""

    asked: str
    purpose: str
    temperature: float | None
    calls: int


def temperatures_sent(connection: sqlite3.Connection) -> tuple[Drawn, ...]:
    """By model, purpose and temperature, sorted; a call that a refusal answered counts too."""
    query = (
        "SELECT asked, purpose, temperature, count(*) FROM calls WHERE send IS NOT NULL"
        " GROUP BY asked, purpose, temperature ORDER BY asked, purpose, temperature"
    )
    return tuple(Drawn(*row) for row in connection.execute(query))


def limits_refused(connection: sqlite3.Connection) -> tuple[str, ...]:
    """What was said where a model took fewer tokens than were asked for, each once."""
    query = "SELECT DISTINCT message FROM send_faults WHERE kind = 'fewer tokens' ORDER BY message"
    return tuple(message for (message,) in connection.execute(query))


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


TOKENS = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens")


@dataclass(frozen=True, slots=True)
class LedgerCounts:
    """The counts of a moment.

    Args:
        traces: by backbone; `condensations` by `backbone, condenser`.
        blocks: with at least one trial; a block is committed whole.
        by_arm: trials by arm and status, by their last attempt.
        causes: how often each cause ended a trial as an error, the most frequent first.
        answers: answered calls, each once however often its answer was used; `tokens` are theirs, by kind.
        usd: paid so far for answers and faults, as far as prices are known; `unpriced` answers have none.
    """

    traces: dict[str, int]
    condensations: dict[str, int]
    blocks: int
    by_arm: dict[str, dict[str, int]]
    causes: dict[str, int]
    answers: int
    tokens: dict[str, int]
    usd: float
    unpriced: int

    @property
    def played(self) -> int:
        return sum(sum(counts.values()) for counts in self.by_arm.values())

    @property
    def errors(self) -> int:
        return sum(counts.get("error", 0) for counts in self.by_arm.values())


def standing(connection: sqlite3.Connection) -> LedgerCounts:
    """Count a ledger's rows."""

    def counted(query: str) -> dict[str, int]:
        return dict(connection.execute(query).fetchall())

    by_arm: dict[str, dict[str, int]] = {}
    query = f"SELECT arm, status, count(*) FROM trials AS t WHERE {LAST} GROUP BY arm, status ORDER BY arm"
    for arm, status, count in connection.execute(query):
        by_arm.setdefault(arm, {})[status] = count
    blocks = "SELECT count(*) FROM (SELECT DISTINCT backbone, task, repeat FROM trials)"
    sums = ", ".join(f"coalesce(sum({name}), 0)" for name in TOKENS)
    paid = "coalesce(sum(usd), 0) + (SELECT coalesce(sum(usd), 0) FROM send_faults)"
    query = f"SELECT count(*), count(*) - count(usd), {paid}, {sums} FROM calls"
    answers, unpriced, usd, *tokens = connection.execute(query).fetchone()
    return LedgerCounts(
        traces=counted("SELECT backbone, count(*) FROM traces GROUP BY backbone"),
        condensations=counted(
            "SELECT backbone || ', ' || condenser, count(*) FROM condensations GROUP BY backbone, condenser"
        ),
        blocks=connection.execute(blocks).fetchone()[0],
        by_arm=by_arm,
        causes=counted(
            f"SELECT json_extract(body, '$.cause') AS cause, count(*) FROM trials AS t"
            f" WHERE status = 'error' AND {LAST} GROUP BY cause ORDER BY count(*) DESC, cause"
        ),
        answers=answers,
        tokens=dict(zip(TOKENS, tokens, strict=True)),
        usd=float(usd),
        unpriced=unpriced,
    )


def hours_before(connection: sqlite3.Connection, session: int) -> float:
    """Hours that the sessions before this one took; one that noted no end lasted to its last request."""
    query = (
        "SELECT s.begun, e.ended FROM main.sessions AS s LEFT JOIN main.session_ends AS e"
        " ON e.number = s.number WHERE s.number <= ? ORDER BY s.number"
    )
    rows = connection.execute(query, (session,)).fetchall()
    seconds = 0.0
    for (begun, ended), (following, _) in pairwise(rows):
        first, limit = (datetime.fromisoformat(text).timestamp() for text in (begun, following))
        if ended is None:
            last = "SELECT max(at) FROM main.sends WHERE at >= ? AND at <= ?"
            until = connection.execute(last, (first, limit)).fetchone()[0] or first
        else:
            until = datetime.fromisoformat(ended).timestamp()
        seconds += max(0.0, until - first)
    return seconds / 3600


def unplayed(connection: sqlite3.Connection) -> dict[str, int]:
    """Trials by arm that the plan of mode `stream` counted and that are never to be played."""
    mode = connection.execute("SELECT json_extract(body, '$.mode') FROM facts WHERE name = 'plan'").fetchone()
    if mode != ("stream",):
        return {}
    # no condition looks into a body: it might be asked before it is known whether the row is to be seen
    query = "SELECT arm, json_extract(body, '$.applicable'), json_extract(body, '$.after') FROM checks"
    never = Counter(arm for arm, applies, after in connection.execute(query) if not applies and after == "")
    return dict(sorted(never.items()))
