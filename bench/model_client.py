"""Time per call through the model client against the provider's own SDK, on the same server.

Both keep their connections in one event loop and are asked in turns, a slice each: what else the machine does
meanwhile strikes both alike.
"""

import asyncio
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from importlib.util import find_spec
from pathlib import Path
from random import Random
from typing import Any

from bench.figure import Beside, Figure, Spent
from bench.serving import served
from bench.words import WORDS
from memtrial.call_purpose import PLAY
from memtrial.ledger.sqlite.sqlite_ledger import SqliteLedger
from memtrial.models.client.cache import CallCache
from memtrial.models.client.client import ModelClient
from memtrial.models.client.keys import Keys
from memtrial.models.client.prices import shipped_prices
from memtrial.models.client.transport import Transport
from memtrial.models.client.types import Message, Request
from memtrial.models.providers.anthropic import message_params
from memtrial.models.providers.open import open_backend
from memtrial.models.scripted.protocol import ScriptedAnswer
from memtrial.models.scripted.scripted_server import Script
from tests.support.said_lines import Line, Lines

AT_ONCE, MANY = 50, 200
SLICE, SLICES = 100, 40
"""Calls in a slice of 50 at once, and slices of each peer."""
REPLY = "Thought: The valve is shut, and the note says to open it before the pump.\nAction: open valve"
KEY = "key-of-the-bench"
MODELS = {"anthropic": "anthropic/claude-haiku-4-5", "openai": "openai/gpt-5-mini"}
BOUND = 1.15

Ask = Callable[[Request], Awaitable[object]]
Asking = Callable[[Keys], AbstractAsyncContextManager[Ask]]


def figures() -> Iterator[Figure]:
    """One figure a provider, and one of inspect_ai where it is installed."""
    script = Script(Lines((Line("", ScriptedAnswer(REPLY)),)))
    with served(script) as url:
        keys = Keys(
            {
                "ANTHROPIC_API_KEY": KEY,
                "ANTHROPIC_BASE_URL": url,
                "OPENAI_API_KEY": KEY,
                "OPENAI_BASE_URL": f"{url}/v1",
            }
        )
        yield asyncio.run(_against("the bare SDK", "anthropic", keys, bare_anthropic, SLICES))
        many = _against("the bare SDK", "anthropic", keys, bare_anthropic, SLICES // 4, MANY)
        yield asyncio.run(many)
        # what of it is the client's and not the model client's
        yield asyncio.run(_against("the bare SDK on aiohttp", "anthropic", keys, _on_aiohttp, SLICES))
        # the peer is slow: fewer slices
        yield asyncio.run(_against("the bare SDK", "openai", keys, _bare_openai, SLICES // 3))
        if find_spec("inspect_ai") is not None:
            yield asyncio.run(_against("inspect_ai", "anthropic", keys, _inspect, SLICES // 3))


async def _against(
    what: str, provider: str, keys: Keys, peer: Asking, slices: int, at_once: int = AT_ONCE
) -> Figure:
    size = SLICE * at_once // AT_ONCE
    asked = requests(MODELS[provider], size * (slices + 1))
    cut = [asked[at : at + size] for at in range(0, len(asked), size)]
    async with _through(keys, at_once) as ours, peer(keys) as theirs:
        # what comes first only opens the connections
        await ask_all(cut[0], ours, at_once)
        await ask_all(cut[0], theirs, at_once)
        measured: tuple[list[Spent], list[Spent]] = ([], [])
        for number, some in enumerate(cut[1:]):
            for who in (0, 1) if number % 2 else (1, 0):
                measured[who].append(await ask_all(some, (ours, theirs)[who], at_once))
    both = Beside(*measured)
    return Figure(
        f"{provider}/... through the model client against {what}",
        f"{slices} slices of {size} calls each, {at_once} at once: {both.ours_s / size * 1e3:.2f} and"
        f" {both.peer_s / size * 1e3:.2f} ms a call; of processor time {both.cpu_ratio:.2f}",
        both.ratio,
        BOUND if peer is not _on_aiohttp else None,
        spread=both.spread,
    )


def requests(model: str, count: int) -> tuple[Request, ...]:
    """Distinct conversations of 1 to 4 kB: a system prompt with a memory, and up to three turns behind it."""
    rng = Random(1)

    def prose(length: int) -> str:
        text = " ".join(rng.choices(WORDS, k=length // 5))
        return text[:length]

    rules = prose(700)
    made = []
    for number in range(count):
        messages = [Message("system", f"{rules}\n\n# Memory\n{prose(rng.randint(100, 800))}")]
        for turn in range(rng.randint(1, 4)):
            if turn:
                messages.append(Message("assistant", REPLY))
            messages.append(Message("user", f"Task {number}, turn {turn}: {prose(rng.randint(200, 500))}"))
        made.append(Request(model, tuple(messages)))
    return tuple(made)


@asynccontextmanager
async def _through(keys: Keys, at_once: int) -> AsyncIterator[Ask]:
    """Model client, sender and a ledger on disk: intents and answers committed."""
    with tempfile.TemporaryDirectory() as folder:
        ledger = SqliteLedger(Path(folder) / "ledger.sqlite")
        transport = Transport(max_connections=at_once, prices=shipped_prices(), max_usd=1e6)
        model_client = ModelClient(
            CallCache(ledger.calls), lambda model: open_backend(model, keys), transport
        )
        try:
            yield lambda request: model_client.ask(request, 0, PLAY)
        finally:
            await model_client.close()
            ledger.close()


@asynccontextmanager
async def bare_anthropic(keys: Keys) -> AsyncIterator[Ask]:
    """The bodies the model client sends, by its own function: the same texts and cache marks."""
    from anthropic import AsyncAnthropic

    url = keys.values["ANTHROPIC_BASE_URL"]
    async with AsyncAnthropic(api_key=KEY, base_url=url, max_retries=0) as client:
        yield lambda request: client.messages.create(**message_params(request, _name(request)))


@asynccontextmanager
async def _on_aiohttp(keys: Keys) -> AsyncIterator[Ask]:
    from anthropic import AsyncAnthropic, DefaultAioHttpClient

    url, http = keys.values["ANTHROPIC_BASE_URL"], DefaultAioHttpClient()
    async with AsyncAnthropic(api_key=KEY, base_url=url, max_retries=0, http_client=http) as client:
        yield lambda request: client.messages.create(**message_params(request, _name(request)))


@asynccontextmanager
async def _bare_openai(keys: Keys) -> AsyncIterator[Ask]:
    from openai import AsyncOpenAI

    url = keys.values["OPENAI_BASE_URL"]
    async with AsyncOpenAI(api_key=KEY, base_url=url, max_retries=0) as client:

        def ask(request: Request) -> Awaitable[object]:
            messages: Any = [{"role": message.role, "content": message.text} for message in request.messages]
            return client.chat.completions.create(
                model=_name(request), messages=messages, max_completion_tokens=request.max_tokens
            )

        yield ask


@asynccontextmanager
async def _inspect(keys: Keys) -> AsyncIterator[Ask]:
    """The model layer of inspect_ai, without its log."""
    from inspect_ai.model import (  # type: ignore[import-not-found]
        ChatMessageAssistant,
        ChatMessageSystem,
        ChatMessageUser,
        GenerateConfig,
        get_model,
    )

    kinds = {"system": ChatMessageSystem, "user": ChatMessageUser, "assistant": ChatMessageAssistant}
    config = GenerateConfig(max_connections=AT_ONCE, max_tokens=2048, max_retries=0)
    url = keys.values["ANTHROPIC_BASE_URL"]
    async with get_model(
        MODELS["anthropic"], base_url=url, api_key=KEY, config=config, memoize=False
    ) as model:
        yield lambda request: model.generate(
            [kinds[turn.role](content=turn.text) for turn in request.messages]
        )


async def ask_all(asked: Sequence[Request], ask: Ask, at_once: int = AT_ONCE) -> Spent:
    """Ask everything, so many at once."""
    left = iter(asked)

    async def work() -> None:
        for request in left:
            await ask(request)

    wall, cpu = time.perf_counter(), time.process_time()
    async with asyncio.TaskGroup() as group:
        for _ in range(at_once):
            group.create_task(work())
    return Spent(time.perf_counter() - wall, time.process_time() - cpu)


def _name(request: Request) -> str:
    return request.model.partition("/")[2]


if __name__ == "__main__":
    for figure in figures():
        print(figure.line(), flush=True)
