"""Messages of blocks: as easy as a text where there is one, digested, proven and sent whole."""

import asyncio
import json

import pytest

from memtrial.models.client.content_blocks import ImageBlock, OtherBlock, TextBlock, ToolResult, ToolUse
from memtrial.models.client.keys import Keys
from memtrial.models.client.prompt_delivery import contained_in
from memtrial.models.client.types import Message, Request, key_of
from memtrial.models.providers.anthropic import message_params
from memtrial.models.providers.open import open_backend
from memtrial.models.scripted.protocol import ScriptedAnswer
from memtrial.models.scripted.scripted_server import Script, serve_script
from memtrial.models.wire import anthropic_messages, openai_chat, openai_responses
from memtrial.models.wire.json_fields import WireFault
from memtrial.plugins.conformance.model_laws import BLOCKS, PIXEL
from tests.support.said_lines import Line, Lines
from tests.support.stub_provider import Said, anthropic_reply, provider

TALK = (Message("system", "You are tidy.\n“Zitat” 🙂"), Message("user", "Go.\tNow\n"))
ODD = (*TALK, Message("assistant", '\\ " </x> \u2028 \x00'), Message("user", " "))
RECORDED = [
    # request, its digest, and the keys of its repeats 0 and -3, by the code of before there were blocks
    (
        Request("anthropic/claude-test", TALK),
        "75c34f6174c095967e37df99a0d68be8e4faf1c1c0985db26b473fe83287cc65",
        "63086c238852268931f1246471b66288c6f02454cd25d0d6264e417a7d2bf996",
        "4f0df738d1926e253cf7f05f95dca2bc7f9596ce7b5678647db38af8547ad07b",
    ),
    (
        Request("simulated/reader", TALK, 0.0, None),
        "078a3d87d9357e43c8b367166cb2aad1f11699ee51283542f4363931b805640d",
        "e4e01d7cd64889178b4797f55ba41a2bf42e64643999b95c827a3ba7f6376f91",
        "bc5ba9a94933605cbf0b75b26c3231a3dd6b42cc4b330d1c6753706100ce16b6",
    ),
    (
        Request("m", (Message("user", ""),)),
        "12e25dfdc2342de6bca2b17fb8aacd1d48b01cde0d93f6e711f62c287631a839",
        "83d21496b19d47e59d18a95e72f08fd38de04e6e9731d360b145d08477665112",
        "3e280c270dd9b017ff6e4a598b4acd881855c833597359a84bc7662efc6a44ea",
    ),
    (
        Request("openai/gpt-x?", ODD, 0.7, 64000, "draw é"),
        "8ad45d4583702e5e3fe832e894dce33b51db74f363c96bab33c448f73f3d5621",
        "e25dafabb6bd225f59428673a9cc33e6bcc077d6c6513c17d4015ef75280cf56",
        "bfc7f26b3bb1903a230263d323ffc6ba0cd63c55ef251ce96a6cbdb1f33decf7",
    ),
]


@pytest.mark.parametrize(("request_", "digest", "first", "other"), RECORDED)
def test_a_call_that_was_paid_before_there_were_blocks_is_found(request_, digest, first, other) -> None:
    assert request_.digest.hex() == digest
    assert (key_of(request_, 0).hex(), key_of(request_, -3).hex()) == (first, other)


def test_a_text_is_the_same_question_in_one_block_in_two_or_with_a_mark() -> None:
    plain = Request("m", (Message("user", "Go now."),)).digest
    marked = TextBlock("Go now.", cache='{"type":"ephemeral"}')
    for blocks in ((TextBlock("Go now."),), (TextBlock("Go "), TextBlock("now.")), (marked,)):
        assert Request("m", (Message("user", blocks),)).digest == plain
        assert Message("user", blocks).text == "Go now."


def test_whatever_can_change_an_answer_changes_the_digest() -> None:
    use, result = ToolUse("u", "read", "{}"), ToolResult("u", "blue")
    contents = [
        "blue",
        (ImageBlock("image/png", PIXEL),),
        (ImageBlock("image/png", PIXEL, detail="low"),),
        (ImageBlock(url="https://x/y.png"),),
        (use,),
        (ToolUse("u", "write", "{}"),),
        (ToolUse("u", "read", '{"a":1}'),),
        (result,),
        (ToolResult("u", (TextBlock("blue"),)),),
        (ToolResult("u", "blue", True),),
        (OtherBlock('{"type":"document"}'),),
        (TextBlock("blue", more='{"citations":[]}'),),
    ]
    digests = [Request("m", (Message("user", content),)).digest for content in contents]
    digests.append(Request("m", (Message("user", "blue", more='{"name":"Ann"}'),)).digest)
    digests.append(Request("m", (Message("user", "blue"),), settings='{"tools":[]}').digest)
    assert len(set(digests)) == len(digests)
    streamed = Request("m", (Message("user", "blue"),), delivery='{"stream":true}', wire="openai_chat")
    assert streamed.digest == digests[0]


BODIES = {
    "anthropic": anthropic_messages.write_request(BLOCKS),
    "chat": openai_chat.write_request(BLOCKS),
    "responses": openai_responses.write_request(BLOCKS),
}
HELD = ("What stands in the file?", PIXEL, "I look.", "use_1", "read", "notes.txt", "The door is blue.")


@pytest.mark.parametrize("name", BODIES)
def test_all_that_blocks_hold_is_proven_in_every_format(name) -> None:
    assert contained_in(BLOCKS.messages, BODIES[name])
    for held in HELD:
        lost = json.loads(json.dumps(BODIES[name]).replace(held, "x"))
        assert not contained_in(BLOCKS.messages, lost), held


@pytest.mark.parametrize("name", BODIES)
def test_a_result_that_lost_its_call_is_missed(name) -> None:
    body = json.dumps(BODIES[name])
    place = body.rindex("use_1")
    lost = json.loads(body[:place] + "x" + body[place + 5 :])
    assert not contained_in(BLOCKS.messages, lost)


USAGE = {"input_tokens": 5, "output_tokens": 7, "prompt_tokens": 5, "completion_tokens": 7}


@pytest.mark.parametrize(
    ("word", "stop"),
    [
        ("end_turn", "end"),
        ("max_tokens", "length"),
        ("refusal", "refusal"),
        ("tool_use", "tool use"),
        ("model_context_window_exceeded", "length"),
        (None, "end"),
        ("pause_turn", "end"),
    ],
)
def test_why_a_message_ended(word, stop) -> None:
    body = {"model": "m", "content": [], "stop_reason": word, "usage": USAGE}
    assert anthropic_messages.read_reply(body).stop == stop


@pytest.mark.parametrize(
    ("word", "refusal", "stop"),
    [
        ("stop", None, "end"),
        ("length", None, "length"),
        ("tool_calls", None, "tool use"),
        ("content_filter", None, "refusal"),
        ("stop", "No.", "refusal"),
    ],
)
def test_why_a_chat_completion_ended(word, refusal, stop) -> None:
    message = {"role": "assistant", "content": None, "refusal": refusal}
    body = {"model": "m", "choices": [{"message": message, "finish_reason": word}], "usage": USAGE}
    reply = openai_chat.read_reply(body)
    assert (reply.stop, reply.text) == (stop, refusal or "")


@pytest.mark.parametrize(
    ("reason", "stop"), [(None, "end"), ("max_output_tokens", "length"), ("content_filter", "refusal")]
)
def test_why_a_response_ended(reason, stop) -> None:
    details = {"reason": reason} if reason else None
    body = {"model": "m", "output": [], "usage": USAGE, "incomplete_details": details}
    assert openai_responses.read_reply(body).stop == stop
    called = body | {"output": [{"type": "function_call", "call_id": "c", "name": "n", "arguments": ""}]}
    assert openai_responses.read_reply(called).stop == ("tool use" if reason is None else stop)


def test_tokens_from_the_prompt_cache_are_counted_apart() -> None:
    chat = {"model": "m", "choices": [{"message": {"content": "a"}}], "usage": dict(USAGE)}
    chat["usage"]["prompt_tokens_details"] = {"cached_tokens": 2}
    responses = {"model": "m", "output": [], "usage": USAGE | {"input_tokens_details": {"cached_tokens": 2}}}
    for reply in (openai_chat.read_reply(chat), openai_responses.read_reply(responses)):
        assert (reply.input_tokens, reply.cache_read_tokens, reply.output_tokens) == (3, 2, 7)


@pytest.mark.parametrize("usage", [{}, {"input_tokens": -1, "output_tokens": 1}, {"input_tokens": 1.0}, None])
def test_a_reply_without_counts_is_none(usage) -> None:
    with pytest.raises(WireFault, match="usage"):
        anthropic_messages.read_reply({"model": "m", "content": [], "usage": usage})


def read_back(name):
    reader = {"anthropic": anthropic_messages, "chat": openai_chat, "responses": openai_responses}[name]
    return reader.read_request(BODIES[name])


@pytest.mark.parametrize("name", BODIES)
def test_a_request_goes_from_format_to_format(name) -> None:
    request = read_back(name)
    for written in (anthropic_messages, openai_chat, openai_responses):
        assert contained_in(BLOCKS.messages, written.write_request(request))


@pytest.mark.parametrize(
    ("content", "more", "line"),
    [
        ("Go.", {"settings": '{"tools":[]}'}, "tools: read as anthropic_messages"),
        ((OtherBlock('{"type":"thinking"}'),), {}, "messages.0: it holds"),
        ((TextBlock("a", more='{"citations":[]}'),), {}, "messages.0: it holds"),
        ((ToolResult("u", (OtherBlock('{"type":"document"}'),)),), {}, "messages.0: it holds"),
        ((ToolResult("u", "gone", True),), {}, "tool result u"),
    ],
)
def test_what_another_format_has_no_words_for_is_refused_in_one_line(content, more, line) -> None:
    request = Request("m", (Message("user", content),), wire="anthropic_messages", **more)
    for written in (openai_chat, openai_responses):
        with pytest.raises(WireFault, match=line) as refused:
            written.write_request(request)
        assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("read", "body", "line"),
    [
        (anthropic_messages, {"messages": []}, "model: a text is needed"),
        (anthropic_messages, {"model": "", "messages": []}, "model: a name is needed"),
        (
            anthropic_messages,
            {"model": "m", "messages": [{"role": "tool", "content": ""}]},
            "messages.0.role",
        ),
        (anthropic_messages, {"model": "m", "messages": [{"role": "user"}]}, "messages.0.content"),
        (anthropic_messages, {"model": "m", "messages": [], "max_tokens": True}, "max_tokens"),
        (anthropic_messages, {"model": "m", "messages": [], "temperature": "hot"}, "temperature"),
        (openai_chat, {"model": "m", "messages": ["hi"]}, "messages.0"),
        (openai_chat, {"model": "m", "messages": [{"role": "user", "content": 3}]}, "messages.0.content"),
        (
            # a call among the parts would be written among the calls
            openai_chat,
            {"model": "m", "messages": [{"role": "assistant", "content": [{"function": {}}]}]},
            "messages.0: this cannot be carried whole",
        ),
        (openai_responses, {"model": "m"}, "input: a list is needed"),
        (openai_responses, {"model": "m", "input": [{"type": 3}]}, "input.0.type"),
    ],
)
def test_a_body_that_is_none_is_refused_with_its_place(read, body, line) -> None:
    with pytest.raises(WireFault, match=line) as refused:
        read.read_request(body)
    assert "\n" not in str(refused.value)


def test_the_anthropic_backend_sends_blocks_and_settings_whole() -> None:
    whole = Request(
        "anthropic/c",
        BLOCKS.messages,
        settings='{"tools":[{"name":"read","input_schema":{"type":"object"}}]}',
        delivery='{"stream":true}',
        wire="anthropic_messages",
    )

    async def talk(url):
        backend = open_backend(
            "anthropic/c", Keys({"ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": "sk-key-xx"})
        )
        reply = await backend.answer(whole, 0)
        await backend.close()
        return reply

    content = [
        {"type": "text", "text": "I look."},
        {"type": "tool_use", "id": "t", "name": "read", "input": {"path": "a"}},
    ]
    with provider(lambda _: Said(anthropic_reply(content=content, stop_reason="tool_use"))) as stub:
        reply = asyncio.run(talk(stub.url))
    (heard,) = stub.heard
    assert reply.verbatim
    assert (reply.text, reply.stop) == ("I look.", "tool use")
    assert reply.blocks == (TextBlock("I look."), ToolUse("t", "read", '{"path":"a"}'))
    assert heard.body["tools"] == [{"name": "read", "input_schema": {"type": "object"}}]
    assert "stream" not in heard.body
    # the end of a conversation that grows is marked for the prompt cache, and nothing else is changed
    last = heard.body["messages"][-1]["content"][-1]
    assert last.pop("cache_control") == {"type": "ephemeral"}
    assert heard.body["messages"] == BODIES["anthropic"]["messages"]


def test_marks_of_the_requests_own_are_left_as_they_are() -> None:
    marked = (
        Message("system", (TextBlock("s", cache='{"type":"ephemeral","ttl":"1h"}'),)),
        *TALK[1:],
        *ODD[2:],
    )
    params = message_params(Request("anthropic/c", marked), "c")
    assert json.dumps(params).count("cache_control") == 1


USES = ScriptedAnswer("I look.", "tool use", (TextBlock("I look."), ToolUse("u_2", "read", '{"path":"b"}')))
SCRIPT = Script(Lines((Line("", USES),)), echo=True)


def test_tools_and_an_image_go_through_anthropics_sdk_and_come_back_whole() -> None:
    import anthropic

    body = BODIES["anthropic"]
    tools = [{"name": "read", "input_schema": {"type": "object"}}]
    with (
        serve_script(SCRIPT) as server,
        anthropic.Anthropic(base_url=server.url, api_key="k", max_retries=0) as sdk,
    ):
        message = sdk.messages.create(**body, tools=tools)
    assert message.model_extra["request"] == {**body, "tools": tools}
    assert (
        anthropic_messages.read_request(message.model_extra["request"]).messages
        == read_back("anthropic").messages
    )
    text, use = message.content
    assert (text.text, use.name, use.input, use.id) == ("I look.", "read", {"path": "b"}, "u_2")
    assert message.stop_reason == "tool_use"


def test_tools_and_an_image_go_through_openais_sdk_and_come_back_whole() -> None:
    import openai

    chat, asked = BODIES["chat"], BODIES["responses"]
    with (
        serve_script(SCRIPT) as server,
        openai.OpenAI(base_url=server.openai_url, api_key="k", max_retries=0) as sdk,
    ):
        completion = sdk.chat.completions.create(**chat)
        response = sdk.responses.create(**asked)
    assert completion.model_extra["request"] == chat
    (call,) = completion.choices[0].message.tool_calls
    assert (completion.choices[0].message.content, completion.choices[0].finish_reason) == (
        "I look.",
        "tool_calls",
    )
    assert (call.id, call.function.name, call.function.arguments) == ("u_2", "read", '{"path":"b"}')
    assert response.model_extra["request"] == asked
    assert response.output_text == "I look."
    assert (response.output[-1].type, response.output[-1].arguments) == ("function_call", '{"path":"b"}')
