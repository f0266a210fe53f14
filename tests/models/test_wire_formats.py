"""Requests and replies of three providers: read and written again they are the same JSON."""

import copy
import json
from string import ascii_letters

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memtrial.models.wire import anthropic_messages, openai_chat, openai_responses

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
words = st.text(ascii_letters, min_size=1, max_size=8)
base64 = st.sampled_from(["iVBORw0KGgo=", "/9j/4AAQ", "AAAA"])
scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | texts
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3)
)
objects = st.dictionaries(words, values, max_size=3)
marks = st.sampled_from([{"type": "ephemeral"}, {"type": "ephemeral", "ttl": "1h"}, None])
counts = st.integers(0, 10**6)


def fields(required, **optional):
    return st.fixed_dictionaries(required, optional=optional)


def just(word):
    return st.just(word)


def either(*strategies):
    return st.one_of(*strategies)


# Anthropic's messages
a_text = fields(
    {"type": just("text"), "text": texts}, cache_control=marks, citations=st.lists(objects, max_size=1)
)
a_image = fields(
    {
        "type": just("image"),
        "source": either(
            fields({"type": just("base64"), "media_type": just("image/png"), "data": base64}),
            fields({"type": just("url"), "url": texts}),
            fields({"type": just("file"), "file_id": words}),
        ),
    },
    cache_control=marks,
    transformations=objects,
)
a_use = fields({"type": just("tool_use"), "id": words, "name": words, "input": objects}, cache_control=marks)
a_result = fields(
    {"type": just("tool_result"), "tool_use_id": words},
    content=texts | st.lists(a_text | a_image, max_size=2),
    is_error=st.booleans(),
    cache_control=marks,
)
a_other = either(
    fields({"type": just("thinking"), "thinking": texts, "signature": words}),
    fields({"type": just("redacted_thinking"), "data": words}),
    fields({"type": just("document"), "source": objects}, title=texts, cache_control=marks),
)
a_block = either(a_text, a_image, a_use, a_result, a_other)
a_turn = fields(
    {
        "role": st.sampled_from(["user", "assistant", "system"]),
        "content": texts | st.lists(a_block, max_size=3),
    }
)
a_tools = st.lists(fields({"name": words, "input_schema": objects}, cache_control=marks), max_size=2)
a_request = fields(
    {"model": words, "max_tokens": st.integers(1, 10**6), "messages": st.lists(a_turn, max_size=4)},
    system=texts | st.lists(a_text, max_size=2),
    temperature=st.floats(0, 1),
    tools=a_tools,
    tool_choice=objects,
    thinking=objects,
    stream=st.booleans(),
    metadata=objects,
    stop_sequences=st.lists(texts, max_size=2),
)
a_reply = fields(
    {
        "id": words,
        "type": just("message"),
        "role": just("assistant"),
        "model": words,
        "content": st.lists(a_text | a_use | a_other, max_size=3),
        "stop_reason": st.sampled_from(
            ["end_turn", "max_tokens", "stop_sequence", "tool_use", "pause_turn", "refusal", None]
        ),
        "stop_sequence": st.none() | texts,
        "usage": fields(
            {"input_tokens": counts, "output_tokens": counts},
            cache_creation_input_tokens=counts | st.none(),
            cache_read_input_tokens=counts | st.none(),
            cache_creation=objects,
            service_tier=words,
        ),
    },
    container=objects,
)

# OpenAI's chat completions
c_text = fields({"type": just("text"), "text": texts}, cache_control=marks)
c_url = (
    texts
    | just("https://x/y.png")
    | just("data:image/png;base64,AAAA")
    | just("data:image/png;a=b;base64,AA")
)
c_image = fields(
    {
        "type": just("image_url"),
        "image_url": fields({"url": c_url}, detail=st.sampled_from(["low", "high", "auto"])),
    }
)
c_other = either(
    fields({"type": just("input_audio"), "input_audio": objects}),
    fields({"type": just("file"), "file": objects}),
    fields({"type": just("refusal"), "refusal": texts}),
)
c_content = texts | st.lists(either(c_text, c_image, c_other), max_size=3)
c_call = either(
    fields(
        {
            "id": words,
            "type": just("function"),
            "function": st.fixed_dictionaries({"name": words, "arguments": texts}),
        }
    ),
    fields({"id": words, "type": just("custom"), "custom": objects}),
)
c_turn = either(
    fields({"role": st.sampled_from(["system", "developer", "user"]), "content": c_content}, name=words),
    fields(
        {"role": just("assistant")},
        content=st.none() | c_content,
        tool_calls=st.lists(c_call, max_size=2),
        refusal=st.none() | texts,
        name=words,
    ),
    fields({"role": just("tool"), "tool_call_id": words, "content": texts | st.lists(c_text, max_size=2)}),
)
c_request = fields(
    {"model": words, "messages": st.lists(c_turn, max_size=4)},
    max_tokens=st.none() | st.integers(1, 10**6),
    max_completion_tokens=st.none() | st.integers(1, 10**6),
    temperature=st.none() | st.floats(0, 2),
    tools=st.lists(objects, max_size=2),
    stream=st.booleans(),
    seed=st.integers(),
    response_format=objects,
)
c_message = fields(
    {"role": just("assistant"), "content": st.none() | texts, "refusal": st.none() | texts},
    tool_calls=st.lists(c_call, min_size=1, max_size=2),
    annotations=st.lists(objects, max_size=1),
)
c_choice = fields(
    {
        "index": just(0),
        "message": c_message,
        "finish_reason": st.sampled_from(["stop", "length", "tool_calls", "content_filter"]),
    },
    logprobs=st.none() | objects,
)
c_usage = fields(
    {"prompt_tokens": counts, "completion_tokens": counts, "total_tokens": counts},
    prompt_tokens_details=fields({"cached_tokens": counts, "audio_tokens": counts}),
    completion_tokens_details=objects,
)
c_reply = fields(
    {
        "id": words,
        "object": just("chat.completion"),
        "created": counts,
        "model": words,
        "choices": c_choice.map(lambda choice: [choice]),
        "usage": c_usage,
    },
    system_fingerprint=words,
)

# OpenAI's responses
r_text = fields(
    {"type": st.sampled_from(["input_text", "output_text"]), "text": texts},
    annotations=st.lists(objects, max_size=1),
)
r_image = fields(
    {"type": just("input_image")},
    image_url=c_url | st.none(),
    file_id=words | st.none(),
    detail=st.sampled_from(["auto", "low"]) | st.none(),
)
r_other = fields({"type": st.sampled_from(["input_file", "refusal"])}, refusal=texts)
r_content = texts | st.lists(either(r_text, r_image, r_other), max_size=3)
r_message = fields(
    {"role": st.sampled_from(["user", "assistant", "system", "developer"]), "content": r_content},
    type=just("message"),
    id=words,
    status=words,
)
r_call = fields(
    {"type": just("function_call"), "call_id": words, "name": words, "arguments": texts},
    id=words,
    status=words,
)
r_result = fields(
    {
        "type": just("function_call_output"),
        "call_id": words,
        "output": texts | st.lists(r_text | r_image, max_size=2),
    },
    id=words,
)
r_item = either(
    r_message,
    r_call,
    r_result,
    fields({"type": st.sampled_from(["reasoning", "custom_tool_call_output"]), "id": words}, summary=values),
)
r_request = fields(
    {"model": words, "input": texts | st.lists(r_item, max_size=4)},
    instructions=texts | st.none(),
    max_output_tokens=st.integers(1, 10**6),
    temperature=st.floats(0, 2),
    tools=st.lists(objects, max_size=2),
    store=st.booleans(),
    reasoning=objects,
)
r_answer = fields(
    {
        "type": just("message"),
        "role": just("assistant"),
        "content": st.lists(
            either(
                fields({"type": just("output_text"), "text": texts, "annotations": just([])}),
                fields({"type": just("refusal"), "refusal": texts}),
            ),
            max_size=2,
        ),
    },
    id=words,
    status=words,
)
r_reply = fields(
    {
        "id": words,
        "object": just("response"),
        "created_at": counts,
        "model": words,
        "status": st.sampled_from(["completed", "incomplete"]),
        "incomplete_details": st.none()
        | fields({"reason": st.sampled_from(["max_output_tokens", "content_filter"])}),
        "output": st.lists(
            either(r_answer, r_call, fields({"type": just("reasoning"), "summary": values})), max_size=3
        ),
        "usage": fields(
            {"input_tokens": counts, "output_tokens": counts, "total_tokens": counts},
            input_tokens_details=fields({"cached_tokens": counts}),
        ),
    },
    tools=st.lists(objects, max_size=1),
)

FORMATS = {"anthropic": anthropic_messages, "chat": openai_chat, "responses": openai_responses}
REQUESTS = {"anthropic": a_request, "chat": c_request, "responses": r_request}
REPLIES = {"anthropic": a_reply, "chat": c_reply, "responses": r_reply}


def exact(body):
    """JSON in which 1 is not 1.0 and not true, without regard to the order of fields."""
    return json.dumps(body, sort_keys=True, ensure_ascii=False)


@pytest.mark.parametrize("name", FORMATS)
@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_a_request_is_written_as_it_was_read(name, data) -> None:
    body = data.draw(REQUESTS[name])
    whole = copy.deepcopy(body)
    request = FORMATS[name].read_request(body)
    assert exact(body) == exact(whole), "reading changes nothing"
    assert exact(FORMATS[name].write_request(request)) == exact(body)
    assert FORMATS[name].read_request(FORMATS[name].write_request(request)) == request
    assert len(request.digest) == 32
    hash(request.messages)


@pytest.mark.parametrize("name", FORMATS)
@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_a_reply_is_written_as_it_was_read(name, data) -> None:
    body = data.draw(REPLIES[name])
    assert exact(FORMATS[name].write_reply(FORMATS[name].read_reply(body))) == exact(body)
