"""How far a run has come, counted by the file itself: reading every row would be slow to ask often."""

import sqlite3
from collections import Counter
from dataclasses import dataclass

from loadbearing.ledger.schema import LAST

TOKENS = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens")


@dataclass(frozen=True, slots=True)
class Standing:
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
        """Trials with an end, errors among them."""
        return sum(sum(counts.values()) for counts in self.by_arm.values())

    @property
    def errors(self) -> int:
        """Trials whose last attempt was an error."""
        return sum(counts.get("error", 0) for counts in self.by_arm.values())


def standing(connection: sqlite3.Connection) -> Standing:
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
    return Standing(
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


def unplayed(connection: sqlite3.Connection) -> dict[str, int]:
    """Trials by arm that the plan counted and that are never to be played, as far as it is known by now.

    In mode `stream` it shows only on the way which damage does not apply to a slot, and the plan counts them
    all; in mode `frozen` it counts none of them.
    """
    mode = connection.execute("SELECT json_extract(body, '$.mode') FROM facts WHERE name = 'plan'").fetchone()
    if mode != ("stream",):
        return {}
    # no condition looks into a body: it might be asked before it is known whether the row is to be seen
    query = "SELECT arm, json_extract(body, '$.applicable'), json_extract(body, '$.after') FROM checks"
    never = Counter(arm for arm, applies, after in connection.execute(query) if not applies and after == "")
    return dict(sorted(never.items()))
