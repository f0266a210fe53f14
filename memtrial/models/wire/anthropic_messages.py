"""Anthropic's Messages API: `POST /v1/messages`.

A message of the role `system` stands in front as the field `system`; one that was read from within the
conversation is spelled `turn`, and goes back there.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from memtrial.models.client.content_blocks import (
    Block,
    Content,
    ImageBlock,
    OtherBlock,
    TextBlock,
    ToolResult,
    ToolUse,
    encode,
    join_texts,
)
from memtrial.models.client.types import Message, Reply, Request, Role, Stop
from memtrial.models.wire.json_fields import (
    MARK,
    Json,
    WireFault,
    is_one_text,
    own_spelling,
    pack,
    pack_changed,
    read_mark,
    read_other,
    refuse_foreign,
    refuse_lossy,
    split_fields,
    take,
    take_counts,
    take_limit,
    take_name,
    take_number,
    take_object,
    unpack,
    with_rest,
)

WIRE = "anthropic_messages"
TURN = "turn"
BETAS, BETAS_HEADER = "anthropic_beta", "anthropic-beta"
"""Features that a request names in a header, without which some of its fields are refused: they are read
into its settings, and go back into the header."""
ROLES: dict[str, Role] = {"system": "system", "user": "user", "assistant": "assistant"}
STOPS: dict[Stop, str] = {
    "end": "end_turn",
    "length": "max_tokens",
    "refusal": "refusal",
    "tool use": "tool_use",
}
READ_STOPS: dict[object, Stop] = {
    **{word: stop for stop, word in STOPS.items()},
    "model_context_window_exceeded": "length",
}
"""Why a reply ended, by the API's word; any other word is an end."""


def read_request(body: Json) -> Request:
    """The request in a body. WireFault where it is none, or cannot be written again as it came."""
    turns = [_read_turn(turn, number) for number, turn in enumerate(take(body, "messages", list, ""))]
    if body.get("system") is not None:
        turns.insert(0, Message("system", _read_content(body["system"], "system")))
    settings, delivery = split_fields(body, "model", "messages", "system", "temperature", "max_tokens")
    request = Request(
        take_name(body, "model"),
        tuple(turns),
        take_number(body, "temperature"),
        take_limit(body, "max_tokens"),
        settings=settings,
        delivery=delivery,
        wire=WIRE,
    )
    return refuse_lossy(body, request, write_request(request))


def write_request(request: Request) -> Json:
    """The body of a request. WireFault where it holds what this format has no words for."""
    refuse_foreign(request, WIRE, "Anthropic's Messages API")
    request = own_spelling(request, WIRE)
    system = [message for message in request.messages if _stands_in_front(message)]
    turns = [message for message in request.messages if not _stands_in_front(message)]
    body: Json = {"model": request.model}
    if request.max_tokens is not None:
        body["max_tokens"] = request.max_tokens
    if request.temperature is not None:
        body["temperature"] = request.temperature
    if len(system) == 1:
        body["system"] = write_content(system[0].content)
    elif system:
        body["system"] = [write_block(block) for message in system for block in message.blocks]
    body["messages"] = [write_turn(message) for message in turns]
    return {**unpack(request.settings), **unpack(request.delivery), **body}


def _stands_in_front(message: Message) -> bool:
    return message.role == "system" and message.spelling != TURN


def _read_turn(turn: object, number: int) -> Message:
    place = f"messages.{number}."
    fields = take_object(turn, place)
    role = ROLES.get(take(fields, "role", str, place))
    if role is None:
        raise WireFault(f"{place}role: it is one of {', '.join(ROLES)}; got {fields['role']!r:.60}")
    content = _read_content(fields.get("content"), f"{place}content")
    return Message(role, content, pack(fields, "role", "content"), TURN if role == "system" else "")


def write_turn(message: Message) -> Json:
    """One message of the conversation."""
    turn: Json = {"role": message.role, "content": write_content(message.content)}
    return turn | unpack(message.more) if message.more else turn


def _read_content(content: object, place: str) -> Content:
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        raise WireFault(f"{place}: a text or a list of blocks is needed")
    return tuple(read_block(block, f"{place}.{number}.") for number, block in enumerate(content))


def write_content(content: Content) -> str | list[Json]:
    """A content as the text or the blocks that it is."""
    return content if isinstance(content, str) else [write_block(block) for block in content]


def read_block(value: object, place: str) -> Block:
    """A block of a message. One of a type that other formats do not have is kept as it came."""
    body = take_object(value, place)
    mark = read_mark(body)
    match take(body, "type", str, place):
        case "tool_use":
            known = pack(body, "type", "id", "name", "input", MARK)
            arguments = encode(take(body, "input", dict, place))
            return ToolUse(
                take(body, "id", str, place), take(body, "name", str, place), arguments, mark, known
            )
        case "tool_result":
            return _read_result(body, place)
    return _read_part(body, place)


def _read_part(body: Json, place: str) -> TextBlock | ImageBlock | OtherBlock:
    """A block that may also stand within what a tool gave back."""
    mark, source = read_mark(body), body.get("source")
    match body.get("type"):
        case "text":
            return TextBlock(take(body, "text", str, place), mark, pack(body, "type", "text", MARK))
        case "image" if isinstance(source, dict) and all(_is_text(part) for part in source.values()):
            more = pack(body, "type", "source", MARK)
            match source:
                case {"type": "base64", "media_type": media_type, "data": data} if len(source) == 3:
                    return ImageBlock(media_type, data, cache=mark, more=more)
                case {"type": "url", "url": url} if len(source) == 2:
                    return ImageBlock(url=url, cache=mark, more=more)
                case {"type": "file", "file_id": file_id} if len(source) == 2:
                    return ImageBlock(file_id=file_id, cache=mark, more=more)
    return read_other(body)


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value)


def _read_result(body: Json, place: str) -> ToolResult:
    content, is_error = body.get("content"), body.get("is_error")
    known = ["type", "tool_use_id", "content", MARK]
    if isinstance(content, list):
        inner = f"{place}content."
        parts = [_read_part(take_object(part, inner), inner) for part in content]
        content = tuple(parts)
    elif content is not None and not isinstance(content, str):
        raise WireFault(f"{place}content: a text or a list of blocks is needed")
    if isinstance(is_error, bool):
        known.append("is_error")
    return ToolResult(
        take(body, "tool_use_id", str, place),
        content,
        is_error if isinstance(is_error, bool) else None,
        read_mark(body),
        pack(body, *known),
    )


def write_block(block: Block) -> Json:
    """A block in this format's words."""
    match block:
        case TextBlock():
            body: Json = {"type": "text", "text": block.text}
        case ImageBlock():
            body = {"type": "image", "source": _write_source(block)}
        case ToolUse():
            body = {"type": "tool_use", "id": block.id, "name": block.name, "input": _parse(block)}
        case ToolResult():
            body = {"type": "tool_result", "tool_use_id": block.use_id}
            if block.content is not None:
                body["content"] = write_content(block.content)
            if block.is_error is not None:
                body["is_error"] = block.is_error
        case OtherBlock():
            body = unpack(block.body)
    return with_rest(body, block)


def _write_source(image: ImageBlock) -> Json:
    if image.detail not in ("", "auto"):
        raise WireFault(f"image: Anthropic's Messages API has no words for detail: {image.detail}")
    if image.url:
        return {"type": "url", "url": image.url}
    if image.file_id:
        return {"type": "file", "file_id": image.file_id}
    return {"type": "base64", "media_type": image.media_type, "data": image.data}


def _parse(use: ToolUse) -> Json:
    """The arguments of a tool; a model of another provider may have written no object."""
    try:
        arguments: Any = unpack(use.arguments)
    except ValueError:
        arguments = None
    if not isinstance(arguments, dict):
        raise WireFault(f"tool use {use.id}: its arguments are no JSON object: {use.arguments!r:.60}")
    return arguments


def read_reply(body: Json) -> Reply:
    """The reply in a body; WireFault where it is none."""
    reply = read_bare_reply(body)
    canonical = write_reply(reply)
    rest = pack_changed(body, canonical)
    if "usage" in rest:
        rest["usage"] = pack_changed(body["usage"], canonical["usage"])
    return replace(reply, more=pack(rest))


def read_bare_reply(body: Json) -> Reply:
    """The reply in a body without its further fields, for who does not write it again."""
    usage, content = take(body, "usage", dict, ""), take(body, "content", list, "")
    blocks = tuple(read_block(block, f"content.{number}.") for number, block in enumerate(content))
    names = ("input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
    counts = take_counts(usage, *names)
    return Reply(
        text=join_texts(blocks),
        input_tokens=counts[0],
        output_tokens=counts[1],
        model=take_name(body, "model"),
        cache_read_tokens=counts[2],
        cache_write_tokens=counts[3],
        stop=_read_stop(body.get("stop_reason")),
        blocks=() if not blocks or (is_one_text(blocks) and join_texts(blocks)) else blocks,
    )


def _read_stop(word: object) -> Stop:
    if not isinstance(word, str | None):
        raise WireFault(f"stop_reason: a word is needed; got {word!r:.60}")
    return READ_STOPS.get(word, "end")


def write_reply(reply: Reply) -> Json:
    """The body of a reply."""
    blocks = reply.blocks or ((TextBlock(reply.text),) if reply.text else ())
    rest = unpack(reply.more)
    usage = {"input_tokens": reply.input_tokens, "output_tokens": reply.output_tokens}
    if reply.cache_read_tokens:
        usage["cache_read_input_tokens"] = reply.cache_read_tokens
    if reply.cache_write_tokens:
        usage["cache_creation_input_tokens"] = reply.cache_write_tokens
    body = {
        "type": "message",
        "role": "assistant",
        "model": reply.model,
        "content": [write_block(block) for block in blocks],
        "stop_reason": STOPS[reply.stop],
    }
    return {**body, **rest, "usage": usage | rest.get("usage", {})}
