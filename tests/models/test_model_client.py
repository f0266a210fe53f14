"""The model client and its cache: what was answered once is not asked again, and two repeats never share."""

import asyncio
import sqlite3
from contextlib import suppress
from dataclasses import replace

import pytest

from memtrial.call_purpose import Purpose
from memtrial.ledger.memory_calls import MemoryCallStore
from memtrial.ledger.sqlite.sqlite_accounts import SqliteAccounts
from memtrial.ledger.sqlite.sqlite_calls import SqliteCallStore, open_unsealed
from memtrial.models.client.cache import CallCache
from memtrial.models.client.client import Caller, Meter, ModelClient
from memtrial.models.client.types import Message, ModelFault
from memtrial.models.providers.open import open_backend
from memtrial.models.simulated.open_simulated import open_simulated
from tests.support.scripted import Scripted, caller_of, client_to, request_of, saying


def counting() -> Scripted:
    """Says how many requests it has had."""
    scripted = Scripted(lambda request, repeat: str(len(scripted.asked)))
    return scripted


def test_the_same_request_and_repeat_is_answered_once():
    backend = counting()
    model_client = client_to(backend)

    async def twice():
        return [await model_client.ask(request_of("s", "u"), 0) for _ in range(3)]

    first, *others = asyncio.run(twice())
    assert len(backend.asked) == 1
    assert not first.cached
    assert all(other == replace(first, cached=True) for other in others)


def test_asked_at_the_same_time_it_is_answered_once_too():
    backend = counting()
    model_client = client_to(backend)

    async def together():
        return await asyncio.gather(*(model_client.ask(request_of("s", "u"), 0) for _ in range(5)))

    assert {reply.text for reply in asyncio.run(together())} == {"1"}
    assert len(backend.asked) == 1


class Charging(Scripted):
    """Asks for money, so that its name alone does not make it a participant of ours."""

    @property
    def free(self) -> bool:
        return False


def test_one_that_is_not_free_is_asked_once_whatever_its_name():
    backend = Charging(lambda request, repeat: "wait")
    model_client = client_to(backend)

    async def together():
        request = request_of("s", "u", model="simulated/reader")
        return await asyncio.gather(*(model_client.ask(request, 0) for _ in range(5)))

    first, *others = asyncio.run(together())
    assert len(backend.asked) == 1
    assert all(other == replace(first, cached=True) for other in others)
    assert model_client.stats().calls == 1  # it went through the transport, where it is counted and paid


def test_a_fault_is_not_kept_and_frees_those_who_wait():
    backend = saying(ModelFault("busy"), "now")
    model_client = client_to(backend)

    async def together():
        asked = (model_client.ask(request_of("s", "u"), 0) for _ in range(2))
        return await asyncio.gather(*asked, return_exceptions=True)

    fault, reply = asyncio.run(together())
    assert isinstance(fault, ModelFault)
    assert reply.text == "now"


def test_two_repeats_never_share_an_answer():
    backend = counting()
    model_client = client_to(backend)
    repeats = (0, 1, 2, -1, -2, 255, 256)

    async def each():
        return [await model_client.ask(request_of("s", "u"), repeat) for repeat in repeats]

    assert len({reply.text for reply in asyncio.run(each())}) == len(repeats)
    assert [repeat for _, repeat in backend.asked] == list(repeats)


@pytest.mark.parametrize(
    "other",
    [
        replace(request_of("s", "u"), model="scripted/two"),
        replace(request_of("s", "u"), temperature=0.0),
        replace(request_of("s", "u"), temperature=1.0),
        replace(request_of("s", "u"), max_tokens=1),
        request_of("s", "u "),
        request_of("su", ""),
        request_of("s", "u", "a"),
        replace(request_of("s", "u"), messages=(Message("user", "s"), Message("user", "u"))),
    ],
)
def test_requests_that_differ_in_anything_never_share(other):
    backend = counting()
    model_client = client_to(backend)

    async def both():
        return [await model_client.ask(request, 0) for request in (request_of("s", "u"), other)]

    first, second = asyncio.run(both())
    assert first.text != second.text
    assert not second.cached


def test_answers_are_found_in_the_file_after_reopening(tmp_path):
    def opened(backend):
        connection = open_unsealed(tmp_path / "calls.sqlite")
        return connection, ModelClient(CallCache(SqliteCallStore(connection)), lambda model: backend)

    connection, model_client = opened(saying("blåbær\u2028 \x00", "lost"))
    before = asyncio.run(model_client.ask(request_of("s", "u"), 3))
    model_client.cache.flush()
    asyncio.run(model_client.ask(request_of("s", "u"), 4))  # not flushed: nobody promised to keep it
    connection.close()

    connection, model_client = opened(saying("new"))
    after = asyncio.run(model_client.ask(request_of("s", "u"), 3))
    assert after == replace(before, cached=True)
    assert asyncio.run(model_client.ask(request_of("s", "u"), 4)).text == "new"
    connection.close()


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE calls SET reply = 'forged'",
        "DELETE FROM calls",
        "INSERT OR REPLACE INTO calls"
        " SELECT key, asked, answered, 'forged', 0, 0, 0, 0, 0, 'end', NULL, 0, '', NULL, nth, NULL, NULL,"
        " NULL FROM calls",
    ],
)
def test_the_file_keeps_an_answer_as_it_is(statement):
    backend, connection = saying("as it is"), open_unsealed()
    model_client = ModelClient(CallCache(SqliteCallStore(connection)), lambda model: backend)
    asyncio.run(model_client.ask(request_of("s", "u"), 0))
    model_client.cache.flush()
    with suppress(sqlite3.IntegrityError):
        connection.execute(statement)
    assert asyncio.run(model_client.ask(request_of("s", "u"), 0)).text == "as it is"


def test_the_meter_counts_all_calls_and_the_cached_ones_apart():
    caller = caller_of(saying("one", "two"))

    async def calls():
        for text in ("a", "b", "a"):
            await caller.ask((Message("user", text),))

    asyncio.run(calls())
    assert caller.meter == Meter(calls=3, cached=1, input_tokens=21, output_tokens=9)


def test_each_caller_has_a_meter_of_its_own_and_sends_what_it_was_set_to():
    backend = saying("x", "y")
    model_client = client_to(backend)
    hot = Caller(model_client, "scripted/hot", 1.0, 5, 99)
    cold = Caller(model_client, "scripted/cold")
    asyncio.run(hot.ask((Message("user", "a"),)))
    asyncio.run(cold.ask((Message("user", "a"),)))
    (request, repeat), (other, zero) = backend.asked
    assert (request.model, request.temperature, request.max_tokens, repeat) == ("scripted/hot", 1.0, 99, 5)
    assert (other.model, other.temperature, zero) == ("scripted/cold", None, 0)
    assert hot.meter.calls == cold.meter.calls == 1


def test_a_model_is_opened_once():
    opened = []

    def open_one(model):
        opened.append(model)
        return counting()

    model_client = ModelClient(CallCache(MemoryCallStore()), open_one)
    for text in "ab":
        asyncio.run(model_client.ask(request_of("s", text), 0))
    assert opened == ["scripted/one"]


@pytest.mark.parametrize(
    ("model", "said"),
    [
        ("", "provider/name"),
        ("reader", "provider/name"),
        ("simulated/", "provider/name"),
        ("/reader", "provider/name"),
        ("nobody/reader", "'nobody'"),
        ("simulated/nobody", "reader, skimmer, ignorer"),
        ("simulated/reader?uptake", "key=value"),
        ("simulated/reader?uptake=2", "[0, 1]"),
        ("simulated/reader?uptake=-0.1", "[0, 1]"),
        ("simulated/reader?uptake=nan", "[0, 1]"),
        ("simulated/reader?uptake=much", "'much'"),
        ("simulated/reader?uptake=0.2&uptake=0.9", "twice"),
        ("simulated/ignorer?uptake=1", "settings: none"),
        ("simulated/scribe?uptake=1", "defects, heeds, repair"),
        ("simulated/examiner?defects=1", "false_alarm, hit"),
        ("simulated/scribe?defects=1.5", "[0, 1]"),
        ("simul\nated/reader", "no provider"),
    ],
)
def test_an_unknown_model_or_setting_is_one_clear_line(model, said):
    with pytest.raises(ModelFault) as fault:
        open_backend(model)
    assert said in str(fault.value)
    assert "\n" not in str(fault.value)


@pytest.mark.parametrize(
    "model",
    [
        *(f"simulated/{name}" for name in ("reader", "skimmer", "ignorer", "gullible", "startled")),
        *(f"simulated/{name}" for name in ("rejecter", "knows-already", "first-item-only")),
        *(f"simulated/{name}" for name in ("mixed-sign", "talker", "unreadable", "forgetter")),
        *(f"simulated/{name}" for name in ("late-reader", "mentioner", "mentioner?by=negation")),
        "simulated/trigger-reader",
        "simulated/reader?uptake=0.5",
        "simulated/gullible?uptake=0",
        "simulated/startled?by=fragments",
        "simulated/scribe?defects=0.2&repair=1",
        "simulated/examiner?hit=0.9&false_alarm=0",
    ],
)
def test_the_catalogue_opens_what_it_says_it_has(model):
    assert open_backend(model) == open_simulated(model)


@pytest.mark.parametrize("asking", [("b", "a"), ("a", "b")])
@pytest.mark.parametrize("committed", [False, True])
def test_a_shared_call_is_counted_under_the_purpose_that_sorts_first_whoever_asks(
    asking: tuple[str, str], committed: bool
) -> None:
    connection = open_unsealed()
    backend = saying("so")
    model_client = ModelClient(CallCache(SqliteCallStore(connection)), lambda model: backend)

    async def each() -> None:
        for name in asking:
            await model_client.ask(request_of("s", "u"), 0, Purpose("condense", name))
            if committed:
                model_client.cache.flush()
        model_client.cache.flush()

    asyncio.run(each())
    assert [(one.purpose, one.calls) for one in SqliteAccounts(connection).spending_by_purpose()] == [
        (Purpose("condense", "a"), 1)
    ]
