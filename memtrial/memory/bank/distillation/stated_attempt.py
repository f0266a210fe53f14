"""Which of the attempts that were compared an item comes of, as the distiller says: a field, or a line alone.

Attempts are numbered from 1 on, in the order in which they were shown; 0 stands for one that is not stated.
"""

import re
from collections.abc import Mapping

from memtrial.memory.item import Item, field_names, item_from_json, item_to_json, schema_of
from memtrial.memory.markdown import read_reply

NAMES = ("attempt", "attempts", "attempt_number", "from_attempt", "source_attempt")
"""Keys under which a number is looked for, in lower case."""
_NUMBER = re.compile(r"\s*+(?:from\s++)?(?:attempts?\b\W*+)?#?(\d{1,4})\b(?!\.\d)", re.IGNORECASE)
_LINE = re.compile(
    r"^[#*_ \t-]*+attempt\b[*_:# \t]*+\n?[ \t]*+(?:attempt[ \t]++)?#?(\d{1,4})[*_. \t]*+"
    r"(?:\((?:success|failure)\)[*_. \t]*+)?$",
    re.IGNORECASE | re.MULTILINE,
)
_MARK = re.compile(r"(?:(?<!\s)\s++)?+⟦attempt (\d{1,4})⟧")
"""In brackets of its own: a layout may put a field's lines on one."""


def attempt_of(fields: Mapping[str, object]) -> int:
    """The number in an item's JSON object; of several the first."""
    value = next((fields[name] for name in NAMES if fields.get(name)), 0)
    if isinstance(value, list):
        value = value[0]
    if isinstance(value, bool | float):
        value = int(value) if isinstance(value, float) and value.is_integer() else 0
    stated = _NUMBER.match(str(value))
    return int(stated[1]) if stated else 0


def mark_attempts(text: str) -> str:
    """Any other layout with the lines that state an attempt marked, each as part of the field above it.

    Where such a line stands above the first item, lines of this kind are headings over items, or between an
    item's heading and its title: they are left as they are.
    """
    first = _LINE.search(text)
    if first is None or not read_reply(text[: first.start()]).items:
        return text
    return _LINE.sub(r"\n⟦attempt \1⟧", text)


def take_attempt(item: Item) -> tuple[Item, int]:
    """An item without the marks in its fields, and the number of the first."""
    fields = item_to_json(item)
    names = field_names(schema_of(item))
    stated = next((mark[1] for name in names if (mark := _MARK.search(fields[name]))), "0")
    if stated == "0":
        return item, 0
    return item_from_json({**fields, **{name: _MARK.sub("", fields[name]) for name in names}}), int(stated)
