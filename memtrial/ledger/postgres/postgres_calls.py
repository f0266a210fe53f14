"""The calls of a run in PostgreSQL: an answer is kept once, whichever worker brings it first."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from memtrial.call_purpose import Purpose, read_purpose, write_purpose
from memtrial.call_records import (
    CallBatch,
    FreeCall,
    KeptCall,
    SendFaultRecord,
    SendRecord,
    SharedCallRecord,
)
from memtrial.faults import StoreFault
from memtrial.ledger.calls.call_packs import PACK, CallPack, pack_calls, unpack_calls
from memtrial.ledger.calls.known_calls import KnownCalls
from memtrial.ledger.memory_calls import MemoryCallStore
from memtrial.ledger.postgres.database import Database, cut
from memtrial.ledger.postgres.provider_rates import ProviderRates
from memtrial.ledger.postgres.worker_lease import ALIVE, WorkerLease
from memtrial.ledger.row_text import LedgerFault, parse_json, text_of

COLUMNS = (
    "key, asked, answered, reply, input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, usd,"
    " stop, temperature, verbatim, purpose, send, blocks, shares, ended_s"
)
"""Of the table `calls`, in the order of the fields of a `KeptCall`."""
_ADD_CALL = (
    f"INSERT INTO memtrial.calls (run, {COLUMNS}) VALUES (%s{', %s' * 17})"
    " ON CONFLICT DO NOTHING RETURNING usd"
)
_ADD_SEND = (
    "INSERT INTO memtrial.sends (run, id, key, asked, sent_s) VALUES (%s, %s, %s, %s, %s)"
    " ON CONFLICT DO NOTHING RETURNING id"
)
_ADD_FAULT = (
    "INSERT INTO memtrial.send_faults (run, id, kind, message, usd, ended_s) VALUES (%s, %s, %s, %s, %s, %s)"
    " ON CONFLICT DO NOTHING RETURNING usd"
)
_ADD_SHARED = (
    "INSERT INTO memtrial.shared_calls (run, key, purpose) VALUES (%s, %s, %s) ON CONFLICT DO NOTHING"
)
_PACK = ", ".join(PACK)
_ADD_FREE = f"INSERT INTO memtrial.free_calls (run, {_PACK}) VALUES (%s{', %s' * len(PACK)})"
_SENDS = "id, key, asked, sent_s FROM memtrial.sends WHERE run = %s"
_FAULTS = "id, kind, message, usd, ended_s FROM memtrial.send_faults WHERE run = %s"
_SHARED = "key, purpose FROM memtrial.shared_calls WHERE run = %s"
PACKS = 100
"""Rows of calls that cost nothing that are opened together."""
NUMBERS = 64
"""Numbers of intents that a worker takes at a time."""


class PostgresCallStore:
    """The calls that all workers of a run share; numbers of intents are of the run, and may leave gaps."""

    def __init__(self, database: Database, run: int, lease: WorkerLease | None) -> None:
        self._database, self._run, self._lease = database, run, lease
        self.rates = ProviderRates(database, run, lease)
        self._free = iter(range(0))
        # a worker counts its intents by itself; these are their numbers in the run
        self._numbers: dict[int, int] = {}
        self._known = KnownCalls()

    def keys(self) -> set[bytes]:
        return {bytes(key) for (key,) in self._look("SELECT key FROM memtrial.calls WHERE run = %s")}

    def last_send(self) -> int:
        """How many there were, of all workers."""
        query = "SELECT coalesce(sum(sends), 0)::bigint FROM memtrial.workers WHERE run = %s"
        return int(self._look(query)[0][0])

    def find(self, key: bytes) -> KeptCall | None:
        query = f"SELECT {COLUMNS} FROM memtrial.calls WHERE run = %s AND key = %s"
        rows = self._database.look(query, (self._run, key))
        return _call_of(rows[0]) if rows else None

    def records(self) -> Iterator[KeptCall]:
        rows = self._look(f"SELECT {COLUMNS} FROM memtrial.calls WHERE run = %s ORDER BY nth")
        yield from map(_call_of, rows)

    def free_calls(self) -> Iterator[FreeCall]:
        yield from self.snapshot().free_calls()

    def free_purpose(self, key: bytes) -> Purpose | None:
        """As far as this worker asked it: what others did is sorted out where all calls are read."""
        return self._known.purpose_of(key)

    def models_that_answered(self) -> dict[str, str]:
        query = (
            "SELECT DISTINCT ON (asked) asked, answered FROM memtrial.calls"
            " WHERE run = %s AND send IS NOT NULL AND answered != '' ORDER BY asked, send"
        )
        return dict(self._look(query))

    def spent(self) -> tuple[float, int]:
        query = (
            "SELECT coalesce(sum(usd), 0), coalesce(sum(unpriced), 0)::bigint FROM memtrial.workers"
            " WHERE run = %s"
        )
        usd, unpriced = self._look(query)[0]
        return float(usd), int(unpriced)

    def commit(self, batch: CallBatch) -> None:
        try:
            keep = self.plan_keeping(batch)

            def keep_in_time(_: bool) -> None:
                self._writing().refuse_late(self._database)
                keep()

            self._database.carry(keep_in_time)
        except LedgerFault as fault:
            raise StoreFault(f"the calls cannot be kept: {fault}") from fault

    def plan_keeping(self, batch: CallBatch) -> Callable[[], None]:
        """What keeps a batch within a transaction that may write, however often that is begun anew."""
        sends = [(send.key, send.asked, send.sent_s) for send in batch.sends]
        faults = [(text_of(fault.message), fault) for fault in batch.faults]
        # in one order: two workers that keep the same answers would wait for each other
        free, more = self._known.sort_out(batch.free)
        shared = sorted(
            (self._run, further.key, write_purpose(further.purpose)) for further in (*batch.shared, *more)
        )
        packs = [(self._run, *_pack_columns(pack)) for pack in pack_calls(free)]
        calls = [(call.send, _columns_of(call)) for call in sorted(batch.calls, key=lambda call: call.key)]
        for send in batch.sends:
            self._numbers[send.number] = self._new_number()
        self._known.add_calls(free)
        return partial(self._write, batch, sends, faults, shared, calls, packs)

    def _write(
        self,
        batch: CallBatch,
        sends: Sequence[tuple[object, ...]],
        faults: Sequence[tuple[str, SendFaultRecord]],
        shared: Sequence[tuple[object, ...]],
        calls: Sequence[tuple[int | None, tuple[object, ...]]],
        packs: Sequence[tuple[object, ...]],
    ) -> None:
        """All of a batch; what a commit whose answer was lost has written already is not counted again."""
        ask, add, number = self._database.ask, self._database.add_many, self._numbers.get
        begun = (
            (self._run, self._numbers[record.number], *values)
            for record, values in zip(batch.sends, sends, strict=True)
        )
        failed = (
            (self._run, number(fault.number, fault.number), fault.kind, message, fault.usd, fault.ended_s)
            for message, fault in faults
        )
        answered = (
            (self._run, *columns[:13], None if send is None else number(send, send), *columns[13:])
            for send, columns in calls
        )
        sent = len(add(_ADD_SEND, list(begun)))
        costs = [usd for (usd,) in add(_ADD_FAULT, list(failed))]
        add(_ADD_SHARED, shared)
        add(_ADD_FREE, packs)  # after a lost answer they may stand there twice, and are read once
        costs += [usd for (usd,) in add(_ADD_CALL, list(answered))]
        if batch.calls:
            keys = [call.key for call in batch.calls]
            ask("DELETE FROM memtrial.claims WHERE run = %s AND key = ANY(%s)", (self._run, keys))
        if sent or costs:
            ask(
                "UPDATE memtrial.workers SET sends = sends + %s, usd = usd + %s, unpriced = unpriced + %s"
                " WHERE id = %s",
                (sent, sum(usd or 0.0 for usd in costs), costs.count(None), self._writing().token),
            )

    # among workers

    def claim(self, key: bytes) -> bool:
        """Whether this worker may ask this call: nobody else is asking it now, and it has no answer."""
        lease = self._writing()
        query = (
            "INSERT INTO memtrial.claims AS c (run, key, worker) SELECT %s, %s, %s"
            " WHERE NOT EXISTS (SELECT 1 FROM memtrial.calls WHERE run = %s AND key = %s)"
            " ON CONFLICT (run, key) DO UPDATE SET worker = excluded.worker WHERE c.worker = excluded.worker"
            f" OR NOT EXISTS (SELECT 1 FROM memtrial.workers WHERE id = c.worker AND {ALIVE}) RETURNING 1"
        )
        values = (self._run, key, lease.token, self._run, key)
        return bool(self._carry_out(query, values))

    def release(self, key: bytes) -> None:
        """No answer came, and this worker does not ask again: another one may."""
        query = "DELETE FROM memtrial.claims WHERE run = %s AND key = %s AND worker = %s"
        self._carry_out(query, (self._run, key, self._writing().token))

    def list_settled(self, keys: Sequence[bytes]) -> list[bytes]:
        """Those of the keys that have an answer, or that nobody is asking any more."""
        query = (
            "SELECT key FROM unnest(%s::bytea[]) AS waiting (key)"
            " WHERE EXISTS (SELECT 1 FROM memtrial.calls WHERE run = %s AND key = waiting.key)"
            " OR NOT EXISTS (SELECT 1 FROM memtrial.claims AS c JOIN memtrial.workers AS w ON w.id = c.worker"
            f" WHERE c.run = %s AND c.key = waiting.key AND {ALIVE})"
        )
        rows = self._carry_out(query, (list(keys), self._run, self._run))
        return [bytes(key) for (key,) in rows]

    # what its accounts are made of

    def snapshot(self) -> MemoryCallStore:
        """All that is kept now, in memory."""
        store = MemoryCallStore()
        for batch in self.batches():
            store.commit(batch)
        return store

    def batches(self) -> Iterator[CallBatch]:
        """All that is kept now: intents, faults, answers, further uses, few at a time."""
        read = self._database.read
        for sends in cut(read(f"SELECT {_SENDS} ORDER BY id", (self._run,))):
            yield fill_batch(sends=sends)
        for faults in cut(read(f"SELECT {_FAULTS} ORDER BY id", (self._run,))):
            yield fill_batch(faults=faults)
        calls = f"SELECT {COLUMNS} FROM memtrial.calls WHERE run = %s ORDER BY nth"
        for answered in cut(read(calls, (self._run,))):
            yield fill_batch(tuple(map(_call_of, answered)))
        for shared in cut(read(f"SELECT {_SHARED} ORDER BY nth", (self._run,))):
            yield fill_batch(shared=shared)
        free = f"SELECT {_PACK} FROM memtrial.free_calls WHERE run = %s ORDER BY nth"
        for packs in cut(read(free, (self._run,)), PACKS):
            yield CallBatch(free=tuple(unpack_calls(map(_pack_of, packs))))

    def _look(self, query: str) -> list[tuple[Any, ...]]:
        return self._database.look(query, (self._run,))

    def _carry_out(self, query: str, values: Sequence[object]) -> list[tuple[Any, ...]]:
        """A statement that may be carried out again."""
        try:
            return self._database.look(query, values)
        except LedgerFault as fault:
            raise StoreFault(f"the calls cannot be kept: {fault}") from fault

    def _new_number(self) -> int:
        number = next(self._free, None)
        if number is None:
            query = "UPDATE memtrial.runs SET sends = sends + %s WHERE id = %s RETURNING sends"
            last = int(self._database.look(query, (NUMBERS, self._run))[0][0])
            self._free = iter(range(last - NUMBERS + 1, last + 1))
            number = next(self._free)
        return number

    def _writing(self) -> WorkerLease:
        if self._lease is None:
            raise LedgerFault("this ledger was opened to be read")
        return self._lease


def fill_batch(
    calls: tuple[KeptCall, ...] = (),
    sends: Sequence[tuple[Any, ...]] = (),
    faults: Sequence[tuple[Any, ...]] = (),
    shared: Sequence[tuple[Any, ...]] = (),
) -> CallBatch:
    """Rows of the tables as what a store of calls commits."""
    return CallBatch(
        calls,
        tuple(SendRecord(number, bytes(key), *rest) for number, key, *rest in sends),
        tuple(
            SendFaultRecord(number, kind, parse_json(message), *rest)
            for number, kind, message, *rest in faults
        ),
        tuple(SharedCallRecord(bytes(key), read_purpose(purpose)) for key, purpose in shared),
    )


def _columns_of(call: KeptCall) -> tuple[object, ...]:
    """The fields of a call in the order of `COLUMNS`, without its send."""
    return (
        call.key, call.asked, call.answered, text_of(call.reply), call.input_tokens, call.output_tokens,
        call.cache_read_tokens, call.cache_write_tokens, call.usd, call.stop, call.temperature, call.verbatim,
        write_purpose(call.purpose), call.blocks, call.shares, call.ended_s,
    )  # fmt: skip


def _call_of(row: tuple[Any, ...]) -> KeptCall:
    key, asked, answered, reply, *counts = row[:12]
    purpose, *ending = row[12:]
    values = (bytes(key), asked, answered, parse_json(reply), *counts, read_purpose(purpose), *ending)
    return KeptCall(*values)


def _pack_columns(pack: CallPack) -> tuple[object, ...]:
    return (
        pack.asked, pack.answered, write_purpose(pack.purpose), pack.stop, pack.temperature, pack.verbatim,
        pack.calls, pack.input_tokens, pack.output_tokens, pack.keys, pack.tokens,
    )  # fmt: skip


def _pack_of(row: tuple[Any, ...]) -> CallPack:
    asked, answered, purpose, *middle, keys, tokens = row
    values = (asked, answered, read_purpose(purpose), *middle, bytes(keys), bytes(tokens))
    return CallPack(*values)
