"""Blocks of a run leased from PostgreSQL, and what its workers share: budget, connections, preparation."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from memtrial.ledger.postgres.postgres_ledger import PostgresLedger
from memtrial.ledger.postgres.worker_lease import ALIVE, LeaseFault
from memtrial.ledger.row_text import TRIAL, pack_episode, parse_json, place_columns, text_of
from memtrial.ledger.shared_work import BlockCost, BlockRows, OfferedBlock, RateUse, WorkTotals

Result = TypeVar("Result")
_UPTO = "nth <= (SELECT nth FROM memtrial.blocks WHERE run = %s AND place = %s)"
_LEFT = f"run = %s AND NOT done AND {_UPTO} AND place != ALL(%s)"
_FREE = "(worker IS NULL OR EXISTS (SELECT 1 FROM memtrial.workers AS w WHERE w.id = b.worker AND w.gone))"


class PostgresWork:
    """As `SharedWork`, by the tables `runs`, `workers` and `blocks`.

    A lease that has lapsed is ended before its blocks are given to others, save while its worker writes: a
    transaction that began in time is waited for, and one that comes later is refused.
    """

    def __init__(self, ledger: PostgresLedger) -> None:
        self._ledger, self._database, self._run = ledger, ledger.database, ledger.run
        self._token = ledger.tables.writing().token
        self.calls = ledger.calls

    def begin_preparing(self) -> bool:
        def begin() -> bool:
            self._bury()
            query = (
                "UPDATE memtrial.runs AS r SET preparer = %s WHERE id = %s AND (preparer IS NULL"
                " OR preparer = %s OR EXISTS (SELECT 1 FROM memtrial.workers AS w WHERE w.id = r.preparer"
                " AND w.gone)) RETURNING 1"
            )
            return bool(self._database.ask(query, (self._token, self._run, self._token)))

        return self.decide_alone(begin)

    def end_preparing(self) -> None:
        query = "UPDATE memtrial.runs SET preparer = NULL WHERE id = %s AND preparer = %s"
        self._database.look(query, (self._run, self._token))

    def offer(self, blocks: Sequence[OfferedBlock], again: bool) -> None:
        places, done = [block.place for block in blocks], [block.done for block in blocks]
        sizes = [block.trials for block in blocks]
        left = [block.place for block in blocks if not block.done]

        def lay_out() -> None:
            # whoever lays them out lays out all; to try it again would wait for each that is being written
            if not self._database.ask("SELECT 1 FROM memtrial.blocks WHERE run = %s LIMIT 1", (self._run,)):
                self._database.ask(
                    "INSERT INTO memtrial.blocks (run, place, nth, done, trials) SELECT %s, place, nth, done,"
                    " trials FROM unnest(%s::text[], %s::bigint[], %s::boolean[], %s::bigint[])"
                    " AS laid (place, nth, done, trials)",
                    (self._run, places, list(range(len(places))), done, sizes),
                )
            if again:
                query = (
                    "UPDATE memtrial.blocks SET done = false, worker = NULL"
                    " WHERE run = %s AND done AND place = ANY(%s)"
                )
                self._database.ask(query, (self._run, left))
            self._bury()
            # whoever comes while others play counts errors with them, and else anew
            query = (
                "INSERT INTO memtrial.tallies (worker, run, first) SELECT %s, %s, coalesce((SELECT"
                " max(t.first) FROM memtrial.tallies AS t JOIN memtrial.workers AS w ON w.id = t.worker"
                " WHERE t.run = %s AND NOT w.gone), %s) ON CONFLICT DO NOTHING"
            )
            self._database.ask(query, (self._token, self._run, self._run, self._token))

        self.decide_alone(lay_out)

    def list_laid(self) -> Sequence[OfferedBlock]:
        query = "SELECT place, done, trials FROM memtrial.blocks WHERE run = %s ORDER BY nth"
        laid = [OfferedBlock(*row) for row in self._database.look(query, (self._run,))]
        return laid if all(block.trials for block in laid) else ()  # a run of an earlier version has no sizes

    def take(self, last: str, besides: Sequence[str], may: Callable[[WorkTotals], bool]) -> str | None:
        def take_first() -> str | None:
            self._bury()
            if not may(self._totals()):
                return None
            query = (
                "UPDATE memtrial.blocks SET worker = %s WHERE run = %s AND place = (SELECT place FROM"
                f" memtrial.blocks AS b WHERE {_LEFT} AND {_FREE} ORDER BY nth LIMIT 1"
                " FOR UPDATE SKIP LOCKED) RETURNING place"
            )
            values = (self._token, self._run, self._run, self._run, last, list(besides))
            rows = self._database.ask(query, values)
            return rows[0][0] if rows else None

        return self.decide_alone(take_first)

    def is_left(self, last: str, besides: Sequence[str]) -> bool:
        query = f"SELECT 1 FROM memtrial.blocks WHERE {_LEFT} LIMIT 1"
        return bool(self._database.look(query, (self._run, self._run, last, list(besides))))

    def commit(self, place: str, rows: BlockRows, cost: BlockCost) -> WorkTotals:
        values = [place_columns(row, TRIAL) for row in rows.trials]
        packed = [(row.key, pack_episode(row)) for row in rows.episodes]
        keep_calls = self.calls.plan_keeping(rows.calls)

        def write(again: bool) -> WorkTotals:
            query = (
                "UPDATE memtrial.blocks SET done = true WHERE run = %s AND place = %s AND worker = %s"
                " AND NOT done RETURNING 1"
            )
            if not self._database.ask(query, (self._run, place, self._token)):
                held = "SELECT 1 FROM memtrial.blocks WHERE run = %s AND place = %s AND worker = %s AND done"
                if again and self._database.ask(held, (self._run, place, self._token)):
                    return self._totals()  # that commit was made; its answer was lost
                raise LeaseFault(f"a block is written by the worker that has it; {place} is another's now")
            # each table in the order of its keys: workers that keep the same wait in turn
            keep_calls()
            self._ledger.write_slots(rows.texts)
            self._ledger.write_trials(values, packed)
            self._database.ask(
                "UPDATE memtrial.runs SET dearest_usd = greatest(dearest_usd, %s),"
                " most_calls = greatest(most_calls, %s), reported_usd = reported_usd + %s WHERE id = %s",
                (cost.usd, cost.calls, cost.reported_usd, self._run),
            )
            self._database.ask(
                "UPDATE memtrial.tallies SET played = played + %s, errors = errors + %s,"
                " cause = CASE WHEN %s = '' THEN cause ELSE %s END WHERE worker = %s",
                (len(rows.trials), cost.errors, cause, cause, self._token),
            )
            return self._totals()

        cause = text_of(cost.cause) if cost.cause else ""  # as JSON: it may hold a character zero
        return self._ledger.tables.carry(write)

    def decide_alone(self, work: Callable[[], Result]) -> Result:
        def decide(_: bool) -> Result:
            self._database.ask("SELECT 1 FROM memtrial.runs WHERE id = %s FOR NO KEY UPDATE", (self._run,))
            return work()

        return self._ledger.tables.carry(decide)

    def share_connections(self, provider: str, most: int, use: RateUse) -> int:
        return self.calls.rates.share(provider, most, use)

    def _totals(self) -> WorkTotals:
        query = (
            "SELECT (SELECT count(*) FROM memtrial.blocks AS b WHERE run = r.id AND NOT done"
            f" AND worker IS NOT NULL AND NOT {_FREE}),"
            " dearest_usd, most_calls, reported_usd, (SELECT ARRAY[sum(played), sum(errors)]::bigint[] FROM"
            " memtrial.tallies AS t WHERE run = r.id AND first = own.first), (SELECT cause FROM"
            " memtrial.tallies AS t WHERE run = r.id AND first = own.first AND cause != '' LIMIT 1)"
            " FROM memtrial.runs AS r JOIN memtrial.tallies AS own ON own.worker = %s WHERE r.id = %s"
        )
        row = self._database.ask(query, (self._token, self._run))[0]
        playing, dearest_usd, most_calls, reported_usd, (played, errors), cause = row
        said = parse_json(cause) if cause else ""
        return WorkTotals(playing, dearest_usd, most_calls, reported_usd, played, errors, said)

    def _bury(self) -> None:
        """End the leases that have lapsed, save those whose workers are writing now."""
        self._database.ask(
            "UPDATE memtrial.workers SET gone = true WHERE id IN (SELECT id FROM memtrial.workers"
            f" WHERE run = %s AND NOT gone AND NOT ({ALIVE}) FOR UPDATE SKIP LOCKED)",
            (self._run,),
        )
