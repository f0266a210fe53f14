import asyncio
import contextlib
import json
import subprocess
import sys

import pytest
from anthropic import AsyncAnthropic, DefaultAioHttpClient

from memtrial.models.client.keys import Keys
from memtrial.models.client.types import Message, ModelFault, ProviderFault, Reply, Request
from memtrial.models.providers.anthropic import message_params
from memtrial.models.providers.open import open_backend
from tests.support.stub_provider import Heard, Said, anthropic_reply, provider

MODEL = "anthropic/claude-test"
SECRET = "sk-ant-0123456789abcdef"
OF_ONE_REQUEST = frozenset(
    ("content-length", "x-stainless-timeout", "x-stainless-retry-count", "x-stainless-read-timeout")
)
"""Headers of the SDK that say how it sends this request."""
TALK = (Message("system", "You are tidy.\n“Zitat” 🙂"), Message("user", "Go.\tNow\n"))


def keys_of(url: str) -> Keys:
    return Keys({"ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": SECRET})


def ask(url: str, *requests: Request, keys: Keys | None = None) -> list[Reply]:
    async def talk() -> list[Reply]:
        backend = open_backend(MODEL, keys or keys_of(url))
        try:
            return [await backend.answer(request, 0) for request in requests]
        finally:
            await backend.close()

    return asyncio.run(talk())


def fault_of(said: Said, request: Request | None = None) -> ProviderFault:
    with provider(lambda _: said) as stub, pytest.raises(ProviderFault) as raised:
        ask(stub.url, request or Request(MODEL, TALK))
    assert len(stub.heard) == 1, "one request, once"
    assert "\n" not in str(raised.value)
    assert SECRET not in str(raised.value)
    return raised.value


def test_a_reply_is_read_as_it_came() -> None:
    usage = {"input_tokens": 5, "output_tokens": 7, "cache_read_input_tokens": 11}
    body = anthropic_reply(
        content=[
            {"type": "thinking", "thinking": "hm", "signature": "x"},
            {"type": "text", "text": "one "},
            {"type": "text", "text": "two"},
        ],
        usage={**usage, "cache_creation_input_tokens": 13, "service_tier": "standard"},
    )
    with provider(lambda _: Said(body)) as stub:
        (reply,) = ask(stub.url, Request(MODEL, TALK, max_tokens=77))
    assert reply == Reply("one two", 5, 7, "claude-test", cache_read_tokens=11, cache_write_tokens=13)
    (heard,) = stub.heard
    assert (heard.path, heard.headers["authorization"]) == ("/v1/messages", f"Bearer {SECRET}")
    assert heard.body["max_tokens"] == 77
    assert "temperature" not in heard.body


@pytest.mark.parametrize(
    ("word", "stop"),
    [
        ("end_turn", "end"),
        ("refusal", "refusal"),
        ("max_tokens", "length"),
        (None, "end"),
        ("a new word", "end"),
    ],
)
def test_why_it_stopped(word: str | None, stop: str) -> None:
    with provider(lambda _: Said(anthropic_reply(content=[], stop_reason=word))) as stub:
        (reply,) = ask(stub.url, Request(MODEL, TALK))
    assert (reply.stop, reply.text) == (stop, "")


def test_the_stable_beginning_is_marked_for_the_prompt_cache() -> None:
    first = message_params(Request(MODEL, TALK), "claude-test")
    marked = {"type": "ephemeral"}
    assert first["system"] == [{"type": "text", "text": TALK[0].content, "cache_control": marked}]
    assert first["messages"] == [{"role": "user", "content": TALK[1].content}]
    longer = (*TALK, Message("assistant", "Well."), Message("user", "On."))
    messages = message_params(Request(MODEL, longer), "claude-test")["messages"]
    assert [type(turn["content"]) for turn in messages] == [str, str, list]
    assert messages[-1]["content"] == [{"type": "text", "text": "On.", "cache_control": marked}]


def test_no_blank_text_is_sent_and_every_text_is_proven() -> None:
    blank = (Message("system", " "), Message("user", "a"), Message("assistant", ""), Message("user", "\n"))
    with provider(lambda _: Said(anthropic_reply())) as stub:
        (reply,) = ask(stub.url, Request(MODEL, blank))
    assert reply.verbatim
    body = stub.heard[0].body
    assert "system" not in body
    assert [json.dumps(turn["content"]).count("(empty)") for turn in body["messages"]] == [0, 1, 1]


def test_a_temperature_goes_with_the_version_that_has_one() -> None:
    with provider(lambda _: Said(anthropic_reply())) as stub:
        asked = (Request(MODEL, TALK, 0.0), Request(MODEL, TALK))
        cold, plain = ask(stub.url, *asked)
    assert (cold.temperature, plain.temperature) == (0.0, None)
    assert stub.heard[0].body["temperature"] == 0.0
    assert stub.heard[0].headers["anthropic-version"] == "2023-06-01"
    assert stub.heard[1].headers["anthropic-version"] != "2023-06-01"


def test_a_refused_temperature_is_left_out_from_then_on_and_said() -> None:
    def picky(heard) -> Said:
        if "temperature" in heard.body:
            error = {"type": "invalid_request_error", "message": "`temperature` is not supported"}
            return Said({"type": "error", "error": error}, status=400)
        return Said(anthropic_reply())

    async def talk(url: str) -> list[Reply]:
        backend = open_backend(MODEL, keys_of(url))
        with pytest.raises(ProviderFault) as refused:
            await backend.answer(Request(MODEL, TALK, 0.7), 0)
        assert (refused.value.heals, refused.value.retry_after_s) == (True, 0)
        replies = [await backend.answer(Request(MODEL, TALK, 0.7), 0) for _ in range(2)]
        await backend.close()
        return replies

    with provider(picky) as stub:
        replies = asyncio.run(talk(stub.url))
    assert [reply.temperature for reply in replies] == [None, None]
    assert len(stub.heard) == 3
    assert stub.heard[-1].headers["anthropic-version"] != "2023-06-01"


def test_a_400_that_only_mentions_temperature_where_none_was_sent_does_not_heal() -> None:
    assert not fault_of(Said({"error": {"message": "temperature"}}, status=400)).heals


@pytest.mark.parametrize(
    ("status", "kind", "heals"),
    [
        (302, "bad request", False),
        (400, "bad request", False),
        (401, "not permitted", False),
        (403, "not permitted", False),
        (404, "not found", False),
        (408, "time-out", True),
        (409, "server error", True),
        (413, "bad request", False),
        (422, "bad request", False),
        (429, "rate limit", True),
        (500, "server error", True),
        (503, "server error", True),
        (529, "overloaded", True),
    ],
)
def test_what_a_status_means(status: int, kind: str, heals: bool) -> None:
    said = Said({"type": "error", "error": {"type": "x", "message": f"no\nto {SECRET}"}}, status=status)
    fault = fault_of(said)
    assert (fault.kind, fault.heals, fault.retry_after_s) == (kind, heals, None)
    assert "no\\nto [key]" in str(fault)


@pytest.mark.parametrize("body", [b"<html>no</html>", b"", b"[]", b'"x"', b"null", b'{"error": 3}', b"\xff"])
def test_an_error_page_of_any_kind_is_a_fault_with_its_wait(body: bytes) -> None:
    fault = fault_of(Said(body, status=429, headers={"retry-after": "7"}))
    assert (fault.kind, fault.heals, fault.retry_after_s) == ("rate limit", True, 7.0)


GOOD = anthropic_reply()
BROKEN = [
    b"",
    b"{",
    b"<html></html>",
    b"null",
    b'"hello"',
    b"[1]",
    b"{}",
    json.dumps(GOOD)[:-9].encode(),
    *(
        json.dumps({k: v for k, v in GOOD.items() if k != gone}).encode()
        for gone in ("content", "usage", "model")
    ),
    *(
        json.dumps({**GOOD, **wrong}).encode()
        for wrong in (
            {"content": "hello"},
            {"content": None},
            {"content": {"type": "text"}},
            {"content": [3]},
            {"content": [{"type": "text"}]},
            {"content": [{"type": "text", "text": None}]},
            {"usage": None},
            {"usage": {"input_tokens": "5", "output_tokens": 1}},
            {"usage": {"input_tokens": True, "output_tokens": 1}},
            {"usage": {"input_tokens": -1, "output_tokens": 1}},
            {"usage": {"input_tokens": 5}},
            {"model": None},
            {"model": 3},
            {"stop_reason": ["end_turn"]},
        )
    ),
]


@pytest.mark.parametrize("body", BROKEN)
def test_what_is_no_message_is_a_malformed_reply_that_heals(body: bytes) -> None:
    fault = fault_of(Said(body))
    assert (fault.kind, fault.heals) == ("malformed reply", True)


@pytest.mark.parametrize("said", [Said(reset=True), Said(GOOD, cut=20)])
def test_a_broken_connection_heals(said: Said) -> None:
    fault = fault_of(said)
    assert (fault.kind, fault.heals) == ("connection", True)


def test_nobody_there_is_a_connection_fault() -> None:
    with pytest.raises(ProviderFault) as raised:
        ask("http://127.0.0.1:9", Request(MODEL, TALK))
    assert (raised.value.kind, raised.value.heals) == ("connection", True)


def test_half_a_character_cannot_be_sent() -> None:
    with provider(lambda _: Said(GOOD)) as stub, pytest.raises(ProviderFault) as raised:
        ask(stub.url, Request(MODEL, (Message("user", "\ud83d"),)))
    assert (raised.value.kind, raised.value.heals, stub.heard) == ("bad request", False, [])


def test_an_echo_without_the_prompt_is_seen_and_one_with_it_is_fine() -> None:
    def echo(heard) -> Said:
        kept = heard.body if len(echoed) == 0 else {**heard.body, "system": "something else"}
        echoed.append(kept)
        return Said(anthropic_reply(request=kept))

    echoed: list[dict] = []
    with provider(echo) as stub:
        replies = ask(stub.url, Request(MODEL, TALK), Request(MODEL, TALK))
    assert [reply.verbatim for reply in replies] == [True, False]


def test_a_key_in_a_reply_is_hidden() -> None:
    with provider(lambda heard: Said(anthropic_reply(str(heard.headers)))) as stub:
        (reply,) = ask(stub.url, Request(MODEL, TALK))
    assert SECRET not in reply.text
    assert "[key]" in reply.text


def test_cancelling_closes_the_connection_and_the_backend_goes_on() -> None:
    async def talk(url: str) -> Reply:
        backend = open_backend(MODEL, keys_of(url))
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(0.2):
                await backend.answer(Request(MODEL, (Message("user", "slow"),)), 0)
        reply = await backend.answer(Request(MODEL, TALK), 0)
        await backend.close()
        return reply

    slow = lambda heard: Said(GOOD, wait_s=5 if heard.body["messages"][0]["content"] == "slow" else 0)  # noqa: E731
    with provider(slow) as stub:
        assert asyncio.run(talk(stub.url)).text == "hello"


def test_a_token_goes_as_a_bearer() -> None:
    with provider(lambda _: Said(GOOD)) as stub:
        ask(
            stub.url,
            Request(MODEL, TALK),
            keys=Keys({"ANTHROPIC_BASE_URL": stub.url, "ANTHROPIC_AUTH_TOKEN": SECRET}),
        )
    assert stub.heard[0].headers["authorization"] == f"Bearer {SECRET}"
    assert "x-api-key" not in stub.heard[0].headers


def test_without_a_key_nothing_is_opened_unless_the_server_is_here() -> None:
    with pytest.raises(ModelFault, match="ANTHROPIC_API_KEY"):
        open_backend(MODEL)
    with provider(lambda _: Said(GOOD)) as stub:
        assert ask(stub.url, Request(MODEL, TALK), keys=Keys({"ANTHROPIC_BASE_URL": stub.url}))
    with pytest.raises(ModelFault, match="no setting thinking"):
        open_backend(f"{MODEL}?thinking=on", keys_of(stub.url))


def test_what_a_kept_request_said_in_its_header_goes_back_there() -> None:
    settings = json.dumps({"anthropic_beta": "a-1,b-2", "effort": "low"})
    request = Request(MODEL, TALK, 1.0, settings=settings, wire="anthropic_messages")
    with provider(lambda _: Said(anthropic_reply())) as stub:
        ask(stub.url, request)
    (heard,) = stub.heard
    assert heard.headers["anthropic-beta"] == "a-1,b-2"
    assert heard.headers["anthropic-version"] == "2023-06-01"
    assert (heard.body["effort"], "anthropic_beta" in heard.body) == ("low", False)


@pytest.mark.parametrize("holder", ["api_key", "auth_token"])
def test_the_headers_are_those_that_the_sdk_itself_sends(holder: str) -> None:
    def heard_of(heard: Heard) -> dict[str, str]:
        return {name: value for name, value in heard.headers.items() if name not in OF_ONE_REQUEST}

    async def ask_sdk(url: str) -> None:
        with_key = {holder: SECRET}
        async with AsyncAnthropic(base_url=url, http_client=DefaultAioHttpClient(), **with_key) as client:
            messages = [{"role": "user", "content": "Go."}]
            await client.messages.create(model="claude-test", max_tokens=9, messages=messages)

    with provider(lambda _: Said(GOOD)) as stub:
        keys = Keys({"ANTHROPIC_BASE_URL": stub.url, f"ANTHROPIC_{holder.upper()}": SECRET})
        ask(stub.url, Request(MODEL, TALK), keys=keys)
        asyncio.run(ask_sdk(stub.url))
    ours, theirs = stub.heard
    assert heard_of(ours) == heard_of(theirs) | {"accept-encoding": "identity"}
    assert (ours.path, ours.headers["content-type"]) == (theirs.path, "application/json")


ASKED_BY_ITSELF = """
import asyncio, os, sys
from memtrial.models.client.keys import Keys
from memtrial.models.client.types import Message, ModelFault, Request
from memtrial.models.providers.open import open_backend

for headers in ("x-team: lab\\nx-other: two", "x-team: l\u00e4b"):
    os.environ["ANTHROPIC_CUSTOM_HEADERS"] = headers
    backend = open_backend("anthropic/claude-test", Keys({"ANTHROPIC_BASE_URL": sys.argv[1]}))
    try:
        asyncio.run(backend.answer(Request("anthropic/claude-test", (Message("user", "Go."),)), 0))
    except ModelFault as fault:
        print(fault)
"""


def test_headers_of_the_users_own_go_along_and_one_that_is_none_is_named() -> None:
    with provider(lambda _: Said(GOOD)) as stub:
        command = [sys.executable, "-c", ASKED_BY_ITSELF, stub.url]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == "ANTHROPIC_CUSTOM_HEADERS holds a letter that no header has\n"
    (heard,) = stub.heard
    assert (heard.headers["x-team"], heard.headers["x-other"]) == ("lab", "two")
