"""Message batches: many requests at half the price, each sent once even if the run is killed."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol, TypedDict

from loadbearing.models.client.types import ProviderFault, Reply, Request
from loadbearing.models.providers.anthropic import (
    TAKES_TEMPERATURE,
    AnthropicBackend,
    MessageParams,
    message_params,
)
from loadbearing.models.providers.batch_results import Sent, read_lines, read_result
from loadbearing.models.providers.http_errors import malformed, one_line


class BatchBook(Protocol):
    """Saves open batches beyond the life of the process."""

    def opened(self, batch: str, keys: Sequence[bytes]) -> None:
        """The provider accepted a batch with the requests of these keys. Saved when this returns."""
        ...

    def open_batches(self) -> Mapping[bytes, str]:
        """Key → the last batch it was sent in, for all keys without an answer."""
        ...


@dataclass(frozen=True, slots=True)
class Pace:
    """How batches are gathered and polled.

    Args:
        gather_s: a batch is sent when no request came for so long, in seconds,
        most: or when so many requests wait.
        poll_s, longest_s: seconds between two polls of a batch: at first, and at most.
        growth: the factor from one pause to the next.
        misses: polls in a row that may fail before the fault is raised.
    """

    gather_s: float = 2.0
    most: int = 1000
    poll_s: float = 5.0
    longest_s: float = 60.0
    growth: float = 1.5
    misses: int = 20

    def pauses(self) -> Iterator[float]:
        """The pauses between polls, without end."""
        pause = self.poll_s
        while True:
            yield pause
            pause = min(self.longest_s, pause * self.growth)


class BatchEntry(TypedDict):
    """One request of a batch, as it is sent."""

    custom_id: str
    params: MessageParams


class PendingRequest(NamedTuple):
    """A request that waits for its batch to be sent."""

    key: bytes
    request: Request
    waiting: asyncio.Future[Reply]


@dataclass
class AnthropicBatches:
    """Collects requests, sends them as one batch, polls, and gives each its own result.

    The id of a batch is saved before the first poll. A request whose key is in an open batch is fetched from
    there and not sent again. An answer takes up to a day, so the caller must not set a short time-out.

    Args:
        backend: the model, with its client.
        book: where the ids of open batches are saved.
    """

    backend: AnthropicBackend
    book: BatchBook
    pace: Pace = field(default_factory=Pace)
    _open: dict[bytes, str] | None = None
    _gathered: list[PendingRequest] = field(default_factory=list)
    _waiting: dict[bytes, PendingRequest] = field(default_factory=dict)
    _sending: asyncio.Task[None] | None = None
    _polled: dict[str, asyncio.Task[dict[bytes, Any]]] = field(default_factory=dict)
    _sent: dict[tuple[str, bytes], Sent] = field(default_factory=dict)
    _failed: set[tuple[str, bytes]] = field(default_factory=set)
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)

    async def answer(self, request: Request, repeat: int, key: bytes) -> Reply:  # noqa: ARG002
        """Wait for the answer to one request.

        Args:
            key: of the call, 32 bytes; it names the request within its batch.

        Raises:
            ProviderFault: the request brought no answer; asked again it is sent again, or fetched again from
                the batch that still has it.
        """
        asked = self._waiting.get(key)
        if asked is None or asked.waiting.done():
            if self._open is None:
                self._open = dict(self.book.open_batches())
            batch_id = self._open.get(key)
            if batch_id is not None and (batch_id, key) not in self._failed:
                return await self._from(batch_id, key, request)
            asked = PendingRequest(key, request, asyncio.get_running_loop().create_future())
            self._waiting[key] = asked
            self._gathered.append(asked)
            self._schedule()
        # a caller that is cancelled does not cancel the others
        return await asyncio.shield(asked.waiting)

    async def close(self) -> None:
        """Stop polling; the batches go on at the provider and stay in the book."""
        tasks = [*self._tasks, *self._polled.values(), *([self._sending] if self._sending else [])]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for asked in self._gathered:
            asked.waiting.cancel()
        await self.backend.close()

    def _schedule(self) -> None:
        if self._sending is not None:
            self._sending.cancel()
        full = len(self._gathered) >= self.pace.most
        self._sending = asyncio.get_running_loop().create_task(
            self._send_later(0 if full else self.pace.gather_s)
        )

    async def _send_later(self, after_s: float) -> None:
        await asyncio.sleep(after_s)
        gathered, self._gathered, self._sending = self._gathered, [], None
        task = asyncio.get_running_loop().create_task(self._send_batch(gathered))
        self._tasks.add(task)
        task.add_done_callback(lambda done: self._batch_done(done, gathered))

    def _batch_done(self, task: asyncio.Task[None], gathered: list[PendingRequest]) -> None:
        """However the sending of a batch ended, its callers stop waiting."""
        self._tasks.discard(task)
        fault = None if task.cancelled() else task.exception()
        for asked in gathered:
            if self._waiting.get(asked.key) is asked:
                del self._waiting[asked.key]
            if not asked.waiting.done() and fault is not None:
                _tell(asked.waiting, fault)
            elif not asked.waiting.done():
                asked.waiting.cancel()

    async def _send_batch(self, gathered: list[PendingRequest]) -> None:
        """Send one batch and give each caller its result."""
        try:
            batch_id = await self._create(gathered)
        except ProviderFault as fault:
            for asked in gathered:
                _tell(asked.waiting, fault)
            return
        for asked in gathered:
            try:
                reply = await self._from(batch_id, asked.key, asked.request)
            except ProviderFault as fault:
                _tell(asked.waiting, fault)
            else:
                if not asked.waiting.done():
                    asked.waiting.set_result(reply)

    async def _create(self, gathered: list[PendingRequest]) -> str:
        from anthropic import AnthropicError

        takes = self.backend.takes_temperature
        sent = {asked.key: asked.request.temperature if takes else None for asked in gathered}
        entries = [_entry(asked, sent[asked.key], self.backend.model) for asked in gathered]
        first = next((t for t in sent.values() if t is not None), None)
        try:
            raw = await self.backend.client().messages.batches.with_raw_response.create(
                requests=entries, extra_headers=None if first is None else TAKES_TEMPERATURE
            )
            body, reply = json.loads(raw.http_response.request.content), json.loads(raw.http_response.content)
            batch_id = reply["id"]
            if not isinstance(batch_id, str):
                raise ValueError("the id of a batch is a text")
        except (AnthropicError, ValueError) as fault:
            raise self.backend.fault(fault, gathered[0].request.model, first) from None
        except (KeyError, TypeError) as fault:
            raise malformed(gathered[0].request.model, f"no batch: {fault!r}", self.backend.keys) from None
        self.book.opened(batch_id, list(sent))
        self._open = {**(self._open or {}), **dict.fromkeys(sent, batch_id)}
        bodies = {one["custom_id"]: one["params"] for one in body["requests"]}
        for key, temperature in sent.items():
            self._sent[batch_id, key] = Sent(bodies[key.hex()], temperature)
        return batch_id

    async def _from(self, batch_id: str, key: bytes, request: Request) -> Reply:
        """The result of one request of a batch.

        Raises:
            ProviderFault: the batch has none, or it cannot be fetched.
        """
        polling = self._polled.get(batch_id)
        if polling is None or (polling.done() and (polling.cancelled() or polling.exception())):
            polling = asyncio.get_running_loop().create_task(self._results(batch_id, request.model))
            self._polled[batch_id] = polling
        try:
            result = (await asyncio.shield(polling)).get(key)
        except ProviderFault as fault:
            if fault.kind != "not found":
                raise
            # the provider no longer has the batch: its requests may be sent again
            self._failed.add((batch_id, key))
            raise ProviderFault(str(fault), fault.kind, heals=True, retry_after_s=0) from None
        ours = (batch_id, key) in self._sent
        # bodies are not saved beyond a process: the key is the digest of the request, so it is made again;
        # whether its temperature was sent is not known
        sent = self._sent.pop((batch_id, key), None) or Sent(
            message_params(request, self.backend.model), None
        )
        try:
            return read_result(result, sent, request, self.backend)
        except ProviderFault as fault:
            self._failed.add((batch_id, key))
            if ours:
                raise
            # a request that failed in an earlier process is sent once more by this one
            raise ProviderFault(str(fault), fault.kind, heals=True, retry_after_s=0) from None

    async def _results(self, batch_id: str, asked: str) -> dict[bytes, Any]:
        """Poll a batch until it has ended, and fetch all its results, by key."""
        missed = 0
        for pause in self.pace.pauses():
            try:
                if (found := await self._poll(batch_id, asked)) is not None:
                    return found
                missed = 0
            except ProviderFault as fault:
                missed += 1
                if not fault.heals or missed >= self.pace.misses:
                    raise
                pause = max(pause, fault.retry_after_s or 0)
            await asyncio.sleep(pause)
        raise AssertionError("pauses never end")

    async def _poll(self, batch_id: str, asked: str) -> dict[bytes, Any] | None:
        from anthropic import AnthropicError
        from httpx2 import HTTPError

        batches = self.backend.client().messages.batches
        try:
            batch = await batches.retrieve(batch_id)
            if batch.processing_status != "ended":
                return None
            wanted = {key for key, one in (self._open or {}).items() if one == batch_id}
            async with batches.with_streaming_response.results(batch_id) as lines:
                return await read_lines(lines.iter_bytes(), wanted, self.backend.max_reply_bytes)
        except HTTPError as fault:
            said = one_line(f"{asked}: the connection failed: {fault!r}", self.backend.keys)
            raise ProviderFault(said, "connection", heals=True) from None
        except (AnthropicError, ValueError) as fault:
            raise self.backend.fault(fault, asked) from None
        except (AttributeError, KeyError, TypeError) as fault:
            raise malformed(asked, f"no results of a batch: {fault!r}", self.backend.keys) from None


def _entry(asked: PendingRequest, temperature: float | None, name: str) -> BatchEntry:
    params = message_params(asked.request, name)
    if temperature is not None:
        params["temperature"] = temperature
    return {"custom_id": asked.key.hex(), "params": params}


def _tell(waiting: asyncio.Future[Reply], fault: BaseException) -> None:
    if not waiting.done():
        waiting.set_exception(fault)
        waiting.exception()  # marks it as retrieved, even if no caller waits any more
