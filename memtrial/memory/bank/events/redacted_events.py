"""Events with their texts redacted: nothing enters a bank but through here.

Ids that the product makes (ULIDs, digests) and words of closed lists stay as they are: to a reader of secrets
they look like keys. A text that is JSON is redacted value by value, so that it stays JSON.
"""

import json
from collections.abc import Callable
from dataclasses import is_dataclass, replace
from functools import lru_cache
from typing import TypeVar

from memtrial.memory.bank.events.item_body import names_of
from memtrial.memory.bank.events.ulids import is_ulid

Redact = Callable[[str], str]
"""Takes secrets and personal data out of a text; twice is as once."""
_IDS = {
    "id", "item_id", "source", "target", "episode_id", "trajectory_id", "record_id", "item_ids", "run_id",
    "scaling_run",
}  # fmt: skip
_CLOSED = {"label", "standing", "relation", "signal", "key", "mode", "outcome", "space", "fault"}
_JSON = {"body", "summary"}
_DIGEST = 64
_HEX = frozenset("0123456789abcdef")
_PLAIN = (bool, int, float, bytes)
"""What holds no text."""
REMEMBERED, SHORT = 1_000, 100
"""Texts that are remembered, and characters of the longest of them."""
Value = TypeVar("Value")


def remember_short(redact: Redact) -> Redact:
    """The same, quicker: the few words that come with every event, as a project's, are redacted once."""
    remembered = lru_cache(REMEMBERED)(redact)
    return lambda text: remembered(text) if len(text) <= SHORT else redact(text)


def redact_value(value: Value, redact: Redact) -> Value:
    """The same value with all its texts redacted, however deep they lie in dataclasses and tuples."""
    changed = {}
    kind: type = type(value)
    for name in names_of(kind):
        before = getattr(value, name)
        # most fields are empty, or hold no text
        if not before:
            continue
        if isinstance(before, str):
            after: object = _redact_text(name, before, redact)
        elif isinstance(before, _PLAIN):
            continue
        else:
            after = _redact_part(name, before, redact)
        if after is not before and after != before:
            changed[name] = after
    return replace(value, **changed) if changed else value  # type: ignore[type-var]


def _redact_text(name: str, text: str, redact: Redact) -> str:
    if not text.isascii():
        # half a character, as a broken decoder leaves it, can be written nowhere
        text = text.encode("utf-8", "replace").decode()
    if name in _CLOSED or (name in _IDS and _is_made(text)):
        return text
    return redact_json(text, redact) if name in _JSON else redact(text)


def _redact_part(name: str, value: object, redact: Redact) -> object:
    if isinstance(value, str):
        return _redact_text(name, value, redact)
    if isinstance(value, tuple):
        return tuple([_redact_part(name, part, redact) for part in value])
    return redact_value(value, redact) if is_dataclass(value) and not isinstance(value, type) else value


def _is_made(text: str) -> bool:
    return is_ulid(text) or (len(text) == _DIGEST and _HEX.issuperset(text))


def redact_json(text: str, redact: Redact) -> str:
    """A text with every text and key within its JSON redacted; one that is no JSON as a whole."""
    try:
        body = json.loads(text)
        walked = _walk(body, redact)
    except (ValueError, RecursionError):
        return redact(text)
    if walked == body:
        return text
    return json.dumps(walked, ensure_ascii=False, separators=(",", ":"))


def _walk(body: object, redact: Redact) -> object:
    match body:
        case str():
            return redact(body)
        case list():
            return [_walk(part, redact) for part in body]
        case dict():
            return {redact(name): _walk_named(name, part, redact) for name, part in body.items()}
        case _:
            return body


def _walk_named(name: str, part: object, redact: Redact) -> object:
    """A value beside its name: `password` before it says what it is, where the text alone does not."""
    if isinstance(part, str) and part:
        head = f"{name}: "
        together = redact(head + part)
        if together.startswith(head):
            return redact(together[len(head) :])
        return redact(part)
    return _walk(part, redact)
