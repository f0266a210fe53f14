"""Calls of one turn of the event loop are committed together, each before its request or its use."""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, field

import pytest

from memtrial.call_purpose import PLAY
from memtrial.call_records import CallBatch
from memtrial.faults import StoreFault
from memtrial.ledger.memory_calls import MemoryCallStore
from memtrial.models.client.cache import CallCache
from memtrial.models.client.client import ModelClient
from memtrial.models.client.limits import RetryPolicy
from memtrial.models.client.prices import Price, PriceTable
from memtrial.models.client.shared_calls import SharedRates
from memtrial.models.client.transport import Transport
from memtrial.models.client.types import Reply, Request, key_of
from tests.support.scripted import request_of

MANY = 8
ASKED = tuple(request_of("s", f"u{number}") for number in range(MANY))
A_DOLLAR_EACH = PriceTable("", "", {}, {ASKED[0].model: Price(0.0, 1_000_000 / 3)})


class CountedStore(MemoryCallStore):
    """Notes what each commit holds; refuses all of them while it is full."""

    def __init__(self) -> None:
        super().__init__()
        self.batches: list[CallBatch] = []
        self.full = False

    def commit(self, batch: CallBatch) -> None:
        if self.full:
            raise StoreFault("the disk is full")
        super().commit(batch)
        self.batches.append(batch)

    def holds_intent(self, key: bytes) -> bool:
        return any(send.key == key for batch in self.batches for send in batch.sends)


@dataclass
class Prompt:
    """A paid backend that answers all requests in one turn."""

    store: CountedStore
    free: bool = False
    unannounced: list[Request] = field(default_factory=list)
    on_answer: Callable[[], None] = lambda: None

    async def answer(self, request: Request, repeat: int) -> Reply:
        if not self.store.holds_intent(key_of(request, repeat)):
            self.unannounced.append(request)
        await asyncio.sleep(0.01)
        self.on_answer()
        return Reply(f"to {request.messages[-1].text}", 0, 3, "m-1")

    async def close(self) -> None:
        """Nothing is held."""


class Beside:
    """Other workers of a run, who are asked nothing here."""

    @property
    def rates(self) -> SharedRates:
        raise AssertionError("nothing is sent here")

    def claim(self, key: bytes) -> bool:
        raise AssertionError("nothing is asked here")

    def release(self, key: bytes) -> None:
        raise AssertionError("nothing was claimed")

    def list_settled(self, keys: Sequence[bytes]) -> list[bytes]:
        raise AssertionError("nobody waits")


def opened(most: int = MANY, max_usd: float | None = None) -> tuple[CountedStore, Prompt, ModelClient]:
    store = CountedStore()
    backend = Prompt(store)
    transport = Transport(RetryPolicy(), max_connections=most, prices=A_DOLLAR_EACH, max_usd=max_usd)
    return store, backend, ModelClient(CallCache(store), lambda _: backend, transport)


def ask_all(client: ModelClient) -> Sequence[Coroutine[None, None, Reply]]:
    return [client.ask(request, 0, PLAY) for request in ASKED]


def test_requests_and_answers_of_one_turn_are_one_commit_each() -> None:
    store, backend, client = opened()

    async def use(request: Request) -> bool:
        await client.ask(request, 0, PLAY)
        return store.find(key_of(request, 0)) is not None

    async def talk() -> list[bool]:
        await client.load(ASKED[0].model)
        return await asyncio.gather(*map(use, ASKED))

    assert all(asyncio.run(talk())), "an answer was used before it was kept"
    assert backend.unannounced == []
    sizes = [(len(batch.sends), len(batch.calls)) for batch in store.batches]
    assert sizes == [(MANY, 0), (0, MANY)]


def test_one_request_alone_is_committed_before_it_is_sent_and_its_answer_before_it_is_used() -> None:
    store, backend, client = opened()
    asyncio.run(client.ask(ASKED[0], 0))
    assert backend.unannounced == []
    assert [(len(batch.sends), len(batch.calls)) for batch in store.batches] == [(1, 0), (0, 1)]


def test_an_answer_is_kept_though_whoever_asked_is_cancelled_in_the_turn_of_the_commit() -> None:
    store, backend, client = opened()

    async def talk() -> None:
        asking = asyncio.create_task(client.ask(ASKED[0], 0))
        # it runs on to the commit first, and is cancelled there
        backend.on_answer = lambda: asyncio.get_running_loop().call_soon(asking.cancel)
        with pytest.raises(asyncio.CancelledError):
            await asking
        assert store.find(key_of(ASKED[0], 0)) is not None

    asyncio.run(talk())


def test_a_commit_that_fails_is_met_by_each_who_waits_for_it() -> None:
    store, backend, client = opened()

    async def talk() -> list[Reply | BaseException]:
        backend.on_answer = lambda: setattr(store, "full", True)
        return await asyncio.gather(*ask_all(client), return_exceptions=True)

    assert [type(came) for came in asyncio.run(talk())] == [StoreFault] * MANY
    store.full = False
    client.cache.flush()
    assert all(store.find(key_of(request, 0)) is not None for request in ASKED), "they stay until they can"


def test_answers_that_wait_for_their_commit_do_not_make_a_call_look_dear() -> None:
    _, backend, client = opened(most=2 * MANY, max_usd=2.5 * MANY)
    late: list[asyncio.Task[Reply]] = []

    async def talk() -> None:
        def ask_late() -> None:
            # it begins when the first has just been committed, and the others wait for their turn
            if len(late) < MANY:
                request = request_of("s", f"late {len(late)}")
                late.append(asyncio.create_task(client.ask(request, 0)))

        await client.load(ASKED[0].model)
        backend.on_answer = ask_late
        await asyncio.gather(*ask_all(client))
        await asyncio.gather(*late)

    asyncio.run(talk())
    assert client.stats().calls == 2 * MANY


def test_where_other_workers_count_what_is_committed_it_is_so_at_once() -> None:
    store = CountedStore()
    cache = CallCache(store, Beside())
    cache.intend(key_of(ASKED[0], 0), ASKED[0].model)
    flushing = cache.flush_together()
    with pytest.raises(StopIteration):
        flushing.send(None)
    assert [len(batch.sends) for batch in store.batches] == [1]
