"""The scripted server on loopback, in the running loop or in a thread of its own."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Coroutine, Iterator
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TextIO, TypeVar

from loadbearing.models.scripted.answers import Answers
from loadbearing.models.scripted.batch_handlers import BatchHandlers
from loadbearing.models.scripted.faults import Fault, Faults
from loadbearing.models.scripted.handlers import Handlers
from loadbearing.models.scripted.protocol import Json, ScriptFault
from loadbearing.models.scripted.request_log import Counts
from loadbearing.models.scripted.response import Answering

if TYPE_CHECKING:
    from aiohttp import web

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
        latency_s: how long a model takes to answer, in seconds; a batch takes as long as one answer.
        echo: every answer carries the body of its request under the key `request`; where the system prompt
            was dropped by script, without it.
        seed: of the faults that strike by chance.
        models: the model ids that are served, others get 404; any id where it is empty.
        log: a JSON line for each request is added here; None for no log.
    """

    answers: Answers
    faults: tuple[Fault, ...] = ()
    latency_s: float = 0.0
    echo: bool = False
    seed: int = 0
    models: tuple[str, ...] = ()
    log: Path | None = None


@dataclass(frozen=True)
class Running:
    """A server that runs.

    Args:
        url: its address, without `/v1` and without a slash at its end: what ANTHROPIC_BASE_URL takes.
    """

    url: str
    _counts: Counts

    @property
    def openai_url(self) -> str:
        """What OPENAI_BASE_URL takes."""
        return f"{self.url}/v1"

    def counts(self) -> Json:
        """The sums so far, as `GET /_scripted/counts` answers."""
        return self._counts.summary()


@asynccontextmanager
async def scripted_server(script: Script, port: int = 0) -> AsyncIterator[Running]:
    """Serve in the running loop until the block is left.

    Args:
        port: 0 takes a free one.

    Raises:
        ScriptFault: the port is taken, or the log cannot be written.
    """
    from aiohttp import web

    with ExitStack() as files:
        handlers = Handlers(
            Answering(script.answers, script.models, script.echo),
            Faults(script.faults, script.seed),
            Counts(),
            script.latency_s,
        )
        batches = BatchHandlers(handlers)
        # a request whose client is gone is cancelled
        runner = web.AppRunner(
            _app(handlers, batches), access_log=None, handler_cancellation=True, shutdown_timeout=SHUTDOWN_S
        )
        await runner.setup()
        try:
            site = web.TCPSite(runner, HOST, port, backlog=BACKLOG)
            try:
                await site.start()
            except (OSError, OverflowError) as fault:
                raise ScriptFault(
                    f"port {port} of {HOST} cannot be used: {fault}; 0 takes a free one"
                ) from fault
            if script.log is not None:
                # after the port is open: a server that cannot start leaves no file
                handlers.counts.log = files.enter_context(_open(script.log))
            yield Running(f"http://{HOST}:{runner.addresses[0][1]}", handlers.counts)
        finally:
            handlers.closing.set()
            await batches.stop()
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


def _open(path: Path) -> TextIO:
    try:
        return path.open("a", encoding="utf-8", buffering=1)
    except OSError as fault:
        raise ScriptFault(
            f"cannot write the log {path}: {fault.strerror}; name a file in a folder that is there"
        ) from fault


def _app(handlers: Handlers, batches: BatchHandlers) -> web.Application:
    from aiohttp import web

    app = web.Application(client_max_size=LARGEST)
    for base in ("/v1", ""):
        app.add_routes(
            [
                web.post(f"{base}/messages", handlers.messages),
                web.post(f"{base}/messages/count_tokens", handlers.count_tokens),
                web.post(f"{base}/messages/batches", batches.make),
                web.get(f"{base}/messages/batches", batches.list),
                web.get(f"{base}/messages/batches/{{name}}", batches.read),
                web.get(f"{base}/messages/batches/{{name}}/results", batches.results),
                web.post(f"{base}/messages/batches/{{name}}/cancel", batches.cancel),
                web.post(f"{base}/chat/completions", handlers.chat),
                web.post(f"{base}/embeddings", handlers.embeddings),
                web.get(f"{base}/models", handlers.models),
                web.get(f"{base}/models/{{name:.+}}", handlers.models),
            ]
        )
    app.router.add_get("/_scripted/counts", handlers.summary)
    app.router.add_route("*", "/{path:.*}", handlers.unknown)
    return app
