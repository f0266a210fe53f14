"""Time per call through the door against the provider's own SDK, on the same server."""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from random import Random
from typing import Any

from ledger.store import Ledger
from models.anthropic_sdk import message_params
from models.cache import CallCache
from models.call import Message, Request
from models.catalogue import open_backend
from models.door import Door
from models.keys import Keys
from models.prices import shipped_prices
from models.scripted.answers import Line, Lines
from models.scripted.exchange import Said
from models.scripted.server import Script
from models.sending import PLAY, Sender
from tests.bench_figure import Figure, Spent, beside
from tests.bench_serving import served

AT_ONCE = 50
CALLS = 1_500
WARM = 100
TIMES = 7
REPLY = "Thought: The valve is shut, and the note says to open it before the pump.\nAction: open valve"
WORDS = "valve pump shelf drawer lamp first before open close turn carry look kitchen cellar note red blue".split()
KEY = "key-of-the-bench"
MODELS = {"anthropic": "anthropic/claude-haiku-4-5", "openai": "openai/gpt-5-mini"}
BOUND = 1.15

Ask = Callable[[Request], Awaitable[object]]


def figures() -> Iterator[Figure]:
    """One figure a provider, and one of inspect_ai where it is installed."""
    script = Script(Lines((Line("", Said(REPLY)),)))
    with served(script) as url:
        keys = Keys(
            {
                "ANTHROPIC_API_KEY": KEY,
                "ANTHROPIC_BASE_URL": url,
                "OPENAI_API_KEY": KEY,
                "OPENAI_BASE_URL": f"{url}/v1",
            }
        )
        for provider, bare in (("anthropic", _bare_anthropic), ("openai", _bare_openai)):
            asked = requests(MODELS[provider], CALLS + WARM)
            found = beside(lambda: _through(asked, keys), lambda: bare(asked, keys), TIMES)
            yield Figure(
                f"{provider}/... through the door against the bare SDK",
                f"{CALLS} calls, {AT_ONCE} at once: {found.ours_s / CALLS * 1e3:.2f} and"
                f" {found.peer_s / CALLS * 1e3:.2f} ms a call; processor time {found.cpu_ratio:.2f}",
                found.ratio,
                BOUND,
                spread=found.spread,
            )
        if find_spec("inspect_ai") is not None:
            asked = requests(MODELS["anthropic"], CALLS + WARM)
            found = beside(lambda: _through(asked, keys), lambda: _inspect(asked, url), 3)
            yield Figure(
                "anthropic/... through the door against inspect_ai",
                f"{found.ours_s / CALLS * 1e3:.2f} and {found.peer_s / CALLS * 1e3:.2f} ms a call",
                found.ratio,
                1.0,
                spread=found.spread,
            )


def requests(model: str, count: int) -> tuple[Request, ...]:
    """Distinct conversations of 1 to 4 kB: a system prompt with a memory, and one to three turns behind it."""
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


def _through(asked: Sequence[Request], keys: Keys) -> Spent:
    """Door, sender and a ledger on disk: intents and answers committed."""

    async def work(folder: Path) -> Spent:
        ledger = Ledger(folder / "ledger.sqlite")
        sender = Sender(max_connections=AT_ONCE, prices=shipped_prices(), max_usd=1e6)
        door = Door(CallCache(ledger.connection), lambda model: open_backend(model, keys), sender)
        try:
            return await _all(asked, lambda request: door.ask(request, 0, PLAY))
        finally:
            await door.close()
            ledger.close()

    with tempfile.TemporaryDirectory() as folder:
        return asyncio.run(work(Path(folder)))


def _bare_anthropic(asked: Sequence[Request], keys: Keys) -> Spent:
    from anthropic import AsyncAnthropic

    bodies = {id(request): message_params(request, _name(request)) for request in asked}

    async def work() -> Spent:
        async with AsyncAnthropic(api_key=KEY, base_url=keys.values["ANTHROPIC_BASE_URL"], max_retries=0) as client:
            return await _all(asked, lambda request: client.messages.create(**bodies[id(request)]))

    return asyncio.run(work())


def _bare_openai(asked: Sequence[Request], keys: Keys) -> Spent:
    from openai import AsyncOpenAI

    bodies: dict[int, dict[str, Any]] = {
        id(request): {
            "model": _name(request),
            "max_completion_tokens": request.max_tokens,
            "messages": [{"role": one.role, "content": one.content} for one in request.messages],
        }
        for request in asked
    }

    async def work() -> Spent:
        async with AsyncOpenAI(api_key=KEY, base_url=keys.values["OPENAI_BASE_URL"], max_retries=0) as client:
            return await _all(asked, lambda request: client.chat.completions.create(**bodies[id(request)]))

    return asyncio.run(work())


def _inspect(asked: Sequence[Request], url: str) -> Spent:
    """The model layer of inspect_ai, without its log."""
    from inspect_ai.model import (  # type: ignore[import-not-found]
        ChatMessageAssistant,
        ChatMessageSystem,
        ChatMessageUser,
        GenerateConfig,
        get_model,
    )

    kinds = {"system": ChatMessageSystem, "user": ChatMessageUser, "assistant": ChatMessageAssistant}
    told = {
        id(request): [kinds[one.role](content=one.content) for one in request.messages] for request in asked
    }

    async def work() -> Spent:
        config = GenerateConfig(max_connections=AT_ONCE, max_tokens=2048, max_retries=0)
        model = get_model(MODELS["anthropic"], base_url=url, api_key=KEY, config=config, memoize=False)
        async with model:
            return await _all(asked, lambda request: model.generate(told[id(request)]))

    return asyncio.run(work())


async def _all(asked: Sequence[Request], ask: Ask) -> Spent:
    """Ask everything, so many at once; what comes first only opens the connections."""
    await _drain(asked[:WARM], ask)
    wall, cpu = time.perf_counter(), time.process_time()
    await _drain(asked[WARM:], ask)
    return Spent(time.perf_counter() - wall, time.process_time() - cpu)


async def _drain(asked: Sequence[Request], ask: Ask) -> None:
    left = iter(asked)

    async def work() -> None:
        for request in left:
            await ask(request)

    async with asyncio.TaskGroup() as group:
        for _ in range(AT_ONCE):
            group.create_task(work())


def _name(request: Request) -> str:
    return request.model.partition("/")[2]


if __name__ == "__main__":
    for figure in figures():
        print(figure.line(), flush=True)
