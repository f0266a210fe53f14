"""What a request showed a model: its texts and what tools gave back, without what the model had said."""

import json
from collections.abc import Iterator
from typing import Any

from memtrial.models.client.content_blocks import list_strings


def list_shown_texts(body: bytes) -> tuple[str, ...]:
    """The texts of a request's body; none where it is no JSON object.

    JSON within a text is read, too: one client shows its model so what a command printed.
    """
    request = _parse(body)
    if not isinstance(request, dict):
        return ()
    shown: list[str] = []
    for name in ("system", "instructions", "messages", "input"):
        value = request.get(name)
        for item in value if isinstance(value, list) else [value]:
            if not _was_said(item):
                shown += list_strings([item])
    return tuple(text for string in shown for text in _unfold(string))


def _was_said(item: Any) -> bool:
    """The model said it, or called a tool."""
    if not isinstance(item, dict):
        return False
    return item.get("role") == "assistant" or str(item.get("type", "")).endswith(("_call", "reasoning"))


def _unfold(text: str) -> Iterator[str]:
    yield text
    if text.startswith("{"):
        inner = _parse(text.encode("utf-8", "surrogatepass"))
        if isinstance(inner, dict):
            yield from (value for value in inner.values() if isinstance(value, str))


def _parse(body: bytes) -> Any:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None
