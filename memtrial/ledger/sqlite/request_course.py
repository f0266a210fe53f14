"""Requests over time: how many were sent, how many at once, what failed, and what they cost."""

import sqlite3
from collections import Counter, defaultdict
from dataclasses import dataclass

from memtrial.ledger.sqlite.tables import columns_in
from memtrial.ledger.trial_cells import TimeCount

MOST_STRETCHES = 120
_ENDED = "ended_s"
# one pass: what ended in one stretch mostly began in the same, so that there are few pairs of stretches
_ENDS = (
    "SELECT CAST((s.at - ?1) / ?2 AS INTEGER) AS begun,"
    " CAST((max(s.at, e.ended) - ?1) / ?2 AS INTEGER) AS done, count(*), sum(s.at - ?1),"
    " sum(max(s.at, e.ended) - ?1), sum(e.fault), sum(e.usd) FROM"
    " (SELECT send, 0 AS fault, coalesce(usd, 0) AS usd, {calls} AS ended FROM calls WHERE send IS NOT NULL"
    " UNION ALL SELECT id, 1, usd, {send_faults} FROM send_faults) AS e JOIN sends AS s ON s.id = e.send"
    " GROUP BY 1, 2"
)


@dataclass(slots=True)
class _RequestSum:
    """Requests that began or ended in one stretch: how many, and the sum of their times since the first."""

    count: int = 0
    seconds: float = 0.0

    def add(self, count: int, seconds: float) -> None:
        self.count += count
        self.seconds += seconds


def count_course(connection: sqlite3.Connection) -> tuple[TimeCount, ...]:
    """Stretches of one length in which something was sent or ended; none where nothing was sent.

    Requests without an end, as of a session that was cut off, are under way nowhere.
    """
    first, last = connection.execute("SELECT min(at), max(at) FROM sends").fetchone()
    if first is None:
        return ()
    length = max((last - first) / MOST_STRETCHES, 1.0)
    query = "SELECT CAST((at - ?1) / ?2 AS INTEGER), count(*) FROM sends GROUP BY 1"
    sent = dict(connection.execute(query, (first, length)))
    faults, usd = Counter[int](), defaultdict[int, float](float)
    begun, ended = defaultdict[int, _RequestSum](_RequestSum), defaultdict[int, _RequestSum](_RequestSum)
    kept = {
        name: _ENDED if _ENDED in columns_in(connection, name) else "NULL"
        for name in ("calls", "send_faults")
    }
    for number, done, count, begins, ends, failed, cost in connection.execute(
        _ENDS.format_map(kept), (first, length)
    ):
        faults[number] += failed
        usd[number] += cost
        if done is not None:
            begun[number].add(count, begins)
            ended[done].add(count, ends)
    numbers = sorted(sent.keys() | ended.keys())
    spent = _spend_before(begun, ended, length, numbers[-1])
    return tuple(
        TimeCount(
            first + number * length,
            sent.get(number, 0),
            faults[number],
            usd[number],
            (spent[number + 1] - spent[number]) / length if number in begun or number not in sent else None,
        )
        for number in numbers
    )


def _spend_before(
    begun: dict[int, _RequestSum], ended: dict[int, _RequestSum], length: float, last: int
) -> list[float]:
    """By number of a stretch, the seconds of all requests together that lie before it begins."""
    spent, under_way, offset = [0.0], 0, 0.0
    for number in range(last + 1):
        # before a moment t: t for each that has begun less when it began, up to its end
        for moments, sign in ((begun, 1), (ended, -1)):
            here = moments.get(number, _RequestSum())
            under_way += sign * here.count
            offset -= sign * here.seconds
        spent.append(under_way * (number + 1) * length + offset)
    return spent
