"""Printable text: nothing from a run may break a page, an XML file or a terminal."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from pydantic import BaseModel

Record = TypeVar("Record", bound="BaseModel")

# controls (a terminal obeys them, XML forbids them), lone surrogates (no encoding takes them),
# bidirectional overrides (a line that reads otherwise than it is), and the two non-characters
_UNPRINTABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\u202a-\u202e\u2066-\u2069\ufffe\uffff]")


def printable(value: Any) -> Any:
    """The same JSON value, with U+FFFD for every character of its strings that cannot be shown."""
    if isinstance(value, str):
        return value if value.isprintable() else _UNPRINTABLE.sub("\ufffd", value)
    if isinstance(value, dict):
        return {printable(key): printable(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [printable(entry) for entry in value]
    return value


def harmless(record: Record) -> Record:
    """The same results with printable strings; what is printed of a run goes through here once."""
    return type(record).model_validate(printable(record.model_dump()))


def one_line(text: str) -> str:
    """Text without line breaks, for a table cell, a heading or a label."""
    return " ".join(text.split())


def shorten(text: str, most: int) -> str:
    """Text of at most `most` characters; where some are left out, the last one shows it."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def brief(text: str, most: int) -> str:
    """Text on one line, of at most `most` characters."""
    return shorten(one_line(text), most)
