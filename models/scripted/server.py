"""The scripted server on loopback, in the running loop or in a thread of its own."""

import asyncio
import threading
from collections.abc import AsyncIterator, Coroutine, Iterator
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypeVar

from aiohttp import web

from loadbearing.models.scripted.answers import Answers
from loadbearing.models.scripted.faults import Fault, Faults
from loadbearing.models.scripted.handlers import ANTHROPIC, OPENAI, Handlers
from loadbearing.models.scripted.protocol import Json, ScriptFault

HOST = "127.0.0.1"
LARGEST = 256 * 1024 * 1024
SHUTDOWN_S = 0.2
BACKLOG = 1024
T = TypeVar("T")


@dataclass(frozen=True)
class Script:
    """What the server does.

    Args:
        answers: see `answers_from`.
        faults: what goes wrong, and when.
        latency_s: how long a model takes to answer, in seconds.
        echo: every answer carries the body of its request under the key `request`; where the system prompt
            was dropped by script, without it.
        log: a JSON line for each request is added here; None for no log.
    """

    answers: Answers
    faults: tuple[Fault, ...] = ()
    latency_s: float = 0.0
    echo: bool = False
    log: Path | None = None


@dataclass(frozen=True)
class Running:
    """A server that runs.

    Args:
        url: its address, without `/v1` and without a slash at its end: what ANTHROPIC_BASE_URL takes.
    """

    url: str
    _handlers: Handlers

    @property
    def openai_url(self) -> str:
        """What OPENAI_BASE_URL takes."""
        return f"{self.url}/v1"

    def counts(self) -> Json:
        """The requests so far, those in flight, the answers that a provider bills, and the faults by kind."""
        seen = self._handlers
        return {
            "requests": seen.requests,
            "in_flight": seen.in_flight,
            "answered": seen.answered,
            "faults": dict(seen.struck),
        }


@asynccontextmanager
async def scripted_server(script: Script, port: int = 0) -> AsyncIterator[Running]:
    """Serve in the running loop until the block is left.

    Args:
        port: 0 takes a free one.

    Raises:
        ScriptFault: the port is taken, or the log cannot be written.
    """
    handlers = Handlers(script.answers, Faults(script.faults), script.latency_s, script.echo)
    app = web.Application(client_max_size=LARGEST)
    app.add_routes(
        [
            web.post("/v1/messages", partial(handlers.question, "messages", ANTHROPIC)),
            web.post("/v1/chat/completions", partial(handlers.question, "chat", OPENAI)),
            web.post("/v1/embeddings", handlers.embeddings),
        ]
    )
    # a request whose client is gone is cancelled
    runner = web.AppRunner(app, access_log=None, handler_cancellation=True, shutdown_timeout=SHUTDOWN_S)
    with ExitStack() as files:
        await runner.setup()
        try:
            try:
                await web.TCPSite(runner, HOST, port, backlog=BACKLOG).start()
            except (OSError, OverflowError) as fault:
                raise ScriptFault(
                    f"port {port} of {HOST} cannot be used: {fault}; 0 takes a free one"
                ) from fault
            try:
                # after the port is open: a server that cannot start leaves no file
                if script.log is not None:
                    handlers.log = files.enter_context(script.log.open("a", encoding="utf-8", buffering=1))
            except OSError as fault:
                raise ScriptFault(
                    f"cannot write the log {script.log}: {fault.strerror}; its folder must be there"
                ) from fault
            yield Running(f"http://{HOST}:{runner.addresses[0][1]}", handlers)
        finally:
            handlers.closing.set()
            await runner.cleanup()


@contextmanager
def running(script: Script, port: int = 0) -> Iterator[Running]:
    """Serve in a thread with a loop of its own until the block is left.

    Raises:
        ScriptFault: the port is taken, or the log cannot be written.
    """
    loop, opened = asyncio.new_event_loop(), AsyncExitStack()
    thread = threading.Thread(target=loop.run_forever, name="scripted server", daemon=True)
    thread.start()

    def result(work: Coroutine[None, None, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, loop).result()

    try:
        yield result(opened.enter_async_context(scripted_server(script, port)))
    finally:
        result(opened.aclose())
        result(loop.shutdown_default_executor())
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()
