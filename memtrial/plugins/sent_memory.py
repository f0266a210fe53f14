"""Whether memory stood in a request that an agent sent by itself, read from the bytes that were sent."""

import json
from collections.abc import Iterator
from typing import Any

from pydantic_core import from_json

OWN_KINDS = ("function_call", "reasoning", "tool_use", "custom_tool_call", "local_shell_call")
"""Parts of a conversation that the model said itself: it may repeat what was never shown to it."""


def texts_sent(body: bytes, texts: tuple[str, ...]) -> tuple[str, ...]:
    """Those of the texts that stand in a request's body, in what was said to the model.

    A text stands there verbatim, or written as JSON inside of another text (as tools return files), or line
    by line in its order (as tools show files with the numbers of their lines). A body that is no JSON is
    taken as a text.
    """
    try:
        strings = list(strings_to_model(from_json(body)))
    except ValueError:
        strings = [body.decode("utf-8", "replace")]
    return tuple(text for text in texts if any(_stands(text, string) for string in strings))


def strings_to_model(value: Any) -> Iterator[str]:
    """Every text of a request but those that are the model's own."""
    waiting = [value]
    while waiting:
        part = waiting.pop()
        if isinstance(part, str):
            yield part
        elif isinstance(part, list):
            waiting += part
        elif isinstance(part, dict) and part.get("role") != "assistant" and part.get("type") not in OWN_KINDS:
            waiting += part.values()


def _stands(text: str, string: str) -> bool:
    if text in string:
        return True
    if any(json.dumps(text, ensure_ascii=ascii)[1:-1] in string for ascii in (True, False)):
        return True
    place = 0
    for line in filter(None, map(str.strip, text.splitlines())):
        place = string.find(line, place)
        if place < 0:
            return False
        place += len(line)
    return True
