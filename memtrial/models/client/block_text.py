"""Content blocks as one JSON text, in nobody's format: as the call store keeps them."""

import json
from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any

from memtrial.models.client.content_blocks import (
    Block,
    ImageBlock,
    OtherBlock,
    TextBlock,
    ToolResult,
    ToolUse,
    encode,
)

KINDS: Mapping[str, type[Block]] = {
    "text": TextBlock,
    "image": ImageBlock,
    "tool use": ToolUse,
    "tool result": ToolResult,
    "other": OtherBlock,
}
_WORDS = {kind: word for word, kind in KINDS.items()}


def write_blocks(blocks: tuple[Block, ...]) -> str:
    """The blocks as a JSON list; fields that have their default value are left out."""
    return encode([_plain(block) for block in blocks])


def read_blocks(text: str) -> tuple[Block, ...]:
    """What `write_blocks` wrote. Raises ValueError: the text is something else."""
    try:
        return tuple(_read(value) for value in json.loads(text))
    except (TypeError, KeyError, AttributeError, RecursionError) as fault:
        raise ValueError(f"blocks of a reply are needed; got {text[:60]!r}") from fault


def change_strings(blocks: tuple[Block, ...], change: Callable[[str], str]) -> tuple[Block, ...]:
    """The blocks with every text in them changed, names and JSON texts among them."""
    return tuple(_read(_change(_plain(block), change)) for block in blocks)


def _plain(block: Block) -> dict[str, Any]:
    values = {field.name: getattr(block, field.name) for field in fields(block)}
    if isinstance(block, ToolResult) and isinstance(block.content, tuple):
        values["content"] = [_plain(inner) for inner in block.content]
    defaults = {field.name: field.default for field in fields(block)}
    return {"type": _WORDS[type(block)]} | {
        name: value for name, value in values.items() if value != defaults[name]
    }


def _read(value: Mapping[str, Any]) -> Block:
    kind, named = KINDS[value["type"]], {name: part for name, part in value.items() if name != "type"}
    if kind is ToolResult and isinstance(named["content"], list):
        named["content"] = tuple(_read(inner) for inner in named["content"])
    return kind(**named)


def _change(value: Any, change: Callable[[str], str]) -> Any:
    match value:
        case str():
            return change(value)
        case list():
            return [_change(inner, change) for inner in value]
        case dict():
            return {
                name: inner if name == "type" else _change(inner, change) for name, inner in value.items()
            }
    return value
