"""Reading memory items from a file: markdown, or lines that condense or a memory system wrote."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from loadbearing.episodes.slot import Slot
from loadbearing.memory.markdown import split_items
from loadbearing.runs.errors import SpecFault

MOST_BYTES = 256 * 1024 * 1024
_NEEDED = "ITEMS needs markdown or the output of condense"


def read_slots(path: Path) -> tuple[Slot, ...]:
    """The slots of a file: one a line of condense's output, one for a whole file of markdown.

    Raises:
        SpecFault: the file cannot be read.
    """
    return slots_in(text_of(path, _NEEDED), str(path))


def slots_in(text: str, where: str) -> tuple[Slot, ...]:
    """The slots of a text.

    Args:
        where: how a message names the text.

    Raises:
        SpecFault: it is empty, or looks like JSON lines and is none.
    """
    lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    if not lines:
        raise SpecFault(f"{_NEEDED}; {where} is empty")
    if lines[0][1].lstrip().startswith("{"):
        condensed = [_condensed(line, f"{where}, line {number}") for number, line in lines]
        return tuple(Slot("", texts) for texts in condensed if texts)
    return (Slot("", split_items(text)),)


def text_of(path: Path, needed: str) -> str:
    """A file's text, UTF-8 with or without a byte order mark.

    Args:
        needed: the beginning of a message.

    Raises:
        SpecFault: it is no plain file, too large, or no such text.
    """
    try:
        # a pipe would be waited for, and a device never ends
        if path.exists() and not (path.is_file() or path.is_dir()):
            raise SpecFault(f"{needed}; {path} is no plain file")
        if path.stat().st_size > MOST_BYTES:
            raise SpecFault(f"{needed}; {path} is larger than {MOST_BYTES // 1024**2} MiB")
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as fault:
        raise SpecFault(f"{needed}; {path} cannot be read: {fault}") from fault


def _condensed(line: str, where: str) -> tuple[str, ...]:
    """The items of one line: objects with `markdown` or `text`, or bare texts.

    Raises:
        SpecFault: it is something else.
    """
    needed = f"{where}: markdown is needed, or a JSON object with a list of items, which have markdown"
    try:
        raw: Any = json.loads(line)
    except (ValueError, RecursionError) as fault:
        raise SpecFault(f"{needed}; this is no JSON") from fault
    if not isinstance(raw, dict) or not isinstance(raw.get("items"), list):
        raise SpecFault(f"{needed}; this has no list of items")
    texts: list[Any] = [
        item.get("markdown", item.get("text")) if isinstance(item, dict) else item for item in raw["items"]
    ]
    if not all(isinstance(text, str) and text == text.encode("utf-8", "replace").decode() for text in texts):
        raise SpecFault(f"{needed}; an item of this has none that is a text")
    return tuple(texts)
