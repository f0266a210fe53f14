"""The scripted server on loopback, in the running loop or in a thread of its own."""

import asyncio
import threading
from collections.abc import AsyncIterator, Coroutine, Iterator
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager, contextmanager
from functools import partial
from typing import TypeVar

from aiohttp import web

from memtrial.models.client.scripted_mark import MARK
from memtrial.models.scripted.handlers import Running, Script
from memtrial.models.scripted.protocol import Channel, ScriptFault

__all__ = ["Running", "Script", "scripted_server", "serve_script"]

HOST = "127.0.0.1"
MODEL = "scripted"
LARGEST = 256 * 1024 * 1024
T = TypeVar("T")


async def _list_models(_: web.Request) -> web.Response:
    """It answers to any name, and lists one."""
    return web.json_response({"object": "list", "data": [{"id": MODEL, "object": "model"}]})


async def _greet(_: web.Request) -> web.Response:
    """Some clients look whether anybody is there before they ask."""
    return web.Response(text="a scripted server\n")


async def _mark(_: web.Request, reply: web.StreamResponse) -> None:
    """No reply is taken for a language model's."""
    reply.headers[MARK] = "1"


@asynccontextmanager
async def scripted_server(script: Script, port: int = 0) -> AsyncIterator[Running]:
    """Serve in this loop until the block is left; port 0 takes a free one. ScriptFault where it is taken."""
    handlers = Running(script)
    app = web.Application(client_max_size=LARGEST)
    routes: dict[str, Channel] = {
        "messages": "messages",
        "chat/completions": "chat",
        "responses": "responses",
        "embeddings": "embeddings",
    }
    app.add_routes([web.post(f"/v1/{path}", partial(handlers.serve, name)) for path, name in routes.items()])
    app.add_routes([web.get("/v1/models", _list_models), web.get("/", _greet)])
    app.on_response_prepare.append(_mark)
    # a request whose client is gone is cancelled
    runner = web.AppRunner(app, access_log=None, handler_cancellation=True, shutdown_timeout=0.2)
    with ExitStack() as files:
        await runner.setup()
        try:
            try:
                await web.TCPSite(runner, HOST, port, backlog=1024).start()
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
            handlers.url = f"http://{HOST}:{runner.addresses[0][1]}"
            yield handlers
        finally:
            handlers.closing.set()
            await runner.cleanup()


@contextmanager
def serve_script(script: Script, port: int = 0) -> Iterator[Running]:
    """Serve in a thread with a loop of its own until the block is left; raises as `scripted_server`."""
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
