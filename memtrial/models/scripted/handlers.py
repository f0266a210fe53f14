"""The handlers: take each request, apply the script's faults, answer it, count it."""

import asyncio
import json
from collections import Counter
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TextIO, cast

from aiohttp import web

from memtrial.models.client.connection_reset import reset_connection
from memtrial.models.client.types import Request
from memtrial.models.embeddings.embedding import HashingEmbedder
from memtrial.models.scripted import protocol
from memtrial.models.scripted.event_stream import write_events
from memtrial.models.scripted.fault_script import STATUSES, Faults, ScriptedFault
from memtrial.models.scripted.protocol import Channel, Json, Refused, ScriptedAnswer
from memtrial.models.scripted.scripted_answers import Answers
from memtrial.models.wire.closed_choice import find_closed_list, write_choice
from memtrial.models.wire.json_fields import unpack

DIALECTS: dict[Channel, protocol.Dialect] = {
    "messages": protocol.AnthropicDialect(),
    "chat": protocol.OpenAIDialect(),
    "responses": protocol.ResponsesDialect(),
    "embeddings": protocol.OpenAIDialect(),
}
OTHER_MODEL = "some-other-model"
LOST = ("malformed JSON", "cut-off body")
"""Faults under which an answer is written that never arrives whole."""


class _Dropped(Exception):
    """The connection ends without an answer."""


@dataclass(frozen=True)
class Script:
    """What the server does.

    Args:
        latency_s: how long a model takes to answer, in seconds.
        echo: every answer carries the body of its request under the key `request`; where the system prompt
            was dropped by script, without it.
    """

    answers: Answers
    faults: tuple[ScriptedFault, ...] = ()
    latency_s: float = 0.0
    echo: bool = False
    log: Path | None = None


@dataclass
class Visit:
    """One request while it is being answered: a line of the log.

    Args:
        n: its number, from 1.
        digest: in hex (memtrial/models/client/types.py); empty where it asks nothing.
        status: of HTTP; None where none was sent.
        answered: a whole answer to a question was sent, whatever its text: what a provider bills.
        streamed: the client asked for a stream of events.
        temperature: as asked for; None where it was not.
    """

    n: int
    path: str
    model: str = ""
    digest: str = ""
    fault: str = ""
    status: int | None = None
    answered: bool = False
    streamed: bool = False
    temperature: float | None = None


@dataclass
class Running:
    """A server that runs, and answers requests by a script.

    Args:
        url: without `/v1` and a slash at its end: what ANTHROPIC_BASE_URL takes.
        closing: once it is set, no client waits for what never comes.
    """

    script: Script
    url: str = ""
    log: TextIO | None = None
    requests: int = 0
    in_flight: int = 0
    answered: int = 0
    struck: Counter[str] = field(default_factory=Counter)
    closing: asyncio.Event = field(default_factory=asyncio.Event)
    _repeats: Counter[bytes] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self._faults = Faults(self.script.faults)

    @property
    def openai_url(self) -> str:
        """What OPENAI_BASE_URL takes."""
        return f"{self.url}/v1"

    def counts(self) -> Json:
        """The requests so far, those in flight, the answers that a provider bills, and the faults by kind."""
        so_far: Json = {name: getattr(self, name) for name in ("requests", "in_flight", "answered")}
        return so_far | {"faults": dict(self.struck)}

    async def serve(self, channel: Channel, request: web.Request) -> web.StreamResponse:
        """One request from its first to its last byte."""
        self.requests += 1
        self.in_flight += 1
        visit, dialect = Visit(self.requests, request.path), DIALECTS[channel]
        name = f"req_scripted_{visit.n:06d}"
        headers = {"request-id": name, "x-request-id": name}
        work = self._answer_embeddings if channel == "embeddings" else self._answer
        try:
            written, fault = await work(visit, channel, request)
            visit.status, visit.answered = 200, visit.fault not in LOST
        except Refused as refused:
            visit.status = refused.status
            if refused.retry_after_s is not None:
                headers["retry-after"] = f"{refused.retry_after_s:g}"
            return web.json_response(dialect.error(refused), status=refused.status, headers=headers)
        except _Dropped:
            return _reset_connection(request)
        finally:
            # before the answer goes out: a client that has it finds it counted
            self.in_flight -= 1
            self.answered += visit.answered
            if self.log is not None:
                self.log.write(json.dumps({**vars(visit), "fault": visit.fault or None}) + "\n")
        if visit.streamed:
            body, form = write_events(channel, written), "text/event-stream"
        else:
            body, form = json.dumps(written, ensure_ascii=False).encode(), "application/json"
        answer = web.Response(body=body, content_type=form, headers=headers)
        return await self._send(request, answer, fault)

    async def _answer(
        self, visit: Visit, channel: Channel, request: web.Request
    ) -> tuple[Json, ScriptedFault | None]:
        """The body of the answer to a question, and the fault that damages it on its way."""
        body, dialect = await _read_body(request), DIALECTS[channel]
        question = dialect.read(body, request.headers.get("anthropic-version", ""))
        visit.model, visit.digest = question.model, question.digest.hex()
        visit.temperature = question.temperature
        visit.streamed = body.get("stream") is True
        fault = await self._admit(visit, channel, "\n".join(message.text for message in question.messages))
        if visit.fault == "drop system":
            question = protocol.drop_system(question)
            body = dialect.write_question(question)
        closed = find_closed_list(unpack(question.settings))
        asked = question if closed is None else replace(question, choices=closed.choices)
        answer = await self._find_answer(replace(asked, scored=body.get("logprobs") is True), fault)
        if closed is not None and closed.closing == "schema" and answer.stop == "end":
            answer = replace(answer, text=write_choice(answer.text))
        model = OTHER_MODEL if visit.fault == "wrong model" else question.model
        input_tokens = protocol.tokens(*(message.text for message in question.messages))
        return self._add_echo(dialect.write(visit.n, model, answer, input_tokens), body), fault

    async def _answer_embeddings(
        self, visit: Visit, channel: Channel, request: web.Request
    ) -> tuple[Json, ScriptedFault | None]:
        """As `_answer`, for a request for embeddings."""
        body = await _read_body(request)
        question = protocol.parse_fields(protocol.EmbeddingQuestion, body)
        visit.model = question.model
        fault = await self._admit(visit, channel, "\n".join(question.input))
        texts = [] if visit.fault == "empty content" else question.input
        # in a thread: the first vectors import a library, which takes seconds
        vectors = await asyncio.to_thread(HashingEmbedder(question.dimensions).vectors, texts)
        model = OTHER_MODEL if visit.fault == "wrong model" else question.model
        return self._add_echo(protocol.write_embeddings(question, model, vectors), body), fault

    async def _admit(self, visit: Visit, channel: Channel, text: str) -> ScriptedFault | None:
        """Apply the script and wait as a model does; the fault that damages the answer, unless it ends it."""
        fault = self._faults.strike(channel, text)
        if fault is not None:
            visit.fault = fault.kind
            self.struck[fault.kind] += 1
        await asyncio.sleep(self.script.latency_s)
        if fault is not None and fault.kind in ("time-out", "reset"):
            if fault.kind == "time-out":
                await self.closing.wait()
            raise _Dropped
        if fault is not None and fault.kind in STATUSES:
            raise fault.refusal(channel)
        return fault

    async def _find_answer(self, question: Request, fault: ScriptedFault | None) -> ScriptedAnswer:
        """The answer, odd where a fault has it so; raises Refused where there is none."""
        kind = fault.kind if fault else ""
        if kind in ("refusal", "empty content"):
            answer = ScriptedAnswer("", "refusal" if kind == "refusal" else "end")
        else:
            repeat = self._repeats[question.digest]
            # counted before the answer is there: two equal requests in flight get different repeats
            self._repeats[question.digest] += kind not in LOST
            answer = await self.script.answers.say(question, repeat)
        most = None if question.max_tokens is None else question.max_tokens * protocol.CHARACTERS
        if most is not None and len(answer.text) > most:
            answer = ScriptedAnswer(answer.text[:most], "length")
        if fault is not None and kind == "large reply":
            return ScriptedAnswer(f"{answer.text} {'x' * fault.size}", answer.stop)
        return answer

    def _add_echo(self, body: Json, question: Json) -> Json:
        return {**body, "request": question} if self.script.echo else body

    async def _send(
        self, request: web.Request, answer: web.Response, fault: ScriptedFault | None
    ) -> web.StreamResponse:
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
                return _reset_connection(request)
            await response.write(body[place : place + 1])
        await response.write_eof()
        return response


async def _read_body(request: web.Request) -> Json:
    try:
        return cast("Json", json.loads(await request.read()))
    except (ValueError, RecursionError, web.RequestPayloadError) as fault:
        raise Refused(400, "the request body is not valid JSON") from fault


def _reset_connection(request: web.Request) -> web.Response:
    if request.transport is not None:
        reset_connection(request.transport)
    return web.Response()  # goes nowhere; the framework wants one
