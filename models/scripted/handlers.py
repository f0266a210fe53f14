"""The handlers: take each request, apply the script's faults, answer it, count it."""

import asyncio
import json
import socket
import struct
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TextIO, cast

from aiohttp import web

from loadbearing.models.client.types import Request
from loadbearing.models.embeddings.embedding import HashingEmbedder
from loadbearing.models.scripted.answers import Answers
from loadbearing.models.scripted.faults import STATUSES, Fault, Faults
from loadbearing.models.scripted.protocol import Channel, Json, Refused, Said, prompt
from loadbearing.models.scripted.shapes import (
    CHARACTERS,
    AnthropicDialect,
    EmbeddingQuestion,
    OpenAIDialect,
    parsed,
    tokens,
    write_embeddings,
)

ANTHROPIC, OPENAI = AnthropicDialect(), OpenAIDialect()
Dialect = AnthropicDialect | OpenAIDialect
VERSION = "anthropic-version"
OTHER_MODEL = "some-other-model"
LOST = ("malformed JSON", "cut-off body")
"""Faults under which an answer is written that never arrives whole."""


class _Dropped(Exception):
    """The connection ends without an answer."""


@dataclass
class Visit:
    """One request while it is being answered.

    Args:
        number: of the request, from 1.
        digest: of the request in hex (models/client/types.py); empty where it asks nothing.
        status: the HTTP status; None where none was sent.
        answered: a whole answer to a question was sent, whatever its text: what a provider bills.
    """

    number: int
    path: str
    channel: Channel
    model: str = ""
    digest: str = ""
    fault: Fault | None = None
    status: int | None = None
    answered: bool = False


Work = Callable[[Visit, Json], Awaitable[Json]]
"""Visit and body → the answer."""


@dataclass
class Handlers:
    """Answers requests; see `Script` for the first four fields.

    Args:
        log: where a JSON line for each request goes; None for nowhere.
        closing: set when the server goes down, so that no client waits for an answer that never comes.
    """

    answers: Answers
    faults: Faults
    latency_s: float
    echo: bool
    log: TextIO | None = None
    requests: int = 0
    in_flight: int = 0
    answered: int = 0
    struck: Counter[str] = field(default_factory=Counter)
    closing: asyncio.Event = field(default_factory=asyncio.Event)
    _repeats: Counter[bytes] = field(default_factory=Counter)

    async def question(self, channel: Channel, dialect: Dialect, request: web.Request) -> web.StreamResponse:
        """`POST /v1/messages` and `POST /v1/chat/completions`."""

        async def work(visit: Visit, body: Json) -> Json:
            asked = dialect.read(body, request.headers.get(VERSION, ""))
            visit.model, visit.digest = asked.model, asked.digest.hex()
            await self.admit(visit, prompt(asked))
            return await self.reply(visit, dialect, body, asked)

        return await self.serve(request, channel, dialect, work)

    async def embeddings(self, request: web.Request) -> web.StreamResponse:
        """`POST /v1/embeddings`."""

        async def work(visit: Visit, body: Json) -> Json:
            asked = parsed(EmbeddingQuestion, body)
            visit.model = asked.model
            fault = await self.admit(visit, "\n".join(asked.input))
            texts = [] if fault and fault.kind == "empty content" else asked.input
            # in a thread: the first vectors import a library, which takes seconds
            vectors = await asyncio.to_thread(HashingEmbedder(asked.dimensions).vectors, texts)
            model = OTHER_MODEL if fault and fault.kind == "wrong model" else asked.model
            return self._echoed(write_embeddings(asked, model, vectors), body)

        return await self.serve(request, "embeddings", OPENAI, work)

    async def serve(
        self, request: web.Request, channel: Channel, dialect: Dialect, work: Work
    ) -> web.StreamResponse:
        """One request from its first to its last byte."""
        self.requests += 1
        self.in_flight += 1
        visit = Visit(self.requests, request.path, channel)
        name = f"req_scripted_{visit.number:06d}"
        headers = {"request-id": name, "x-request-id": name}
        try:
            written = await work(visit, await _body(request))
            visit.status = 200
            visit.answered = not (visit.fault and visit.fault.kind in LOST)
        except Refused as refused:
            visit.status = refused.status
            if refused.retry_after_s is not None:
                headers["retry-after"] = f"{refused.retry_after_s:g}"
            return web.json_response(dialect.error(refused), status=refused.status, headers=headers)
        except _Dropped:
            return _reset(request)
        finally:
            # before the answer goes out: a client that has it finds it counted
            self.in_flight -= 1
            self.note(visit)
        body = json.dumps(written, ensure_ascii=False).encode()
        answer = web.Response(body=body, content_type="application/json", headers=headers)
        return await self._send(request, answer, visit.fault)

    async def admit(self, visit: Visit, text: str) -> Fault | None:
        """Apply the script and wait as long as a model takes; the fault by which the answer is damaged.

        Args:
            text: where a `match` of the script is looked for.

        Raises:
            Refused: an error by status struck.
        """
        visit.fault = fault = self.faults.strike(visit.channel, text)
        if fault is not None:
            self.struck[fault.kind] += 1
        await asyncio.sleep(self.latency_s)
        if fault is None:
            return None
        if fault.kind == "time-out":
            await self.closing.wait()
        if fault.kind in ("time-out", "reset"):
            raise _Dropped
        if fault.kind in STATUSES:
            raise fault.refusal(visit.channel)
        return fault

    async def reply(self, visit: Visit, dialect: Dialect, body: Json, asked: Request) -> Json:
        """The body of an answer, odd where a fault has it so.

        Args:
            asked: `body` as it was read.

        Raises:
            Refused: there is no answer to this.
        """
        fault, kind = visit.fault, visit.fault.kind if visit.fault else ""
        if kind == "drop system":
            body = dialect.without_system(body)
            asked = dialect.read(body, "")
        if kind in ("refusal", "empty content"):
            said = Said("", "refusal" if kind == "refusal" else "end")
        else:
            repeat = self._repeats[asked.digest]
            if kind not in LOST:
                # counted before the answer is there: two equal requests in flight get different repeats
                self._repeats[asked.digest] += 1
            said = await self.answers.say(asked, repeat)
        most = asked.max_tokens * CHARACTERS
        if len(said.text) > most:
            said = Said(said.text[:most], "length")
        if fault and kind == "large reply":
            said = Said(f"{said.text} {'x' * fault.size}", said.stop)
        model = OTHER_MODEL if kind == "wrong model" else asked.model
        input_tokens = tokens(*(message.content for message in asked.messages))
        return self._echoed(dialect.write(visit.number, model, said, input_tokens), body)

    def note(self, visit: Visit) -> None:
        """Count and log what is done."""
        self.answered += visit.answered
        if self.log is not None:
            row = {"n": visit.number, "path": visit.path, "model": visit.model, "digest": visit.digest}
            row |= {"fault": visit.fault and visit.fault.kind, "status": visit.status}
            row |= {"answered": visit.answered}
            self.log.write(json.dumps(row, ensure_ascii=False) + "\n")

    def _echoed(self, written: Json, body: Json) -> Json:
        return {**written, "request": body} if self.echo else written

    async def _send(
        self, request: web.Request, answer: web.Response, fault: Fault | None
    ) -> web.StreamResponse:
        """An answer, damaged as the fault has it."""
        body, kind = cast("bytes", answer.body), fault.kind if fault else ""
        if kind == "malformed JSON":
            answer.body = body[: len(body) // 2]
        if fault is None or kind not in ("cut-off body", "slow drip"):
            return answer
        response = web.StreamResponse(headers=answer.headers)
        response.content_length = len(body)
        await response.prepare(request)
        if kind == "cut-off body":
            await response.write(body[: len(body) // 2])
            if request.transport is not None:
                request.transport.close()
            return response
        loop = asyncio.get_running_loop()
        start = loop.time()
        for place in range(len(body)):
            due = start + fault.lasts_s * (place + 1) / len(body)
            await asyncio.sleep(max(0.0, due - loop.time()))
            if self.closing.is_set():
                return _reset(request)
            await response.write(body[place : place + 1])
        await response.write_eof()
        return response


async def _body(request: web.Request) -> Json:
    try:
        return cast("Json", json.loads(await request.read()))
    except ValueError as fault:
        raise Refused(400, "the request body is not valid JSON") from fault


def _reset(request: web.Request) -> web.Response:
    """Tear the connection down without an answer."""
    if request.transport is not None:
        # no lingering: the client sees a reset and not an orderly end
        raw = request.transport.get_extra_info("socket")
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        request.transport.abort()
    return web.Response()  # goes nowhere; the framework wants one
