"""Proof of delivery: every text of a request was sent verbatim and, where the provider says so, received.

Pure functions on parsed JSON and strings. A memory that is missing from the prompt would make every number of
a run wrong without any other sign, so it is looked for in the body.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from loadbearing.models.client.types import Message

EMPTY = "(empty)"
"""Sent in place of a blank message: providers refuse an empty text."""

ECHOES = ("request", "echo")
"""Top-level keys of a reply under which a server says what it received."""

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
    """The echoes of the request hold every text; True where there is no echo."""
    told = [body.get(name) for name in ECHOES] if isinstance(body, dict) else []
    return all(contained_in(messages, one) for one in told if isinstance(one, (dict, list)))


def _strings(found: Any) -> Iterator[str]:
    if isinstance(found, str):
        yield found
    elif isinstance(found, (dict, list)):
        for one in found.values() if isinstance(found, dict) else found:
            yield from _strings(one)
