"""A reply in JSON, tags, a table or under labels, cut into what is structure and what is text of a field."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from memtrial.memory.layouts.chatter import is_farewell
from memtrial.memory.layouts.fields import ItemLayout, Kind

MOST_LEAD_IN = 40
"""Words above the items that only lead up to them; more may be a lesson, and are text."""
_ESCAPE = re.compile(r"\\(?:u[0-9a-fA-F]{4}|[^\"'u])|(?i:<br[ \t]*/?>)")
_LINE_END = re.compile(r"\n\s*+")
_BARE: dict[Kind, tuple[tuple[re.Pattern[str], str], ...]] = {
    "json": ((re.compile(r'(?<!\\)"'), r"\\" '"'), (_LINE_END, r"\\n")),
    "table": ((re.compile(r"(?<!\\)\|"), r"\\|"), (_LINE_END, "<br>")),
    "tags": ((re.compile(r"<(?!br)"), "&lt;"),),
    "labels": (),
}


class Piece(NamedTuple):
    """Marks, then the text of a field up to the next marks; `name` is the field, or empty."""

    head: str
    body: str
    name: str


def pieces(text: str, layout: ItemLayout) -> Iterator[Piece]:
    """The text in pieces. Marks, keys, escapes and what is said around the items are heads."""
    spans = [(*span, field.name) for block in layout.blocks for field in block.fields for span in field.spans]
    place = 0
    before = text[: layout.start]
    if len(before.split()) > MOST_LEAD_IN:
        yield Piece("", before, "")
        place = layout.start
    for low, high, name in sorted(spans):
        if low < place:
            continue
        yield from _field(text, (place, low, high), name, layout.kind)
        place = high
    after = text[max(place, layout.stop) :]
    solid = after.lstrip("`~ \t\r\n-")
    if not solid or is_farewell(solid) or len(solid.split()) < 6:
        yield Piece(text[place:], "", "")
    else:
        low = len(text) - len(solid)
        yield Piece(text[place:low], solid, "")


def _field(text: str, place: Sequence[int], name: str, kind: Kind) -> Iterator[Piece]:
    """A field's text, cut at the escapes in it: `\\n` is a mark, as a line end is."""
    begin, low, high = place
    if kind in ("json", "table"):
        for escape in _ESCAPE.finditer(text, low, high):
            yield Piece(text[begin:low], text[low : escape.start()], name)
            begin, low = escape.start(), escape.end()
    yield Piece(text[begin:low], text[low:high], name)


def written_in(text: str, kind: Kind) -> str:
    """Another's text as it has to be written there; what is escaped already stays."""
    for pattern, instead in _BARE[kind]:
        text = pattern.sub(instead, text)
    return text
