"""Proof of delivery: every text of a request was sent verbatim and, where the provider says so, received.

Pure functions on parsed JSON and strings. A memory that is missing from the prompt would make every number of
a run wrong without any other sign, so it is looked for in the body.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

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


def to_keep(text: str) -> str:
    """The text as it can be saved and sent again: half of a surrogate pair becomes U+FFFD."""
    return SURROGATE.sub("\ufffd", text)


def is_verbatim(messages: Sequence[Message], sent: Any, body: Any) -> bool:
    """The proof for one call: `sent` and `body` are the parsed JSON of request and reply."""
    return contained_in(messages, sent) and echo_agrees(messages, body)


def contained_in(messages: Sequence[Message], found: Any) -> bool:
    """Every text of the messages is in the parsed JSON, as often as in the messages; a blank system prompt
    may be missing, and providers may join neighbours."""
    wanted = Counter(to_send(m.content) for m in messages if m.role != "system" or m.content.strip())
    there = Counter(_strings(found))
    missing = [text for text, times in wanted.items() if there[text] < times]
    return all(
        sum(one.count(text) * times for one, times in there.items()) >= wanted[text] for text in missing
    )


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
            agrees = _repeats_all(messages, "\n".join(_strings(value)))
        if not agrees:
            return False
    return True


def _repeats_all(messages: Sequence[Message], text: str) -> bool:
    """A text that repeats the prompt repeats all of it; True where it does not repeat it.

    It repeats the prompt when it holds the first or last 40 characters of both the system prompt and the last
    user message, and one of the two as a whole (shorter messages decide nothing); also as JSON inside the
    text.
    """
    system = next((m.content for m in messages if m.role == "system" and len(m.content) >= TELLING), None)
    users = [m.content for m in messages if m.role == "user" and len(m.content) >= TELLING]
    if system is None or not users:
        return True
    prompts = (system, users[-1])
    if not all(_contains(one[:TELLING], text) or _contains(one[-TELLING:], text) for one in prompts):
        return True
    whole = [_contains(one, text) for one in prompts]
    return all(whole) or not any(whole)


def _contains(part: str, text: str) -> bool:
    """The text holds it, as it is or as JSON writes it, with or without escapes beyond ASCII."""
    if part in text:
        return True
    # without a backslash JSON writes the text as it is
    return "\\" in text and any(json.dumps(part, ensure_ascii=one)[1:-1] in text for one in (False, True))


def _strings(found: Any) -> Iterator[str]:
    if isinstance(found, str):
        yield found
    elif isinstance(found, (dict, list)):
        for one in found.values() if isinstance(found, dict) else found:
            yield from _strings(one)
