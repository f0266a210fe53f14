"""The wire proof: every text of a request stood verbatim in what was sent and, where it is told, received.

Pure functions on parsed JSON and strings. A memory that was meant for the prompt and is not in it is the
one fault that would make every number of a run wrong without a trace; so it is looked for in the bytes.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from loadbearing.models.client.types import Message

EMPTY = "(empty)"
"""What stands for a message of nothing but blanks: providers refuse an empty text."""

REPLY = frozenset({"content", "choices", "candidates", "output", "usage", "stop_reason", "id", "model"})
"""Top-level keys of the reply itself."""

LONG = 200
TELLING = 40
"""So many characters in common are no accident."""

HALF_SIGN = re.compile("[\ud800-\udfff]")
"""Half of a surrogate pair: JSON can spell it, and no file and no request can hold it."""


def to_send(text: str) -> str:
    """The text as it is sent: itself, or the placeholder where it is blank."""
    return text if text.strip() else EMPTY


def to_keep(text: str) -> str:
    """The text as it can be kept and sent again: what stands for half a sign is U+FFFD."""
    return HALF_SIGN.sub("\ufffd", text)


def is_verbatim(messages: Sequence[Message], sent: Any, body: Any, text: str) -> bool:
    """The whole proof for one call.

    Args:
        messages: of the request.
        sent: the body that left, its bytes or their parsed JSON.
        body: the parsed JSON of the reply; what it says besides the reply may be what the provider received.
        text: the text of the reply.
    """
    return stands_in(messages, sent) and echo_agrees(messages, body) and text_agrees(messages, text)


def stands_in(messages: Sequence[Message], found: Any) -> bool:
    """Every text of the messages is in the JSON, as often as it was asked for.

    A text may be a string of its own or a stretch of a longer one (providers join neighbours). A blank system
    prompt need not be there.

    Args:
        found: the bytes of the JSON, or what they parse to.
    """
    if isinstance(found, bytes):
        return _stand_at_sight(messages, found) or stands_in(messages, json.loads(found))
    wanted = Counter(to_send(m.content) for m in messages if m.role != "system" or m.content.strip())
    there = Counter(_strings(found))
    missing = [text for text, times in wanted.items() if there[text] < times]
    return all(
        sum(one.count(text) * times for one, times in there.items()) >= wanted[text] for text in missing
    )


def _stand_at_sight(messages: Sequence[Message], body: bytes) -> bool:
    """The quick yes: texts that differ, each found as it reads inside JSON. A no says nothing."""
    wanted = [to_send(m.content) for m in messages if m.role != "system" or m.content.strip()]
    there = body.decode()
    return len(set(wanted)) == len(wanted) and all(
        json.dumps(text, ensure_ascii=False)[1:-1] in there for text in wanted
    )


def echo_agrees(messages: Sequence[Message], body: Any) -> bool:
    """What the provider says it received holds every text; True where it says nothing.

    `request` and `echo` say so by their names. Under another name, outside the reply itself, it is taken for
    what was received where it repeats the prompt, as `text_agrees` tells.
    """
    if not isinstance(body, dict):
        return True
    for name, told in body.items():
        if name in REPLY:
            continue
        if name in ("request", "echo") and isinstance(told, (dict, list)):
            agrees = stands_in(messages, told)
        else:
            said = told if isinstance(told, str) else "\n".join(_strings(told))
            agrees = text_agrees(messages, said)
        if not agrees:
            return False
    return True


def text_agrees(messages: Sequence[Message], text: str) -> bool:
    """A reply that repeats the prompt repeats all of it; True where it does not repeat it.

    It repeats the prompt when the system prompt and the last user message are both there by their first or
    last 40 characters, and one of the two as a whole (messages shorter than that tell nothing). The same is
    looked for in JSON inside the text. A text that is a request in JSON has to hold everything, and one that
    repeats 200 characters of the system prompt and more of it than not, all of it.
    """
    if len(text) < TELLING:
        return True
    request = _as_request(text)
    if request is not None:
        return stands_in(messages, request)
    if any(_in_great_part(m.content, text) for m in messages if m.role == "system"):
        return False
    long = [message for message in messages if len(message.content) >= TELLING]
    told = [message.content for message in long if message.role == "system"][:1]
    told += [message.content for message in long if message.role == "user"][-1:]
    if len({message.role for message in long} & {"system", "user"}) < 2:
        return True
    if not all(_stands(one[:TELLING], text) or _stands(one[-TELLING:], text) for one in told):
        return True
    whole = [_stands(one, text) for one in told]
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


def _in_great_part(told: str, text: str) -> bool:
    """A long stretch of it is in the text, which is more than half as long, but not all of it is there."""
    return (
        len(told) > LONG
        and len(text) > len(told) // 2
        and _stands(told[:LONG], text)
        and not _stands(told, text)
    )


def _stands(told: str, text: str) -> bool:
    """It is in the text, as it is or as it reads inside JSON with or without letters beyond ASCII."""
    if told in text:
        return True
    # without a backslash a text inside JSON reads as it does outside
    return "\\" in text and any(json.dumps(told, ensure_ascii=one)[1:-1] in text for one in (False, True))


def _strings(found: Any) -> Iterator[str]:
    if isinstance(found, str):
        yield found
    elif isinstance(found, dict):
        for one in found.values():
            yield from _strings(one)
    elif isinstance(found, list):
        for one in found:
            yield from _strings(one)
