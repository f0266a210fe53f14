"""Every shipped backend and embedder keeps the laws, and what breaks one is caught by that one."""

import asyncio
import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np
import pytest

from memtrial.ledger.memory_calls import MemoryCallStore
from memtrial.ledger.sqlite.sqlite_ledger import SqliteLedger
from memtrial.models.client.cache import CallCache
from memtrial.models.client.client import ModelClient
from memtrial.models.client.keys import Keys
from memtrial.models.client.types import ModelFault, Reply, Request
from memtrial.models.embeddings.embedding import HashingEmbedder
from memtrial.models.embeddings.provider import open_embedder, open_provider
from memtrial.models.providers.open import open_backend
from memtrial.models.scripted.protocol import ScriptedAnswer
from memtrial.models.scripted.scripted_server import Running, Script, serve_script
from memtrial.plugins.conformance.fixtures import Steady
from memtrial.plugins.conformance.laws import hold
from memtrial.plugins.conformance.model_laws import BACKENDS, EMBEDDERS, REQUESTS
from memtrial.protocols import Embedder
from tests.support.said_lines import Line, Lines


def broken(laws, make) -> list[str]:
    return [result.law for result in asyncio.run(hold(laws, make)) if not result.passed]


@pytest.fixture
def server() -> Iterator[Running]:
    with serve_script(Script(Lines((Line("", ScriptedAnswer("Action: wait")),)), echo=True)) as opened:
        yield opened


def keys_of(server: Running) -> Keys:
    urls = {"ANTHROPIC_BASE_URL": server.url, "OPENAI_BASE_URL": server.openai_url}
    return Keys({**urls, "ANTHROPIC_API_KEY": "sk-ant-key", "OPENAI_API_KEY": "sk-openai-key"})


@pytest.mark.parametrize("model", ["anthropic/claude-x", "openai/gpt-x"])
def test_a_providers_backend_keeps_the_laws(model: str, server: Running) -> None:
    assert broken(BACKENDS, lambda: open_backend(model, keys_of(server))) == []


@pytest.mark.parametrize("model", ["simulated/reader", "simulated/talker"])
def test_a_simulated_participant_keeps_the_laws(model: str) -> None:
    assert broken(BACKENDS, lambda: open_backend(model)) == []


def test_a_backend_of_ones_own_keeps_the_laws() -> None:
    assert broken(BACKENDS, Steady) == []


def test_a_replay_keeps_the_laws(tmp_path) -> None:
    ledger = SqliteLedger(tmp_path / "ledger.sqlite")
    cache = CallCache(ledger.calls)
    client = ModelClient(cache, open_backend)

    async def record() -> None:
        for request, repeat in itertools.product(REQUESTS, (0, 1)):
            await client.ask(replace(request, model="simulated/reader"), repeat)

    asyncio.run(record())
    cache.flush()
    ledger.close()
    assert broken(BACKENDS, lambda: open_backend(f"replay/{tmp_path}")) == []


def test_the_hashing_embedder_keeps_the_laws() -> None:
    assert broken(EMBEDDERS, HashingEmbedder) == []


def test_a_providers_embedder_keeps_the_laws(server: Running) -> None:
    clients: list[ModelClient] = []

    def through_provider() -> Embedder:
        cache = CallCache(MemoryCallStore())
        clients.append(ModelClient(cache, lambda name: open_provider(name, keys_of(server), 10**6)))
        return open_embedder("openai/embed-x", clients[-1])

    async def within() -> list[str]:
        results = await hold(EMBEDDERS, through_provider)
        for client in clients:
            await client.close()
        return [result.seen for result in results if not result.passed]

    assert asyncio.run(within()) == []


@dataclass
class Odd:
    """A backend that does something wrong with a reply; `number` counts its replies."""

    spoil: Callable[[Reply, Request, int], Reply] = lambda reply, *_: reply
    number: int = 0
    free: bool = True

    async def answer(self, request: Request, repeat: int) -> Reply:
        self.number += 1
        reply = Reply(str(request.digest), 1, 1, "odd")
        return self.spoil(reply, request, self.number)

    async def close(self) -> None: ...


ANSWERS, REPEATS, AT_ONCE, WHOLE, CLOSES = (law.name for law in BACKENDS)


@pytest.mark.parametrize(
    ("spoil", "laws"),
    [
        (lambda reply, request, number: reply, []),
        (lambda reply, request, number: replace(reply, text=""), [ANSWERS]),
        (lambda reply, request, number: replace(reply, text="", stop="refusal"), []),
        (lambda reply, request, number: replace(reply, input_tokens=-1), [ANSWERS]),
        (lambda reply, request, number: replace(reply, output_tokens=1.5), [ANSWERS]),
        (lambda reply, request, number: replace(reply, model=""), [ANSWERS]),
        (lambda reply, request, number: replace(reply, stop="done"), [ANSWERS]),
        (lambda reply, request, number: replace(reply, verbatim=False), [ANSWERS, WHOLE]),
        (lambda reply, request, number: replace(reply, text=f"{number}"), [REPEATS, AT_ONCE]),
    ],
)
def test_what_breaks_a_law_of_backends_is_caught_by_that_one(spoil, laws) -> None:
    assert broken(BACKENDS, lambda: Odd(spoil=spoil)) == laws


def test_a_backend_that_cannot_be_closed_twice_is_caught() -> None:
    @dataclass
    class Once(Odd):
        closed: bool = False

        async def close(self) -> None:
            if self.closed:
                raise ModelFault("it is closed")
            self.closed = True

    assert broken(BACKENDS, Once) == [CLOSES]


@dataclass
class Embeds:
    """An embedder that spoils its vectors; `number` counts its batches."""

    spoil: Callable[[np.ndarray, int], np.ndarray]
    number: int = 0
    space: str = "odd"

    async def embed(self, texts):
        self.number += 1
        return self.spoil(HashingEmbedder(8).vectors([f"a {text}" for text in texts]), self.number)


SHAPES, ORDER, SAME = (law.name for law in EMBEDDERS)


@pytest.mark.parametrize(
    ("spoil", "laws"),
    [
        (lambda rows, number: rows, []),
        (lambda rows, number: rows[:-1], [SHAPES, ORDER]),
        (lambda rows, number: rows.astype(np.float64), [SHAPES, ORDER]),
        (lambda rows, number: rows * np.float32("nan"), [SHAPES, ORDER, SAME]),
        (lambda rows, number: np.sort(rows, axis=0), [ORDER]),
        (lambda rows, number: np.zeros_like(rows), [ORDER]),
        (lambda rows, number: rows + np.float32(number), [ORDER, SAME]),
    ],
)
def test_what_breaks_a_law_of_embedders_is_caught_by_that_one(spoil, laws) -> None:
    assert broken(EMBEDDERS, lambda: Embeds(spoil)) == laws
