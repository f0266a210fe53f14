"""Answers that are streamed: the real SDKs put them together to what they get in one piece."""

import asyncio
import json
from urllib.request import Request as Web
from urllib.request import urlopen

import pytest

from memtrial.models.client.content_blocks import TextBlock, ToolUse
from memtrial.models.scripted.fault_script import ScriptedFault
from memtrial.models.scripted.protocol import ScriptedAnswer
from memtrial.models.scripted.scripted_server import Script, scripted_server, serve_script
from tests.support.said_lines import Line, Lines

USE = ToolUse("call_7", "bash", '{"command": "echo \\"é\\""}')
CALL = ScriptedAnswer("I look.", "tool use", (TextBlock("I look."), USE))
SAYS = Lines((Line("tool", CALL), Line("", ScriptedAnswer("Plain.\nWords."))))
MODEL = "m"
each = pytest.mark.parametrize("asked", ["use a tool", "speak"])


def ask(talk):
    async def within():
        async with scripted_server(Script(SAYS)) as server:
            return await talk(server)

    return asyncio.run(within())


def gpt(server):
    import openai

    return openai.AsyncOpenAI(base_url=server.openai_url, api_key="k", max_retries=0)


@each
def test_anthropics_sdk_puts_the_stream_together(asked):
    import anthropic

    async def talk(server):
        async with anthropic.AsyncAnthropic(base_url=server.url, api_key="k", max_retries=0) as client:
            messages = [{"role": "user", "content": asked}]
            whole = await client.messages.create(model=MODEL, max_tokens=99, messages=messages)
            async with client.messages.stream(model=MODEL, max_tokens=99, messages=messages) as stream:
                return whole, await stream.get_final_message()

    whole, streamed = ask(talk)
    assert [block.to_dict() for block in streamed.content] == [block.to_dict() for block in whole.content]
    assert streamed.stop_reason == whole.stop_reason == ("tool_use" if "tool" in asked else "end_turn")
    assert streamed.usage.output_tokens == whole.usage.output_tokens
    assert streamed.usage.input_tokens == whole.usage.input_tokens


@each
def test_openais_sdk_puts_chat_chunks_together(asked):
    async def talk(server):
        async with gpt(server) as client:
            messages = [{"role": "user", "content": asked}]
            whole = await client.chat.completions.create(model=MODEL, messages=messages)
            async with client.chat.completions.stream(model=MODEL, messages=messages) as stream:
                return whole, await stream.get_final_completion()

    whole, streamed = ask(talk)
    one, other = whole.choices[0], streamed.choices[0]
    assert (one.message.content, one.finish_reason) == (other.message.content, other.finish_reason)
    calls = [
        [(call.id, call.function.name, call.function.arguments) for call in message.tool_calls or ()]
        for message in (one.message, other.message)
    ]
    assert calls[0] == calls[1] == ([(USE.id, USE.name, USE.arguments)] if "tool" in asked else [])


@each
def test_openais_sdk_puts_a_response_together(asked):
    async def talk(server):
        async with gpt(server) as client, client.responses.stream(model=MODEL, input=asked) as stream:
            kinds = [event.type async for event in stream]
            return kinds, await stream.get_final_response()

    kinds, response = ask(talk)
    assert (kinds[0], kinds[-1]) == ("response.created", "response.completed")
    texts = [part.text for item in response.output if item.type == "message" for part in item.content]
    uses = [item for item in response.output if item.type == "function_call"]
    assert texts == (["I look."] if "tool" in asked else ["Plain.\nWords."])
    calls = [(item.call_id, item.name, item.arguments) for item in uses]
    assert calls == ([(USE.id, USE.name, USE.arguments)] if "tool" in asked else [])


def test_faults_strike_streams_too_and_who_asks_for_no_stream_gets_none(tmp_path):
    log = tmp_path / "log"
    body = {"model": MODEL, "max_tokens": 9, "messages": [{"role": "user", "content": "hi"}]}
    with serve_script(Script(SAYS, (ScriptedFault("529", at=(1,)),), log=log)) as server:

        def post(stream):
            raw = json.dumps({**body, "stream": stream}).encode()
            with urlopen(Web(f"{server.url}/v1/messages?beta=true", raw)) as answer:
                return answer.headers["content-type"], answer.read()

        with pytest.raises(OSError, match="529"):
            post(True)
        assert post(False)[0].startswith("application/json")
        kind, raw = post(True)
        assert kind.startswith("text/event-stream")
        assert raw.startswith(b"event: message_start\ndata: {")
        with urlopen(server.url) as greeting:
            assert greeting.status == 200
    assert [json.loads(line)["streamed"] for line in log.read_text().splitlines()] == [True, False, True]
