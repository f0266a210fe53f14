"""The scripted server, asked by the real SDKs: every shape, what it counts, what it refuses."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from urllib.request import Request as Web
from urllib.request import urlopen

import numpy as np
import pytest

from loadbearing.models.client.types import Request
from loadbearing.models.embeddings.embedding import HashingEmbedder
from loadbearing.models.scripted.answers import Line, Lines, answers_from
from loadbearing.models.scripted.faults import Fault
from loadbearing.models.scripted.protocol import Refused, Said, ScriptFault
from loadbearing.models.scripted.server import Script, running, scripted_server

KEY = "sk-very-secret"
TEXT = "Thought: I look around.\nAction: go on"
SAYS = Lines((Line("", Said(TEXT)),))
HELLO = [{"role": "user", "content": "hello there"}]
OLD = {"anthropic-version": "2023-06-01"}


def claude(server, **settings):
    import anthropic

    return anthropic.AsyncAnthropic(base_url=server.url, api_key=KEY, max_retries=0, timeout=60, **settings)


def gpt(server):
    import openai

    return openai.AsyncOpenAI(base_url=server.openai_url, api_key=KEY, max_retries=0, timeout=60)


def ask(script, talk):
    """Run a talk with the server in the same loop."""

    async def within():
        async with scripted_server(script) as server:
            return await talk(server), server.counts()

    return asyncio.run(within())


def test_a_message_has_the_shape_of_anthropics():
    async def talk(server):
        async with claude(server) as client:
            return await client.messages.create(
                model="claude-x", max_tokens=50, system="Be brief.", messages=HELLO
            )

    message, counts = ask(Script(SAYS), talk)
    assert [block.text for block in message.content] == [TEXT]
    assert (message.model, message.stop_reason, message.role) == ("claude-x", "end_turn", "assistant")
    assert message.usage.input_tokens == len("Be brief.hello there") // 4
    assert message.usage.output_tokens == len(TEXT) // 4
    assert message._request_id == "req_scripted_000001"
    assert "request" not in (message.model_extra or {})
    assert (counts["requests"], counts["answered"], counts["paths"]) == (1, 1, {"/v1/messages": 1})


@pytest.mark.parametrize("base", ["/v1", ""])
def test_a_chat_completion_has_the_shape_of_openais_with_and_without_v1(base):
    async def talk(server):
        async with gpt(server) as client:
            return await client.with_options(base_url=server.url + base).chat.completions.create(
                model="gpt-x", messages=[{"role": "developer", "content": "Be brief."}, *HELLO]
            )

    said, counts = ask(Script(SAYS), talk)
    assert said.choices[0].message.content == TEXT
    assert (said.model, said.choices[0].finish_reason) == ("gpt-x", "stop")
    assert said.usage.prompt_tokens == len("Be brief.hello there") // 4
    assert said.usage.total_tokens == said.usage.prompt_tokens + len(TEXT) // 4
    assert counts["paths"] == {f"{base}/chat/completions": 1}


@pytest.mark.parametrize("model", ["openai/gpt-x", "anthropic/claude-x"])
def test_dspys_lm_speaks_to_it(model):
    import dspy
    from dspy.lm15 import Message, TextPart
    from dspy.lm15 import Request as DspyRequest

    async def talk(server):
        lm = dspy.LM(model, api_base=server.openai_url, api_key=KEY, cache=False, num_retries=0, timeout=60)
        user = Message(role="user", parts=(TextPart("hello there"),))
        with dspy.context(disable_history=True):
            return await lm.acall(DspyRequest(model=model, system="Be brief.", messages=(user,)))

    said, counts = ask(Script(SAYS, echo=True), talk)
    assert said.text == TEXT
    assert said.model == model.partition("/")[2]
    assert "hello there" in json.dumps(said.provider_data["request"])
    assert counts["answered"] == 1


def test_the_echo_is_the_body_as_it_came():
    system = [{"type": "text", "text": "Ünï ⟨x⟩"}, {"type": "text", "text": "\n\nmore"}]

    async def talk(server):
        async with claude(server) as one, gpt(server) as other:
            message = await one.messages.create(
                model="claude-x", max_tokens=50, system=system, messages=HELLO
            )
            chat = await other.chat.completions.create(model="gpt-x", messages=HELLO, seed=3)
            vector = await other.embeddings.create(model="e", input="hello")
            counted = await one.messages.count_tokens(model="claude-x", messages=HELLO)
            return [one.model_extra["request"] for one in (message, chat, vector, counted)]

    (message, chat, vector, counted), _ = ask(Script(SAYS, echo=True), talk)
    assert message == {"model": "claude-x", "max_tokens": 50, "system": system, "messages": HELLO}
    assert chat == {"model": "gpt-x", "messages": HELLO, "seed": 3}
    assert vector["input"] == "hello"
    assert counted["messages"] == HELLO


def test_tokens_are_counted_without_an_answer():
    async def talk(server):
        async with claude(server) as client:
            return await client.messages.count_tokens(model="claude-x", system="1234", messages=HELLO)

    counted, counts = ask(Script(SAYS), talk)
    assert counted.input_tokens == len("1234hello there") // 4
    assert counts["answered"] == 0


@pytest.mark.parametrize("settings", [{}, {"encoding_format": "float"}, {"dimensions": 32}])
def test_embeddings_are_those_of_the_hashing_embedder(settings):
    texts = ["a red door", "press the brass button", "..."]

    async def talk(server):
        async with gpt(server) as client:
            return await client.embeddings.create(model="e-1", input=texts, **settings)

    said, _ = ask(Script(SAYS), talk)
    expected = HashingEmbedder(settings.get("dimensions", 384)).embed(texts).array
    assert [one.index for one in said.data] == [0, 1, 2]
    np.testing.assert_allclose(np.array([one.embedding for one in said.data]), expected, atol=1e-7)
    assert said.usage.prompt_tokens == sum(len(text) // 4 for text in texts)


def test_nothing_is_read_from_or_written_to_a_prompt_cache():
    marked = [{"type": "text", "text": "s" * 400, "cache_control": {"type": "ephemeral"}}]

    async def talk(server):
        async with claude(server) as client:
            for _ in range(2):
                said = await client.messages.create(
                    model="claude-x", max_tokens=9, system=marked, messages=HELLO
                )
            return said.usage

    used, _ = ask(Script(SAYS), talk)
    assert (used.input_tokens, used.cache_read_input_tokens, used.cache_creation_input_tokens) == (102, 0, 0)


@pytest.mark.parametrize(
    ("model", "headers", "extra", "word"),
    [
        ("claude-x", {}, {"temperature": 0.5}, "temperature"),
        ("claude-x", {}, {"top_p": 0.5}, "top_p"),
        ("claude-x", {}, {"top_k": 5}, "top_k"),
        ("claude-x", OLD, {"temperature": 0.5}, None),
        ("claude-x", OLD, {"top_k": 5}, None),
        ("claude-opus-5-5", OLD, {"temperature": 0.5}, "only temperature=1"),
        ("claude-opus-5-5", OLD, {"temperature": 1}, None),
        ("claude-opus-5-5", {}, {}, None),
        ("claude-x", {}, {"stream": True}, "stream"),
        ("claude-x", {}, {"messages": []}, "messages"),
        ("claude-x", {}, {"messages": [{"role": "user", "content": ""}]}, "non-empty"),
        ("claude-x", {}, {"max_tokens": 0}, "max_tokens"),
    ],
)
def test_what_anthropic_refuses_it_refuses(model, headers, extra, word):
    import anthropic

    async def talk(server):
        async with claude(server, default_headers=headers) as client:
            try:
                await client.messages.create(model=model, max_tokens=5, messages=HELLO, extra_body=extra)
            except anthropic.BadRequestError as refused:
                return refused
            return None

    refused, counts = ask(Script(SAYS), talk)
    assert (refused is None) == (word is None)
    if refused is not None:
        assert refused.type == "invalid_request_error"
        assert word in refused.body["error"]["message"]
        assert counts["statuses"] == {"400": 1}
        assert counts["answered"] == 0


@pytest.mark.parametrize(
    ("path", "raw", "status", "word"),
    [
        ("/v1/messages", b"{", 400, "not valid JSON"),
        ("/v1/messages", b"[]", 400, "JSON object"),
        ("/v1/messages", b"[" * 100_000, 400, "not valid JSON"),
        (
            "/v1/chat/completions",
            b'{"model": "m", "messages": [{"role": "user", "content": "\\ud800"}]}',
            400,
            "pair",
        ),
        (
            "/v1/chat/completions",
            b'{"model": "m", "messages": [{"role": "tool", "content": "x"}]}',
            400,
            "role",
        ),
        (
            "/v1/chat/completions",
            b'{"model": "m", "messages": [{"role": "user", "content": 3}]}',
            400,
            "content",
        ),
        ("/v1/chat/completions", b'{"messages": [{"role": "user", "content": "x"}]}', 400, "model"),
        ("/v1/embeddings", b'{"model": "m", "input": [3, 4]}', 400, "input"),
        ("/v1/embeddings", b'{"model": "m", "input": [""]}', 400, "at least 1 character"),
        ("/v1/responses", b"{}", 404, "/v1/responses"),
    ],
)
def test_a_wrong_request_gets_a_clear_error(path, raw, status, word):
    from urllib.error import HTTPError

    with running(Script(SAYS)) as server:
        with pytest.raises(HTTPError) as refused:
            urlopen(Web(server.url + path, raw, {"content-type": "application/json"}))
        assert refused.value.code == status
        assert word in json.loads(refused.value.read())["error"]["message"]


def test_only_the_models_there_are_answer():
    import anthropic
    import openai

    async def talk(server):
        async with claude(server) as one, gpt(server) as other:
            with pytest.raises(anthropic.NotFoundError):
                await one.messages.create(model="claude-z", max_tokens=5, messages=HELLO)
            with pytest.raises(openai.NotFoundError):
                await other.chat.completions.create(model="gpt-z", messages=HELLO)
            listed = [model.id async for model in one.models.list()]
            return listed, [model.id async for model in other.models.list()]

    listed, _ = ask(Script(SAYS, models=("claude-x", "gpt-x")), talk)
    assert listed == (["claude-x", "gpt-x"], ["claude-x", "gpt-x"])


def test_an_answer_ends_at_max_tokens():
    async def talk(server):
        async with claude(server) as one, gpt(server) as other:
            message = await one.messages.create(model="m", max_tokens=2, messages=HELLO)
            chat = await other.chat.completions.create(model="m", max_completion_tokens=2, messages=HELLO)
            return message, chat.choices[0]

    (message, choice), _ = ask(Script(SAYS), talk)
    assert (message.content[0].text, message.stop_reason) == (TEXT[:8], "max_tokens")
    assert (choice.message.content, choice.finish_reason) == (TEXT[:8], "length")


class Repeats:
    """Says which repeat it was asked for."""

    async def say(self, request: Request, repeat: int) -> Said:
        if "no answer" in request.messages[-1].content:
            raise Refused(400, "there is none")
        return Said(f"{request.messages[-1].content} {repeat}")


def test_many_at_once_each_get_an_answer_of_their_own_and_are_counted(tmp_path):
    log = tmp_path / "log.jsonl"

    async def talk(server):
        async with gpt(server) as client:

            async def one(text):
                messages = [{"role": "user", "content": text}]
                said = await client.chat.completions.create(model="gpt-x", messages=messages)
                return said.choices[0].message.content

            return await asyncio.gather(*(one(f"q{number % 110}") for number in range(220)))

    said, counts = ask(Script(Repeats(), latency_s=0.5, log=log), talk)
    assert Counter(said) == Counter(f"q{number} {repeat}" for number in range(110) for repeat in range(2))
    assert (counts["requests"], counts["answered"], counts["in_flight"]) == (220, 220, 0)
    assert counts["max_in_flight"] > 100
    rows = [json.loads(line) for line in log.read_text().splitlines()]
    assert sorted(row["n"] for row in rows) == list(range(1, 221))
    assert set(Counter(row["digest"] for row in rows).values()) == {2}
    assert max(row["in_flight"] for row in rows) == counts["max_in_flight"]
    assert {(row["path"], row["model"], row["fault"], row["status"]) for row in rows} == {
        ("/v1/chat/completions", "gpt-x", None, 200)
    }
    assert KEY not in log.read_text()


def test_it_runs_in_a_thread_and_says_its_counts_over_http():
    with running(Script(SAYS, (Fault("529", at=(1,)),))) as server:
        body = json.dumps({"model": "m", "max_tokens": 5, "messages": HELLO}).encode()
        with pytest.raises(OSError, match="529"):
            urlopen(Web(f"{server.url}/v1/messages", body))
        urlopen(Web(f"{server.url}/v1/messages", body)).close()
        told = json.loads(urlopen(f"{server.url}/_scripted/counts").read())
        assert told == server.counts()
        assert (told["requests"], told["answered"], told["faults"]) == (2, 1, {"529": 1})
        assert told["statuses"] == {"529": 1, "200": 1}
        address = server.url
        with (
            pytest.raises(ScriptFault, match="cannot be used"),
            running(Script(SAYS), int(address.rpartition(":")[2])),
        ):
            pass
    with pytest.raises(OSError, match="refused"):
        urlopen(f"{address}/_scripted/counts")


def test_a_log_that_cannot_be_written_is_refused(tmp_path):
    with pytest.raises(ScriptFault, match="cannot write the log"):
        running(Script(answers_from("simulated/reader"), log=tmp_path / "no" / "log")).__enter__()
