"""A provider on loopback that sends set bytes, piece by piece, and keeps each request as it came."""

import asyncio
import gzip
import json
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from aiohttp import web

PAUSE, DIE, STALL = "pause", "die", "stall"
"""What happens between two pieces: a moment, the end of the connection, nothing any more."""


@dataclass(frozen=True)
class Arrived:
    """A request as it came."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes


@dataclass(frozen=True)
class Sends:
    """A reply: its pieces, bytes or one of the words above. Without a length it is sent in chunks."""

    pieces: Sequence[bytes | str]
    headers: dict[str, str] = field(default_factory=dict)
    status: int = 200


@dataclass
class RawProvider:
    """Where it listens, what came, and how many of its replies lost their client."""

    url: str = ""
    arrived: list[Arrived] = field(default_factory=list)
    in_flight: int = 0
    most_in_flight: int = 0
    lost: int = 0
    go_on: asyncio.Event = field(default_factory=asyncio.Event)


@asynccontextmanager
async def raw_provider(answer: Callable[[Arrived], Sends]) -> AsyncIterator[RawProvider]:
    """A server that asks `answer` for each request."""
    provider = RawProvider()

    async def handle(request: web.BaseRequest) -> web.StreamResponse:
        body = await request.read()
        headers = {name.lower(): value for name, value in request.headers.items()}
        arrived = Arrived(request.method, request.raw_path, headers, body)
        provider.arrived.append(arrived)
        provider.in_flight += 1
        provider.most_in_flight = max(provider.most_in_flight, provider.in_flight)
        try:
            return await send(request, answer(arrived))
        except (asyncio.CancelledError, ConnectionError):
            provider.lost += 1
            raise
        finally:
            provider.in_flight -= 1

    async def send(request: web.BaseRequest, reply: Sends) -> web.StreamResponse:
        out = web.StreamResponse(status=reply.status, headers=reply.headers)
        await out.prepare(request)
        await out.write(b"")  # the headers go at once
        for piece in () if request.method == "HEAD" else reply.pieces:
            if isinstance(piece, bytes):
                await out.write(piece)
            elif piece == PAUSE:
                await asyncio.sleep(0.005)
            elif piece == STALL:
                await provider.go_on.wait()
            else:
                await asyncio.sleep(0.005)
                assert request.transport is not None
                request.transport.abort()
                return web.Response()
        await out.write_eof()
        return out

    server = web.Server(handle, handler_cancellation=True, auto_decompress=False, access_log=None)
    runner = web.ServerRunner(server, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0, backlog=1024).start()
    provider.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
    try:
        yield provider
    finally:
        provider.go_on.set()
        await runner.cleanup()


JSON = {"content-type": "application/json"}
STREAM = {"content-type": "text/event-stream; charset=utf-8"}


def whole(body: object, status: int = 200, **headers: str) -> Sends:
    """A JSON reply in one piece, with its length."""
    raw = json.dumps(body).encode()
    more = {name.replace("_", "-"): value for name, value in headers.items()}
    return Sends([raw], {**JSON, "content-length": str(len(raw)), **more}, status)


def zipped(body: object) -> Sends:
    """A JSON reply, compressed, in two chunks."""
    raw = gzip.compress(json.dumps(body).encode())
    return Sends([raw[:20], PAUSE, raw[20:]], {**JSON, "content-encoding": "gzip"})


def events(*bodies: dict[str, object] | str, named: bool = True) -> list[bytes]:
    """Server-sent events; a text stands as it is."""
    lines = []
    for body in bodies:
        name = f"event: {body['type']}\n" if named and isinstance(body, dict) else ""
        lines.append(f"{name}data: {body if isinstance(body, str) else json.dumps(body)}\n\n".encode())
    return lines


MESSAGE = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "model": "claude-haiku-4-5-20251001",
    "content": [{"type": "text", "text": "hello"}],
    "stop_reason": "end_turn",
    "stop_sequence": None,
    "usage": {
        "input_tokens": 11,
        "output_tokens": 3,
        "cache_read_input_tokens": 5,
        "cache_creation_input_tokens": 2,
    },
}
STARTED = MESSAGE | {"content": [], "usage": MESSAGE["usage"] | {"output_tokens": 1}}
TOOL_USE = {"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": {}}
MESSAGE_EVENTS = events(
    {"type": "message_start", "message": STARTED},
    {"type": "content_block_start", "index": 0, "content_block": TOOL_USE},
    {
        "type": "content_block_delta",
        "index": 0,
        "delta": {"type": "input_json_delta", "partial_json": '{"command": "echo \\"usage\\": {é"}'},
    },
    {"type": "content_block_stop", "index": 0},
    {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 42}},
    {"type": "message_stop"},
)
CHAT = {
    "id": "chatcmpl-1",
    "object": "chat.completion",
    "created": 1,
    "model": "gpt-5-mini-2025-08-07",
    "choices": [{"index": 0, "message": {"role": "assistant", "content": "hello"}, "finish_reason": "stop"}],
    "usage": {
        "prompt_tokens": 16,
        "completion_tokens": 3,
        "total_tokens": 19,
        "prompt_tokens_details": {"cached_tokens": 5},
    },
}


def chat_events(with_usage: bool) -> list[bytes]:
    """A stream of chat completions, with its usage in the last chunk or nowhere."""
    part: dict[str, object] = {"id": "c", "object": "chat.completion.chunk", "created": 1}
    part |= {"model": CHAT["model"], "usage": None}
    said = [
        part | {"choices": [{"index": 0, "delta": {"content": text}, "finish_reason": None}]}
        for text in ("hel", "lo")
    ]
    last = [part | {"choices": [], "usage": CHAT["usage"]}] if with_usage else []
    return events(*said, *last, "[DONE]", named=False)


RESPONSE = {
    "id": "resp_1",
    "object": "response",
    "created_at": 1,
    "model": "gpt-5-mini",
    "status": "completed",
    "output": [],
    "usage": {
        "input_tokens": 16,
        "output_tokens": 3,
        "total_tokens": 19,
        "input_tokens_details": {"cached_tokens": 5},
    },
}
RESPONSE_EVENTS = events(
    {"type": "response.created", "sequence_number": 0, "response": RESPONSE | {"usage": None}},
    {"type": "response.output_text.delta", "sequence_number": 1, "delta": "hello", "item_id": "a",
     "output_index": 0, "content_index": 0, "logprobs": []},
    {"type": "response.completed", "sequence_number": 2, "response": RESPONSE},
)  # fmt: skip
EMBEDDINGS = {
    "object": "list",
    "data": [{"object": "embedding", "index": 0, "embedding": [0.5, 0.25]}],
    "model": "text-embedding-3-small",
    "usage": {"prompt_tokens": 7, "total_tokens": 7},
}
