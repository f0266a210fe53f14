import asyncio
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import memtrial
from memtrial.models.client.keys import Keys
from memtrial.models.client.types import Message, ModelFault, ProviderFault, Reply, Request
from memtrial.models.providers.open import open_backend
from memtrial.models.providers.provider_table import ALL as PROVIDERS
from memtrial.models.providers.provider_table import Provider
from tests.support.stub_provider import Said, openai_reply, provider

MODEL = "openai/gpt-test"
SECRET = "sk-0123456789abcdef"
TALK = (Message("system", "You are tidy.\n“Zitat” 🙂"), Message("user", "Go.\tNow\n"))


def keys_of(url: str) -> Keys:
    return Keys({"OPENAI_BASE_URL": f"{url}/v1", "OPENAI_API_KEY": SECRET})


def ask(url: str, *requests: Request, keys: Keys | None = None) -> list[Reply]:
    async def talk() -> list[Reply]:
        backend = open_backend(requests[0].model, keys or keys_of(url))
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
    usage = {"prompt_tokens": 20, "completion_tokens": 7, "total_tokens": 27}
    usage |= {"prompt_tokens_details": {"cached_tokens": 12}}
    usage |= {"completion_tokens_details": {"reasoning_tokens": 4}}
    with provider(lambda _: Said(openai_reply("one two", usage=usage))) as stub:
        (reply,) = ask(stub.url, Request(MODEL, TALK, 0.5, max_tokens=77))
    assert reply == Reply("one two", 8, 7, "gpt-test", cache_read_tokens=12, temperature=0.5)
    (heard,) = stub.heard
    assert (heard.path, heard.headers["authorization"]) == ("/v1/chat/completions", f"Bearer {SECRET}")
    assert (heard.body["max_completion_tokens"], heard.body["temperature"]) == (77, 0.5)
    assert [turn["content"] for turn in heard.body["messages"]] == [m.content for m in TALK]


@pytest.mark.parametrize(
    ("word", "stop"),
    [("stop", "end"), ("length", "length"), ("content_filter", "refusal"), (None, "end"), ("new", "end")],
)
def test_why_it_stopped(word: str | None, stop: str) -> None:
    with provider(lambda _: Said(openai_reply(None, word))) as stub:
        (reply,) = ask(stub.url, Request(MODEL, TALK))
    assert (reply.stop, reply.text) == (stop, "")


def test_a_refusal_is_the_models_answer_whatever_way_it_comes() -> None:
    message = {"role": "assistant", "content": None, "refusal": "I will not."}
    inside = openai_reply(choices=[{"index": 0, "message": message, "finish_reason": "stop"}])
    filtered = {"error": {"message": "filtered", "code": "content_filter", "type": "x", "param": None}}
    said = iter([Said(inside), Said(filtered, status=400)])
    with provider(lambda _: next(said)) as stub:
        polite, short = ask(stub.url, Request(MODEL, TALK, 0.1), Request(MODEL, TALK, 0.1))
    assert (polite.stop, polite.text, polite.temperature) == ("refusal", "I will not.", 0.1)
    assert (short.stop, short.text, short.model, short.temperature) == ("refusal", "", "gpt-test", 0.1)
    assert polite.verbatim
    assert short.verbatim


def test_blank_turns_are_sent_as_such() -> None:
    blank = (Message("system", ""), Message("user", "a"), Message("assistant", ""), Message("user", "\n"))
    with provider(lambda _: Said(openai_reply())) as stub:
        (reply,) = ask(stub.url, Request(MODEL, blank))
    assert reply.verbatim
    assert [turn["content"] for turn in stub.heard[0].body["messages"]] == ["a", "(empty)", "(empty)"]


def test_a_refused_temperature_is_left_out_from_then_on_and_said() -> None:
    def picky(heard) -> Said:
        if "temperature" in heard.body:
            said = "Unsupported value: 'temperature' does not support 0.7 with this model."
            return Said({"error": {"message": said, "type": "invalid_request_error"}}, status=400)
        return Said(openai_reply())

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


@pytest.mark.parametrize(
    ("status", "code", "kind", "heals"),
    [
        (400, "x", "bad request", False),
        (400, "context_length_exceeded", "bad request", False),
        (401, "invalid_api_key", "not permitted", False),
        (402, "x", "not permitted", False),
        (403, "x", "not permitted", False),
        (404, "model_not_found", "not found", False),
        (408, "x", "time-out", True),
        (409, "x", "server error", True),
        (413, "x", "bad request", False),
        (422, "x", "bad request", False),
        (429, "rate_limit_exceeded", "rate limit", True),
        (429, "insufficient_quota", "not permitted", False),
        (500, "server_error", "server error", True),
        (503, "x", "server error", True),
        (504, "x", "server error", True),
        (529, "x", "overloaded", True),
    ],
)
def test_what_a_status_means(status: int, code: str, kind: str, heals: bool) -> None:
    error = {"message": f"no\nto {SECRET}", "type": code, "code": code}
    fault = fault_of(Said({"error": error}, status=status))
    assert (fault.kind, fault.heals, fault.retry_after_s) == (kind, heals, None)
    assert "no to [key]" in str(fault)


@pytest.mark.parametrize("body", [b"<html>no</html>", b"", b"[]", b'"x"', b"null", b'{"error": 3}', b"\xff"])
def test_an_error_page_of_any_kind_is_a_fault_with_its_wait(body: bytes) -> None:
    fault = fault_of(Said(body, status=429, headers={"retry-after-ms": "1500"}))
    assert (fault.kind, fault.heals, fault.retry_after_s) == ("rate limit", True, 1.5)


GOOD = openai_reply()
BROKEN = [
    b"",
    b"{",
    b"<html></html>",
    b"null",
    b'"hello"',
    b"[1]",
    b"{}",
    b"\xff",
    json.dumps(GOOD)[:-9].encode(),
    *(
        json.dumps({k: v for k, v in GOOD.items() if k != gone}).encode()
        for gone in ("choices", "usage", "model")
    ),
    *(
        json.dumps({**GOOD, **wrong}).encode()
        for wrong in (
            {"choices": []},
            {"choices": None},
            {"choices": "hello"},
            {"choices": [3]},
            {"choices": [{}]},
            {"choices": [{"message": "hello"}]},
            {"choices": GOOD["choices"] * 2},
            {"choices": [{"message": {"content": 3}}]},
            {"usage": None},
            {"usage": "many"},
            {"usage": {"prompt_tokens": "5", "completion_tokens": 1}},
            {"usage": {"prompt_tokens": -5, "completion_tokens": 1}},
            {"model": None},
            {"model": 3},
        )
    ),
]


@pytest.mark.parametrize("body", BROKEN)
def test_what_is_no_completion_is_a_malformed_reply_that_heals(body: bytes) -> None:
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
        gone = next(lost)
        return Said(openai_reply(echo={**heard.body, "messages": heard.body["messages"][gone:]}))

    lost = iter([0, 1])
    with provider(echo) as stub:
        replies = ask(stub.url, Request(MODEL, TALK), Request(MODEL, TALK))
    assert [reply.verbatim for reply in replies] == [True, False]


def test_a_key_in_a_reply_is_hidden() -> None:
    with provider(lambda heard: Said(openai_reply(str(heard.headers)))) as stub:
        (reply,) = ask(stub.url, Request(MODEL, TALK))
    assert SECRET not in reply.text
    assert "[key]" in reply.text


def test_two_hundred_calls_are_under_way_at_once_and_none_hears_another() -> None:
    async def talk(url: str) -> list[Reply]:
        backend = open_backend(MODEL, keys_of(url))
        requests = [Request(MODEL, (Message("user", f"number {n}"),)) for n in range(200)]
        replies = await asyncio.gather(*(backend.answer(request, 0) for request in requests))
        await backend.close()
        return replies

    def late(heard) -> Said:
        return Said(openai_reply(heard.body["messages"][0]["content"]), wait_s=1)

    with provider(late) as stub:
        replies = asyncio.run(talk(stub.url))
    assert [reply.text for reply in replies] == [f"number {n}" for n in range(200)]
    assert stub.at_once == 200
    assert all(reply.verbatim for reply in replies)


def test_gemini_is_read_too() -> None:
    usage = {"promptTokenCount": 9, "candidatesTokenCount": 4, "thoughtsTokenCount": 3, "totalTokenCount": 16}
    candidate = {"content": {"parts": [{"text": "hello"}], "role": "model"}, "finishReason": "STOP"}
    body = {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "gemini-test-001"}
    said = iter([Said(body), Said({"promptFeedback": {"blockReason": "SAFETY"}, "usageMetadata": usage})])
    with provider(lambda _: next(said)) as stub:
        keys = Keys({"GEMINI_BASE_URL": f"{stub.url}/v1beta", "GOOGLE_API_KEY": SECRET})
        request = Request("gemini/gemini-test", TALK, 0.25)
        reply, blocked = ask(stub.url, request, request, keys=keys)
    assert reply == Reply("hello", 9, 7, "gemini-test-001", temperature=0.25)
    assert (blocked.stop, blocked.text, blocked.model) == ("refusal", "", "gemini-test-001")


def test_any_server_that_speaks_chat_completions_is_reached_by_its_variable() -> None:
    with provider(lambda _: Said(openai_reply())) as stub:
        keys = Keys({"OUR_LAB_BASE_URL": stub.url})
        (reply,) = ask(stub.url, Request("our-lab/some/model", TALK), keys=keys)
    assert reply.text == "hello"
    assert stub.heard[0].body["model"] == "some/model"


@pytest.mark.parametrize(
    "service", [one for one in PROVIDERS if one.dialect != "anthropic"], ids=lambda one: one.name
)
def test_every_service_asks_for_its_key_and_is_reached_where_its_variable_says(service: Provider) -> None:
    name = service.name
    if service.key_needed:
        with pytest.raises(ModelFault, match=service.keys[0]):
            open_backend(f"{name}/m", Keys({}))
    answer = openai_reply()
    answer["candidates"] = [{"content": {"parts": [{"text": "hello"}]}, "finishReason": "STOP"}]
    answer["usageMetadata"] = {"promptTokenCount": 1, "candidatesTokenCount": 1}
    if name == "gemini":
        del answer["choices"]
    with provider(lambda _: Said(answer)) as stub:
        keys = Keys({re.sub(r"\W", "_", name.upper()) + "_BASE_URL": stub.url, service.keys[0]: SECRET})
        (reply,) = ask(stub.url, Request(f"{name}/m", TALK, max_tokens=5), keys=keys)
    assert (reply.text, reply.verbatim, len(stub.heard)) == ("hello", True, 1)
    assert SECRET in str(stub.heard[0].headers)


def test_an_unknown_provider_is_told_what_there_is() -> None:
    with pytest.raises(
        ModelFault, match=r"no provider 'nobody'.*anthropic.*openai.*NOBODY_BASE_URL"
    ) as raised:
        open_backend("nobody/m", Keys({}))
    assert "\n" not in str(raised.value)


def test_no_private_module_of_a_library_is_imported() -> None:
    root = Path(memtrial.__file__).parent
    private = [
        f"{path}: {name}"
        for room in ("models", "condensers", "gates", "judges")
        for path in (root / room).rglob("*.py")
        for name in re.findall(r"^\s*(?:from|import)\s+([\w.]+)", path.read_text(), re.MULTILINE)
        if re.search(r"(^|\.)_(?!_)", name)
    ]
    assert private == []


def test_litellm_is_never_loaded() -> None:
    with provider(lambda _: Said(openai_reply())) as stub:
        code = (
            "import asyncio, sys\n"
            "from memtrial.models.providers.open import open_backend\n"
            "from memtrial.models.client.keys import Keys\n"
            "from memtrial.models.client.types import Message, Request\n"
            "heavy = {'dspy', 'anthropic', 'litellm', 'aiohttp', 'httpx2'} & set(sys.modules)\n"
            f"backend = open_backend('{MODEL}', Keys({{'OPENAI_BASE_URL': '{stub.url}/v1'}}))\n"
            f"asyncio.run(backend.answer(Request('{MODEL}', (Message('user', 'Go.'),)), 0))\n"
            "print(sorted(heavy), 'litellm' in sys.modules)"
        )
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.stdout.strip(), done.stderr) == ("[] False", "")
