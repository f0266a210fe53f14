"""The scripted server, asked by the real SDKs: every shape, what it counts, what it refuses."""

import asyncio
import json
from collections import Counter
from urllib.error import HTTPError
from urllib.request import Request as Web
from urllib.request import urlopen

import numpy as np
import pytest

from memtrial.models.client.types import Request
from memtrial.models.embeddings.embedding import HashingEmbedder
from memtrial.models.scripted.fault_script import ScriptedFault
from memtrial.models.scripted.protocol import ScriptedAnswer, ScriptFault
from memtrial.models.scripted.scripted_answers import answers_from
from memtrial.models.scripted.scripted_server import Script, scripted_server, serve_script
from tests.support.said_lines import Line, Lines

KEY = "sk-very-secret"
TEXT = "Thought: I look around.\nAction: go on"
SAYS = Lines((Line("", ScriptedAnswer(TEXT)),))
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
    assert (message.usage.cache_read_input_tokens, message.usage.cache_creation_input_tokens) == (0, 0)
    assert (counts["requests"], counts["answered"]) == (1, 1)


def test_a_chat_completion_has_the_shape_of_openais():
    async def talk(server):
        async with gpt(server) as client:
            return await client.chat.completions.create(
                model="gpt-x", messages=[{"role": "developer", "content": "Be brief."}, *HELLO]
            )

    said, counts = ask(Script(SAYS), talk)
    assert said.choices[0].message.content == TEXT
    assert (said.model, said.choices[0].finish_reason) == ("gpt-x", "stop")
    assert said.usage.prompt_tokens == len("Be brief.hello there") // 4
    assert said.usage.total_tokens == said.usage.prompt_tokens + len(TEXT) // 4
    assert counts["answered"] == 1


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
            vector = await other.embeddings.create(model="e", input=["hello"])
            return [one.model_extra["request"] for one in (message, chat, vector)]

    (message, chat, vector), _ = ask(Script(SAYS, echo=True), talk)
    assert message == {"model": "claude-x", "max_tokens": 50, "system": system, "messages": HELLO}
    assert chat == {"model": "gpt-x", "messages": HELLO, "seed": 3}
    assert vector["input"] == ["hello"]


def test_embeddings_are_those_of_the_hashing_embedder():
    texts = ["a red door", "press the brass button", "..."]

    async def talk(server):
        async with gpt(server) as client:
            return await client.embeddings.create(model="e-1", input=texts)

    said, _ = ask(Script(SAYS), talk)
    expected = HashingEmbedder().vectors(texts)
    assert [one.index for one in said.data] == [0, 1, 2]
    np.testing.assert_allclose(np.array([one.embedding for one in said.data]), expected, atol=1e-7)
    assert said.usage.prompt_tokens == sum(len(text) // 4 for text in texts)


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

    async def say(self, request: Request, repeat: int) -> ScriptedAnswer:
        return ScriptedAnswer(f"{request.messages[-1].text} {repeat}")


def test_a_log_that_cannot_be_written_is_refused(tmp_path):
    with pytest.raises(ScriptFault, match="cannot write the log"):
        serve_script(Script(answers_from("simulated/reader"), log=tmp_path / "no" / "log")).__enter__()


@pytest.mark.parametrize(
    ("model", "headers", "extra", "word"),
    [
        ("claude-x", {}, {"temperature": 0.5}, "temperature"),
        ("claude-x", OLD, {"temperature": 0.5}, None),
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
    assert counts["answered"] == (word is None)
    if refused is not None:
        assert word in refused.body["error"]["message"]


@pytest.mark.parametrize(
    ("content", "line"),
    [
        ('"\\ud83d"', "half a character"),
        (f'[{{"type":"document","source":{"[" * 20000}{"]" * 20000}}}]', "not valid JSON"),
        (f'[{{"type":"document","source":{"[" * 900}{"]" * 900}}}]', ""),
        ('[{"type":"text"}]', "messages.0.content.0.text: a text is needed"),
    ],
)
def test_an_odd_body_is_refused_in_one_line(content, line):
    body = f'{{"model":"m","max_tokens":5,"messages":[{{"role":"user","content":{content}}}]}}'.encode()
    with serve_script(Script(SAYS)) as server:
        try:
            with urlopen(Web(f"{server.url}/v1/messages", body)) as answer:
                status, text = answer.status, ""
        except HTTPError as refused:
            status, text = refused.code, refused.read().decode()
    assert status == (400 if line else 200)
    assert line in text


def test_equal_requests_at_once_are_repeats_of_their_own_and_each_is_logged_without_a_key(tmp_path):
    log = tmp_path / "log.jsonl"

    async def talk(server):
        async with gpt(server) as client:

            async def one(text):
                messages = [{"role": "user", "content": text}]
                said = await client.chat.completions.create(model="gpt-x", messages=messages)
                return said.choices[0].message.content

            return await asyncio.gather(*(one(f"q{number % 10}") for number in range(20)))

    said, counts = ask(Script(Repeats(), latency_s=0.1, log=log), talk)
    assert Counter(said) == Counter(f"q{number} {repeat}" for number in range(10) for repeat in range(2))
    assert counts == {"requests": 20, "answered": 20, "in_flight": 0, "faults": {}}
    rows = [json.loads(line) for line in log.read_text().splitlines()]
    assert sorted(row["n"] for row in rows) == list(range(1, 21))
    assert set(Counter(row["digest"] for row in rows).values()) == {2}
    assert {(row["path"], row["model"], row["fault"], row["status"]) for row in rows} == {
        ("/v1/chat/completions", "gpt-x", None, 200)
    }
    assert KEY not in log.read_text()


def test_it_runs_in_a_thread_and_its_port_is_its_own():
    with serve_script(Script(SAYS, (ScriptedFault("529", at=(1,)),))) as server:
        body = json.dumps({"model": "m", "max_tokens": 5, "messages": HELLO}).encode()
        with pytest.raises(OSError, match="529"):
            urlopen(Web(f"{server.url}/v1/messages", body))
        with pytest.raises(OSError, match="400"):
            urlopen(Web(f"{server.url}/v1/messages", b"{"))
        with pytest.raises(OSError, match="400"):
            urlopen(Web(f"{server.url}/v1/messages", body, {"Content-Encoding": "gzip"}))
        urlopen(Web(f"{server.url}/v1/messages", body)).close()
        assert server.counts() == {"requests": 4, "answered": 1, "in_flight": 0, "faults": {"529": 1}}
        port = int(server.url.rpartition(":")[2])
        with pytest.raises(ScriptFault, match="cannot be used"), serve_script(Script(SAYS), port):
            pass
    with pytest.raises(OSError, match="refused"):
        urlopen(server.url)
