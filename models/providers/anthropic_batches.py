"""Message batches: many requests at half the price, each sent once even if the run is killed."""

import asyncio
import json
from collections.abc import AsyncIterator, Collection, Coroutine, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, NamedTuple, TypeVar

from loadbearing.models.client.cache import CallCache
from loadbearing.models.client.client import key_of
from loadbearing.models.client.limits import MAX_REPLY_BYTES, bounded, too_large
from loadbearing.models.client.types import ProviderFault, Reply, Request
from loadbearing.models.providers.anthropic import (
    TAKES_TEMPERATURE,
    AnthropicBackend,
    message_params,
    read_message,
)
from loadbearing.models.providers.http_errors import fault_of_status, malformed, one_line, temperature_refused

STATUSES: Mapping[str, int] = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "billing_error": 402,
    "permission_error": 403,
    "not_found_error": 404,
    "timeout_error": 408,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "overloaded_error": 529,
}
"""Type of an error of one request → the status it would have alone; others are the server's."""

LARGE = "too large"
T = TypeVar("T")
NAP_S = 0.05
"""Seconds between two looks whether a batch is to be sent."""


class Sent(NamedTuple):
    """What was sent for one key: the parsed body, and the temperature in it."""

    body: Any
    temperature: float | None


@dataclass(frozen=True, slots=True)
class Pace:
    """How batches are gathered and polled.

    Args:
        gather_s, most: a batch is sent when no request came for so long, or when so many wait.
        poll_s: seconds between two polls of a batch.
        misses: polls in a row that may fail before the fault is raised.
    """

    gather_s: float = 2.0
    most: int = 1000
    poll_s: float = 20.0
    misses: int = 20


@dataclass
class AnthropicBatches:
    """Collects requests, sends them as one batch, polls, and gives each its own result.

    The id of a batch is saved before the first poll. A request whose key is in an open batch is fetched from
    there and not sent again. An answer takes up to a day, so the caller must not set a short time-out.

    Args:
        book: where the ids of open batches are saved beyond the life of the process.
    """

    backend: AnthropicBackend
    book: CallCache
    pace: Pace = field(default_factory=Pace)
    free: ClassVar[bool] = False
    _open: dict[bytes, str] | None = None
    _gathered: dict[bytes, Request] = field(default_factory=dict)
    _joined_at: float = 0.0
    _gathering: asyncio.Task[None] | None = None
    _polled: dict[str, asyncio.Task[dict[bytes, Any]]] = field(default_factory=dict)
    _sent: dict[bytes, Sent] = field(default_factory=dict)
    _tasks: set[asyncio.Task[Any]] = field(default_factory=set)

    async def answer(self, request: Request, repeat: int) -> Reply:
        """Wait for the answer to one request. Its key in the call cache names it within its batch.

        Raises:
            ProviderFault: the request brought no answer; asked again it is sent again, or fetched again from
                the batch that still has it.
            StoreFault: the id of its batch cannot be saved.
        """
        key = key_of(request, repeat)
        if self._open is None:
            self._open = dict(self.book.open_batches())
        if key not in self._open:
            self._gathered[key], self._joined_at = request, asyncio.get_running_loop().time()
            self._gathering = self._gathering or self._begun(self._send())
            # a caller that is cancelled does not cancel the others
            await asyncio.shield(self._gathering)
        batch_id = self._open[key]
        if batch_id not in self._polled:
            self._polled[batch_id] = self._begun(self._results(batch_id, request.model))
        try:
            result = (await asyncio.shield(self._polled[batch_id])).get(key)
        except ProviderFault as fault:
            if fault.kind != "not found":
                raise
            # the provider no longer has the batch: its requests may be sent again
            del self._open[key]
            raise ProviderFault(str(fault), fault.kind, heals=True, retry_after_s=0) from None
        sent = self._sent.pop(key, None)
        # bodies are not saved beyond a process: the key is the digest of the request, so it is made again;
        # whether its temperature was sent is not known
        told = sent or Sent(message_params(request, self.backend.model), None)
        try:
            return read_result(result, told, request, self.backend)
        except ProviderFault as fault:
            del self._open[key]
            if sent is not None:
                raise
            # a request that failed in an earlier process is sent once more by this one
            raise ProviderFault(str(fault), fault.kind, heals=True, retry_after_s=0) from None

    async def close(self) -> None:
        """Stop polling; the batches go on at the provider and stay in the book."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self.backend.close()

    def _begun(self, work: Coroutine[None, None, T]) -> asyncio.Task[T]:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def _send(self) -> None:
        """Wait until no more requests come, and send those that came as one batch."""
        from anthropic import AnthropicError

        loop = asyncio.get_running_loop()
        while (
            len(self._gathered) < self.pace.most
            and (left_s := self._joined_at + self.pace.gather_s - loop.time()) > 0
        ):
            await asyncio.sleep(min(left_s, NAP_S))
        gathered, self._gathered, self._gathering = self._gathered, {}, None
        backend, asked = self.backend, next(iter(gathered.values())).model
        entries, temperatures = [], {}
        for key, request in gathered.items():
            params = message_params(request, backend.model)
            if backend.takes_temperature and request.temperature is not None:
                params["temperature"] = temperatures[key] = request.temperature
            entries.append({"custom_id": key.hex(), "params": params})
        first = next(iter(temperatures.values()), None)
        try:
            raw = await backend.client.messages.batches.with_raw_response.create(
                requests=entries, extra_headers=None if first is None else TAKES_TEMPERATURE
            )
            body, reply = json.loads(raw.http_response.request.content), json.loads(raw.http_response.content)
            batch_id = reply["id"]
            if not isinstance(batch_id, str):
                raise ValueError("the id of a batch is a text")
        except (AnthropicError, ValueError) as fault:
            raise backend.fault(fault, asked, first) from None
        except (KeyError, TypeError) as fault:
            raise malformed(asked, f"no batch: {fault!r}", backend.keys) from None
        self.book.opened(batch_id, list(gathered))
        bodies = {one["custom_id"]: one["params"] for one in body["requests"]}
        for key in gathered:
            self._sent[key] = Sent(bodies[key.hex()], temperatures.get(key))
        self._open = {**(self._open or {}), **dict.fromkeys(gathered, batch_id)}

    async def _results(self, batch_id: str, asked: str) -> dict[bytes, Any]:
        """Poll a batch until it has ended, and fetch all its results, by key."""
        missed = 0
        while True:
            wait_s = self.pace.poll_s
            try:
                if (found := await self._poll(batch_id, asked)) is not None:
                    return found
                missed = 0
            except ProviderFault as fault:
                missed += 1
                if not fault.heals or missed >= self.pace.misses:
                    del self._polled[batch_id]
                    raise
                wait_s = max(wait_s, fault.retry_after_s or 0)
            await asyncio.sleep(wait_s)

    async def _poll(self, batch_id: str, asked: str) -> dict[bytes, Any] | None:
        from anthropic import AnthropicError
        from httpx2 import HTTPError

        backend = self.backend
        batches = backend.client.messages.batches
        try:
            batch = await batches.retrieve(batch_id)
            if batch.processing_status != "ended":
                return None
            wanted = {key for key, one in (self._open or {}).items() if one == batch_id}
            async with batches.with_streaming_response.results(batch_id) as lines:
                return await read_lines(lines.iter_bytes(), wanted, backend.max_reply_bytes, asked)
        except HTTPError as fault:
            said = one_line(f"{asked}: the connection failed: {fault!r}", backend.keys)
            raise ProviderFault(said, "connection", heals=True) from None
        except (AnthropicError, ValueError) as fault:
            raise backend.fault(fault, asked) from None
        except (AttributeError, KeyError, TypeError) as fault:
            raise malformed(asked, f"no results of a batch: {fault!r}", backend.keys) from None


async def read_lines(
    pieces: AsyncIterator[bytes], wanted: Collection[bytes], most: int, asked: str
) -> dict[bytes, Any]:
    """The results of a batch for the keys that are wanted; of one of more than `most` bytes only that it is.

    Raises:
        ValueError, TypeError, KeyError: a line is no result.
        ProviderFault: there is more than so many results can be.
    """
    whole = max(most, MAX_REPLY_BYTES) * len(wanted)
    body = b"".join([piece async for piece in bounded(pieces, whole, asked)])
    found: dict[bytes, Any] = {}
    for line in filter(bytes.strip, body.split(b"\n")):
        one = json.loads(line)
        key = bytes.fromhex(one["custom_id"])
        if key in wanted:
            found[key] = {"type": LARGE} if len(line) > most else one["result"]
    return found


def read_result(result: Any, sent: Sent, request: Request, backend: AnthropicBackend) -> Reply:
    """The reply in the parsed JSON of a result.

    Raises:
        ProviderFault: it holds none. Where the model refused the temperature, none is sent from now on.
    """
    keys, asked = backend.keys, request.model
    how = result.get("type") if isinstance(result, dict) else None
    if how == "succeeded":
        reply = read_message(result.get("message"), sent.body, request, sent.temperature, keys)
        return replace(reply, batched=True)
    if how == "errored":
        said = json.dumps(result.get("error"))
        refused = temperature_refused(400, said, asked)
        if sent.temperature is not None and refused is not None:
            backend.takes_temperature = False
            raise refused
        status = next((one for name, one in STATUSES.items() if name in said), 500)
        raise fault_of_status(status, f"in a batch: {said}", {}, asked, keys)
    if how == LARGE:
        raise too_large(asked, backend.max_reply_bytes)
    if how == "canceled":
        raise ProviderFault(f"{asked}: the batch was cancelled", "server error", heals=False)
    if how == "expired":
        raise ProviderFault(f"{asked}: the batch expired", "time-out", heals=True)
    raise malformed(asked, "a batch without a result for this request", keys)
