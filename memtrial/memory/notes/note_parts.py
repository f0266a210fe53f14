"""The parts of a hand-written file that can be taken out one by one: its sections, else its points, else its
paragraphs."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from memtrial.memory.notes.note_blocks import LEVELS, NoteBlock, cut_blocks
from memtrial.memory.notes.note_items import inner_text, title_of

PartKind = Literal["section", "point", "paragraph"]
MANY = 16
"""Where a kind makes more parts than these, a coarser one is taken."""
_FRAME = frozenset({"front matter", "heading"})
_EMPTY = _FRAME | {"blank", "rule", "comment"}


@dataclass(frozen=True, slots=True)
class NotePart:
    """What is taken out as one.

    Args:
        name: its heading, or its first words.
        line, last_line: from 1.
        text: verbatim.
    """

    name: str
    line: int
    last_line: int
    text: str


@dataclass(frozen=True, slots=True)
class NoteParts:
    """A file as parts.

    Args:
        pieces: the whole text in order, each with the number of its part, from 0; None of what always
            stands: a front matter, headings that have nothing of their own below them.
    """

    kind: PartKind
    parts: tuple[NotePart, ...]
    pieces: tuple[tuple[int | None, str], ...]

    def keep(self, standing: Collection[int]) -> str:
        """The file in which these parts stand; with all of them, the text as it is."""
        return "".join(text for part, text in self.pieces if part is None or part in standing)


def find_parts(text: str) -> NoteParts:
    """The parts of a file, of the finest kind that makes at most 16 of them; else of the coarsest.

    Sections are told by headings: one holds all below its heading up to the next of its level or above. In a
    file without two of them a point of a list, with all that hangs below it, is a part, or a paragraph.
    """
    blocks = cut_blocks(text)
    by_heading = [_cut(blocks, "section", _mark_sections(blocks, level)) for level in range(LEVELS, 0, -1)]
    by_block = [_cut(blocks, "paragraph", _mark_paragraphs(blocks))]
    if sum(block.kind == "item" for block in blocks) > 1:
        by_block.insert(0, _cut(blocks, "point", _mark_points(blocks)))
    for offered in (by_heading, by_block):
        several = [each for each in offered if len(each.parts) > 1]
        if several:
            few = (each for each in several if len(each.parts) <= MANY)
            return next(few, min(several, key=lambda each: len(each.parts)))
    return by_block[-1]


def _mark_sections(blocks: Sequence[NoteBlock], level: int) -> Iterator[int | None]:
    """For each block the number of its group, None of one that belongs to none."""
    group = 0
    for block in blocks:
        group += block.kind == "heading" and block.level <= level
        yield None if block.kind == "front matter" else group


def _mark_points(blocks: Sequence[NoteBlock]) -> Iterator[int | None]:
    outermost = min((block.level for block in blocks if block.kind == "item"), default=0)
    group, inside = 0, False
    for block in blocks:
        if block.kind in _FRAME or (block.kind == "paragraph" and inner_text(block).endswith(":")):
            inside = False  # a line that leads up to a list stands with whatever is left of it
        elif block.kind == "paragraph" or (block.kind == "item" and block.level <= outermost) or not inside:
            group += 1
            inside = True
        yield group if inside else None


def _mark_paragraphs(blocks: Sequence[NoteBlock]) -> Iterator[int | None]:
    group, inside = 0, False
    for block in blocks:
        if block.kind in _FRAME:
            inside = False
        elif block.kind != "blank" and not inside:
            group += 1
            inside = True
        yield group if inside else None
        inside = inside and block.kind != "blank"


def _cut(blocks: Sequence[NoteBlock], kind: PartKind, marks: Iterator[int | None]) -> NoteParts:
    """The groups that hold more than a frame become parts."""
    groups: dict[int | None, list[NoteBlock]] = {}
    marked = list(zip(marks, blocks, strict=True))
    for group, block in marked:
        groups.setdefault(group, []).append(block)
    solid = [
        group
        for group, held in groups.items()
        if group is not None and any(block.kind not in _EMPTY for block in held)
    ]
    number = {group: place for place, group in enumerate(solid)}
    pieces = tuple((number.get(group) if group is not None else None, block.text) for group, block in marked)
    return NoteParts(kind, tuple(_name_part(groups[group]) for group in solid), pieces)


def _name_part(blocks: Sequence[NoteBlock]) -> NotePart:
    first = next(block for block in blocks if block.kind != "blank")
    title = title_of(first) if first.kind == "heading" else inner_text(first).split("\n")[0]
    last = max(block.last_line for block in blocks if block.kind != "blank")
    text = "".join(block.text for block in blocks)
    return NotePart(title.strip(), first.line, last, text)
