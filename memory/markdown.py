"""Items as markdown: written in upstream's format, read from whatever a model made of it."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from loadbearing.memory.heading import FieldHeading, field_heading, guard, is_rule, item_label, unguard
from loadbearing.memory.item import Item, ProseItem, Schema, field_names, item_from_json, schema_of
from loadbearing.prompts.control import ReplyLayout

_FENCE = re.compile(r"[ \t]*+(?:`{3,}+|~{3,}+)[ \t]*+(?P<info>[\w+-]*+)[ \t]*+")
_BELOW = ("```", "~~~", "- ", "* ", "1. ", "|", "> ")
_Found = list[tuple[int, FieldHeading]]


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
    """All items in a model's reply; preamble, fences and blocks without a known field are passed over."""
    lines = _unfenced(text.replace("\r\n", "\n").replace("\r", "\n").split("\n"))
    return tuple(item for block in _blocks(lines) for item in _read(block))


def split_items(text: str) -> tuple[str, ...]:
    """Any memory text, cut before each `# Memory Item` heading; blank lines around the parts are dropped.

    A text without such a heading is one part. What stands before the first heading is a part of its own
    unless it is blank. No other character is lost.
    """
    found = []
    for block in _blocks(text.split("\n")):
        if solid := [at for at, line in enumerate(block) if line.strip()]:
            found.append("\n".join(block[solid[0] : solid[-1] + 1]).rstrip("\r"))
    return tuple(found)


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


def _read(block: Sequence[str]) -> Iterator[Item]:
    """The items of one block: none without a known field; where a model left out item headings, a second
    first field of the same level opens a new item."""
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


def _item(lines: Sequence[str], last: int, headings: _Found, label: str) -> Item:
    """One item from the lines before `last`, of the schema with more of its fields present; the first field
    decides a tie. Headings that its schema does not know, or has had, are text of the field."""
    present = [heading.name for _, heading in headings]
    n_native, n_theory = (len(set(present) & set(field_names(of))) for of in ("native", "theory"))
    native = present[0] in field_names("native") if n_native == n_theory else n_native > n_theory
    schema: Schema = "native" if native else "theory"
    own: dict[str, tuple[int, FieldHeading]] = {}
    for position, heading in headings:
        if heading.name in field_names(schema):
            own.setdefault(heading.name, (position, heading))
    values = {"schema": schema, **dict.fromkeys(field_names(schema), "")}
    values |= {"title": label} if native else {}
    stops = [*(position for position, _ in own.values()), last][1:]
    for (name, (position, heading)), stop in zip(own.items(), stops, strict=True):
        values[name] = _value([heading.text, *lines[position + 1 : stop]])
    return item_from_json(values)


def _value(lines: Sequence[str]) -> str:
    """A field's text without the separators that follow it."""
    kept = "\n".join(lines).strip().split("\n")
    while kept and (is_rule(kept[-1]) or not kept[-1].strip()):
        kept.pop()
    return unguard("\n".join(kept))


def _unfenced(lines: list[str]) -> list[str]:
    """Without the code fences around the whole reply or around each item; fences inside a field stay.

    Only a fence directly above the first heading counts as one around items. Below it, an odd number of
    fences in an item means that the last one closes the outer fence, and what follows it is chatter.
    """
    first = next(
        (i for i, line in enumerate(lines) if field_heading(line) or item_label(line) is not None), None
    )
    above = [line for line in lines[:first] if line.strip()]
    if first is None or not above or not _FENCE.fullmatch(above[-1]):
        return lines
    return [line for block in _blocks(lines[first:]) for line in _closed(block)]


def _closed(block: Sequence[str]) -> Sequence[str]:
    """One item of a fenced reply, without the outer fence that closes in it or opens the next."""
    fences = [i for i, line in enumerate(block) if _FENCE.fullmatch(line)]
    if len(fences) >= 2 and not "".join(block[fences[-1] + 1 :]).strip():
        opens = _FENCE.fullmatch(block[fences[-1]])
        next_to = not "".join(block[fences[-2] + 1 : fences[-1]]).strip()
        if next_to or (opens and opens["info"]):
            return block[: fences[-2]]
    return block[: fences[-1]] if len(fences) % 2 else block


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
    begins = [item_label(_first_line(one)) is not None for one in paragraphs]
    if not any(begins):
        found = (field_heading(_first_line(one)) for one in paragraphs)
        begins = [one is not None and one.name == "title" for one in found]
    cuts = [at for at, is_first in enumerate(begins) if is_first][1:]
    return tuple(
        "\n\n".join(paragraphs[low:high]) for low, high in zip([0, *cuts], [*cuts, None], strict=True)
    )


def _first_line(paragraph: str) -> str:
    """Behind the code fence that models like to put around their items."""
    lines = (line for line in paragraph.strip().split("\n") if not line.lstrip().startswith(("```", "~~~")))
    return next(lines, "")
