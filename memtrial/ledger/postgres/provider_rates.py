"""What workers of a run may send to a provider, agreed in the database: a refusal of one holds for all."""

from collections.abc import Sequence
from typing import Any

from memtrial.faults import StoreFault
from memtrial.ledger.postgres.database import Database
from memtrial.ledger.postgres.worker_lease import ALIVE, WorkerLease
from memtrial.ledger.row_text import LedgerFault
from memtrial.ledger.shared_work import RateUse

_NOW = "clock_timestamp()"
_CUT = (
    f"WITH met AS (SELECT cut < {_NOW} - make_interval(secs => %s) AS cuts FROM memtrial.rates"
    " WHERE run = %s AND provider = %s FOR UPDATE) UPDATE memtrial.rates SET part = CASE WHEN cuts THEN"
    " part * (1 - (refused + 1)::double precision / (answered + refused + 1) / 2) ELSE part END,"
    f" cut = CASE WHEN cuts THEN {_NOW} ELSE cut END, answered = CASE WHEN cuts THEN 0 ELSE answered END,"
    " refused = CASE WHEN cuts THEN 0 ELSE refused + 1 END,"
    f" closed = greatest(closed, {_NOW} + make_interval(secs => %s))"
    " FROM met WHERE run = %s AND provider = %s RETURNING cuts"
)
_PARTS = (
    "SELECT s.worker, s.connections, s.wanted FROM memtrial.shares AS s JOIN memtrial.workers AS w"
    f" ON w.id = s.worker WHERE s.run = %s AND s.provider = %s AND {ALIVE}"
)
_TAKE = (
    "INSERT INTO memtrial.shares (run, provider, worker, connections, wanted) VALUES (%s, %s, %s, %s, %s)"
    " ON CONFLICT (run, provider, worker) DO UPDATE"
    " SET connections = excluded.connections, wanted = excluded.wanted"
)


class ProviderRates:
    """As `SharedRates` of the model client, by the tables `rates` and `shares`.

    Of the connections that the spec allows `part` may be used. A refusal cuts it, once for all that were
    under way then, as the `Throttle` of one process does; each full round of answers gives one connection
    back.
    """

    def __init__(self, database: Database, run: int, lease: WorkerLease | None) -> None:
        self._database, self._run, self._lease = database, run, lease

    def closed_s(self, provider: str) -> float:
        query = (
            f"SELECT greatest(0, extract(epoch FROM closed - {_NOW}))::double precision FROM memtrial.rates"
            " WHERE run = %s AND provider = %s"
        )
        rows = self._look(query, (self._run, provider))
        return float(rows[0][0]) if rows else 0.0

    def note_refusal(self, provider: str, since_s: float, wait_s: float) -> bool:
        place = (self._run, provider)
        rows = self._look(_CUT, (since_s, *place, wait_s, *place))
        return bool(rows and rows[0][0])

    def share(self, provider: str, most: int, use: RateUse) -> int:
        """As `SharedWork.share_connections`. Raises LeaseFault: this worker was away for too long."""
        if self._lease is None:
            raise LedgerFault("this ledger was opened to be read")
        lease, place = self._lease, (self._run, provider)

        def share(_: bool) -> int:
            lease.refuse_late(self._database)
            ask = self._database.ask
            ask("INSERT INTO memtrial.rates (run, provider) VALUES (%s, %s) ON CONFLICT DO NOTHING", place)
            query = "SELECT part FROM memtrial.rates WHERE run = %s AND provider = %s FOR UPDATE"
            part = float(ask(query, place)[0][0])
            if use.answers:
                grown = min(1.0, part + use.answers / max(1, int(part * most)) / most)
                query = (
                    "UPDATE memtrial.rates SET part = %s, answered = answered + %s"
                    " WHERE run = %s AND provider = %s"
                )
                ask(query, (grown, use.answers, *place))
            parts = {worker: (held, wanted) for worker, held, wanted in ask(_PARTS, place)}
            held = int(parts.get(lease.token, (0, 0))[0])
            parts[lease.token] = (held, use.wanted)
            order = sorted(parts)
            total = max(1, int(part * most))
            fair = divide(total, [parts[worker][1] for worker in order])[order.index(lease.token)]
            left: int = total - sum(given for worker, (given, _) in parts.items() if worker != lease.token)
            mine = max(min(fair, left), min(use.active, held))
            ask(_TAKE, (*place, lease.token, mine, use.wanted))
            return mine

        return self._database.carry(share)

    def _look(self, query: str, values: Sequence[object]) -> list[tuple[Any, ...]]:
        try:
            return self._database.look(query, values)
        except LedgerFault as fault:
            raise StoreFault(f"workers cannot agree on a rate: {fault}") from fault


def divide(total: int, wanted: Sequence[int]) -> list[int]:
    """Parts of a total for those that want so many each: nobody gets less than another who wants no more, nor
    what another could use; what nobody wants is divided evenly. Who comes first gets the odd ones.

        >>> divide(10, [1, 8, 8])
        [1, 5, 4]
    """
    parts, left = [0] * len(wanted), total
    # who wants least first: what it leaves is for the others, and the last ones get the odd connections
    order = sorted(range(len(wanted)), key=lambda place: (wanted[place], -place))
    for nth, place in enumerate(order):
        parts[place] = min(wanted[place], left // (len(order) - nth))
        left -= parts[place]
    each, odd = divmod(left, len(parts))
    return [part + each + (place < odd) for place, part in enumerate(parts)]
