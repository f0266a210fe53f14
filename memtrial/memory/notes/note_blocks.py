"""A hand-written file cut into blocks: headings, paragraphs, list items, code, tables, comments, rules.

Markdown as people write it, and plain text, which is markdown without marks. Nothing is lost: the texts of
the blocks, joined, are the file's text.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

BlockKind = Literal[
    "front matter", "heading", "paragraph", "item", "code", "table", "comment", "rule", "blank"
]
MOST_FRONT = 200
"""Lines of a front matter; a `---` that closes later is a rule."""
LEVELS = 6
TAB = 4
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_FENCE = re.compile(r"[ \t]*(?:[-*+][ \t]+)?(`{3,}+|~{3,}+)(?P<info>[^\n]*)")
_HEADING = re.compile(r" {0,3}(#{1,6})(?:[ \t]|\r?$)")
_UNDERLINE = re.compile(r" {0,3}(?:=+|-+)[ \t]*\r?$")
_RULE = re.compile(r" {0,3}(?:(?:\*[ \t]*){3,}+|(?:-[ \t]*){3,}+|(?:_[ \t]*){3,}+)\r?$")
_ITEM = re.compile(r"(?P<indent>[ \t]*)(?:[-*+•][ \t]|\d{1,3}[.)][ \t])")
_TABLE = re.compile(r"[ \t]*\|")
_QUOTE = re.compile(r"[ \t]*>")
_COMMENT = re.compile(r"[ \t]*<!--")


@dataclass(frozen=True, slots=True)
class NoteBlock:
    """Neighbouring lines of one kind.

    Args:
        text: verbatim, line ends included.
        line: number of its first line, from 1.
        level: of a heading, 1 to 6; of an item, the columns it is indented; else 0.
    """

    kind: BlockKind
    text: str
    line: int
    level: int = 0

    @property
    def last_line(self) -> int:
        """Number of its last line."""
        return self.line + max(0, self.text.count("\n") - self.text.endswith("\n"))


def cut_blocks(text: str) -> tuple[NoteBlock, ...]:
    """The blocks in order; `"".join(block.text for block in blocks) == text`.

    A fence or a comment that does not close runs to the end, as a reader of markdown shows it.
    """
    return tuple(_cut(_LINE.findall(text)))


def _cut(lines: list[str]) -> Iterator[NoteBlock]:
    place = _end_of_front(lines)
    if place:
        yield NoteBlock("front matter", "".join(lines[:place]), 1)
    while place < len(lines):
        kind, level, stop = _read_block(lines, place)
        yield NoteBlock(kind, "".join(lines[place:stop]), place + 1, level)
        place = stop


def _end_of_front(lines: list[str]) -> int:
    """The line behind the front matter; 0 where there is none."""
    if not lines or lines[0].lstrip("\ufeff").rstrip() != "---":
        return 0
    closing = (number for number, line in enumerate(lines[1:MOST_FRONT], 1) if line.rstrip() == "---")
    return next(closing, -1) + 1


def _read_block(lines: list[str], place: int) -> tuple[BlockKind, int, int]:
    """The kind and the level of the block that begins here, and the line behind it."""
    line = lines[place]
    if not line.strip():
        return "blank", 0, _while(lines, place, lambda each: not each.strip())
    if fence := _FENCE.match(line):
        return "code", 0, _end_of_fence(lines, place, fence[1])
    if heading := _HEADING.match(line.lstrip("\ufeff")):
        return "heading", len(heading[1]), place + 1
    if _COMMENT.match(line):
        return "comment", 0, next((n + 1 for n in range(place, len(lines)) if "-->" in lines[n]), len(lines))
    if _RULE.match(line):
        return "rule", 0, place + 1
    if _TABLE.match(line):
        return "table", 0, _while(lines, place, lambda each: _TABLE.match(each) is not None)
    if _QUOTE.match(line):
        return "paragraph", 0, _while(lines, place, lambda each: _QUOTE.match(each) is not None)
    stop = _while(lines, place + 1, _goes_on)
    if item := _ITEM.match(line):
        return "item", len(item["indent"].expandtabs(TAB)), stop
    if stop == place + 1 and stop < len(lines) and _UNDERLINE.match(lines[stop]):
        return "heading", 1 if "=" in lines[stop] else 2, stop + 1
    return "paragraph", 0, stop


def _while(lines: list[str], place: int, holds: Callable[[str], bool]) -> int:
    while place < len(lines) and holds(lines[place]):
        place += 1
    return place


def _goes_on(line: str) -> bool:
    """Whether a paragraph or an item goes on in this line."""
    opens = (_FENCE, _HEADING, _COMMENT, _RULE, _TABLE, _QUOTE, _ITEM)
    return bool(line.strip()) and not any(pattern.match(line) for pattern in opens)


def _end_of_fence(lines: list[str], place: int, mark: str) -> int:
    """The line behind the fence that closes with at least as many of the same marks."""
    for number in range(place + 1, len(lines)):
        bare = lines[number].strip()
        if len(bare) >= len(mark) and not bare.strip(mark[0]):
            return number + 1
    return len(lines)
