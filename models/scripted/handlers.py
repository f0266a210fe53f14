"""The handlers: take each request, apply the script's faults, answer it, count it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, cast

from loadbearing.models.embeddings.embedding import HashingEmbedder
from loadbearing.models.scripted.anthropic_shapes import AnthropicDialect, read_prompt
from loadbearing.models.scripted.delivery import JSON, LINES, reset, send, whole
from loadbearing.models.scripted.faults import STATUSES, Fault, Faults
from loadbearing.models.scripted.openai_shapes import (
    EmbeddingQuestion,
    OpenAIDialect,
    write_embeddings,
    write_model,
    write_models,
)
from loadbearing.models.scripted.protocol import (
    Channel,
    Json,
    Refused,
    parsed,
    prompt,
    request_id,
    tokens,
)
from loadbearing.models.scripted.request_log import Counts, Visit
from loadbearing.models.scripted.response import LOST, Answering, Dialect

if TYPE_CHECKING:
    from aiohttp import web

ANTHROPIC, OPENAI = AnthropicDialect(), OpenAIDialect()
VERSION = "anthropic-version"
WITHOUT_MODEL = ("batches", "models")
"""Channels that no model answers: they have no latency. The questions of a batch have."""
BILLED = ("messages", "chat", "embeddings")
"""Channels whose answers a provider bills."""


class _Dropped(Exception):
    """The connection ends without an answer."""


@dataclass
class ScriptedCall:
    """A request that is being answered."""

    handlers: Handlers
    channel: Channel
    visit: Visit
    body: Json
    fault: Fault | None = None

    async def admit(self, text: str, model: str = "", digest: str = "") -> Fault | None:
        """Apply the script and wait as long as a model takes; the fault by which the answer is damaged.

        Args:
            text: where a `match` of the script is looked for.
            model, digest: for the log.

        Raises:
            Refused: an error by status struck.
        """
        handlers, visit = self.handlers, self.visit
        visit.model, visit.digest = model, digest
        self.fault = fault = handlers.strike(self.channel, text, visit)
        if handlers.latency_s and self.channel not in WITHOUT_MODEL:
            await asyncio.sleep(handlers.latency_s)
        if fault is None:
            return None
        if fault.kind == "time-out":
            await handlers.closing.wait()
        if fault.kind in ("time-out", "reset"):
            raise _Dropped
        if fault.kind in STATUSES:
            raise fault.refusal(self.channel)
        return fault


Handler = Callable[[ScriptedCall], Awaitable[Json | str]]
"""Call → its answer: an object, or text that is sent as it is."""


@dataclass
class Handlers:
    """Answers requests.

    Args:
        latency_s: how long a model takes to answer, in seconds.
        closing: set when the server goes down, so that no client waits for an answer that never comes.
    """

    answering: Answering
    faults: Faults
    counts: Counts
    latency_s: float
    closing: asyncio.Event = field(default_factory=asyncio.Event)

    async def serve(
        self, request: web.Request, channel: Channel, dialect: Dialect, answer: Handler
    ) -> web.StreamResponse:
        """One request from its first to its last byte."""
        resource = request.match_info.route.resource
        visit = self.counts.begin(request.path, resource.canonical if resource else request.path)
        headers = {"request-id": request_id(visit.number), "x-request-id": request_id(visit.number)}
        try:
            call = ScriptedCall(self, channel, visit, await _body(request))
            written = await answer(call)
            visit.status = 200
            visit.answered = channel in BILLED and visit.fault not in LOST
        except Refused as refused:
            visit.status = refused.status
            if refused.retry_after_s is not None:
                headers["retry-after"] = f"{refused.retry_after_s:g}"
            return whole(_dump(dialect.error(refused, visit.number)), JSON, refused.status, headers)
        except _Dropped:
            return reset(request)
        except asyncio.CancelledError:
            visit.gone = True
            raise
        finally:
            # before the answer goes out: a client that has it finds it counted
            self.counts.end(visit)
        if isinstance(written, str):
            return await send(request, whole(written.encode(), LINES, 200, headers), call.fault, self.closing)
        return await send(request, whole(_dump(written), JSON, 200, headers), call.fault, self.closing)

    async def question(self, request: web.Request, channel: Channel, dialect: Dialect) -> web.StreamResponse:
        """A message or a chat completion."""

        async def answer(call: ScriptedCall) -> Json:
            asked = dialect.read(call.body, request.headers.get(VERSION, ""))
            self.answering.check_model(asked.model)
            fault = await call.admit(prompt(asked), asked.model, asked.digest.hex())
            return await self.answering.answer(dialect, call.body, asked, fault, call.visit.number)

        return await self.serve(request, channel, dialect, answer)

    async def messages(self, request: web.Request) -> web.StreamResponse:
        """`POST /v1/messages`."""
        return await self.question(request, "messages", ANTHROPIC)

    async def chat(self, request: web.Request) -> web.StreamResponse:
        """`POST /v1/chat/completions`."""
        return await self.question(request, "chat", OPENAI)

    async def count_tokens(self, request: web.Request) -> web.StreamResponse:
        """`POST /v1/messages/count_tokens`."""

        async def answer(call: ScriptedCall) -> Json:
            asked = read_prompt(call.body)
            await call.admit(prompt(asked), asked.model)
            counted = tokens(*(message.content for message in asked.messages))
            return self.answering.echoed({"input_tokens": counted}, call.body)

        return await self.serve(request, "count_tokens", ANTHROPIC, answer)

    async def embeddings(self, request: web.Request) -> web.StreamResponse:
        """`POST /v1/embeddings`."""

        async def answer(call: ScriptedCall) -> Json:
            asked = parsed(EmbeddingQuestion, call.body)
            self.answering.check_model(asked.model)
            fault = await call.admit("\n".join(asked.input), asked.model)
            kind = fault.kind if fault is not None else ""
            texts = asked.input if kind != "empty content" else []
            # in a thread: the first vectors import a library, which takes seconds
            vectors = await asyncio.to_thread(HashingEmbedder(asked.dimensions).embed, texts)
            model = fault.model if fault is not None and kind == "wrong model" else asked.model
            return self.answering.echoed(write_embeddings(asked, model, vectors.array), call.body)

        return await self.serve(request, "embeddings", OPENAI, answer)

    async def models(self, request: web.Request) -> web.StreamResponse:
        """`GET /v1/models` and `GET /v1/models/{name}`."""
        name = request.match_info.get("name", "")

        async def answer(call: ScriptedCall) -> Json:
            await call.admit(name, name)
            if not name:
                return write_models(self.answering.models)
            self.answering.check_model(name)
            return write_model(name)

        return await self.serve(request, "models", _dialect(request), answer)

    async def unknown(self, request: web.Request) -> web.StreamResponse:
        """Any other path."""

        async def answer(call: ScriptedCall) -> Json:
            raise Refused(404, f"the scripted server has no {request.method} {call.visit.path}")

        return await self.serve(request, "models", _dialect(request), answer)

    async def summary(self, request: web.Request) -> web.StreamResponse:  # noqa: ARG002
        """`GET /_scripted/counts`; not counted itself."""
        return whole(_dump(self.counts.summary()), JSON, 200, {})

    def strike(self, channel: Channel, text: str, visit: Visit) -> Fault | None:
        """The fault that strikes this; it is counted."""
        fault = self.faults.strike(channel, text)
        if fault is not None:
            visit.fault = fault.kind
            self.counts.faults[fault.kind] += 1
        return fault


async def _body(request: web.Request) -> Json:
    raw = await request.read()
    if request.method == "GET" or (not raw and request.path.endswith("/cancel")):
        return {}
    try:
        body = json.loads(raw)
    except (ValueError, RecursionError) as fault:
        raise Refused(400, "the request body is not valid JSON") from fault
    if not isinstance(body, dict):
        raise Refused(400, "the request body is a JSON object")
    if b"\\ud" in raw.lower() and not _is_text(body):
        raise Refused(400, "the request body holds half of a surrogate pair, which is no text")
    return cast("Json", body)


def _is_text(body: Json) -> bool:
    try:
        _dump(body)
    except UnicodeEncodeError:
        return False
    return True


def _dump(body: Json) -> bytes:
    return json.dumps(body, ensure_ascii=False).encode()


def _dialect(request: web.Request) -> Dialect:
    """That of the client, on a path that both providers have."""
    return ANTHROPIC if VERSION in request.headers else OPENAI
