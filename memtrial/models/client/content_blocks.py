"""Content blocks: what a message holds where it is more than one plain text.

They are frozen and in no provider's words; `memtrial.models.wire` reads and writes them in each format. What
a format adds is kept as JSON text, so that nothing is lost on the way and a block stays hashable:

    cache   the mark for the provider's prompt cache, as JSON; empty where there is none
    more    the block's further fields, as a JSON object; empty where there are none
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
"""JSON on one line, with letters beyond ASCII as they are."""


@dataclass(frozen=True, slots=True)
class TextBlock:
    """A text that is said."""

    text: str
    cache: str = ""
    more: str = ""


@dataclass(frozen=True, slots=True)
class ImageBlock:
    """A picture: its bytes, an address, or a file that the provider has; one of the three.

    Args:
        media_type: with `data`, for example `image/png`.
        data: the bytes in base64.
        detail: how closely the model looks, in OpenAI's words; empty where it is not stated.
    """

    media_type: str = ""
    data: str = ""
    url: str = ""
    file_id: str = ""
    detail: str = ""
    cache: str = ""
    more: str = ""


@dataclass(frozen=True, slots=True)
class ToolUse:
    """The model calls a tool.

    Args:
        arguments: a JSON text, as the model wrote it where the format keeps that.
    """

    id: str
    name: str
    arguments: str
    cache: str = ""
    more: str = ""


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a tool gave back.

    Args:
        use_id: the `id` of the tool use that it answers.
        content: None where the format left it out.
        is_error: None where it is not stated.
    """

    use_id: str
    content: str | tuple[TextBlock | ImageBlock | OtherBlock, ...] | None
    is_error: bool | None = None
    cache: str = ""
    more: str = ""


@dataclass(frozen=True, slots=True)
class OtherBlock:
    """A block of one format that the others do not have, as a document or a thought: kept as it came.

    Args:
        body: the block as JSON, without its mark for the prompt cache.
    """

    body: str
    cache: str = ""


Block = TextBlock | ImageBlock | ToolUse | ToolResult | OtherBlock
Content = str | tuple[Block, ...]
"""What a message holds: a plain text, or blocks."""


def join_texts(content: Content) -> str:
    """The texts of a content in one: a client that splits a text into blocks has not changed it."""
    if isinstance(content, str):
        return content
    return "".join(block.text for block in content if isinstance(block, TextBlock))


def is_plain(content: Content) -> bool:
    """Nothing but texts, so that `join_texts` says all of it."""
    return isinstance(content, str) or all(
        isinstance(block, TextBlock) and not block.more for block in content
    )


def describe_block(block: Block) -> list[Any]:
    """All of a block that can change an answer, for the digest; a mark for the prompt cache cannot."""
    match block:
        case TextBlock():
            return ["text", block.text, block.more]
        case ImageBlock():
            source = (block.media_type, block.data, block.url, block.file_id)
            return ["image", *source, block.detail, block.more]
        case ToolUse():
            return ["tool use", block.id, block.name, block.arguments, block.more]
        case ToolResult():
            content: Any = block.content
            if isinstance(content, tuple):
                content = [describe_block(inner) for inner in content]
            return ["tool result", block.use_id, content, block.is_error, block.more]
        case OtherBlock():
            return ["other", block.body]


def list_strings(value: Any) -> Iterator[str]:
    """Every string among the values of a parsed JSON, in order; names of fields are none."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, (dict, list)):
        for part in value.values() if isinstance(value, dict) else value:
            if isinstance(part, str):
                yield part
            else:
                yield from list_strings(part)
