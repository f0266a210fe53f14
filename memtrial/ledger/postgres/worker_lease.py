"""The lease of a worker: only while it is in force may the worker write, and once it lapsed it is over."""

import os
import platform
import threading

from memtrial.ledger.postgres.database import Database
from memtrial.ledger.postgres.lease_time import LEASE_S
from memtrial.ledger.row_text import LedgerFault

BEATS = 4
"""Heartbeats in a lease."""
ALIVE = "NOT gone AND until > clock_timestamp()"
_NAME = "memtrial worker "
_END_STOPPED = (
    "SELECT pg_terminate_backend(a.pid) FROM pg_stat_activity AS a JOIN memtrial.workers AS w"
    f" ON a.application_name = '{_NAME}' || w.id WHERE w.run = %s AND NOT w.gone"
    " AND w.until < clock_timestamp() - make_interval(secs => %s) AND a.datname = current_database()"
)


class LeaseFault(LedgerFault):
    """This worker was away for longer than its lease: others have its blocks, and it writes nothing more."""


class WorkerLease:
    """A row of `workers`, renewed by a thread on a connection of its own. `token` is never given again.

    Every transaction that writes asks `refuse_late` first. That holds the row until the commit, so that
    nobody can take the blocks of this worker in between. A worker that was stopped within a transaction, or
    whose machine is gone, would hold up all others: the thread of each ends such transactions.
    """

    def __init__(self, address: str, run: int, working: Database, lease_s: float = LEASE_S) -> None:
        self.run, self._lease_s = run, lease_s
        self._beating = Database(address, patience_s=lease_s)
        place = f"{platform.node()} {os.getpid()}"
        query = (
            "INSERT INTO memtrial.workers (run, place, until)"
            " VALUES (%s, %s, clock_timestamp() + make_interval(secs => %s)) RETURNING id"
        )
        self.token = int(self._beating.ask(query, (run, place, lease_s))[0][0])
        working.take_name(f"{_NAME}{self.token}")
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._beat, name="memtrial lease", daemon=True)
        self._thread.start()

    def refuse_late(self, database: Database) -> None:
        """Within a transaction: the lease is in force until its commit; else LeaseFault."""
        # nobody can end the lease meanwhile, but its heart goes on: the transaction may wait for others
        query = f"SELECT 1 FROM memtrial.workers WHERE id = %s AND {ALIVE} FOR KEY SHARE"
        if not database.ask(query, (self.token,)):
            raise LeaseFault(
                f"a worker writes while its lease of {self._lease_s:g} s is in force; this one was away for"
                " longer, and others have its blocks"
            )

    def give_up(self) -> None:
        """End the lease: what is left of its work is free for others at once."""
        self._ended.set()
        self._thread.join()
        try:
            self._beating.ask("UPDATE memtrial.workers SET gone = true WHERE id = %s", (self.token,))
        except LedgerFault:
            pass  # the database is away; the lease lapses by itself
        finally:
            self._beating.close()

    def _beat(self) -> None:
        query = (
            "UPDATE memtrial.workers SET until = clock_timestamp() + make_interval(secs => %s)"
            f" WHERE id = %s AND {ALIVE} RETURNING id"
        )
        while not self._ended.wait(self._lease_s / BEATS):
            try:
                if not self._beating.look(query, (self._lease_s, self.token)):
                    return
                self._beating.look(_END_STOPPED, (self.run, self._lease_s / BEATS))
            except LedgerFault:
                return  # away for longer than the lease: whoever writes next is told
