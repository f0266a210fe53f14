"""Proof of delivery: every text of a request was sent verbatim and, where the provider says so, received.

Pure functions on parsed JSON and strings. A memory that is missing from the prompt would make every number of
a run wrong without any other sign, so it is looked for in the bytes.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from loadbearing.models.client.types import Message

EMPTY = "(empty)"
"""Sent in place of a blank message: providers refuse an empty text."""

REPLY = frozenset({"content", "choices", "candidates", "output", "usage", "stop_reason", "id", "model"})
"""Top-level keys of a reply that are not an echo of the request."""

LONG = 200
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


def is_verbatim(messages: Sequence[Message], sent: Any, body: Any, text: str) -> bool:
    """The proof for one call.

    Args:
        messages: of the request.
        sent: the body that was sent, as bytes or parsed JSON.
        body: the parsed JSON of the reply; further keys may echo what the provider received.
        text: the text of the reply.
    """
    return contained_in(messages, sent) and echo_agrees(messages, body) and text_agrees(messages, text)


def contained_in(messages: Sequence[Message], found: Any) -> bool:
    """Every text of the messages is in the JSON, as often as it is in the messages.

    A text may be a string of its own or part of a longer one (providers join neighbours). A blank system
    prompt may be missing.

    Args:
        found: the JSON, as bytes or parsed.
    """
    if isinstance(found, bytes):
        return _plainly_contained(messages, found) or contained_in(messages, json.loads(found))
    wanted = Counter(to_send(m.content) for m in messages if m.role != "system" or m.content.strip())
    there = Counter(_strings(found))
    missing = [text for text, times in wanted.items() if there[text] < times]
    return all(
        sum(one.count(text) * times for one, times in there.items()) >= wanted[text] for text in missing
    )


def _plainly_contained(messages: Sequence[Message], body: bytes) -> bool:
    """A quick check: the texts differ and each is in the bytes as JSON writes it. False decides nothing."""
    wanted = [to_send(m.content) for m in messages if m.role != "system" or m.content.strip()]
    there = body.decode()
    return len(set(wanted)) == len(wanted) and all(
        json.dumps(text, ensure_ascii=False)[1:-1] in there for text in wanted
    )


def echo_agrees(messages: Sequence[Message], body: Any) -> bool:
    """An echo of the request holds every text; True where there is no echo.

    `request` and `echo` are echoes by their names. The value of another key, outside the reply itself, is one
    where it repeats the prompt, by the rule of `text_agrees`.
    """
    if not isinstance(body, dict):
        return True
    for name, value in body.items():
        if name in REPLY:
            continue
        if name in ("request", "echo") and isinstance(value, (dict, list)):
            agrees = contained_in(messages, value)
        else:
            said = value if isinstance(value, str) else "\n".join(_strings(value))
            agrees = text_agrees(messages, said)
        if not agrees:
            return False
    return True


def text_agrees(messages: Sequence[Message], text: str) -> bool:
    """A reply that repeats the prompt repeats all of it; True where it does not repeat it.

    It repeats the prompt when it holds the first or last 40 characters of both the system prompt and the last
    user message, and one of the two as a whole (shorter messages decide nothing); also as JSON inside the
    text. A text that is a request in JSON must hold everything. One that repeats the first 200 characters of
    the system prompt and is longer than half of it must hold all of it.
    """
    if len(text) < TELLING:
        return True
    request = _as_request(text)
    if request is not None:
        return contained_in(messages, request)
    if any(_repeats_in_part(m.content, text) for m in messages if m.role == "system"):
        return False
    long = [message for message in messages if len(message.content) >= TELLING]
    prompts = [message.content for message in long if message.role == "system"][:1]
    prompts += [message.content for message in long if message.role == "user"][-1:]
    if len({message.role for message in long} & {"system", "user"}) < 2:
        return True
    if not all(_contains(one[:TELLING], text) or _contains(one[-TELLING:], text) for one in prompts):
        return True
    whole = [_contains(one, text) for one in prompts]
    return all(whole) or not any(whole)


def _as_request(text: str) -> Any:
    """The parsed JSON of a text that is a request; None where it is something else."""
    if not text.lstrip().startswith("{") or '"messages"' not in text:
        return None
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) and isinstance(found.get("messages"), list) else None


def _repeats_in_part(part: str, text: str) -> bool:
    """The text holds its long beginning and is more than half as long, but does not hold all of it."""
    return (
        len(part) > LONG
        and len(text) > len(part) // 2
        and _contains(part[:LONG], text)
        and not _contains(part, text)
    )


def _contains(part: str, text: str) -> bool:
    """The text holds it, as it is or as JSON writes it, with or without escapes beyond ASCII."""
    if part in text:
        return True
    # without a backslash JSON writes the text as it is
    return "\\" in text and any(json.dumps(part, ensure_ascii=one)[1:-1] in text for one in (False, True))


def _strings(found: Any) -> Iterator[str]:
    if isinstance(found, str):
        yield found
    elif isinstance(found, dict):
        for one in found.values():
            yield from _strings(one)
    elif isinstance(found, list):
        for one in found:
            yield from _strings(one)
