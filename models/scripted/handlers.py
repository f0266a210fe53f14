"""The handlers: take each request, let the script damage it, answer it, count it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from loadbearing.models.embeddings.embedding import HashingEmbedder
from loadbearing.models.scripted.anthropic_shapes import AnthropicDialect, read_prompt
from loadbearing.models.scripted.delivery import JSON, LINES, reset, send, whole
from loadbearing.models.scripted.faults import STATUSES, Fault, Faults
from loadbearing.models.scripted.openai_shapes import (
    OpenAIDialect,
    dimensions_of,
    texts_to_embed,
    write_embeddings,
    write_model,
    write_models,
)
from loadbearing.models.scripted.protocol import Body, Channel, Dialect, Refused, request_id
from loadbearing.models.scripted.request_log import Counts, Visit
from loadbearing.models.scripted.response import LOST, Answering

if TYPE_CHECKING:
    from aiohttp import web

ANTHROPIC, OPENAI = AnthropicDialect(), OpenAIDialect()
VERSION = "anthropic-version"
PROMPT = ("batches", "models")
"""Channels that no model answers: they have no latency. The questions of a batch have."""


@dataclass(frozen=True, slots=True)
class HandlerJob:
    """What is to be done for a request.

    Args:
        text: what a `match` of the script looks into.
        produce: the fault that struck → the answer: an object, or text that is sent as it stands.
        model, digest: for the log.
        question: an answer is what a provider bills.
    """

    text: str
    produce: Callable[[Fault | None], Awaitable[dict[str, Any] | str]]
    model: str = ""
    digest: str = ""
    question: bool = False


@dataclass
class Handlers:
    """Answers requests.

    Args:
        latency_s: how long a model takes to answer, in seconds.
        closing: set when the server goes down, so that nobody waits for an answer that never comes.
    """

    answering: Answering
    faults: Faults
    counts: Counts
    latency_s: float
    closing: asyncio.Event = field(default_factory=asyncio.Event)

    async def serve(
        self,
        request: web.Request,
        channel: Channel,
        dialect: Dialect,
        job: Callable[[Body, Visit], HandlerJob],
    ) -> web.StreamResponse:
        """One request from its first to its last byte."""
        resource = request.match_info.route.resource
        visit = self.counts.begin(request.path, resource.canonical if resource else request.path)
        headers = {"request-id": request_id(visit.number), "x-request-id": request_id(visit.number)}
        fault = None
        try:
            todo = job(await _body(request), visit)
            visit.model, visit.digest = todo.model, todo.digest
            fault = self.strike(channel, todo.text, visit)
            if self.latency_s and channel not in PROMPT:
                await asyncio.sleep(self.latency_s)
            if fault is not None and fault.kind == "time-out":
                await self.closing.wait()
            if fault is not None and fault.kind in STATUSES:
                raise fault.refusal(channel)
            if fault is None or fault.kind not in ("time-out", "reset"):
                made = await todo.produce(fault)
                visit.status = 200
                visit.answered = todo.question and visit.fault not in LOST
        except Refused as refused:
            visit.status = refused.status
            if refused.retry_after_s is not None:
                headers["retry-after"] = f"{refused.retry_after_s:g}"
            body = _dump(dialect.error(refused, visit.number))
            return whole(body, JSON, refused.status, headers)
        except asyncio.CancelledError:
            visit.gone = True
            raise
        finally:
            # before the answer goes out: whoever has it finds it counted
            self.counts.end(visit)
        if visit.status is None:
            return reset(request)
        if isinstance(made, str):
            return await send(request, made.encode(), LINES, headers, fault, self.closing)
        return await send(request, _dump(made), JSON, headers, fault, self.closing)

    async def question(self, request: web.Request, channel: Channel, dialect: Dialect) -> web.StreamResponse:
        """A message or a chat completion."""

        def job(body: Body, visit: Visit) -> HandlerJob:
            asked = dialect.read(body, request.headers.get(VERSION, ""))
            self.answering.check_model(asked.request.model)

            async def produce(fault: Fault | None) -> dict[str, Any]:
                return await self.answering.answer(dialect, body, asked, fault, visit.number)

            return HandlerJob(asked.text, produce, asked.request.model, asked.request.digest.hex(), True)

        return await self.serve(request, channel, dialect, job)

    async def messages(self, request: web.Request) -> web.StreamResponse:
        """`POST /v1/messages`."""
        return await self.question(request, "messages", ANTHROPIC)

    async def chat(self, request: web.Request) -> web.StreamResponse:
        """`POST /v1/chat/completions`."""
        return await self.question(request, "chat", OPENAI)

    async def count_tokens(self, request: web.Request) -> web.StreamResponse:
        """`POST /v1/messages/count_tokens`."""

        def job(body: Body, visit: Visit) -> HandlerJob:  # noqa: ARG001
            asked = read_prompt(body)

            async def produce(fault: Fault | None) -> dict[str, Any]:  # noqa: ARG001
                length = sum(len(block.text) for block in asked.blocks)
                return self._echo({"input_tokens": length // 4}, body)

            return HandlerJob(asked.text, produce, asked.request.model)

        return await self.serve(request, "count_tokens", ANTHROPIC, job)

    async def embeddings(self, request: web.Request) -> web.StreamResponse:
        """`POST /v1/embeddings`."""

        def job(body: Body, visit: Visit) -> HandlerJob:  # noqa: ARG001
            model, texts = texts_to_embed(body)
            self.answering.check_model(model)
            embedder = HashingEmbedder(dimensions_of(body, HashingEmbedder().dimensions))

            async def produce(fault: Fault | None) -> dict[str, Any]:
                kind = fault.kind if fault is not None else ""
                shown = texts if kind != "empty content" else ()
                # in a thread: the first vectors bring in a library that takes its time
                vectors = await asyncio.to_thread(embedder.embed, shown)
                named = fault.model if fault is not None and kind == "wrong model" else model
                return self._echo(write_embeddings(named, shown, vectors.array, body), body)

            return HandlerJob("\n".join(texts), produce, model, question=True)

        return await self.serve(request, "embeddings", OPENAI, job)

    async def models(self, request: web.Request) -> web.StreamResponse:
        """`GET /v1/models` and `GET /v1/models/{name}`."""
        name = request.match_info.get("name", "")

        def job(body: Body, visit: Visit) -> HandlerJob:  # noqa: ARG001
            async def produce(fault: Fault | None) -> dict[str, Any]:  # noqa: ARG001
                if name:
                    self.answering.check_model(name)
                    return write_model(name)
                return write_models(self.answering.models)

            return HandlerJob(name, produce, name)

        return await self.serve(request, "models", _dialect(request), job)

    async def unknown(self, request: web.Request) -> web.StreamResponse:
        """Any other path."""

        def job(body: Body, visit: Visit) -> HandlerJob:  # noqa: ARG001
            raise Refused(404, f"the scripted server has no {request.method} {request.path}")

        return await self.serve(request, "models", _dialect(request), job)

    async def summary(self, request: web.Request) -> web.StreamResponse:  # noqa: ARG002
        """`GET /_scripted/counts`; not counted itself."""
        return whole(_dump(self.counts.summary()), JSON, 200, {})

    def strike(self, channel: Channel, text: str, visit: Visit) -> Fault | None:
        """What the script has in store for this; it is counted at once."""
        fault = self.faults.strike(channel, text)
        if fault is not None:
            visit.fault = fault.kind
            self.counts.faults[fault.kind] += 1
        return fault

    def _echo(self, written: dict[str, Any], body: Body) -> dict[str, Any]:
        return {**written, "request": body} if self.answering.echo else written


async def _body(request: web.Request) -> Body:
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
        raise Refused(400, "the request body holds half of a character pair, which is no text")
    return body


def _is_text(body: Body) -> bool:
    try:
        json.dumps(body, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True


def _dump(body: dict[str, Any]) -> bytes:
    return json.dumps(body, ensure_ascii=False).encode()


def _dialect(request: web.Request) -> Dialect:
    """On a path that both providers have."""
    return ANTHROPIC if VERSION in request.headers else OPENAI
