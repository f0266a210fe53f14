"""OpenAI's chat completions: `POST /v1/chat/completions`, which most other servers speak, too.

What a tool gave back is a message of its own there, of the role `tool`; here it is a user's message with the
result in it. Spellings of a message: `developer` for that word in place of `system`; `parts` where a list of
parts stands before tool calls; `null` and `absent` for a content that is not there.
"""

from __future__ import annotations

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
    url_of_image,
    with_rest,
)

WIRE = "openai_chat"
LIMITS = ("max_completion_tokens", "max_tokens")
"""The limit of tokens, and its older name."""
DEVELOPER, PARTS, NULL, ABSENT = "developer", "parts", "null", "absent"
ROLES: dict[str, Role] = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "assistant": "assistant",
    "tool": "user",
}
STOPS: dict[Stop, str] = {"end": "stop", "length": "length", "refusal": "stop", "tool use": "tool_calls"}
READ_STOPS: dict[object, Stop] = {
    "length": "length",
    "tool_calls": "tool use",
    "content_filter": "refusal",
}


def read_request(body: Json) -> Request:
    """The request in a body. WireFault where it is none, or cannot be written again as it came."""
    turns = [_read_turn(turn, number) for number, turn in enumerate(take(body, "messages", list, ""))]
    limit = next((name for name in LIMITS if body.get(name) is not None), LIMITS[0])
    settings, delivery = split_fields(body, "model", "messages", "temperature", limit)
    request = Request(
        take_name(body, "model"),
        tuple(turns),
        take_number(body, "temperature"),
        take_limit(body, limit),
        settings=settings,
        delivery=delivery,
        wire=WIRE,
        spelling="" if limit == LIMITS[0] else limit,
    )
    return refuse_lossy(body, request, write_request(request))


def write_request(request: Request) -> Json:
    """The body of a request. WireFault where it holds what this format has no words for."""
    refuse_foreign(request, WIRE, "OpenAI's chat completions")
    request = own_spelling(request, WIRE)
    body: Json = {"model": request.model}
    if request.temperature is not None:
        body["temperature"] = request.temperature
    if request.max_tokens is not None:
        body[request.spelling or LIMITS[0]] = request.max_tokens
    body["messages"] = [turn for message in request.messages for turn in write_turns(message)]
    return {**unpack(request.settings), **unpack(request.delivery), **body}


def _read_turn(turn: object, number: int) -> Message:
    place = f"messages.{number}."
    fields = take_object(turn, place)
    word = take(fields, "role", str, place)
    role = ROLES.get(word)
    if role is None:
        raise WireFault(f"{place}role: it is one of {', '.join(ROLES)}; got {word!r:.60}")
    if word == "tool":
        content = _read_content(fields.get("content"), place)
        result = ToolResult(
            take(fields, "tool_call_id", str, place),
            content,  # type: ignore[arg-type]  # its parts are texts, images and others
        )
        return Message("user", (result,), pack(fields, "role", "content", "tool_call_id"))
    if word == "assistant":
        return _read_assistant(fields, place)
    content = _read_content(fields.get("content"), place)
    return Message(role, content, pack(fields, "role", "content"), DEVELOPER if word == DEVELOPER else "")


def _read_assistant(fields: Json, place: str) -> Message:
    content, calls = fields.get("content"), fields.get("tool_calls")
    spelling = ABSENT if "content" not in fields else ""
    if not calls:
        # an empty list says as little as none, and is kept among the further fields
        if content is None:
            return Message("assistant", (), pack(fields, "role", "content"), spelling or NULL)
        return Message("assistant", _read_content(content, place), pack(fields, "role", "content"))
    parts: Content = () if content is None else _read_content(content, place)
    if isinstance(content, list):
        spelling = PARTS
    blocks = (TextBlock(parts),) if isinstance(parts, str) else parts
    uses = (_read_call(call, place) for call in take(fields, "tool_calls", list, place))
    more = pack(fields, "role", "content", "tool_calls")
    return Message("assistant", (*blocks, *uses), more, spelling)


def _read_content(content: object, place: str) -> Content:
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        raise WireFault(f"{place}content: a text or a list of parts is needed")
    return tuple(read_part(take_object(part, f"{place}content.")) for part in content)


def read_part(body: Json) -> TextBlock | ImageBlock | OtherBlock:
    """A part of a content. One of a type that other formats do not have is kept as it came."""
    match body:
        case {"type": "text", "text": str(text)}:
            return TextBlock(text, read_mark(body), pack(body, "type", "text", MARK))
        case {"type": "image_url", "image_url": {"url": str(url), **rest}}:
            detail = rest.get("detail", "")
            if url and set(rest) <= {"detail"} and isinstance(detail, str) and (detail or not rest):
                media_type, data, address = image_of_url(url)
                more = pack(body, "type", "image_url", MARK)
                return ImageBlock(media_type, data, address, "", detail, read_mark(body), more)
    return read_other(body)


def _read_call(value: object, place: str) -> Block:
    body = take_object(value, f"{place}tool_calls.")
    match body:
        case {"type": "function", "id": str(use_id), "function": {"name": str(name), **rest}}:
            arguments = rest.get("arguments")
            if set(rest) == {"arguments"} and isinstance(arguments, str):
                more = pack(body, "type", "id", "function", MARK)
                return ToolUse(use_id, name, arguments, read_mark(body), more)
    return read_other(body)


def write_turns(message: Message) -> list[Json]:
    """The messages of this format that one message becomes: each result of a tool is one of its own."""
    more = unpack(message.more)
    if message.role == "assistant":
        return [_write_assistant(message) | more]
    role = DEVELOPER if message.spelling == DEVELOPER else message.role
    if isinstance(message.content, str):
        return [{"role": role, "content": message.content, **more}]
    results = [block for block in message.content if isinstance(block, ToolResult)]
    others = [block for block in message.content if not isinstance(block, ToolResult)]
    turns = [_write_result(result) for result in results]
    if others or not results:
        turns.append({"role": role, "content": [write_part(block) for block in others]})
    return [*turns[:-1], turns[-1] | more]


def _write_result(result: ToolResult) -> Json:
    if result.is_error:
        raise WireFault(f"tool result {result.use_id}: OpenAI's chat completions cannot mark one as an error")
    content = result.content or "" if not isinstance(result.content, tuple) else result.content
    body: Json = {"role": "tool", "tool_call_id": result.use_id}
    body["content"] = content if isinstance(content, str) else [write_part(part) for part in content]
    return with_rest(body, result)


def _write_assistant(message: Message) -> Json:
    if isinstance(message.content, str):
        return {"role": "assistant", "content": message.content}
    calls = [block for block in message.content if _is_call(block)]
    parts = [block for block in message.content if not _is_call(block)]
    body: Json = {"role": "assistant"}
    if message.spelling == NULL or (calls and not parts and message.spelling == ""):
        body["content"] = None
    elif calls and is_one_text(parts) and message.spelling == "":
        body["content"] = join_texts(tuple(parts))
    elif message.spelling != ABSENT:
        body["content"] = [write_part(block) for block in parts]
    if calls:
        body["tool_calls"] = [write_part(call) for call in calls]
    return body


def _is_call(block: Block) -> bool:
    """It stands among the calls of tools; those of other types hold what they call under their type."""
    if isinstance(block, OtherBlock):
        body = unpack(block.body)
        return "function" in body or (body.get("type") == "custom" and "custom" in body)
    return isinstance(block, ToolUse)


def write_part(block: Block) -> Json:
    """A part of a content, or a call of a tool, in this format's words."""
    match block:
        case TextBlock():
            body: Json = {"type": "text", "text": block.text}
        case ImageBlock():
            if block.file_id:
                raise WireFault(f"image {block.file_id}: OpenAI's chat completions take no file as an image")
            body = {"type": "image_url", "image_url": {"url": url_of_image(block)}}
            if block.detail:
                body["image_url"]["detail"] = block.detail
        case ToolUse():
            body = {"id": block.id, "type": "function"}
            body["function"] = {"name": block.name, "arguments": block.arguments}
        case ToolResult():
            raise WireFault(f"tool result {block.use_id}: it stands in a user's message")
        case OtherBlock():
            body = unpack(block.body)
    return with_rest(body, block)


def read_reply(body: Json) -> Reply:
    """The reply in a body; WireFault where it is none, or holds several choices."""
    choices = take(body, "choices", list, "")
    if len(choices) != 1:
        raise WireFault(f"choices: one is needed; got {len(choices)}")
    choice = take_object(choices[0], "choices.0.")
    answer, usage = take(choice, "message", dict, "choices.0."), take(body, "usage", dict, "")
    message, refusal = _read_assistant(answer, "choices.0.message."), answer.get("refusal")
    details = usage.get("prompt_tokens_details")
    usage_counts = {**usage, "cached": details.get("cached_tokens") if isinstance(details, dict) else 0}
    prompt, output_tokens, cached = take_counts(usage_counts, "prompt_tokens", "completion_tokens", "cached")
    refused = isinstance(refusal, str) and bool(refusal)
    blocks = () if isinstance(message.content, str) else message.content
    reply = Reply(
        text=message.text or (str(refusal) if refused else ""),
        input_tokens=max(0, prompt - cached),
        output_tokens=output_tokens,
        model=take_name(body, "model"),
        cache_read_tokens=min(cached, prompt),
        stop="refusal" if refused else READ_STOPS.get(choice.get("finish_reason"), "end"),
        blocks=blocks,
    )
    canonical = write_reply(reply)
    rest = pack_changed(body, canonical)
    for name, there in (("choices", choice), ("usage", usage)):
        written = canonical[name][0] if name == "choices" else canonical[name]
        if name in rest:
            rest[name] = pack_changed(there, written)
    if "message" in rest.get("choices", {}):
        rest["choices"]["message"] = pack_changed(answer, canonical["choices"][0]["message"])
    return replace(reply, more=pack(rest))


def write_reply(reply: Reply) -> Json:
    """The body of a reply."""
    rest = unpack(reply.more)
    choice_rest, usage_rest = rest.pop("choices", {}), rest.pop("usage", {})
    refused = reply.stop == "refusal" and not reply.blocks
    content: Content = reply.blocks or reply.text
    message = _write_assistant(Message("assistant", content))
    message |= {"content": None, "refusal": reply.text} if refused else {}
    message |= choice_rest.pop("message", {})
    choice = {"index": 0, "message": message, "finish_reason": STOPS[reply.stop]} | choice_rest
    prompt = reply.input_tokens + reply.cache_read_tokens + reply.cache_write_tokens
    usage: Json = {"prompt_tokens": prompt, "completion_tokens": reply.output_tokens}
    usage["total_tokens"] = prompt + reply.output_tokens
    if reply.cache_read_tokens:
        usage["prompt_tokens_details"] = {"cached_tokens": reply.cache_read_tokens}
    body = {"object": "chat.completion", "model": reply.model}
    return {**body, **rest, "choices": [choice], "usage": usage | usage_rest}
