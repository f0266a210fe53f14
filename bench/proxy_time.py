"""The time that the proxy adds to a request, against the same server without it, in turns.

Server, proxy and client have a process each. The model takes its time, as models do, and the clients do not
ask in step: else what is measured is how 50 requests that come at one moment share a processor. On a machine
that is busy the median says how long a process waits for its turn; the processor time says what was done.
"""

import asyncio
import multiprocessing
import tempfile
import time
from collections.abc import Iterator
from contextlib import AsyncExitStack, contextmanager
from multiprocessing.connection import Connection
from pathlib import Path
from random import Random
from statistics import median, quantiles

from aiohttp import ClientSession

from bench.figure import Figure
from bench.model_client import KEY, REPLY
from bench.serving import LONGEST_START_S, served
from memtrial.models.client.prices import shipped_prices
from memtrial.models.scripted.protocol import ScriptedAnswer
from memtrial.models.scripted.scripted_server import Script
from memtrial.proxy.exchange_folder import exchange_folder
from memtrial.proxy.exchange_store import ExchangeStore, MemoryExchanges
from memtrial.proxy.loopback_proxy import ProxyBooks, open_proxy
from memtrial.proxy.proxy_session import SessionTerms
from memtrial.proxy.upstreams import Upstream, Upstreams
from tests.support.said_lines import Line, Lines

AT_ONCE, ROUNDS, EACH = 50, 6, 6
"""Clients, turns of each peer, and requests of a client in a turn."""
LATENCY_S = 0.3
SIZES = (3_000, 50_000)
"""Bytes of a request: a small one, and one of Claude Code."""
WANTED_MS = 1.0


def figures() -> Iterator[Figure]:
    """One figure a size, kept in memory; and the larger size kept in a folder."""
    script = Script(Lines((Line("", ScriptedAnswer(REPLY)),)), latency_s=LATENCY_S)
    with served(script) as url:
        for size, in_folder in ((SIZES[0], False), (SIZES[1], False), (SIZES[1], True)):
            with _proxied(url, in_folder) as proxy:
                yield asyncio.run(_figure(url, proxy, size, in_folder))


async def _figure(url: str, proxy: Connection, size: int, in_folder: bool) -> Figure:
    proxy_url, token = proxy.recv()
    bare: list[float] = []
    through: list[float] = []
    async with ClientSession() as client:
        for number in range(ROUNDS + 1):
            turns = ((url, KEY, bare), (proxy_url, token, through))
            for address, key, times in turns if number % 2 else reversed(turns):
                took = await _play(client, address, key, size)
                times.extend(took if number else ())  # the first turn only opens the connections
    proxy.send(None)
    cpu_ms = proxy.recv() * 1e3 / (len(through) * (ROUNDS + 1) / ROUNDS)
    medians_ms = median(through) * 1e3, median(bare) * 1e3
    late_ms = (quantiles(through, n=20)[-1] - quantiles(bare, n=20)[-1]) * 1e3
    return Figure(
        f"a request of {size / 1000:g} kB through the proxy, kept in {'a folder' if in_folder else 'memory'}",
        f"{AT_ONCE} at a time, a model of {LATENCY_S:g} s, {len(bare)} requests each:"
        f" {medians_ms[0] - medians_ms[1]:.2f} ms added at the median ({medians_ms[0]:.2f} against"
        f" {medians_ms[1]:.2f}), {late_ms:.2f} at the 95th percentile; {cpu_ms:.2f} ms of processor time",
        medians_ms[0] / medians_ms[1],
        1 + WANTED_MS / medians_ms[1],
    )


async def _play(client: ClientSession, url: str, key: str, size: int) -> list[float]:
    """Seconds of each request of a turn."""
    rng = Random(size)
    times: list[float] = []

    async def ask(number: int) -> None:
        await asyncio.sleep(LATENCY_S * number / AT_ONCE)
        for turn in range(EACH):
            text = f"{number} {turn} {rng.random()} ".ljust(size, "x")
            body = {
                "model": "claude-haiku-4-5",
                "max_tokens": 100,
                "messages": [{"role": "user", "content": text}],
            }
            begun = time.perf_counter()
            async with client.post(f"{url}/v1/messages", json=body, headers={"x-api-key": key}) as reply:
                await reply.read()
                assert reply.status == 200
            times.append(time.perf_counter() - begun)

    await asyncio.gather(*(ask(number) for number in range(AT_ONCE)))
    return times


@contextmanager
def _proxied(url: str, in_folder: bool) -> Iterator[Connection]:
    """A proxy in a process of its own: it sends its address and token and, when asked, its seconds."""
    spawn = multiprocessing.get_context("spawn")
    here, there = spawn.Pipe()
    process = spawn.Process(target=_serve, args=(url, in_folder, there), daemon=True)
    process.start()
    try:
        if not here.poll(LONGEST_START_S):
            raise TimeoutError("the proxy did not start")
        yield here
    finally:
        here.close()
        process.join(5)
        if process.is_alive():
            process.terminate()


def _serve(url: str, in_folder: bool, there: Connection) -> None:
    asyncio.run(_serve_proxy(url, in_folder, there))


async def _serve_proxy(url: str, in_folder: bool, there: Connection) -> None:
    async with AsyncExitStack() as opened:
        store: ExchangeStore = MemoryExchanges()
        if in_folder:
            folder = Path(opened.enter_context(tempfile.TemporaryDirectory()))
            store = opened.enter_context(exchange_folder(folder / "kept"))
        upstreams = Upstreams({"anthropic": Upstream("anthropic", url, {"x-api-key": KEY})})
        proxy = await opened.enter_async_context(open_proxy(upstreams, ProxyBooks(store, shipped_prices())))
        session = proxy.open_session(SessionTerms("bench"))
        there.send((session.url, session.token))
        begun_s = time.process_time()
        await asyncio.to_thread(there.poll, None)
        there.send(time.process_time() - begun_s)


if __name__ == "__main__":
    for figure in figures():
        print(figure.line(), flush=True)
