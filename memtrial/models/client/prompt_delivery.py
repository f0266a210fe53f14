"""Proof of delivery: every text of a request was sent verbatim and, where the provider says so, received.

Pure functions on parsed JSON and strings. A memory that is missing from the prompt would make every number of
a run wrong without any other sign, so it is looked for in the body. Blocks are proven by what they hold:
texts, the names and arguments of tools, what tools gave back, the bytes or the address of an image.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from memtrial.models.client.content_blocks import (
    Block,
    ImageBlock,
    OtherBlock,
    TextBlock,
    ToolResult,
    ToolUse,
    is_plain,
    list_strings,
)
from memtrial.models.client.types import Message

EMPTY = "(empty)"
"""Sent in place of a blank message: providers refuse an empty text."""

REPLY = frozenset({"content", "choices", "candidates", "output", "usage", "stop_reason", "id", "model"})
"""Top-level keys of a reply that are not an echo of the request."""

TELLING = 40
"""Characters in common that are no coincidence."""

SURROGATE = re.compile("[\ud800-\udfff]")
"""Half of a surrogate pair: JSON can write it, but UTF-8 cannot."""


def to_send(text: str) -> str:
    """The text as it is sent: itself, or the placeholder where it is blank."""
    return text if text.strip() else EMPTY


def fill_blanks(messages: Sequence[Message]) -> list[Message]:
    """The messages as they are sent: a placeholder stands for each blank text, and no blank system prompt."""
    return [_fill(message) for message in messages if not _is_blank_system(message)]


def _is_blank_system(message: Message) -> bool:
    return message.role == "system" and is_plain(message.content) and not message.text.strip()


def _fill(message: Message) -> Message:
    if isinstance(message.content, str):
        return message if message.content.strip() else replace(message, content=to_send(message.content))
    blocks = (
        replace(block, text=to_send(block.text)) if isinstance(block, TextBlock) else block
        for block in message.content
    )
    return replace(message, content=tuple(blocks))


def to_keep(text: str) -> str:
    """The text as it can be saved and sent again: half of a surrogate pair becomes U+FFFD."""
    return SURROGATE.sub("\ufffd", text)


def is_verbatim(messages: Sequence[Message], sent: Any, body: Any) -> bool:
    """The proof for one call: `sent` and `body` are the parsed JSON of request and reply."""
    return contained_in(messages, sent) and echo_agrees(messages, body)


def contained_in(messages: Sequence[Message], body: Any) -> bool:
    """Everything that the messages hold is in the parsed JSON, as often as in the messages; a blank system
    prompt may be missing, and providers may join neighbours."""
    present = Counter(_list_sent(body))
    strings: list[str] = []
    for message in messages:
        if isinstance(message.content, str):
            # most messages are one text, and every call is proven
            if message.role != "system" or message.content.strip():
                strings.append(to_send(message.content))
            continue
        for block in message.content:
            if message.role != "system" or not isinstance(block, TextBlock) or block.text.strip():
                strings += _list_wanted(block, present)
    wanted = Counter(strings)
    missing = [text for text, times in wanted.items() if present[text] < times]
    return all(
        sum(string.count(text) * times for string, times in present.items()) >= wanted[text]
        for text in missing
    )


def _list_wanted(block: Block, present: Counter[str]) -> Iterator[str]:
    """The strings by which a block is known in a body that has these strings."""
    match block:
        case TextBlock():
            yield to_send(block.text)
        case ImageBlock():
            yield block.data or block.url or block.file_id
        case ToolUse():
            yield block.id
            yield block.name
            # OpenAI's formats carry the arguments as a text, Anthropic's as an object
            if block.arguments in present:
                yield block.arguments
            else:
                yield from filter(None, list_strings(_parse(block.arguments)))
        case ToolResult():
            yield block.use_id
            if isinstance(block.content, str):
                yield block.content
            elif block.content is not None:
                for inner in block.content:
                    yield from [inner.text] if isinstance(inner, TextBlock) else _list_wanted(inner, present)
        case OtherBlock():
            yield from filter(None, list_strings(json.loads(block.body)))


def _parse(arguments: str) -> Any:
    """The arguments of a tool; where they are no JSON, the text itself."""
    try:
        return json.loads(arguments)
    except ValueError:
        return arguments


def _list_sent(body: Any) -> list[str]:
    """Every string of a body; of an image that is written as a URL the bytes, too."""
    strings = list(list_strings(body))
    data = [string.partition(";base64,")[2] for string in strings if string.startswith("data:")]
    return strings + data


def echo_agrees(messages: Sequence[Message], body: Any) -> bool:
    """An echo of the request holds every text; True where there is no echo.

    `request` and `echo` are echoes by their names. The value of another key, outside the reply itself, is one
    where it repeats the prompt.
    """
    if not isinstance(body, dict):
        return True
    for name, value in body.items():
        if name in REPLY:
            continue
        if name in ("request", "echo") and isinstance(value, (dict, list)):
            agrees = contained_in(messages, value)
        else:
            agrees = _repeats_all(messages, "\n".join(list_strings(value)))
        if not agrees:
            return False
    return True


def _repeats_all(messages: Sequence[Message], text: str) -> bool:
    """A text that repeats the prompt repeats all of it; True where it does not repeat it.

    It repeats the prompt when it holds the first or last 40 characters of both the system prompt and the last
    user message, and one of the two as a whole (shorter messages decide nothing); also as JSON inside the
    text.
    """
    if len(text) < TELLING:
        return True
    system = next((m.text for m in messages if m.role == "system" and len(m.text) >= TELLING), None)
    users = [message.text for message in messages if message.role == "user" and len(message.text) >= TELLING]
    if system is None or not users:
        return True
    prompts = (system, users[-1])
    if not all(_contains(part[:TELLING], text) or _contains(part[-TELLING:], text) for part in prompts):
        return True
    whole = [_contains(prompt, text) for prompt in prompts]
    return all(whole) or not any(whole)


def _contains(part: str, text: str) -> bool:
    """The text holds it, as it is or as JSON writes it, with or without escapes beyond ASCII."""
    if part in text:
        return True
    # without a backslash JSON writes the text as it is
    if "\\" not in text:
        return False
    return any(json.dumps(part, ensure_ascii=escaped)[1:-1] in text for escaped in (False, True))
