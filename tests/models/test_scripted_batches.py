"""Message batches of the scripted server, through the real SDK."""

import asyncio
import json
from contextlib import asynccontextmanager

import pytest

from loadbearing.models.scripted.faults import Fault
from loadbearing.models.scripted.protocol import Said
from loadbearing.models.scripted.server import Script, scripted_server
from tests.support.said_lines import Line, Lines

SAYS = Lines((Line("one", Said("the first")), Line("two", Said("no", "refusal")), Line("", Said("any"))))


def item(name, text, **more):
    params = {"model": "claude-x", "max_tokens": 9, "messages": [{"role": "user", "content": text}], **more}
    return {"custom_id": name, "params": params}


@asynccontextmanager
async def client_of(server):
    import anthropic

    async with anthropic.AsyncAnthropic(
        base_url=server.url, api_key="k", max_retries=0, timeout=60
    ) as client:
        yield client.messages.batches


async def ended(batches, name):
    while (batch := await batches.retrieve(name)).processing_status != "ended":
        await asyncio.sleep(0.01)
    return batch


def with_batches(script, talk):
    async def within():
        async with scripted_server(script) as server, client_of(server) as batches:
            said = await talk(batches)
            return said, server.counts()

    return asyncio.run(asyncio.wait_for(within(), 120))


def test_a_batch_goes_round_and_its_results_come_in_another_order(tmp_path):
    async def talk(batches):
        made = await batches.create(requests=[item("a", "one"), item("b", "two"), item("c", "three")])
        assert (made.processing_status, made.results_url) == ("in_progress", None)
        batch = await ended(batches, made.id)
        assert batch.request_counts.succeeded == 3
        return [one async for one in await batches.results(made.id)]

    log = tmp_path / "log"
    results, counts = with_batches(Script(SAYS, log=log, echo=True), talk)
    assert [one.custom_id for one in results] == ["c", "b", "a"]
    messages = {one.custom_id: one.result.message for one in results}
    assert messages["a"].content[0].text == "the first"
    assert messages["b"].stop_reason == "refusal"
    assert messages["c"].usage.input_tokens == len("three") // 4
    assert messages["a"].model_extra["request"] == item("a", "one")["params"]
    assert counts["answered"] == 3
    rows = [json.loads(line) for line in log.read_text().splitlines()]
    assert [row["item"] for row in rows if row["answered"]] == ["a", "b", "c"]
    assert len({row["digest"] for row in rows if row["answered"]}) == 3


def test_an_item_fails_on_its_own():
    async def talk(batches):
        made = await batches.create(requests=[item("a", "one"), item("bad", "x", temperature=0.5)])
        batch = await ended(batches, made.id)
        return batch, {one.custom_id: one.result async for one in await batches.results(made.id)}

    (batch, found), counts = with_batches(Script(SAYS), talk)
    assert {name: result.type for name, result in found.items()} == {"a": "succeeded", "bad": "errored"}
    assert found["bad"].error.error.type == "invalid_request_error"
    assert "temperature" in found["bad"].error.error.message
    assert (batch.request_counts.succeeded, batch.request_counts.errored, counts["answered"]) == (1, 1, 1)


@pytest.mark.parametrize(
    ("requests", "word"),
    [
        ([], "at least 1 item"),
        ([item("a", "x"), item("a", "y")], "used twice"),
        ([item("", "x")], "custom_id"),
        ([{"custom_id": "a"}], "params"),
    ],
)
def test_a_wrong_batch_is_refused(requests, word):
    import anthropic

    async def talk(batches):
        with pytest.raises(anthropic.BadRequestError, match=word):
            await batches.create(requests=requests)
        with pytest.raises(anthropic.NotFoundError):
            await batches.retrieve("msgbatch_unknown")

    _, counts = with_batches(Script(SAYS), talk)
    assert counts["answered"] == 0


def test_the_requests_of_a_batch_are_struck_as_any_other():
    import anthropic

    async def talk(batches):
        with pytest.raises(anthropic.RateLimitError):
            await batches.create(requests=[item("a", "one")])
        made = await batches.create(requests=[item("a", "one")])
        with pytest.raises(json.JSONDecodeError):
            await ended(batches, made.id)
        await ended(batches, made.id)
        return [one.result.type async for one in await batches.results(made.id)]

    faults = (Fault("429", at=(1,)), Fault("malformed JSON", at=(3,)))
    types, counts = with_batches(Script(SAYS, faults), talk)
    assert types == ["succeeded"]
    assert counts["faults"] == {"429": 1, "malformed JSON": 1}
