"""A provider on loopback that says what a test tells it to, and keeps what it heard."""

import asyncio
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Heard:
    """One request as it arrived."""

    method: str
    path: str
    headers: dict[str, str]
    body: Any


@dataclass(frozen=True)
class Said:
    """One answer. `body` is sent as JSON unless it is bytes; `cut` leaves that many bytes of it unsent."""

    body: Any = None
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    wait_s: float = 0.0
    cut: int = 0
    reset: bool = False


@dataclass
class Stub:
    """Where it listens, what it heard, and how many requests it had at once at most."""

    url: str = ""
    heard: list[Heard] = field(default_factory=list)
    now: int = 0
    at_once: int = 0


@contextmanager
def provider(answer: Callable[[Heard], Said]) -> Iterator[Stub]:
    """A server that asks `answer` for each request, for as long as the context lasts."""
    stub, ready, loop = Stub(), threading.Event(), asyncio.new_event_loop()
    stop = asyncio.Event()

    async def serve() -> None:
        from aiohttp import web

        async def handle(request: web.Request) -> web.StreamResponse:
            raw = await request.read()
            body = json.loads(raw) if raw else None
            heard = Heard(
                request.method, request.path, {k.lower(): v for k, v in request.headers.items()}, body
            )
            stub.heard.append(heard)
            stub.now += 1
            stub.at_once = max(stub.at_once, stub.now)
            try:
                return await _send(request, answer(heard))
            finally:
                stub.now -= 1

        app = web.Application(client_max_size=2**28)
        app.router.add_route("*", "/{tail:.*}", handle)
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0, backlog=1024)
        await site.start()
        stub.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
        ready.set()
        await stop.wait()
        await runner.cleanup()

    thread = threading.Thread(target=loop.run_until_complete, args=(serve(),), daemon=True)
    thread.start()
    ready.wait(20)
    try:
        yield stub
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join(20)
        loop.close()


async def _send(request: Any, said: Said) -> Any:
    from aiohttp import web

    await asyncio.sleep(said.wait_s)
    raw = said.body if isinstance(said.body, bytes) else json.dumps(said.body).encode()
    headers = {"content-type": "application/json", **said.headers}
    if said.reset:
        request.transport.abort()
        return web.Response()
    if said.cut:
        reply = web.StreamResponse(status=said.status, headers={**headers, "content-length": str(len(raw))})
        await reply.prepare(request)
        await reply.write(raw[: -said.cut])
        request.transport.close()
        return reply
    return web.Response(status=said.status, headers=headers, body=raw)


def anthropic_reply(text: str = "hello", **changed: Any) -> dict[str, Any]:
    """What the messages API answers."""
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude-test",
        "content": [{"type": "text", "text": text}],
        "stop_reason": "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 11, "output_tokens": 3},
        **changed,
    }


def openai_reply(text: str | None = "hello", finish: str = "stop", **changed: Any) -> dict[str, Any]:
    """What the chat completions API answers."""
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "gpt-test",
        "choices": [{"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": finish}],
        "usage": {"prompt_tokens": 11, "completion_tokens": 3, "total_tokens": 14},
        **changed,
    }
