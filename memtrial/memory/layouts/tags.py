"""Items whose fields stand in tags: `<claim>…</claim>`, as XML or HTML has them."""

import re
from html import unescape

from memtrial.memory.layouts.fields import NATIVE, THEORY, Field, ItemBlock, ItemLayout, Span, is_item

_NAMES = "|".join((*NATIVE, *THEORY))
_TAG = re.compile(
    rf"(?i)<(?P<end>/?)(?P<name>{_NAMES}|(?:memory[_-]?)?items?|memory|memories)\b[^<>]{{0,99}}>"
)
_CDATA = ("<![CDATA[", "]]>")


def read_tags(text: str) -> ItemLayout | None:
    """The items in tags; None where there is none."""
    blocks: list[ItemBlock] = []
    fields: dict[str, Field] = {}
    opened: tuple[str, int, int] | None = None
    start = stop = 0
    first = last = -1

    def finish() -> None:
        if is_item(fields):
            blocks.append(ItemBlock(tuple(fields.values()), start, stop))
        fields.clear()

    for tag in _TAG.finditer(text):
        name, ends = tag["name"].lower(), bool(tag["end"])
        is_field = name in NATIVE or name in THEORY
        if opened is None:
            first = tag.start() if first < 0 and not ends else first
            last = tag.end()
        if not is_field:
            if opened is None:
                finish()
        elif opened is None and not ends:
            opened = name, tag.start(), tag.end()
        elif opened is not None and ends and opened[0] == name:
            if name in fields:
                finish()
            if not fields:
                start = opened[1]
            stop = last = tag.end()
            fields[name] = _field(name, text, (opened[2], tag.start()))
            opened = None
    finish()
    if not blocks:
        return None
    return ItemLayout("tags", tuple(blocks), first, last, cut=opened is not None)


def _field(name: str, text: str, span: Span) -> Field:
    low, high = span
    while low < high and text[low].isspace():
        low += 1
    while low < high and text[high - 1].isspace():
        high -= 1
    if text.startswith(_CDATA[0], low, high) and text.endswith(_CDATA[1], low, high):
        low, high = low + len(_CDATA[0]), high - len(_CDATA[1])
    return Field(name, unescape(text[low:high]).strip(), ((low, max(low, high)),))
