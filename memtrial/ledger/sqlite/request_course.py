"""Requests over time: how many were sent, how many at once, what failed, and what they cost."""

import sqlite3

from memtrial.ledger.sqlite.tables import columns_in
from memtrial.ledger.trial_cells import TimeCount

MOST_STRETCHES = 120
_ENDED = "ended_s"


def count_course(connection: sqlite3.Connection) -> tuple[TimeCount, ...]:
    """Stretches of one length in which something was sent or ended; none where nothing was sent.

    Requests without an end, as of a session that was cut off, are under way nowhere.
    """
    of_calls, of_faults = (
        _ENDED if _ENDED in columns_in(connection, table) else "NULL" for table in ("calls", "send_faults")
    )
    query = (
        "WITH ends AS (SELECT s.id, s.at, f.id IS NOT NULL AS fault, coalesce(c.usd, f.usd, 0) AS usd,"
        " max(s.at, coalesce(c.ended, f.ended)) AS ended FROM sends AS s"
        f" LEFT JOIN (SELECT id, usd, {of_faults} AS ended FROM send_faults) AS f ON f.id = s.id"
        f" LEFT JOIN (SELECT send, sum(usd) AS usd, max({of_calls}) AS ended FROM calls GROUP BY send) AS c"
        " ON c.send = s.id)"
    )
    bounds = f"{query} SELECT min(at), max(max(at), coalesce(max(ended), 0)) FROM ends"
    first, last = connection.execute(bounds).fetchone()
    if first is None:
        return ()
    length = max((last - first) / MOST_STRETCHES, 1.0)
    sent = {
        number: (count, faults, usd)
        for number, count, faults, usd in connection.execute(
            f"{query} SELECT CAST((at - ?1) / ?2 AS INTEGER), count(*), sum(fault), sum(usd) FROM ends"
            " GROUP BY 1",
            (first, length),
        )
    }
    # those that ended: what each moment adds to the time that requests were under way before it
    begun, ended = (
        {
            number: (count, total)
            for number, count, total in connection.execute(
                f"{query} SELECT CAST(({moment} - ?1) / ?2 AS INTEGER), count(*), sum({moment} - ?1)"
                " FROM ends WHERE ended IS NOT NULL GROUP BY 1",
                (first, length),
            )
        }
        for moment in ("at", "ended")
    )
    numbers = sorted(sent.keys() | ended.keys())
    spent = _spend_before(begun, ended, length)
    return tuple(
        TimeCount(
            first + number * length,
            *sent.get(number, (0, 0, 0.0)),
            (spent[number + 1] - spent[number]) / length if number in begun or number not in sent else None,
        )
        for number in numbers
    )


def _spend_before(
    begun: dict[int, tuple[int, float]], ended: dict[int, tuple[int, float]], length: float
) -> dict[int, float]:
    """By number of a stretch, the seconds of all requests together that lie before it begins."""
    last = max((*begun, *ended), default=-1)
    spent, under_way, offset = {0: 0.0}, 0, 0.0
    for number in range(last + 2):
        # before a moment t: t for each that has begun less when it began, up to its end
        moment = (number + 1) * length
        for moments, sign in ((begun, 1), (ended, -1)):
            count, total = moments.get(number, (0, 0.0))
            under_way += sign * count
            offset -= sign * total
        spent[number + 1] = under_way * moment + offset
    return spent
