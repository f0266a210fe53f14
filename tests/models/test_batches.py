import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from loadbearing.models.client.client import key_of
from loadbearing.models.client.keys import Keys
from loadbearing.models.client.types import Message, ModelFault, ProviderFault, Reply, Request
from loadbearing.models.providers.anthropic_batches import AnthropicBatches, Pace
from loadbearing.models.providers.open import open_batches
from loadbearing.models.scripted.answers import answers_from
from loadbearing.models.scripted.server import Script, running
from tests.support.stub_provider import Heard, Said, Stub, anthropic_reply, provider

MODEL = "anthropic/claude-test"
FAST = Pace(gather_s=0.05, poll_s=0.02, misses=3)


@dataclass
class SavedBatches:
    """The ids of batches, in memory."""

    ids: dict[bytes, str] = field(default_factory=dict)

    def opened(self, batch: str, keys: Sequence[bytes]) -> None:
        self.ids |= dict.fromkeys(keys, batch)

    def open_batches(self) -> Mapping[bytes, str]:
        return self.ids


@dataclass
class Handlers:
    """A provider of batches: `result` says what becomes of one request, `looks` how often it is not ready."""

    result: Any = None
    looks: int = 1
    hiccups: list[Said] = field(default_factory=list)
    batches: list[list[dict[str, Any]]] = field(default_factory=list)
    url: str = ""

    def __call__(self, heard: Heard) -> Said:
        if heard.method == "POST":
            self.batches.append(heard.body["requests"])
            return Said(self.state(len(self.batches) - 1, "in_progress"))
        if self.hiccups:
            return self.hiccups.pop(0)
        number = int(heard.path.split("/")[4].removeprefix("b"))
        if not heard.path.endswith("/results"):
            self.looks -= 1
            return Said(self.state(number, "ended" if self.looks < 0 else "in_progress"))
        lines = [self.line(request) for request in reversed(self.batches[number])]
        return Said("\n".join(json.dumps(line) for line in lines if line).encode())

    def state(self, number: int, status: str) -> dict[str, Any]:
        counts = dict.fromkeys(("processing", "succeeded", "errored", "canceled", "expired"), 0)
        path = f"{self.url}/v1/messages/batches/b{number}/results"
        return {
            "id": f"b{number}",
            "type": "message_batch",
            "processing_status": status,
            "request_counts": counts,
        } | {
            "results_url": path if status == "ended" else None,
            "created_at": "2026-11-22T00:00:00Z",
            "expires_at": "2026-11-23T00:00:00Z",
        }

    def line(self, request: dict[str, Any]) -> dict[str, Any] | None:
        text = request["params"]["messages"][-1]["content"]
        result = {"type": "succeeded", "message": anthropic_reply(f"re: {text}")}
        if self.result is not None:
            result = self.result(request["params"], len(self.batches))
        return result and {"custom_id": request["custom_id"], "result": result}


def asked(*texts: str, temperature: float | None = None) -> list[Request]:
    return [Request(MODEL, (Message("user", text),), temperature) for text in texts]


def batches_at(url: str, book: SavedBatches, pace: Pace = FAST) -> AnthropicBatches:
    batches = open_batches(MODEL, book, Keys({"ANTHROPIC_BASE_URL": url}))
    batches.pace = pace
    return batches


def answers(
    url: str, book: SavedBatches, requests: list[Request], pace: Pace = FAST
) -> list[Reply | BaseException]:
    async def talk() -> list[Reply | BaseException]:
        batches = batches_at(url, book, pace)
        try:
            waiting = (batches.answer(request, 0) for request in requests)
            return await asyncio.gather(*waiting, return_exceptions=True)
        finally:
            await batches.close()

    return asyncio.run(asyncio.wait_for(talk(), 20))


def through_batches(
    handlers: Handlers, requests: list[Request], book: SavedBatches | None = None
) -> tuple[list[Any], Stub]:
    with provider(handlers) as stub:
        handlers.url = stub.url
        return answers(stub.url, SavedBatches() if book is None else book, requests), stub


def test_many_requests_leave_in_one_batch_and_each_gets_its_own_answer() -> None:
    handlers, book = Handlers(looks=3), SavedBatches()
    requests = asked(*(f"number {n}" for n in range(40)))
    replies, stub = through_batches(handlers, requests, book)
    assert [reply.text for reply in replies] == [f"re: number {n}" for n in range(40)]
    assert all(reply.batched and reply.verbatim for reply in replies)
    assert len(handlers.batches) == 1
    assert book.ids == {key_of(request, 0): "b0" for request in requests}
    assert {one["custom_id"] for one in handlers.batches[0]} == {
        key_of(request, 0).hex() for request in requests
    }
    assert sum(heard.path.endswith("/results") for heard in stub.heard) == 1


def test_a_full_batch_does_not_wait_for_more() -> None:
    handlers = Handlers()
    with provider(handlers) as stub:
        handlers.url = stub.url
        pace = Pace(gather_s=30, most=4, poll_s=0.02)
        replies = answers(stub.url, SavedBatches(), asked(*"abcd"), pace)
    assert [reply.text for reply in replies] == [f"re: {one}" for one in "abcd"]


def test_the_scripted_server_answers_batches() -> None:
    with running(Script(answers_from("simulated/reader"))) as server:
        replies = answers(server.url, SavedBatches(), asked("one", "two"))
    assert all(isinstance(reply, Reply) and reply.batched for reply in replies), replies


def errored(name: str) -> dict[str, Any]:
    return {"type": "errored", "error": {"type": "error", "error": {"type": name, "message": "x"}}}


@pytest.mark.parametrize(
    ("result", "kind", "heals"),
    [
        (errored("invalid_request_error"), "bad request", False),
        (errored("overloaded_error"), "overloaded", True),
        (errored("rate_limit_error"), "rate limit", True),
        (errored("permission_error"), "not permitted", False),
        (errored("api_error"), "server error", True),
        ({"type": "errored", "error": None}, "server error", True),
        ({"type": "expired"}, "time-out", True),
        ({"type": "canceled"}, "server error", False),
        ({"type": "succeeded", "message": {"content": "x"}}, "malformed reply", True),
        ({"type": "news"}, "malformed reply", True),
        (None, "malformed reply", True),
    ],
)
def test_what_becomes_of_one_request_does_not_touch_the_others(result: Any, kind: str, heals: bool) -> None:
    def odd(params: Any, _: int) -> Any:
        good = {"type": "succeeded", "message": anthropic_reply("fine")}
        return result if params["messages"][-1]["content"] == "odd" else good

    (fault, good), _ = through_batches(Handlers(odd), asked("odd", "plain"))
    assert isinstance(fault, ProviderFault)
    assert (fault.kind, fault.heals) == (kind, heals)
    assert good.text == "fine"


def test_a_request_that_failed_in_one_batch_is_sent_in_another() -> None:
    def first_expires(_: Any, nth: int) -> Any:
        return {"type": "expired"} if nth == 1 else {"type": "succeeded", "message": anthropic_reply("late")}

    async def talk(url: str) -> Reply:
        batches, (request,) = batches_at(url, SavedBatches()), asked("x")
        with pytest.raises(ProviderFault, match="expired"):
            await batches.answer(request, 0)
        reply = await batches.answer(request, 0)
        await batches.close()
        return reply

    handlers = Handlers(first_expires)
    with provider(handlers) as stub:
        handlers.url = stub.url
        assert asyncio.run(talk(stub.url)).text == "late"
    assert len(handlers.batches) == 2


def test_after_a_kill_an_open_batch_is_fetched_and_not_sent_again() -> None:
    handlers, book, requests = Handlers(looks=10**9), SavedBatches(), asked("a", "b", temperature=0.5)

    async def killed(url: str) -> None:
        batches = batches_at(url, book)
        waiting = [asyncio.create_task(batches.answer(one, 0)) for one in requests]
        while not book.ids:
            await asyncio.sleep(0.01)
        for one in waiting:
            one.cancel()
        await batches.close()

    with provider(handlers) as stub:
        handlers.url = stub.url
        asyncio.run(killed(stub.url))
        handlers.looks = 0
        replies = answers(stub.url, book, [*requests, *asked("c")])
    assert [reply.text for reply in replies] == ["re: a", "re: b", "re: c"]
    assert [[one["params"]["messages"][-1]["content"] for one in batch] for batch in handlers.batches] == [
        ["a", "b"],
        ["c"],
    ]
    # what an earlier process really sent is not known
    assert replies[0].temperature is None


def test_a_batch_the_provider_has_forgotten_is_sent_again() -> None:
    handlers, (request,) = Handlers(hiccups=[Said({"error": {"message": "gone"}}, status=404)]), asked("x")
    book = SavedBatches({key_of(request, 0): "b7"})

    async def talk(url: str) -> Reply:
        batches = batches_at(url, book)
        with pytest.raises(ProviderFault) as raised:
            await batches.answer(request, 0)
        assert raised.value.heals
        reply = await batches.answer(request, 0)
        await batches.close()
        return reply

    with provider(handlers) as stub:
        handlers.url = stub.url
        assert asyncio.run(talk(stub.url)).text == "re: x"


def test_hiccups_while_polling_send_nothing_again() -> None:
    handlers = Handlers(hiccups=[Said(status=500, body={}), Said(reset=True), Said(b"<html>")][:2])
    (reply,), _ = through_batches(handlers, asked("x"))
    assert (reply.text, len(handlers.batches)) == ("re: x", 1)


def test_polling_that_goes_on_failing_is_a_fault_and_the_batch_stays_open() -> None:
    handlers, book, requests = Handlers(hiccups=[Said(status=500, body={})] * 3), SavedBatches(), asked("x")
    with provider(handlers) as stub:
        handlers.url = stub.url
        (fault,) = answers(stub.url, book, requests)
        (reply,) = answers(stub.url, book, requests)
    assert (fault.kind, fault.heals) == ("server error", True)
    assert (reply.text, len(handlers.batches)) == ("re: x", 1)


def test_a_batch_that_is_refused_is_a_fault_for_all_who_wait() -> None:
    busy = Said({"error": {"type": "x", "message": "busy"}}, status=429, headers={"retry-after": "2"})
    with provider(lambda _: busy) as stub:
        faults = answers(stub.url, SavedBatches(), asked("a", "b"))
    assert [(fault.kind, fault.heals, fault.retry_after_s) for fault in faults] == [
        ("rate limit", True, 2.0)
    ] * 2
    assert len(stub.heard) == 1


def test_a_refused_temperature_is_left_out_from_then_on() -> None:
    def picky(params: Any, _: int) -> Any:
        if "temperature" not in params:
            return {"type": "succeeded", "message": anthropic_reply("cold")}
        error = {"type": "invalid_request_error", "message": "temperature is not supported"}
        return {"type": "errored", "error": {"type": "error", "error": error}}

    async def talk(url: str) -> Reply:
        batches, (request,) = batches_at(url, SavedBatches()), asked("x", temperature=0.5)
        with pytest.raises(ProviderFault) as raised:
            await batches.answer(request, 0)
        assert (raised.value.heals, raised.value.retry_after_s) == (True, 0)
        reply = await batches.answer(request, 0)
        await batches.close()
        return reply

    handlers = Handlers(picky)
    with provider(handlers) as stub:
        handlers.url = stub.url
        assert asyncio.run(talk(stub.url)).temperature is None
    assert handlers.batches[0][0]["params"]["temperature"] == 0.5
    posts = [heard.headers["anthropic-version"] for heard in stub.heard if heard.method == "POST"]
    assert posts[0] == "2023-06-01" != posts[1]


def test_a_book_that_cannot_be_written_is_told_to_all_who_wait() -> None:
    class Full(SavedBatches):
        def opened(self, batch: str, keys: Sequence[bytes]) -> None:
            raise OSError("disk full")

    handlers = Handlers()
    faults, _ = through_batches(handlers, asked("a", "b"), Full())
    assert [str(fault) for fault in faults] == ["disk full"] * 2


def test_only_anthropic_has_batches() -> None:
    with pytest.raises(ModelFault, match="leave --batch out"):
        open_batches("openai/gpt-test", SavedBatches(), Keys({"OPENAI_API_KEY": "x" * 20}))
