"""The memory that a client shows its model, found in a request by the words that clients put around it.

As seen on 2026-11-27 in the requests of Claude Code 2.1.330, Codex 0.169.0 and opencode 1.18.33; a memory
that was put into the task itself stands between `<memory>` and `</memory>`.
"""

import json
import re
from collections.abc import Iterator

from memtrial.models.client.content_blocks import TextBlock, ToolResult
from memtrial.models.client.types import Message
from memtrial.models.scripted.coding.client_tools import RECALL

WRAPPINGS = (
    ("Contents of ", ":\n\n", re.compile(r"\n\nContents of |\n</system-reminder>")),
    ("Base directory for this skill: ", "\n\n", re.compile(r"\Z")),
    ("<INSTRUCTIONS>", "\n", re.compile(r"\n</INSTRUCTIONS>")),
    (
        "Instructions from: ",
        "\n",
        re.compile(r"\nInstructions from: |\n\nSkills provide |\n</system-reminder>"),
    ),
    ("<memory>", "\n", re.compile(r"\n</memory>")),
    ("---\nname: ", "\n---\n", re.compile(r"\Z")),
)
"""How a span of memory begins, what its first line ends with, and before what it ends."""


def show_memory(messages: tuple[Message, ...]) -> str:
    """All memory that stands in a conversation, in its order; empty where there is none."""
    spans = [span for text in _list_texts(messages) for span in _find_spans(text)]
    return "\n\n".join([*spans, *_list_recalled(messages)])


def _list_recalled(messages: tuple[Message, ...]) -> Iterator[str]:
    """What a memory server gave when it was asked."""
    for message in messages:
        for block in message.blocks:
            if isinstance(block, ToolResult) and block.use_id.startswith(RECALL):
                yield from _list_output(block)


def _list_texts(messages: tuple[Message, ...]) -> Iterator[str]:
    """The texts that were shown to the model, and what tools gave back; not what the model said."""
    for message in messages:
        if message.role == "assistant":
            continue
        for block in message.blocks:
            if isinstance(block, TextBlock):
                yield block.text
            elif isinstance(block, ToolResult):
                yield from _list_output(block)


def _list_output(result: ToolResult) -> Iterator[str]:
    parts = result.content if isinstance(result.content, tuple) else (TextBlock(result.content or ""),)
    yield from (_read_output(part.text) for part in parts if isinstance(part, TextBlock))


def _read_output(text: str) -> str:
    """What a command printed; one client shows it as JSON."""
    if text.startswith("{"):
        try:
            return str(json.loads(text).get("output", text))
        except (ValueError, RecursionError):
            return text
    return text


def _find_spans(text: str) -> Iterator[str]:
    """The memory between the words that a client puts around it."""
    for opening, head_end, ending in WRAPPINGS:
        place = text.find(opening)
        while place >= 0:
            head = text.find(head_end, place + len(opening))
            if head < 0:
                break
            start = head + len(head_end)
            # the line break before what ends it may be the one that ends its first line
            stop = ending.search(text, start - 1)
            end = len(text) if stop is None else max(start, stop.start())
            if span := text[start:end].strip():
                yield span
            place = text.find(opening, end)
