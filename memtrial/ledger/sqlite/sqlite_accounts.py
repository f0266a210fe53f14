"""The accounts of a ledger's file, counted by SQLite."""

import sqlite3
from collections import Counter, defaultdict
from datetime import datetime
from itertools import pairwise
from operator import add

from memtrial.call_purpose import Purpose, read_purpose, write_purpose
from memtrial.call_records import SHORT, TOKENS, FreeCall, short_key
from memtrial.ledger.accounts import Answering, Drawn, LedgerCounts, Sending, Spending
from memtrial.ledger.calls.call_packs import unpack_calls
from memtrial.ledger.calls.call_settings import CallSettings
from memtrial.ledger.sqlite.row_seals import ENDING
from memtrial.ledger.sqlite.sqlite_calls import read_packs
from memtrial.ledger.sqlite.tables import LATEST


class SqliteAccounts:
    """What `Accounts` asks, over the tables that a connection sees."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._settings: tuple[int, CallSettings] | None = None

    def spending_by_purpose(self) -> tuple[Spending, ...]:
        """By purpose, sorted."""
        shared = "SELECT min(purpose) FROM shared_calls WHERE key = calls.key"
        rows = self._connection.execute(
            f"SELECT min(purpose, coalesce(({shared}), purpose)) AS counted, count(*), sum(input_tokens),"
            " sum(output_tokens), sum(cache_read_tokens), sum(cache_write_tokens),"
            " CASE WHEN count(usd) = count(*) THEN sum(usd) END"
            " FROM calls GROUP BY counted ORDER BY counted"
        )
        counted = {purpose: sums for purpose, *sums in rows}
        free = self._free_by_purpose()
        for call, further in self._shared_free():
            # counted under the first of its purposes alone
            _add_call(free[write_purpose(call.purpose)], call, -1)
            _add_call(free[min(write_purpose(call.purpose), *further)], call)
        for purpose, used in free.items():
            if used[0]:
                sums = counted.setdefault(purpose, [0, 0, 0, 0, 0, 0.0])
                sums[:3] = map(add, sums, used)
        return tuple(Spending(read_purpose(purpose), *counted[purpose]) for purpose in sorted(counted))

    def used_by_purpose(self) -> dict[Purpose, tuple[int, int, int]]:
        """By purpose the calls and their tokens, in and out, as if nobody shared a call with another."""
        rows = self._connection.execute(
            "SELECT asked.purpose, count(*), sum(input_tokens), sum(output_tokens) FROM calls JOIN"
            " (SELECT key, purpose FROM calls UNION SELECT key, purpose FROM shared_calls) AS asked"
            " ON asked.key = calls.key GROUP BY asked.purpose ORDER BY asked.purpose"
        )
        used = self._free_by_purpose()
        for call, further in self._shared_free():
            for purpose in further:
                _add_call(used[purpose], call)
        for purpose, *sums in rows:
            used[purpose] = list(map(add, used[purpose], sums))
        return {
            read_purpose(purpose): (calls, sent, written)
            for purpose, (calls, sent, written) in sorted(used.items())
        }

    def _free_by_purpose(self) -> defaultdict[str, list[int]]:
        """Calls that cost nothing, and their tokens, in and out, each under the purpose it had first."""
        query = (
            "SELECT purpose, sum(calls), sum(input_tokens), sum(output_tokens) FROM free_calls"
            " GROUP BY purpose"
        )
        sums = ((purpose, used) for purpose, *used in self._connection.execute(query))
        return defaultdict(lambda: [0, 0, 0], sums)

    def _shared_free(self) -> list[tuple[FreeCall, set[str]]]:
        """Those of them that have further purposes, as texts."""
        further: dict[bytes, set[str]] = {}
        query = "SELECT key, purpose FROM shared_calls WHERE length(key) = ?"
        for key, purpose in self._connection.execute(query, (SHORT,)):
            further.setdefault(key, set()).add(purpose)
        if not further:
            return []
        calls = (call for call in unpack_calls(read_packs(self._connection)) if call.key in further)
        return [(call, further[call.key] - {write_purpose(call.purpose)}) for call in calls]

    def answers_by_model(self) -> tuple[Answering, ...]:
        """By model asked for and model that answered, sorted."""
        models: dict[tuple[str, str], dict[tuple[float | None, int], int]] = {}
        columns = "asked, answered, temperature, verbatim"
        query = (
            f"SELECT {columns}, count(*) FROM calls GROUP BY {columns}"
            f" UNION ALL SELECT {columns}, sum(calls) FROM free_calls GROUP BY {columns}"
            f" ORDER BY {columns}"
        )
        for asked, answered, temperature, verbatim, count in self._connection.execute(query):
            counts = models.setdefault((asked, answered), {})
            counts[temperature, verbatim] = counts.get((temperature, verbatim), 0) + count
        return tuple(
            Answering(
                *names,
                sum(counts.values()),
                tuple(dict.fromkeys(temperature for temperature, _ in counts)),
                sum(count for (_, verbatim), count in counts.items() if not verbatim),
            )
            for names, counts in models.items()
        )

    def temperatures_sent(self) -> tuple[Drawn, ...]:
        """By model, purpose and temperature, sorted; a call that a refusal answered counts too."""
        query = (
            "SELECT asked, purpose, temperature, count(*) FROM calls WHERE send IS NOT NULL"
            " GROUP BY asked, purpose, temperature ORDER BY asked, purpose, temperature"
        )
        rows = self._connection.execute(query)
        return tuple(Drawn(asked, read_purpose(purpose), *sent) for asked, purpose, *sent in rows)

    def limits_refused(self) -> tuple[str, ...]:
        """What was said where a model took fewer tokens than were asked for, each once."""
        query = "SELECT DISTINCT message FROM send_faults WHERE kind = 'fewer tokens' ORDER BY message"
        return tuple(message for (message,) in self._connection.execute(query))

    def network_use(self) -> Sending:
        """Over all sessions of the run."""
        sent = self._connection.execute("SELECT count(*) FROM sends").fetchone()[0]
        answered = self._connection.execute("SELECT count(*) FROM calls WHERE send IS NOT NULL").fetchone()[0]
        faults = dict(
            self._connection.execute("SELECT kind, count(*) FROM send_faults GROUP BY kind ORDER BY kind")
        )
        return Sending(sent, answered, faults, sent - answered - sum(faults.values()))

    def settings_of(self, key: bytes) -> str:
        """The model asked in one call, and the temperature sent; empty where none is kept."""
        query = "SELECT asked, temperature FROM calls WHERE key = ? LIMIT 1"
        row = self._connection.execute(query, (key,)).fetchone() or self._free_settings(key)
        return (
            "" if row is None else f"{row[0]}, temperature {'not sent' if row[1] is None else f'{row[1]:g}'}"
        )

    def _free_settings(self, key: bytes) -> tuple[str, float | None] | None:
        (last,) = self._connection.execute("SELECT coalesce(max(number), 0) FROM free_calls").fetchone()
        if self._settings is None or self._settings[0] != last:
            rows = self._connection.execute("SELECT asked, temperature, keys FROM free_calls")
            self._settings = last, CallSettings(rows)
        return self._settings[1].find(short_key(key))

    def counts(self) -> LedgerCounts:
        """Count a ledger's rows, trials apart."""
        sums = ", ".join(f"coalesce(sum({name}), 0)" for name in TOKENS)
        paid = "coalesce(sum(usd), 0) + (SELECT coalesce(sum(usd), 0) FROM send_faults)"
        query = f"SELECT count(*), count(*) - count(usd), {paid}, {sums} FROM calls"
        answers, unpriced, usd, *tokens = self._connection.execute(query).fetchone()
        query = (
            "SELECT coalesce(sum(calls), 0), coalesce(sum(input_tokens), 0), coalesce(sum(output_tokens), 0)"
            " FROM free_calls"
        )
        free, *used = self._connection.execute(query).fetchone()
        tokens[:2] = map(add, tokens, used)
        return LedgerCounts(
            traces=self._count_rows("SELECT backbone, count(*) FROM traces GROUP BY backbone"),
            condensations=self._count_rows(
                "SELECT backbone || ', ' || condenser, count(*) FROM condensations"
                " GROUP BY backbone, condenser"
            ),
            answers=answers + free,
            tokens=dict(zip(TOKENS, tokens, strict=True)),
            usd=float(usd),
            unpriced=unpriced,
        )

    def error_causes(self) -> dict[str, int]:
        return self._count_rows(
            "SELECT json_extract(body_text(body), '$.cause') AS cause, count(*) FROM trials AS t"
            f" WHERE status = 'error' AND {LATEST} GROUP BY cause ORDER BY count(*) DESC, cause"
        )

    def _count_rows(self, query: str) -> dict[str, int]:
        return dict(self._connection.execute(query).fetchall())

    def hours_before(self, session: int) -> float:
        """Hours that the sessions before this one took; one that noted no end lasted to its last request."""
        query = (
            "SELECT s.begun, e.ended FROM main.sessions AS s LEFT JOIN main.session_ends AS e"
            " ON e.number = s.number WHERE s.number <= ? ORDER BY s.number"
        )
        rows = self._connection.execute(query, (session,)).fetchall()
        seconds = 0.0
        for (begun, ended), (following, _) in pairwise(rows):
            first, limit = (datetime.fromisoformat(text).timestamp() for text in (begun, following))
            if ended is None:
                last = "SELECT max(at) FROM main.sends WHERE at >= ? AND at <= ?"
                until = self._connection.execute(last, (first, limit)).fetchone()[0] or first
            else:
                until = datetime.fromisoformat(ended).timestamp()
            seconds += max(0.0, until - first)
        return seconds / 3600

    def unplayed_trials(self) -> dict[str, int]:
        """Trials by arm that the plan of mode `stream` counted and that are never to be played."""
        mode = self._connection.execute(
            "SELECT json_extract(body, '$.mode') FROM facts WHERE name = 'plan'"
        ).fetchone()
        if mode != ("stream",):
            return {}
        # no condition looks into a body: it might be asked before it is known whether the row is to be seen
        query = (
            "SELECT arm, json_extract(text, '$.applicable'), json_extract(text, '$.after')"
            " FROM (SELECT arm, body_text(body) AS text FROM checks)"
        )
        never = Counter(
            arm for arm, applies, after in self._connection.execute(query) if not applies and after == ""
        )
        return dict(sorted(never.items()))

    def trials_ever(self) -> int:
        """Trials that were ever played, errors and those that do not count any more among them."""
        key = f"substr(json_extract(name, '$[3]'), -{ENDING})"
        query = f"SELECT count(DISTINCT {key}) FROM seals WHERE of_table = 'trials'"
        return int(self._connection.execute(query).fetchone()[0])

    def attempts_ever(self) -> int:
        """Rows of trials that were ever written, every attempt of each."""
        query = "SELECT count(*) FROM seals WHERE of_table = 'trials'"
        return int(self._connection.execute(query).fetchone()[0])

    def trials_played(self) -> int:
        """Trials with a row that counts."""
        return int(self._connection.execute("SELECT count(DISTINCT key) FROM trials").fetchone()[0])


def _add_call(sums: list[int], call: FreeCall, sign: int = 1) -> None:
    """Count a call and its tokens, or count them no more."""
    sums[:] = map(add, sums, (sign, sign * call.input_tokens, sign * call.output_tokens))
