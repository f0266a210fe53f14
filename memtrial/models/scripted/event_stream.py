"""An answer as a stream of server-sent events, for clients that ask for one.

Each text and each call of a tool comes in one piece: what a client makes of the stream is the answer itself.
"""

import json
from collections.abc import Iterator

from memtrial.models.scripted.protocol import Channel, Json
from memtrial.models.wire import json_fields

Fields = json_fields.Json


def write_events(channel: Channel, answer: Json) -> bytes:
    """The events that carry the body of an answer, in the words of the API that was asked."""
    body: Fields = answer
    match channel:
        case "messages":
            return b"".join(_name_event(event) for event in _list_messages_events(body))
        case "responses":
            events = enumerate(_list_responses_events(body))
            return b"".join(_name_event({**event, "sequence_number": number}) for number, event in events)
    chunks = [_write_data(chunk) for chunk in _list_chat_chunks(body)]
    return b"".join([*chunks, b"data: [DONE]\n\n"])


def _name_event(event: Fields) -> bytes:
    return f"event: {event['type']}\n".encode() + _write_data(event)


def _write_data(event: Fields) -> bytes:
    return b"data: " + json.dumps(event, ensure_ascii=False).encode() + b"\n\n"


def _list_messages_events(body: Fields) -> Iterator[Fields]:
    """Anthropic's events: the message without its content, each block, why it ended."""
    usage = body["usage"]
    begun = {**body, "content": [], "stop_reason": None, "usage": {**usage, "output_tokens": 1}}
    yield {"type": "message_start", "message": begun}
    for index, block in enumerate(body["content"]):
        if block["type"] == "tool_use":
            bare = {**block, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        else:
            bare, delta = {**block, "text": ""}, {"type": "text_delta", "text": block["text"]}
        yield {"type": "content_block_start", "index": index, "content_block": bare}
        yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    ended = {"stop_reason": body["stop_reason"], "stop_sequence": None}
    yield {"type": "message_delta", "delta": ended, "usage": {"output_tokens": usage["output_tokens"]}}
    yield {"type": "message_stop"}


def _list_responses_events(body: Fields) -> Iterator[Fields]:
    """OpenAI's events of a response: begun, each item with its text or arguments, completed."""
    body = {
        **body,
        "output": [{"id": f"item_{number}", **item} for number, item in enumerate(body["output"])],
    }
    begun = {**body, "status": "in_progress", "output": [], "usage": None}
    yield {"type": "response.created", "response": begun}
    for index, item in enumerate(body["output"]):
        place = {"output_index": index, "item_id": item["id"]}
        started = {**item, "status": "in_progress"}
        if item["type"] == "message":
            yield {
                "type": "response.output_item.added",
                "output_index": index,
                "item": {**started, "content": []},
            }
            for number, part in enumerate(item["content"]):
                of_part = {**place, "content_index": number}
                yield {"type": "response.content_part.added", **of_part, "part": {**part, "text": ""}}
                yield {"type": "response.output_text.delta", **of_part, "delta": part["text"]}
                yield {"type": "response.output_text.done", **of_part, "text": part["text"]}
                yield {"type": "response.content_part.done", **of_part, "part": part}
        else:
            yield {
                "type": "response.output_item.added",
                "output_index": index,
                "item": {**started, "arguments": ""},
            }
            arguments = item["arguments"]
            yield {"type": "response.function_call_arguments.delta", **place, "delta": arguments}
            yield {"type": "response.function_call_arguments.done", **place, "arguments": arguments}
        yield {"type": "response.output_item.done", "output_index": index, "item": item}
    word = "completed" if body["status"] == "completed" else "incomplete"
    yield {"type": f"response.{word}", "response": body}


def _list_chat_chunks(body: Fields) -> Iterator[Fields]:
    """Chunks of a chat completion: the message, why it ended, what was used."""
    choice = body["choices"][0]
    message = {name: value for name, value in choice["message"].items() if value is not None}
    if "tool_calls" in message:
        calls = enumerate(message["tool_calls"])
        message["tool_calls"] = [{"index": number, **call} for number, call in calls]
    head = {**body, "object": "chat.completion.chunk", "usage": None}
    yield {**head, "choices": [{"index": 0, "delta": message, "finish_reason": None}]}
    yield {**head, "choices": [{"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}]}
    yield {**head, "choices": [], "usage": body["usage"]}
