"""Texts within the bytes of JSON: those that change are written anew, all else stays byte for byte."""

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

STRING = re.compile(rb'"[^"\\]*+(?:\\.?[^"\\]*+)*+(?:"(\s*:)?|\Z)', re.DOTALL)
"""A string of sound JSON; one that a colon follows is the name of a field. It also matches one that does not
end, as nothing may be tried twice."""
DEEPEST = 3
"""JSON within a text, within JSON within a text, is read so often."""


def change_texts(
    raw: bytes, change: Callable[[str], str], may_change: Callable[[bytes], bool], depth: int = 0
) -> bytes:
    """Sound JSON with each text replaced by what `change` makes of it; `raw` itself where none changes.

    JSON that is written within a text is changed inside of its own texts.

    Args:
        may_change: of the bytes of a text, with its quotation marks; False where it surely stays as it is.
    """
    pieces: list[bytes] = []
    place = 0
    for match in STRING.finditer(raw):
        end = match.end()
        if match[1] is not None or not may_change(raw[match.start() : end]):
            continue
        old = json.loads(raw[match.start() : end])
        new = _change_text(old, change, may_change, depth)
        if new != old:
            pieces += [raw[place : match.start()], write_text(new, raw[match.start() : end].isascii())]
            place = end
    return b"".join([*pieces, raw[place:]]) if pieces else raw


def _change_text(
    text: str, change: Callable[[str], str], may_change: Callable[[bytes], bool], depth: int
) -> str:
    if depth < DEEPEST and text[:1] in ("{", "[") and read_json(text) is not None:
        inner = text.encode("utf-8", "surrogatepass")
        return change_texts(inner, change, may_change, depth + 1).decode("utf-8", "surrogatepass")
    return change(text)


def write_text(text: str, is_ascii: bool) -> bytes:
    """A text as JSON, in ASCII alone where that is asked for or nothing else can write it."""
    try:
        return json.dumps(text, ensure_ascii=is_ascii).encode()
    except UnicodeEncodeError:  # half of a surrogate pair
        return json.dumps(text).encode()


def read_json(text: str | bytes) -> Any:
    """A JSON value; None where there is none."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def list_places(value: Any) -> Iterator[tuple[str, str]]:
    """Every text of a JSON value with where it stands, as `messages.0.content`, in order."""
    waiting = [("", value)]
    while waiting:
        place, part = waiting.pop()
        if isinstance(part, str):
            yield place.removeprefix("."), part
        elif isinstance(part, dict):
            waiting += [(f"{place}.{name}", inner) for name, inner in reversed(part.items())]
        elif isinstance(part, list):
            waiting += [(f"{place}.{number}", inner) for number, inner in reversed([*enumerate(part)])]
