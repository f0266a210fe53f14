"""OpenAI's responses: `POST /v1/responses`.

A conversation is a list of items there, and each becomes a message of its own. Spellings of a message:
`instructions` and `input` for the fields of that name; for an item `easy` where it does not say that it is a
message, `developer` for that word in place of `system`, and `item` for one that only this format knows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from memtrial.models.client.content_blocks import (
    Block,
    Content,
    ImageBlock,
    OtherBlock,
    TextBlock,
    ToolResult,
    ToolUse,
    join_texts,
)
from memtrial.models.client.types import Message, Reply, Request, Role, Stop
from memtrial.models.wire.json_fields import (
    MARK,
    Json,
    WireFault,
    image_of_url,
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
    url_of_image,
    with_rest,
)

WIRE = "openai_responses"
LIMIT = "max_output_tokens"
INSTRUCTIONS, INPUT, EASY, DEVELOPER, ITEM = "instructions", "input", "easy", "developer", "item"
ROLES: dict[str, Role] = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "assistant": "assistant",
}
INCOMPLETE: dict[object, Stop] = {"max_output_tokens": "length", "content_filter": "refusal"}


def read_request(body: Json) -> Request:
    """The request in a body. WireFault where it is none, or cannot be written again as it came."""
    messages: list[Message] = []
    if isinstance(body.get(INSTRUCTIONS), str):
        messages.append(Message("system", body[INSTRUCTIONS], spelling=INSTRUCTIONS))
    if isinstance(body.get(INPUT), str):
        messages.append(Message("user", body[INPUT], spelling=INPUT))
    else:
        items = enumerate(take(body, INPUT, list, ""))
        messages += (read_item(item, f"{INPUT}.{number}.") for number, item in items)
    settings, delivery = split_fields(body, "model", INSTRUCTIONS, INPUT, "temperature", LIMIT)
    request = Request(
        take_name(body, "model"),
        tuple(messages),
        take_number(body, "temperature"),
        take_limit(body, LIMIT),
        settings=settings,
        delivery=delivery,
        wire=WIRE,
    )
    return refuse_lossy(body, request, write_request(request))


def write_request(request: Request) -> Json:
    """The body of a request. WireFault where it holds what this format has no words for."""
    refuse_foreign(request, WIRE, "OpenAI's responses")
    request = own_spelling(request, WIRE)
    body: Json = {"model": request.model}
    if request.temperature is not None:
        body["temperature"] = request.temperature
    if request.max_tokens is not None:
        body[LIMIT] = request.max_tokens
    messages = list(request.messages)
    if messages and messages[0].spelling == INSTRUCTIONS:
        body[INSTRUCTIONS] = messages.pop(0).text
    if len(messages) == 1 and messages[0].spelling == INPUT:
        body[INPUT] = messages[0].text
    else:
        body[INPUT] = [item for message in messages for item in write_items(message)]
    return {**unpack(request.settings), **unpack(request.delivery), **body}


def read_item(value: object, place: str) -> Message:
    """One item of a conversation as a message. One that only this format knows is kept as it came."""
    body = take_object(value, place)
    mark = read_mark(body)
    match body.get("type", "message"):
        case "message":
            return _read_message(body, place)
        case "function_call":
            use = ToolUse(
                take(body, "call_id", str, place),
                take(body, "name", str, place),
                take(body, "arguments", str, place),
                mark,
                pack(body, "type", "call_id", "name", "arguments", MARK),
            )
            return Message("assistant", (use,))
        case "function_call_output":
            output = body.get("output")
            if isinstance(output, list):
                content: Content = tuple(read_part(part, "user", place) for part in output)
            else:
                content = take(body, "output", str, place)
            more = pack(body, "type", "call_id", "output", MARK)
            result = ToolResult(take(body, "call_id", str, place), content, None, mark, more)  # type: ignore[arg-type]
            return Message("user", (result,))
        case str(kind):
            role: Role = "user" if kind.endswith("_output") else "assistant"
            return Message(role, (read_other(body),), spelling=ITEM)
    raise WireFault(f"{place}type: a text is needed")


def _read_message(body: Json, place: str) -> Message:
    word, content = take(body, "role", str, place), body.get("content")
    role = ROLES.get(word)
    if role is None:
        raise WireFault(f"{place}role: it is one of {', '.join(ROLES)}; got {word!r:.60}")
    if isinstance(content, list):
        parts: Content = tuple(read_part(part, role, f"{place}content.") for part in content)
    else:
        parts = take(body, "content", str, place)
    spelling = [EASY] * ("type" not in body) + [DEVELOPER] * (word == DEVELOPER)
    return Message(role, parts, pack(body, "type", "role", "content"), " ".join(spelling))


def _word_of_text(role: Role) -> str:
    return "output_text" if role == "assistant" else "input_text"


def read_part(value: object, role: Role, place: str) -> TextBlock | ImageBlock | OtherBlock:
    """A part of a message. One of a type that other formats do not have is kept as it came."""
    body = take_object(value, place)
    mark, detail = read_mark(body), body.get("detail", "")
    match body:
        case {"type": "input_text" | "output_text" as word, "text": str(text)}:
            known = ("text", MARK) if word != _word_of_text(role) else ("type", "text", MARK)
            return TextBlock(text, mark, pack(body, *known))
        case {"type": "input_image", "image_url": str(url)} if isinstance(detail, str) and url:
            media_type, data, address = image_of_url(url)
            more = pack(body, "type", "image_url", MARK, *["detail"] * bool(detail))
            return ImageBlock(media_type, data, address, "", detail, mark, more)
        case {"type": "input_image", "file_id": str(file_id)} if isinstance(detail, str) and file_id:
            more = pack(body, "type", "file_id", MARK, *["detail"] * bool(detail))
            return ImageBlock(file_id=file_id, detail=detail, cache=mark, more=more)
    return read_other(body)


def write_items(message: Message) -> Iterator[Json]:
    """The items that a message becomes: tool uses, results and items of their own, and messages between."""
    parts: list[Block] = []
    if isinstance(message.content, str) or not message.content:
        yield _write_message(message, message.content)
        return
    for block in message.content:
        if isinstance(block, (ToolUse, ToolResult)) or message.spelling == ITEM:
            if parts:
                yield _write_message(message, tuple(parts))
                parts.clear()
            yield write_part(block, message.role)
        else:
            parts.append(block)
    if parts:
        yield _write_message(message, tuple(parts))


def _write_message(message: Message, content: Content) -> Json:
    words = message.spelling.split()
    body: Json = {} if EASY in words else {"type": "message"}
    body["role"] = DEVELOPER if DEVELOPER in words else message.role
    parts = content if isinstance(content, str) else [write_part(part, message.role) for part in content]
    return {**body, "content": parts, **unpack(message.more)}


def write_part(block: Block, role: Role) -> Json:
    """A part of a message, or an item, in this format's words."""
    match block:
        case TextBlock():
            body: Json = {"type": _word_of_text(role), "text": block.text}
        case ImageBlock():
            body = {"type": "input_image"}
            if block.file_id:
                body["file_id"] = block.file_id
            else:
                body["image_url"] = url_of_image(block)
            if block.detail:
                body["detail"] = block.detail
        case ToolUse():
            body = {"type": "function_call", "call_id": block.id}
            body |= {"name": block.name, "arguments": block.arguments}
        case ToolResult():
            if block.is_error:
                raise WireFault(f"tool result {block.use_id}: OpenAI's responses cannot mark one as an error")
            output = block.content or "" if not isinstance(block.content, tuple) else block.content
            body = {"type": "function_call_output", "call_id": block.use_id}
            body["output"] = (
                output if isinstance(output, str) else [write_part(part, "user") for part in output]
            )
        case OtherBlock():
            body = unpack(block.body)
    return with_rest(body, block)


def read_reply(body: Json) -> Reply:
    """The reply in a body; WireFault where it is none."""
    output, usage = take(body, "output", list, ""), take(body, "usage", dict, "")
    messages = [read_item(item, f"output.{number}.") for number, item in enumerate(output)]
    blocks = tuple(block for message in messages for block in message.blocks)
    details = usage.get("input_tokens_details")
    usage_counts = {**usage, "cached": details.get("cached_tokens") if isinstance(details, dict) else 0}
    prompt, output_tokens, cached = take_counts(usage_counts, "input_tokens", "output_tokens", "cached")
    refusal = _find_refusal(blocks)
    reply = Reply(
        text=join_texts(blocks) or refusal,
        input_tokens=max(0, prompt - cached),
        output_tokens=output_tokens,
        model=take_name(body, "model"),
        cache_read_tokens=min(cached, prompt),
        stop="refusal" if refusal else _read_stop(body, blocks),
        blocks=blocks,
    )
    canonical = write_reply(reply)
    rest = pack_changed(body, canonical)
    if "output" in rest:
        rest["output"] = [[len(message.blocks), message.spelling, message.more] for message in messages]
    if "usage" in rest:
        rest["usage"] = pack_changed(usage, canonical["usage"])
    return replace(reply, more=pack(rest))


def _find_refusal(blocks: Sequence[Block]) -> str:
    """The words of a refusal, which is a part of its own; empty where there is none."""
    others = (unpack(block.body) for block in blocks if isinstance(block, OtherBlock))
    return next((str(body.get("refusal", "")) for body in others if body.get("type") == "refusal"), "")


def _read_stop(body: Json, blocks: Sequence[Block]) -> Stop:
    details = body.get("incomplete_details")
    if isinstance(details, dict):
        return INCOMPLETE.get(details.get("reason"), "end")
    return "tool use" if any(isinstance(block, ToolUse) for block in blocks) else "end"


def write_reply(reply: Reply) -> Json:
    """The body of a reply. Its further fields say which of the blocks stand in which item."""
    rest = unpack(reply.more)
    shape, usage_rest = rest.pop("output", []), rest.pop("usage", {})
    messages, start = [], 0
    for count, spelling, more in shape:
        messages.append(Message("assistant", reply.blocks[start : start + count], more, spelling))
        start += count
    if not shape and (reply.blocks or reply.text):
        annotated = TextBlock(reply.text, more=pack({"annotations": []}))
        messages.append(Message("assistant", reply.blocks or (annotated,), pack({"status": "completed"})))
    prompt = reply.input_tokens + reply.cache_read_tokens + reply.cache_write_tokens
    usage: Json = {"input_tokens": prompt, "output_tokens": reply.output_tokens}
    usage["total_tokens"] = prompt + reply.output_tokens
    if reply.cache_read_tokens:
        usage["input_tokens_details"] = {"cached_tokens": reply.cache_read_tokens}
    reasons = {stop: reason for reason, stop in INCOMPLETE.items()}
    reason = reasons.get(reply.stop) if reply.stop == "length" else None
    body: Json = {"object": "response", "model": reply.model}
    body["status"] = "incomplete" if reason else "completed"
    body["incomplete_details"] = {"reason": reason} if reason else None
    output = [item for message in messages for item in write_items(message)]
    return {**body, **rest, "output": output, "usage": usage | usage_rest}
