"""The accounts of a ledger's file, counted by SQLite."""

import sqlite3
from collections import Counter
from datetime import datetime
from itertools import pairwise

from memtrial.call_purpose import Purpose, read_purpose
from memtrial.call_records import TOKENS
from memtrial.ledger.accounts import Answering, Drawn, LedgerCounts, Sending, Spending
from memtrial.ledger.sqlite.tables import LATEST


class SqliteAccounts:
    """What `Accounts` asks, over the tables that a connection sees."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def spending_by_purpose(self) -> tuple[Spending, ...]:
        """By purpose, sorted."""
        shared = "SELECT min(purpose) FROM shared_calls WHERE key = calls.key"
        rows = self._connection.execute(
            f"SELECT min(purpose, coalesce(({shared}), purpose)) AS counted, count(*), sum(input_tokens),"
            " sum(output_tokens), sum(cache_read_tokens), sum(cache_write_tokens),"
            " CASE WHEN count(usd) = count(*) THEN sum(usd) END"
            " FROM calls GROUP BY counted ORDER BY counted"
        )
        return tuple(Spending(read_purpose(purpose), *sums) for purpose, *sums in rows)

    def used_by_purpose(self) -> dict[Purpose, tuple[int, int, int]]:
        """By purpose the calls and their tokens, in and out, as if nobody shared a call with another."""
        rows = self._connection.execute(
            "SELECT asked.purpose, count(*), sum(input_tokens), sum(output_tokens) FROM calls JOIN"
            " (SELECT key, purpose FROM calls UNION SELECT key, purpose FROM shared_calls) AS asked"
            " ON asked.key = calls.key GROUP BY asked.purpose ORDER BY asked.purpose"
        )
        return {read_purpose(purpose): (n, sent, written) for purpose, n, sent, written in rows}

    def answers_by_model(self) -> tuple[Answering, ...]:
        """By model asked for and model that answered, sorted."""
        models = []
        for asked, answered, calls, altered in self._connection.execute(
            "SELECT asked, answered, count(*), sum(NOT verbatim) FROM calls"
            " GROUP BY asked, answered ORDER BY asked, answered"
        ).fetchall():
            query = (
                "SELECT DISTINCT temperature FROM calls WHERE asked = ? AND answered = ? ORDER BY temperature"
            )
            sent = tuple(temperature for (temperature,) in self._connection.execute(query, (asked, answered)))
            models.append(Answering(asked, answered, calls, sent, altered))
        return tuple(models)

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
        row = self._connection.execute(
            "SELECT asked, temperature FROM calls WHERE key = ? LIMIT 1", (key,)
        ).fetchone()
        return (
            "" if row is None else f"{row[0]}, temperature {'not sent' if row[1] is None else f'{row[1]:g}'}"
        )

    def counts(self) -> LedgerCounts:
        """Count a ledger's rows."""

        def count_rows(query: str) -> dict[str, int]:
            return dict(self._connection.execute(query).fetchall())

        by_arm: dict[str, dict[str, int]] = {}
        query = (
            f"SELECT arm, status, count(*) FROM trials AS t WHERE {LATEST} GROUP BY arm, status ORDER BY arm"
        )
        for arm, status, count in self._connection.execute(query):
            by_arm.setdefault(arm, {})[status] = count
        blocks = "SELECT count(*) FROM (SELECT DISTINCT backbone, task, repeat FROM trials)"
        sums = ", ".join(f"coalesce(sum({name}), 0)" for name in TOKENS)
        paid = "coalesce(sum(usd), 0) + (SELECT coalesce(sum(usd), 0) FROM send_faults)"
        query = f"SELECT count(*), count(*) - count(usd), {paid}, {sums} FROM calls"
        answers, unpriced, usd, *tokens = self._connection.execute(query).fetchone()
        return LedgerCounts(
            traces=count_rows("SELECT backbone, count(*) FROM traces GROUP BY backbone"),
            condensations=count_rows(
                "SELECT backbone || ', ' || condenser, count(*) FROM condensations"
                " GROUP BY backbone, condenser"
            ),
            blocks=self._connection.execute(blocks).fetchone()[0],
            by_arm=by_arm,
            causes=count_rows(
                f"SELECT json_extract(body_text(body), '$.cause') AS cause, count(*) FROM trials AS t"
                f" WHERE status = 'error' AND {LATEST} GROUP BY cause ORDER BY count(*) DESC, cause"
            ),
            answers=answers,
            tokens=dict(zip(TOKENS, tokens, strict=True)),
            usd=float(usd),
            unpriced=unpriced,
        )

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
        query = "SELECT count(DISTINCT json_extract(name, '$[3]')) FROM seals WHERE of_table = 'trials'"
        return int(self._connection.execute(query).fetchone()[0])

    def attempts_ever(self) -> int:
        """Rows of trials that were ever written, every attempt of each."""
        query = "SELECT count(*) FROM seals WHERE of_table = 'trials'"
        return int(self._connection.execute(query).fetchone()[0])

    def trials_played(self) -> int:
        """Trials with a row that counts."""
        return int(self._connection.execute("SELECT count(DISTINCT key) FROM trials").fetchone()[0])
