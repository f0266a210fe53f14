"""The call store in memory: for calls that are in no run, and for tests."""

from collections.abc import Iterator

from memtrial.call_purpose import Purpose
from memtrial.call_records import (
    CallBatch,
    FreeCall,
    KeptCall,
    SendFaultRecord,
    SendRecord,
    SharedCallRecord,
    short_key,
)
from memtrial.ledger.calls.known_calls import KnownCalls


class MemoryCallStore:
    """Calls that are gone with the process; the same laws as in a file."""

    def __init__(self) -> None:
        self._calls: dict[bytes, KeptCall] = {}
        self._sends: dict[int, SendRecord] = {}
        self._faults: dict[int, SendFaultRecord] = {}
        self._shared: dict[tuple[bytes, Purpose], None] = {}
        self._free: dict[bytes, FreeCall] = {}
        self._known = KnownCalls()

    def keys(self) -> set[bytes]:
        return set(self._calls)

    def last_send(self) -> int:
        return max(self._sends, default=0)

    def find(self, key: bytes) -> KeptCall | None:
        return self._calls.get(key)

    def records(self) -> Iterator[KeptCall]:
        yield from self._calls.values()

    def free_calls(self) -> Iterator[FreeCall]:
        yield from self._free.values()

    def free_purpose(self, key: bytes) -> Purpose | None:
        return self._known.purpose_of(key)

    def commit(self, batch: CallBatch) -> None:
        # all of it is read before any of it is kept
        sends = {send.number: send for send in batch.sends}
        faults = {fault.number: fault for fault in batch.faults}
        free, more = self._known.sort_out(batch.free)
        shared = dict.fromkeys((further.key, further.purpose) for further in (*batch.shared, *more))
        calls = [(call.key, call) for call in batch.calls]
        self._sends |= sends
        self._faults |= faults
        self._shared |= shared
        for key, call in calls:
            self._calls.setdefault(key, call)
        self._free |= {call.key: call for call in free}
        self._known.add_calls(free)

    def models_that_answered(self) -> dict[str, str]:
        first: dict[str, KeptCall] = {}
        for call in self._calls.values():
            if call.send is None or not call.answered:
                continue
            known = first.setdefault(call.asked, call)
            if known.send is not None and call.send < known.send:
                first[call.asked] = call
        return {asked: call.answered for asked, call in first.items()}

    def spent(self) -> tuple[float, int]:
        prices = [call.usd for call in self._calls.values()]
        paid = sum(usd for usd in prices if usd is not None)
        return paid + sum(fault.usd for fault in self._faults.values()), prices.count(None)

    # what the accounts of a ledger in memory are made of

    def answered(self) -> Iterator[KeptCall]:
        """Every call; those that cost nothing without a text, under their short keys."""
        yield from self._calls.values()
        yield from (call.to_kept() for call in self._free.values())

    def answer_to(self, key: bytes) -> KeptCall | None:
        """The same of one call."""
        free = self._free.get(short_key(key))
        return self._calls.get(key) or (None if free is None else free.to_kept())

    def sends(self) -> Iterator[SendRecord]:
        """All intents, in their order."""
        yield from self._sends.values()

    def faults(self) -> Iterator[SendFaultRecord]:
        """All faults, in their order."""
        yield from self._faults.values()

    def shared(self) -> Iterator[SharedCallRecord]:
        """Further purposes, in the order in which they came."""
        yield from (SharedCallRecord(key, purpose) for key, purpose in self._shared)

    def purposes_of(self, call: KeptCall) -> set[Purpose]:
        """For what a call was used: its own purpose, and those that shared its answer."""
        return {call.purpose} | {purpose for key, purpose in self._shared if key == call.key}
