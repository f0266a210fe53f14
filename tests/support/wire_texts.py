"""A text in each place of a request, through each wire format."""

import json

from memtrial.models.client.content_blocks import ImageBlock, TextBlock, ToolResult, ToolUse
from memtrial.models.client.prompt_delivery import contained_in
from memtrial.models.client.types import Message, Request
from memtrial.models.wire import anthropic_messages, openai_chat, openai_responses
from memtrial.models.wire.reply_usage import read_events


def carry(text: str) -> object:
    """A text in a request, and in what says how much a reply used."""
    return _request(text), _used(text)


def _used(text: str) -> object:
    raw = text.encode()
    event = b'data: {"usage": {"input_tokens": 1, "output_tokens": 1}, "model": "' + raw + b'"}\n\n'
    streams = raw, b"data: " + raw, event * 3, b'data: "usage":' + raw + b"{\n\n", raw.replace(b" ", b"\r\n")
    return [list(read_events(stream)) for stream in streams]


def _request(text: str) -> object:
    """The digest of the request and the proof of its delivery, in each format; it holds a block a letter."""
    blocks = (
        TextBlock(text, more=json.dumps({"more": text})),
        ImageBlock("image/png", text or "A"),
        ToolUse(text, text, json.dumps({"path": text})),
        ToolResult(text, (TextBlock(text),)),
        *(TextBlock(letter) for letter in text),
    )
    request = Request("m", (Message("user", text), Message("user", blocks)))
    proofs = []
    for wire in (anthropic_messages, openai_responses):
        body = wire.write_request(request)
        again = wire.read_request(body)
        proofs.append((again.digest, contained_in(again.messages, body)))
    calls = Request("m", (Message("assistant", blocks[2:3]), Message("user", blocks[3:])))
    body = openai_chat.write_request(calls)
    return proofs, openai_chat.read_request(body).digest, contained_in(calls.messages, body)
