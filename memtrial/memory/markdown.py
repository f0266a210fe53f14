"""Items as markdown: written in upstream's format, read from whatever a model made of it."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from memtrial.memory.heading import FieldHeading, field_heading, guard, is_rule, item_label, unguard
from memtrial.memory.item import Item, ProseItem, field_names, item_from_json, schema_of, schema_with
from memtrial.memory.layouts.chatter import after_thoughts, farewell
from memtrial.memory.layouts.choice import layout_of
from memtrial.memory.layouts.fences import close_fences, is_fence
from memtrial.memory.layouts.fields import ItemLayout, item_of, own_fields
from memtrial.memory.layouts.labels import is_label
from memtrial.prompts.control_prompts import ReplyLayout

_BELOW = ("```", "~~~", "- ", "* ", "1. ", "|", "> ")
_Found = list[tuple[int, FieldHeading]]


@dataclass(frozen=True, slots=True)
class ReplyReading:
    """What a model's reply holds.

    Args:
        items: all that can be read whole.
        before, after: what the reply says around them, to whoever asked; no part of an item.
        cut: the reply breaks off inside a further item.
        none: it says in so many words that there is no item, as an empty list.
        lacks: an item has fields without a heading.
        n_fields: fields with a heading.
        closed, missed: see `ItemLayout`.
    """

    items: tuple[Item, ...]
    before: str
    after: str
    cut: bool = False
    none: bool = False
    lacks: bool = False
    n_fields: int = 0
    closed: bool = False
    missed: int = 0


class MarkdownFault(ValueError):
    """The text does not hold exactly one item."""


def render(item: Item, number: int = 1) -> str:
    """The item under a `# Memory Item` heading, one `##` heading a field; `parse` gives it back unchanged.

    Prose is its own markdown: nothing is put around it, and it comes back from JSON only.
    """
    if isinstance(item, ProseItem):
        return item.text
    names = field_names(schema_of(item))
    return "\n".join([f"# Memory Item {number}", *(_section(name, getattr(item, name)) for name in names)])


def parse(markdown: str) -> Item:
    """The one item in the text; fields that are not there are empty.

    Raises:
        MarkdownFault: there is no item, or more than one.
    """
    items = parse_all(markdown)
    if len(items) != 1:
        start = " ".join(markdown.split())[:60]
        raise MarkdownFault(
            f"needed one memory item with headings such as '## Claim', found {len(items)} in {start!r}"
        )
    return items[0]


def parse_all(text: str) -> tuple[Item, ...]:
    """All items in a model's reply, in whatever layout; what stands around them is passed over."""
    return read_reply(text).items


def read_reply(text: str) -> ReplyReading:
    """The items in a model's reply, and what it says before and after them.

    Headings are read first; where there are none, or a label gives a field that they lack, the other layouts
    of `memory.layouts`. A text that holds no item is all `before`.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    begin = after_thoughts(text)
    thoughts, reply = text[:begin].strip(), text[begin:]
    headed = _read_headings(reply)
    if (layout := _layout_instead(reply, headed)) is None:
        return replace(headed, before=_paragraphs(thoughts, headed.before))
    if not layout.blocks:
        return ReplyReading(
            (), _paragraphs(thoughts, reply), "", layout.cut, layout.none, missed=layout.missed
        )
    before, after = _text_outside(reply[: layout.start]), _text_outside(reply[layout.stop :])
    filled = (block for block in layout.blocks if any(field.value for field in block.fields))
    items = tuple(item_of(block.fields) for block in filled)
    return ReplyReading(
        items, _paragraphs(thoughts, before), after, layout.cut, closed=layout.is_closed, missed=layout.missed
    )


def layout_in(text: str) -> ItemLayout | None:
    """The layout in which the text is read; None where it has none, or that of headings."""
    return _layout_instead(text, _read_headings(text))


def _layout_instead(text: str, headed: ReplyReading) -> ItemLayout | None:
    if headed.items and not headed.lacks:
        return None
    layout = layout_of(text)
    if layout is None or not headed.items:
        return layout
    n_fields = sum(len(own_fields(block.fields)) for block in layout.blocks)
    return layout if n_fields > headed.n_fields else None


def _read_headings(text: str) -> ReplyReading:
    """What headings say alone."""
    lines = text.split("\n")
    first = next((number for number, line in enumerate(lines) if _is_heading(line)), None)
    if first is None:
        return ReplyReading((), text.strip(), "")
    last = max(number for number, line in enumerate(lines) if _is_heading(line))
    end = last + farewell(lines[last:])
    kept = _drop_fences(lines[:end])
    read = [pair for block in _blocks(kept) for pair in _read_block(block)]
    closed = _closed_behind(lines[:end], first, last)
    return ReplyReading(
        tuple(item for item, _ in read),
        _text_outside("\n".join(lines[:first])) if read else text.strip(),
        _text_outside("\n".join(lines[closed:])) if read else "",
        lacks=any(n < len(field_names(schema_of(item))) for item, n in read),
        n_fields=sum(n for _, n in read),
    )


def _is_heading(line: str) -> bool:
    return field_heading(line) is not None or item_label(line) is not None


def _closed_behind(lines: Sequence[str], first: int, last: int) -> int:
    """The line behind the last item, where a fence around it closes; the number of lines where none does."""
    if not _is_fenced(lines, first):
        return len(lines)
    start = max(
        (number for number in range(first, last + 1) if item_label(lines[number]) is not None), default=first
    )
    return start + len(close_fences(lines[start:]))


def _text_outside(text: str) -> str:
    """What stands around items, without fences and rules at its ends."""
    lines = [line for line in text.strip().split("\n") if not is_fence(line) and not is_rule(line.strip())]
    return "\n".join(lines).strip()


def _paragraphs(*texts: str) -> str:
    return "\n\n".join(filter(None, texts))


def split_items(text: str) -> tuple[str, ...]:
    """Any memory text, cut before each `# Memory Item` heading; blank lines around the parts are dropped.

    A text without such a heading is one part. What stands before the first heading is a part of its own
    unless it is blank. No other character is lost.
    """
    paragraphs = []
    for block in _blocks(text.split("\n")):
        if solid := [number for number, line in enumerate(block) if line.strip()]:
            paragraphs.append("\n".join(block[solid[0] : solid[-1] + 1]).rstrip("\r"))
    return tuple(paragraphs)


def _section(name: str, value: str) -> str:
    """One heading with its text: on the same line, or below where the text opens a block of its own."""
    heading = f"## {name.capitalize()}"
    if not value:
        return heading
    return heading + ("\n" if value.startswith(_BELOW) and "\n" in value else " ") + guard(value)


def _blocks(lines: Sequence[str]) -> Iterator[Sequence[str]]:
    """The lines before the first item heading, then each item heading with the lines under it."""
    starts = [i for i, line in enumerate(lines) if item_label(line) is not None]
    for start, stop in pairwise([0, *starts, len(lines)]):
        yield lines[start:stop]


def _read_block(block: Sequence[str]) -> Iterator[tuple[Item, int]]:
    """The items of one block, each with the number of its fields that have a heading.

    There are none without a known field; where a model left out item headings, a second first field of the
    same level opens a new item.
    """
    label = (item_label(block[0]) if block else None) or ""
    groups: list[_Found] = []
    opened: set[tuple[str, int]] = set()
    for position, line in enumerate(block):
        if heading := field_heading(line):
            mark = (heading.name, heading.level)
            if not groups or (heading.name in ("title", "claim") and mark in opened):
                groups.append([])
                opened = set()
            groups[-1].append((position, heading))
            opened.add(mark)
    stops = [*(group[0][0] for group in groups[1:]), len(block)]
    for group, stop in zip(groups, stops, strict=False):
        yield _item(block, stop, group, label)


def _item(lines: Sequence[str], last: int, headings: _Found, label: str) -> tuple[Item, int]:
    """One item from the lines before `last`, of the schema with more of its fields present. Headings that its
    schema does not know, or has had, are text of the field."""
    present = [heading.name for _, heading in headings]
    schema = schema_with(present, present[0])
    titled = "title" in field_names(schema)
    own: dict[str, tuple[int, FieldHeading]] = {}
    for position, heading in headings:
        if heading.name in field_names(schema):
            own.setdefault(heading.name, (position, heading))
    values = {"schema": schema, **dict.fromkeys(field_names(schema), "")}
    values |= {"title": label} if titled else {}
    stops = [*(position for position, _ in own.values()), last][1:]
    for (name, (position, heading)), stop in zip(own.items(), stops, strict=True):
        values[name] = _value([heading.text, *lines[position + 1 : stop]])
    return item_from_json(values), len({*own, "title"} if titled and label else own)


def _value(lines: Sequence[str]) -> str:
    """A field's text without the separators that follow it."""
    kept = "\n".join(lines).strip().split("\n")
    while kept and (is_rule(kept[-1]) or not kept[-1].strip()):
        kept.pop()
    return unguard("\n".join(kept))


def _drop_fences(lines: list[str]) -> list[str]:
    """Without the code fences around the whole reply or around each item; fences inside a field stay.

    Only a fence directly above the first heading counts as one around items. Below it, an odd number of
    fences in an item means that the last one closes the outer fence, and what follows it is chatter.
    """
    first = next((number for number, line in enumerate(lines) if _is_heading(line)), None)
    if first is None or not _is_fenced(lines, first):
        return lines
    return [line for block in _blocks(lines[first:]) for line in close_fences(block)]


def _is_fenced(lines: Sequence[str], first: int) -> bool:
    above = [line for line in lines[:first] if line.strip()]
    return bool(above) and is_fence(above[-1])


def shown_text(replies: Iterable[str], layout: ReplyLayout = "webarena") -> str:
    """The replies of the records that are shown, byte for byte as upstream puts them below its cue.

    WebArena's agent reads a text file, whose line ends are made plain, and strips it; those of SWE and of the
    paper's harness do neither.
    """
    joined = "\n\n".join(replies)
    return joined if layout != "webarena" else joined.replace("\r\n", "\n").replace("\r", "\n").strip()


def item_texts(text: str) -> tuple[str, ...]:
    """The text in pieces of one item each, which joined by a blank line are the text again.

    A piece begins at a `# Memory Item` heading, or at a title where there is none; what stands above the
    first belongs to it. A text without such headings, or a blank one, is one piece; an empty one has none.
    """
    if not text:
        return ()
    paragraphs = text.split("\n\n")
    begins = [item_label(_first_line(paragraph)) is not None for paragraph in paragraphs]
    if not any(begins):
        begins = [is_label(_first_line(paragraph), "title") for paragraph in paragraphs]
    cuts = [number for number, is_first in enumerate(begins) if is_first][1:]
    return tuple(
        "\n\n".join(paragraphs[low:high]) for low, high in zip([0, *cuts], [*cuts, None], strict=True)
    )


def _first_line(paragraph: str) -> str:
    """Behind the code fence that models like to put around their items."""
    lines = (line for line in paragraph.strip().split("\n") if not line.lstrip().startswith(("```", "~~~")))
    return next(lines, "")
