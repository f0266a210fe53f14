"""The sections of a hand-written file, and the items in them: what each says, and under which headings.

An item is a paragraph or a point of a list, without what hangs below it. A line that ends in a colon leads up
to the points behind it, and says with the headings under which condition they count.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from memtrial.memory.language.roles import clauses, reasons
from memtrial.memory.language.sentences import Sentence, mask_quotes, spans
from memtrial.memory.notes.note_blocks import LEVELS, NoteBlock, cut_blocks

_MARK = re.compile(r"[ \t]*(?:[-*+•]|\d{1,3}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?")
_SITUATION = re.compile(
    r"(?i)\b(?:when|whenever|if|before|after|while|during|once|unless|until)\b|\A\W*(?:for|on|at|in)\s"
)
_MOMENT = re.compile(r"(?i)\b(?:before|after|until|during|upon)\s++(?P<what>[^,;:.()]++)")
_CODE = re.compile(r"`([^`\n]+)`")
_QUOTED_LINE = re.compile(r"(?m)^[ \t]*>[ \t]?")


@dataclass(frozen=True, slots=True)
class NoteSection:
    """A heading and all below it up to the next heading.

    Args:
        titles: of this heading and those above it, from the outermost; none before the first heading.
        line, last_line: from 1; of the heading, or of the first block.
        text: verbatim, the heading included.
    """

    titles: tuple[str, ...]
    line: int
    last_line: int
    text: str

    @property
    def name(self) -> str:
        """Its own heading; empty before the first."""
        return self.titles[-1] if self.titles else ""


@dataclass(frozen=True, slots=True)
class NoteRoles:
    """The words of an item by role, as written; empty where it says nothing there.

    Args:
        when: conditions and moments of its own.
        around: the headings and the lines above it that set a condition.
        what: the rest: what to do or to avoid, or what is so.
        unless: where it does not hold.
        form: code that it quotes or that stands below it.
    """

    when: tuple[str, ...]
    around: tuple[str, ...]
    what: str
    why: tuple[str, ...]
    unless: tuple[str, ...]
    form: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NoteItem:
    """A paragraph, or a point of a list.

    Args:
        text: without the mark and the marks of a quotation, inner line ends kept.
        line: where it begins.
        section: index of its section.
        leads: it only leads up to what stands below it.
        above: the lines that lead up to it, the outermost first.
    """

    text: str
    line: int
    last_line: int
    section: int
    leads: bool
    above: tuple[str, ...]
    roles: NoteRoles


@dataclass(frozen=True, slots=True)
class NoteText:
    """A file's text, read: `"".join(block.text for block in blocks)` is the text."""

    blocks: tuple[NoteBlock, ...]
    sections: tuple[NoteSection, ...]
    items: tuple[NoteItem, ...]


def read_note(text: str) -> NoteText:
    """Cut the text, and read each item with what stands around it."""
    blocks = cut_blocks(text)
    sections, of_block = _cut_sections(blocks)
    items: list[NoteItem] = []
    open_leads: list[tuple[int, str]] = []
    for number, block in enumerate(blocks):
        if block.kind == "heading":
            open_leads = []
        if block.kind not in ("paragraph", "item"):
            continue
        level = block.level if block.kind == "item" else -1
        open_leads = [lead for lead in open_leads if lead[0] < level]
        inner = inner_text(block)
        leads = inner.rstrip(" *_").endswith(":")
        code = _code_below(blocks, number)
        section = of_block[number]
        above = tuple(lead for _, lead in open_leads)
        roles = read_roles(inner, (*sections[section].titles, *above), code)
        items.append(NoteItem(inner, block.line, block.last_line, section, leads, above, roles))
        has_children = _next_solid(blocks, number, level)
        if leads or has_children:
            open_leads.append((level, inner))
    return NoteText(blocks, sections, tuple(items))


def inner_text(block: NoteBlock) -> str:
    """What a paragraph or a point says, without its mark."""
    mark = _MARK.match(block.text) if block.kind == "item" else None
    return _QUOTED_LINE.sub("", block.text[mark.end() if mark else 0 :]).strip("\ufeff \t\r\n")


def title_of(block: NoteBlock) -> str:
    """What a heading says, without its marks."""
    first = block.text.lstrip("\ufeff").split("\n")[0].strip()
    opened = first.lstrip("#").strip() if first.startswith("#") else first
    closed = opened.rstrip("#")
    return closed.strip() if closed[-1:] in ("", " ", "\t") else opened  # "C#" is no heading that closes


def read_roles(text: str, around: Sequence[str] = (), code: Sequence[str] = ()) -> NoteRoles:
    """The roles of an item's words, sentence by sentence.

    Args:
        around: headings and lines above it; those that name a situation are conditions.
        code: texts of the code below it.
    """
    covered = mask_quotes(text)
    when, why, unless, what = list[str](), list[str](), list[str](), list[str]()
    for low, high in spans(text):
        sentence = Sentence(text[low:high], covered[low:high], last=high == len(text))
        read = clauses(sentence)
        why += [sentence.raw[slice(*span)].strip(" ,\n") for span in reasons(sentence)]
        when += [sentence.raw[slice(*span)].strip() for span in read.when]
        moments = _MOMENT.finditer(sentence.covered)
        when += [sentence.raw[slice(*moment.span("what"))].strip() for moment in moments]
        unless += [sentence.raw[slice(*span)].strip() for span in read.unless]
        place, cuts = 0, sorted((*read.opened, *reasons(sentence)))
        for start, stop in (*cuts, (len(sentence.raw), len(sentence.raw))):
            what.append(sentence.raw[place:start].strip(" ,\n"))
            place = max(place, stop)
    set_by = tuple(given for given in around if _SITUATION.search(given))
    quoted = tuple(part for part in _CODE.findall(text) if part.strip())
    said = " ".join(filter(None, what))
    return NoteRoles(tuple(when), set_by, said, tuple(why), tuple(unless), (*quoted, *code))


def _cut_sections(blocks: Sequence[NoteBlock]) -> tuple[tuple[NoteSection, ...], list[int]]:
    """The sections, and for each block the index of its own."""
    titles: list[str] = [""] * LEVELS
    groups: list[tuple[tuple[str, ...], list[NoteBlock]]] = []
    of_block: list[int] = []
    for block in blocks:
        if block.kind == "heading":
            titles[block.level - 1 :] = [title_of(block), *[""] * (LEVELS - block.level)]
        if block.kind == "heading" or not groups:
            groups.append((tuple(filter(None, titles)), []))
        groups[-1][1].append(block)
        of_block.append(len(groups) - 1)
    sections = tuple(
        NoteSection(named, held[0].line, held[-1].last_line, "".join(block.text for block in held))
        for named, held in groups
    )
    return sections, of_block


def _code_below(blocks: Sequence[NoteBlock], number: int) -> tuple[str, ...]:
    """The code that follows this block at once, or after a blank."""
    below = [block for block in blocks[number + 1 : number + 3] if block.kind != "blank"][:1]
    return tuple(block.text for block in below if block.kind == "code")


def _next_solid(blocks: Sequence[NoteBlock], number: int, level: int) -> bool:
    """Whether a point that is indented deeper follows: this one stands above it."""
    below = [block for block in blocks[number + 1 : number + 3] if block.kind != "blank"][:1]
    return level >= 0 and any(block.kind == "item" and block.level > level for block in below)
