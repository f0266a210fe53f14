"""What a reply used, read from a body or a stream of events, in any of the formats; nothing else is read.

The other modules read a reply whole and refuse what they cannot write again. Here a reply may hold anything,
as long as it names its model and its tokens.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from pydantic_core import from_json

from memtrial.models.client.types import Reply
from memtrial.models.wire.json_fields import Json, WireFault, take_counts

Billed = Literal["messages", "chat", "responses", "embeddings"]
"""The formats whose replies cost money."""
TELLS = re.compile(rb'"usage"\s*:\s*\{|"type"\s*:\s*"message_stop"')
"""In an event that may say what was used, or that a reply of Anthropic's is whole: the others are not parsed.

Within a text of the model the quotation marks would be escaped.
"""


@dataclass(frozen=True, slots=True)
class ReplyUsage:
    """What a reply used, as the provider counts it.

    Args:
        input_tokens: of the prompt, those neither read from nor written to the provider's prompt cache.
        model: the id that answered; empty where the reply does not say.
        is_whole: the counts are final. A stream that was cut off has said its input at most.
    """

    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    model: str = ""
    is_whole: bool = True

    def as_reply(self) -> Reply:
        """A reply without a text, for a table of prices."""
        return Reply(
            "",
            self.input_tokens,
            self.output_tokens,
            self.model,
            cache_read_tokens=self.cache_read_tokens,
            cache_write_tokens=self.cache_write_tokens,
        )


def read_usage(billed: Billed, body: object) -> ReplyUsage:
    """What the reply in a parsed body used. WireFault where it does not say."""
    if not isinstance(body, dict) or not isinstance(body.get("usage"), dict):
        raise WireFault("usage: an object is needed")
    return _count(billed, body["usage"], _name(body))


def read_stream_usage(billed: Billed, stream: bytes) -> ReplyUsage:
    """What the reply in a stream of server-sent events used, also of its beginning alone. WireFault where it
    does not say."""
    usage: Json = {}
    model, is_whole = "", False
    for event in read_events(stream):
        match event:
            case {"type": "message_start", "message": dict() as start}:
                usage, model = _merge(usage, start.get("usage")), _name(start)
            case {"type": "message_delta"}:
                usage = _merge(usage, event.get("usage"))
            case {"type": "message_stop"}:
                is_whole = True
            case {"type": "response.completed" | "response.incomplete" | "response.failed"} if isinstance(
                event.get("response"), dict
            ):
                usage, model = _merge(usage, event["response"].get("usage")), _name(event["response"])
                is_whole = bool(usage)
            case {"usage": dict() as counts} if billed == "chat":
                usage, model, is_whole = _merge(usage, counts), _name(event), True
    if not usage:
        raise WireFault("usage: no event says it")
    return _count(billed, usage, model, is_whole)


def read_events(stream: bytes) -> Iterator[Json]:
    """The events that may say what was used; what is no JSON object is passed over."""
    data: list[bytes] = []
    for line in (*stream.splitlines(), b""):
        if line.startswith(b"data:"):
            data.append(line[5:])
        elif not line and data:
            event, data = b"\n".join(data), []
            if TELLS.search(event):
                try:
                    parsed = from_json(event)
                except ValueError:
                    continue
                if isinstance(parsed, dict):
                    yield parsed


def _merge(usage: Json, more: object) -> Json:
    """Later counts are of the whole reply so far; one that is null says nothing."""
    later = more.items() if isinstance(more, dict) else ()
    return usage | {name: count for name, count in later if count is not None}


def _name(body: Mapping[str, Any]) -> str:
    model = body.get("model")
    return model if isinstance(model, str) else ""


def _count(billed: Billed, usage: Json, model: str, is_whole: bool = True) -> ReplyUsage:
    if billed == "messages":
        names = ("input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
        prompt, output, read, write = take_counts(usage, *names)
        return ReplyUsage(prompt, output, read, write, model, is_whole)
    if billed == "embeddings":
        (prompt,) = take_counts(usage, "prompt_tokens")
        return ReplyUsage(prompt, 0, model=model)
    word, output_name = ("prompt", "completion_tokens") if billed == "chat" else ("input", "output_tokens")
    details = usage.get(f"{word}_tokens_details")
    cached = details.get("cached_tokens") if isinstance(details, dict) else 0
    prompt, output, read = take_counts({**usage, "cached": cached}, f"{word}_tokens", output_name, "cached")
    return ReplyUsage(max(0, prompt - read), output, min(read, prompt), 0, model, is_whole)
