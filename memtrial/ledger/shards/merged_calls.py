"""The calls of all shards in one ledger: those of the shared preparation once, each answer once, and what was
paid twice as that."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from memtrial.call_purpose import read_purpose
from memtrial.call_records import CallBatch, KeptCall, SendFaultRecord, SendRecord, SharedCallRecord
from memtrial.ledger.postgres.database import cut
from memtrial.ledger.shards.shard_agreement import OpenShard
from memtrial.protocols import LedgerStore

TWICE = "asked twice"
"""The kind of a send whose answer another shard had as well."""


@dataclass(frozen=True, slots=True)
class AskedTwice:
    """Requests that several shards sent, and how many of them were answered otherwise than the first."""

    sends: int = 0
    otherwise: int = 0


def merge_calls(shards: Sequence[OpenShard], target: LedgerStore) -> AskedTwice:
    """Write the calls of all shards, one shard after the other, their sends numbered on."""
    seen: set[bytes] = set()
    asked = AskedTwice()
    for nth, shard in enumerate(shards):
        moved = _Numbers(target.calls.last_send(), shard.mark.sends if nth else 0)
        for several in cut(_sends_of(shard, moved)):
            target.calls.commit(CallBatch(sends=tuple(several)))
        for faults in cut(_faults_of(shard, moved)):
            target.calls.commit(CallBatch(faults=tuple(faults)))
        own: list[bytes] = []
        for calls in cut(shard.ledger.calls.records()):
            batch, more = _sort_out(shard, calls, seen, moved, target)
            target.calls.commit(batch)
            own += [call.key for call in batch.calls]
            asked = AskedTwice(asked.sends + more.sends, asked.otherwise + more.otherwise)
        seen.update(own)
        for shared in cut(_shared_of(shard)):
            target.calls.commit(CallBatch(shared=tuple(shared)))
        for free in cut(shard.ledger.calls.free_calls()):
            target.calls.commit(CallBatch(free=tuple(free)))
    return asked


@dataclass(frozen=True, slots=True)
class _Numbers:
    """The sends of a shard in the merged ledger: those up to `before` are there, the others follow `last`."""

    last: int
    before: int

    def is_there(self, number: int) -> bool:
        return number <= self.before

    def of(self, number: int) -> int:
        return number if self.is_there(number) else self.last + number - self.before


def _sort_out(
    shard: OpenShard, calls: Sequence[KeptCall], seen: set[bytes], moved: _Numbers, target: LedgerStore
) -> tuple[CallBatch, AskedTwice]:
    """What of these is new, and what was asked again although an earlier shard has the answer."""
    new, faults, shared, otherwise = [], [], [], 0
    for call in calls:
        send = None if call.send is None else moved.of(call.send)
        if call.key not in seen:
            new.append(replace(call, send=send))
            continue
        kept = target.calls.find(call.key)
        if kept is None or (call.send is not None and moved.is_there(call.send)):
            continue
        if call.purpose != kept.purpose:
            shared.append(SharedCallRecord(call.key, call.purpose))
        otherwise += (call.reply, call.blocks) != (kept.reply, kept.blocks)
        if send is not None:
            message = f"shard {shard.mark.name} sent again what another had an answer to; the first counts"
            faults.append(SendFaultRecord(send, TWICE, message, call.usd or 0.0, call.ended_s))
    batch = CallBatch(calls=tuple(new), faults=tuple(faults), shared=tuple(shared))
    return batch, AskedTwice(len(faults), otherwise)


def _sends_of(shard: OpenShard, moved: _Numbers) -> Iterator[SendRecord]:
    query = "SELECT id, key, asked, at FROM sends WHERE id > ? ORDER BY id"
    for number, *rest in shard.ledger.connection.execute(query, (moved.before,)):
        yield SendRecord(moved.of(number), *rest)


def _faults_of(shard: OpenShard, moved: _Numbers) -> Iterator[SendFaultRecord]:
    query = "SELECT id, kind, message, usd, ended_s FROM send_faults WHERE id > ? ORDER BY id"
    for number, *rest in shard.ledger.connection.execute(query, (moved.before,)):
        yield SendFaultRecord(moved.of(number), *rest)


def _shared_of(shard: OpenShard) -> Iterator[SharedCallRecord]:
    for key, purpose in shard.ledger.connection.execute("SELECT key, purpose FROM shared_calls"):
        yield SharedCallRecord(key, read_purpose(purpose))
