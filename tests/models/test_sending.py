"""Sending: an intent before each request, its answer committed before it is used, and bounded attempts."""

import asyncio
import json
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from memtrial.call_purpose import COLLECT, PLAY, UNSTATED, Purpose
from memtrial.faults import StoreFault
from memtrial.ledger.accounts import Sending
from memtrial.ledger.memory_calls import MemoryCallStore
from memtrial.ledger.sqlite.sqlite_accounts import SqliteAccounts
from memtrial.ledger.sqlite.sqlite_calls import SqliteCallStore, open_unsealed
from memtrial.models.client.cache import CallCache
from memtrial.models.client.client import ModelClient
from memtrial.models.client.keys import Keys
from memtrial.models.client.limits import RetryPolicy
from memtrial.models.client.prices import Price, PriceTable
from memtrial.models.client.transport import HaltFault, Transport
from memtrial.models.client.types import ProviderFault, Reply, Request
from memtrial.models.providers.http_errors import one_line
from tests.support.scripted import request_of

QUICK = RetryPolicy(attempts=4, call_timeout_s=5.0, first_wait_s=0.001)
ASKED = request_of("s", "u")
A_CENT_EACH = PriceTable("", "", {}, {ASKED.model: Price(0.0, 0.01 * 1_000_000 / 3)})
"""For the three tokens of each reply."""

LOADED = (
    "providers.open:open_backend anthropic/m anthropic._client",
    "providers.open:open_backend openai/m dspy.lm15",
    "embeddings.provider:open_provider openai/m httpx2",
)
"""What opens a backend, the model, and a module of its library."""


@dataclass
class Paid:
    """A backend that costs: says what `say` makes of the number of the request, counted from 1."""

    say: Callable[[int], Reply | Exception]
    asked: int = 0
    free: bool = False
    now: int = 0
    at_once: int = 0
    looks: list[Callable[[], None]] = field(default_factory=list)

    async def answer(self, request: Request, repeat: int) -> Reply:
        self.asked += 1
        number = self.asked
        self.now += 1
        self.at_once = max(self.at_once, self.now)
        for look in self.looks:
            look()
        await asyncio.sleep(0.005)
        self.now -= 1
        said = self.say(number)
        if isinstance(said, Exception):
            raise said
        return said

    async def close(self) -> None:
        pass


def reply(text: str = "said", model: str = "m-1") -> Reply:
    return Reply(text, 7, 3, model)


def fault(kind: str = "server error", heals: bool = True, wait_s: float | None = 0.0) -> ProviderFault:
    return ProviderFault(f"by script: {kind}", kind, heals, wait_s)  # type: ignore[arg-type]


def opened(path: Path, backend: Paid, transport: Transport | None = None) -> ModelClient:
    connection = open_unsealed(path)
    connection.execute("PRAGMA journal_mode=WAL")
    return ModelClient(
        CallCache(SqliteCallStore(connection)),
        lambda _: backend,
        transport or Transport(QUICK, prices=A_CENT_EACH),
    )


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "calls.sqlite"


def stands(path: Path) -> Sending:
    """What a stranger finds in the file at this moment."""
    stranger = sqlite3.connect(path)
    found = SqliteAccounts(stranger).network_use()
    stranger.close()
    return found


def test_the_intent_stands_before_the_backend_is_asked_and_the_answer_before_it_is_used(path):
    backend = Paid(lambda _: reply())
    model_client, seen = opened(path, backend), []
    backend.looks.append(lambda: seen.append(stands(path)))

    async def ask(repeat: int) -> Sending:
        await model_client.ask(ASKED, repeat)
        return stands(path)

    assert asyncio.run(ask(0)) == Sending(1, 1, {}, 0)
    assert asyncio.run(ask(1)) == Sending(2, 2, {}, 0)
    assert seen == [Sending(1, 0, {}, 1), Sending(2, 1, {}, 1)]


def test_each_attempt_has_an_intent_and_each_fault_a_row(path):
    said = [fault("server error"), fault("rate limit"), fault("connection"), reply()]
    model_client = opened(path, Paid(lambda n: said[n - 1]))
    assert asyncio.run(model_client.ask(ASKED, 0)).text == "said"
    assert stands(path) == Sending(4, 1, {"connection": 1, "rate limit": 1, "server error": 1}, 0)
    assert dict(model_client.stats().faults) == {"server error": 1, "rate limit": 1, "connection": 1}


def test_attempts_are_bounded_and_what_cannot_heal_gets_one(path):
    always = Paid(lambda _: fault("overloaded"))
    model_client = opened(path, always)
    with pytest.raises(ProviderFault, match="overloaded"):
        asyncio.run(model_client.ask(ASKED, 0))
    assert always.asked == QUICK.attempts
    # who asks the same again in this session shares the fault; the next session tries anew
    with pytest.raises(ProviderFault, match="overloaded"):
        asyncio.run(model_client.ask(ASKED, 0))
    assert always.asked == QUICK.attempts
    assert asyncio.run(opened(path, Paid(lambda _: reply())).ask(ASKED, 0)).text == "said"
    never = Paid(lambda _: fault("not permitted", heals=False))
    model_client = opened(path, never)
    with pytest.raises(ProviderFault, match="not permitted"):
        asyncio.run(model_client.ask(ASKED, 1))
    assert never.asked == 1
    assert stands(path).open == 0


def test_an_empty_reply_is_asked_again_and_in_the_end_nobodys_answer(path):
    silent = Paid(lambda _: reply(" \n"))
    model_client = opened(path, silent)
    with pytest.raises(ProviderFault, match="without a text"):
        asyncio.run(model_client.ask(ASKED, 0))
    assert silent.asked == QUICK.attempts
    # each was paid for
    assert model_client.stats().usd == pytest.approx(0.01 * QUICK.attempts)
    once = Paid(lambda n: reply("" if n == 1 else "now"))
    assert asyncio.run(opened(path, once).ask(ASKED, 1)).text == "now"
    assert stands(path).faults == {"empty reply": QUICK.attempts + 1}


@pytest.mark.parametrize("stop", ["refusal", "length"])
def test_a_refusal_and_a_reply_cut_short_are_no_faults(path, stop):
    backend = Paid(lambda _: Reply("", 7, 0, "m-1", stop=stop))
    assert asyncio.run(opened(path, backend).ask(ASKED, 0)).stop == stop
    assert backend.asked == 1
    assert stands(path) == Sending(1, 1, {}, 0)


@pytest.mark.parametrize("reopened", [False, True])
def test_another_model_halts_and_its_answer_is_not_used(path, reopened):
    backend = Paid(lambda n: reply(model="m-1" if n == 1 else "m-2"))
    model_client = opened(path, backend)
    asyncio.run(model_client.ask(ASKED, 0))
    if reopened:
        model_client = opened(path, backend)
    with pytest.raises(HaltFault, match=r"'m-2'.*'m-1'"):
        asyncio.run(model_client.ask(ASKED, 1))
    with pytest.raises(HaltFault):
        asyncio.run(model_client.ask(ASKED, 2))
    assert backend.asked == 2
    assert stands(path) == Sending(2, 1, {"other model": 1}, 0)
    # it was paid for all the same
    assert model_client.stats().usd == pytest.approx(0.02)


def test_an_answer_that_takes_too_long_is_a_fault_however_it_drips(path):
    class Slow(Paid):
        async def answer(self, request: Request, repeat: int) -> Reply:
            self.asked += 1
            for _ in range(1000 if self.asked == 1 else 1):
                await asyncio.sleep(0.01)
            return reply()

    slow = Slow(lambda _: reply())
    model_client = opened(path, slow, Transport(RetryPolicy(2, call_timeout_s=0.1, first_wait_s=0.001)))
    assert asyncio.run(model_client.ask(ASKED, 0)).text == "said"
    assert stands(path) == Sending(2, 1, {"time-out": 1}, 0)


def test_the_same_request_asked_at_once_is_sent_once_and_others_are_not_held_up(path):
    backend = Paid(lambda n: reply(str(n)))
    model_client = opened(path, backend)

    async def together() -> list[Reply]:
        return await asyncio.gather(*(model_client.ask(ASKED, repeat) for repeat in (0, 0, 1, 0, 1)))

    said = asyncio.run(together())
    assert len({one.text for one in said}) == backend.asked == backend.at_once == 2
    assert stands(path) == Sending(2, 2, {}, 0)


def test_the_limit_of_connections_holds(path):
    backend = Paid(lambda n: reply(str(n)))
    model_client = opened(path, backend, Transport(QUICK, max_connections=3))

    async def together() -> None:
        await asyncio.gather(*(model_client.ask(ASKED, repeat) for repeat in range(12)))

    asyncio.run(together())
    assert (backend.asked, backend.at_once) == (12, 3)


def test_what_is_spent_is_spent_over_all_sessions_and_only_blocks_that_were_begun_go_on(path):
    backend = Paid(lambda n: reply(str(n)))
    model_client = opened(path, backend)
    asyncio.run(model_client.ask(ASKED, 0, COLLECT))
    model_client = opened(path, backend, Transport(QUICK, prices=A_CENT_EACH, max_usd=0.02))
    asyncio.run(model_client.ask(ASKED, 1, COLLECT))
    for purpose in (COLLECT, Purpose("condense", "native"), Purpose("gate", "theory"), UNSTATED):
        with pytest.raises(HaltFault, match=r"\$0\.02 is spent"):
            asyncio.run(model_client.ask(ASKED, 2, purpose))
    # what is answered is there whatever is spent
    assert asyncio.run(model_client.ask(ASKED, 0, COLLECT)).cached
    assert asyncio.run(model_client.ask(ASKED, 3, PLAY)).text == "3"
    assert model_client.stats().usd == pytest.approx(0.03)


def test_a_halt_ends_even_a_long_wait_and_lets_requests_in_flight_come_back(path):
    def say(n: int) -> Reply | Exception:
        return fault("server error", wait_s=500.0) if n == 1 else reply()

    backend = Paid(say)
    model_client = opened(path, backend)

    async def halted() -> tuple[BaseException | Reply, ...]:
        waiting = asyncio.create_task(model_client.ask(ASKED, 0))
        await asyncio.sleep(0.05)
        flying = asyncio.create_task(model_client.ask(ASKED, 1))
        while backend.asked < 2:
            await asyncio.sleep(0)
        model_client.transport.halt("interrupted")
        async with asyncio.timeout(5):
            return tuple(await asyncio.gather(waiting, flying, return_exceptions=True))

    waiting, flying = asyncio.run(halted())
    assert isinstance(waiting, HaltFault)
    assert isinstance(flying, Reply)
    assert stands(path) == Sending(2, 1, {"server error": 1}, 0)


def test_nothing_is_sent_when_the_intent_cannot_be_kept(path):
    backend = Paid(lambda _: reply("x" * 100))
    model_client = opened(path, backend)
    asyncio.run(model_client.ask(ASKED, 0))
    pages = model_client.cache.store.connection.execute("PRAGMA page_count").fetchone()[0]
    model_client.cache.store.connection.execute(f"PRAGMA max_page_count={pages}")

    async def fill() -> None:
        for repeat in range(1, 1000):
            await model_client.ask(ASKED, repeat)

    with pytest.raises(StoreFault, match=r"cannot be kept.*full"):
        asyncio.run(fill())
    before = backend.asked
    with pytest.raises(StoreFault):
        asyncio.run(model_client.ask(ASKED, 5000))
    assert backend.asked == before
    # an intent without an answer at most: the one that was under way when the room ended
    assert stands(path).open <= 1
    model_client.cache.store.connection.execute("PRAGMA max_page_count=100000")
    assert asyncio.run(model_client.ask(ASKED, 6000)).text == "x" * 100


def test_half_a_sign_in_what_a_provider_says_is_kept_as_a_mark(path):
    # JSON can spell one half of a surrogate pair, and SQLite takes none
    backend = Paid(
        lambda n: fault(one_line("half \ud83d", Keys())) if n == 1 else reply("half \ud83d", "m \udc00")
    )
    said = asyncio.run(opened(path, backend).ask(ASKED, 0))
    assert (said.text, said.model) == ("half \ufffd", "m \ufffd")
    again = asyncio.run(opened(path, backend).ask(ASKED, 0))
    assert (again.text, again.model, backend.asked) == (said.text, said.model, 2)


def test_json_without_a_bottom_is_a_fault_and_no_crash(path):
    def say(n: int) -> Reply:
        return json.loads("[" * 100_000) if n == 1 else reply()

    model_client = opened(path, Paid(say))
    assert asyncio.run(model_client.ask(ASKED, 0)).text == "said"
    assert dict(model_client.stats().faults) == {"malformed reply": 1}


def test_the_first_model_that_was_named_is_held_to_although_a_refusal_named_none(path):
    nameless = Paid(lambda n: Reply("", 0, 0, "", stop="refusal") if n == 1 else reply(model="m-1"))
    model_client = opened(path, nameless)
    for repeat in (0, 1):
        asyncio.run(model_client.ask(ASKED, repeat))
    with pytest.raises(HaltFault, match="m-2"):
        asyncio.run(opened(path, Paid(lambda _: reply(model="m-2"))).ask(ASKED, 2))


@dataclass
class Slow(Paid):
    """A backend whose library is not loaded before another one has answered."""

    others: threading.Event = field(default_factory=threading.Event)
    loaded: int = 0

    def load(self) -> None:
        assert self.others.wait(60)
        self.loaded += 1

    async def answer(self, request: Request, repeat: int) -> Reply:
        assert self.loaded  # its time runs by now
        return await super().answer(request, repeat)


def test_a_library_is_loaded_once_before_the_time_of_any_request_while_others_are_answered() -> None:
    slow = Slow(lambda _: reply())

    def answer(_: int) -> Reply:
        slow.others.set()
        return reply()

    client = ModelClient(
        CallCache(MemoryCallStore()), lambda model: slow if model == "slow/m" else Paid(answer), Transport()
    )

    async def ask() -> list[Reply]:
        waiting = (client.ask(Request("slow/m", ASKED.messages), repeat) for repeat in range(3))
        return await asyncio.gather(*waiting, client.ask(ASKED, 0))

    assert len(asyncio.run(ask())) == 4
    assert (slow.loaded, slow.asked, client.stats().faults) == (1, 3, {})


@pytest.mark.parametrize("opened", LOADED)
def test_what_a_provider_needs_is_loaded_by_then(opened: str) -> None:
    """In a process of its own: here everything is loaded by other tests."""
    opener, model, library = opened.split()
    code = (
        "import sys; from memtrial.models.client.keys import Keys\n"
        "from memtrial.models.client.types import Loads\n"
        f"from memtrial.models.{opener.replace(':', ' import ')} as opened\n"
        "keys = Keys({name: 'k' for name in ('ANTHROPIC_API_KEY', 'OPENAI_API_KEY')})\n"
        f"backend = opened({model!r}, keys, 1000)\n"
        f"assert isinstance(backend, Loads) and {library!r} not in sys.modules\n"
        f"backend.load(); assert {library!r} in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
