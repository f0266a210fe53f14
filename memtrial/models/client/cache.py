"""The call cache: kept answers, found by the digest of the request plus the repeat.

It also notes each request that is about to be sent and each fault, so that after a kill one can say which
calls may have been paid without an answer.
"""

import asyncio
import time
from dataclasses import dataclass, field, replace
from typing import cast

from memtrial.call_purpose import UNSTATED, Purpose
from memtrial.call_records import (
    CallBatch,
    FreeCall,
    KeptCall,
    SendFaultRecord,
    SendRecord,
    SharedCallRecord,
    short_key,
)
from memtrial.models.client.block_text import read_blocks, write_blocks
from memtrial.models.client.choices import read_shares, write_shares
from memtrial.models.client.shared_calls import SharedCalls
from memtrial.models.client.types import Kind, Reply, Stop
from memtrial.protocols import CallStore


def reply_of(call: KeptCall) -> Reply:
    """The reply that a record keeps. Raises ValueError: its blocks, or its shares, are none."""
    return Reply(
        text=call.reply,
        input_tokens=call.input_tokens,
        output_tokens=call.output_tokens,
        model=call.answered,
        cache_read_tokens=call.cache_read_tokens,
        cache_write_tokens=call.cache_write_tokens,
        stop=cast(Stop, call.stop),
        temperature=call.temperature,
        verbatim=call.verbatim,
        usd=call.usd,
        blocks=() if call.blocks is None else read_blocks(call.blocks),
        shares=() if call.shares is None else read_shares(call.shares),
    )


@dataclass
class CallCache:
    """Answered calls, never changed once written.

    Answers wait in memory until they are committed to the store, and are found there too. An answer that was
    paid for is committed with `flush` before it is used; one that costs nothing may wait for the next flush.
    Of one that can be made again at any time the text goes with that flush, and the call alone is kept.
    Where the store is `shared`, other workers add answers to it meanwhile.
    """

    store: CallStore
    shared: SharedCalls | None = None
    _answers: dict[bytes, KeptCall] = field(default_factory=dict)
    _sends: list[SendRecord] = field(default_factory=list)
    _faults: list[SendFaultRecord] = field(default_factory=list)
    _shared: list[SharedCallRecord] = field(default_factory=list)
    _last_send: int = 0
    _known: set[bytes] = field(default_factory=set)
    _remade: dict[bytes, tuple[FreeCall, Reply]] = field(default_factory=dict)
    _free: list[FreeCall] = field(default_factory=list)
    _commits: int = 0

    def __post_init__(self) -> None:
        # most requests are new, and a look into the store takes longer
        if self.shared is None:
            self._known |= self.store.keys()
        self._last_send = self.store.last_send()

    def find(self, key: bytes, purpose: Purpose = UNSTATED, remade: bool = False) -> Reply | None:
        """The kept answer, marked as cached, or None; one that is `remade` no other worker has kept.

        Which of two purposes asks first is chance, so the cost of a call is counted under the one that sorts
        first; a use of another purpose is recorded.
        """
        if (waiting := self._remade.get(key)) is not None:
            self._share(waiting[0].key, waiting[0].purpose, purpose)
            return replace(waiting[1], cached=True)
        looked_up = (self.shared is not None and not remade) or key in self._known
        call = self._answers.get(key) or (self.store.find(key) if looked_up else None)
        if call is None:
            return None
        self._share(key, call.purpose, purpose)
        return replace(reply_of(call), cached=True)

    def _share(self, key: bytes, first: Purpose, purpose: Purpose) -> None:
        if purpose not in (UNSTATED, first):
            self._shared.append(SharedCallRecord(key, purpose))

    def count(self, key: bytes, asked: str, reply: Reply, purpose: Purpose = UNSTATED) -> Reply:
        """Add the call of an answer that can be made again; marked as cached where it was asked before."""
        short = short_key(key)
        first = self.store.free_purpose(short)
        if first is not None:
            self._share(short, first, purpose)
            return replace(reply, cached=True)
        call = FreeCall(
            *(short, asked, reply.model, purpose, reply.stop, reply.temperature, reply.verbatim),
            *(reply.input_tokens, reply.output_tokens),
        )
        self._remade[key] = call, reply
        return reply

    def keep(
        self, key: bytes, asked: str, reply: Reply, purpose: Purpose = UNSTATED, send: int | None = None
    ) -> None:
        """Add an answer to a model string; `send` is the intent it answers, None where nothing was sent."""
        self._answers[key] = KeptCall(
            key=key,
            asked=asked,
            answered=reply.model,
            reply=reply.text,
            input_tokens=reply.input_tokens,
            output_tokens=reply.output_tokens,
            cache_read_tokens=reply.cache_read_tokens,
            cache_write_tokens=reply.cache_write_tokens,
            usd=reply.usd,
            stop=reply.stop,
            temperature=reply.temperature,
            verbatim=reply.verbatim,
            purpose=purpose,
            send=send,
            blocks=write_blocks(reply.blocks) if reply.blocks else None,
            shares=write_shares(reply.shares) if reply.shares else None,
            ended_s=None if send is None else time.time(),
        )

    def intend(self, key: bytes, asked: str) -> int:
        """Record that a request is about to be sent; the number of this intent."""
        self._last_send += 1
        self._sends.append(SendRecord(self._last_send, key, asked, time.time()))
        return self._last_send

    def fail(self, send: int, kind: Kind, message: str, usd: float = 0.0) -> None:
        """Record that an intent brought no answer, and what that cost."""
        self._faults.append(SendFaultRecord(send, kind, message, usd, time.time()))

    def models_that_answered(self) -> dict[str, str]:
        """The model id that came back first, by the model asked for; a refusal need not name one."""
        return self.store.models_that_answered()

    @property
    def sent(self) -> int:
        """Requests that all sessions sent: one for each attempt."""
        return self._last_send if self.shared is None else self.store.last_send()

    def spent(self) -> tuple[float, int]:
        """US dollars paid for all committed answers, and how many of them have no known price."""
        return self.store.spent()

    def flush(self) -> None:
        """Commit all that waits (25 microseconds); StoreFault where that fails, and it stays in memory."""
        batch = self._waiting()
        if batch == CallBatch():
            return
        self.store.commit(batch)
        self._commits += 1
        if self.shared is None:
            self._known.update(self._answers)
        self._forget_waiting()

    async def flush_together(self) -> None:
        """As `flush`, in one commit with what others add in this turn of the event loop.

        Where other workers count what is committed here, at once.
        """
        before = self._commits
        try:
            if self.shared is None:
                await asyncio.sleep(0)
        finally:
            # also where the wait is cancelled: an answer is kept whatever happens
            if self._commits == before:
                self.flush()

    def knows_any(self, batch: CallBatch) -> bool:
        """A call of these was answered in this run before, for this worker."""
        waiting = {call.key for call in self._waiting().free}
        return any(call.key in self._answers or call.key in self._known for call in batch.calls) or any(
            call.key in waiting or self.store.free_purpose(call.key) is not None for call in batch.free
        )

    def take_in(self, batch: CallBatch) -> None:
        """Add what another process was answered; it waits as answers of this one do."""
        self._answers |= {call.key: call for call in batch.calls}
        self._shared += batch.shared
        self._free += batch.free

    def hand_over(self) -> CallBatch:
        """All that waits, for another one to take in; it is not committed, and not known here any more."""
        batch = self._waiting()
        self._forget_waiting()
        return batch

    def _waiting(self) -> CallBatch:
        return CallBatch(
            calls=tuple(self._answers.values()),
            sends=tuple(self._sends),
            faults=tuple(self._faults),
            shared=tuple(self._shared),
            free=(*self._free, *(call for call, _ in self._remade.values())),
        )

    def _forget_waiting(self) -> None:
        for waiting in (self._answers, self._remade, self._sends, self._faults, self._shared, self._free):
            waiting.clear()
