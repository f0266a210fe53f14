"""What of an item is structure, and stays, and what is body, and may be damaged."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from loadbearing.memory.heading import field_heading, item_label
from loadbearing.memory.recount import pieces

_OTHER = re.compile(r"[ \t]{0,3}#{1,6}(?:[ \t]+|(?=[\r\n]|$))")
_FENCE = re.compile(r"[ \t]*(```|~~~)")
_CUE = re.compile(
    r"(?:^|(?<=[|\n]))(?:[^\S\n]|[*_-])*+(?:not\s++)?(?:task|state|action)[\s*_]*+:", re.IGNORECASE
)
_FORM = re.compile(r"^\s*(?:heuristic\b[ \t]*[:.;,]?|check[ \t]*:)", re.IGNORECASE)
_NUMBER = re.compile(r"(?m)^[ \t]*\d{1,3}[.)](?=\s)")


ADVISING = ("claim", "content")


@dataclass(frozen=True, slots=True)
class Part:
    """A heading and what follows it; `head + body` is the text, verbatim.

    Args:
        head: the marks, the known label, the blanks after it; empty for text before the first heading.
            The text of any other heading is body: it names the lesson. In a raw trajectory, the label of
            a step or of one of its lines.
        body: the rest, on the same line and below.
        label: "memory item", a field's name, a trajectory's "step", "thought", …, or empty.
        step: number of the trajectory's step it belongs to, from 1; 0 for all else.
    """

    head: str
    body: str
    label: str
    step: int = 0

    def frame(self) -> tuple[tuple[int, int], ...]:
        """Spans of the body that only shape it: cue names of a Trigger, a Form's first word, list numbers."""
        pattern = {"trigger": _CUE, "form": _FORM}.get(self.label, _NUMBER)
        return tuple(match.span() for match in pattern.finditer(self.body))


def mask(size: int, spans: Iterable[tuple[int, int]]) -> bytearray:
    """For each place of a text of this size whether some span covers it."""
    covered = bytearray(size)
    for low, high in spans:
        covered[low:high] = b"\1" * (high - low)
    return covered


@lru_cache(maxsize=2048)
def parts(item: str) -> tuple[Part, ...]:
    """The item cut at its headings, a raw trajectory at its labels.

    An unknown `#` line inside a closed code fence is code, not a heading.
    """
    if recounted := pieces(item):
        return tuple(Part(one.head, one.body, one.label, one.step) for one in recounted)
    lines = item.splitlines(keepends=True)
    fenced = _fenced(lines)
    found: list[Part] = []
    head, label, body = "", "", ""
    for number, line in enumerate(lines):
        opened = _opened(line, other=number not in fenced)
        if opened is None:
            body += line
            continue
        if head or body:
            found.append(Part(head, body, label))
        end, label = opened
        head, body = line[:end], line[end:]
    if head or body:
        found.append(Part(head, body, label))
    return tuple(found)


def skeleton(item: str) -> tuple[str, ...]:
    """The headings as structure, in order: what every kind of damage must leave standing."""
    return tuple(" ".join(part.head.lower().split()) for part in parts(item) if part.head)


def body(item: str) -> str:
    """The item without its headings: the text whose words are counted as content."""
    return "\n".join(part.body for part in parts(item))


def advising(item: str) -> str:
    """The text that says what to do: Claim or Content, or all bodies of an item that has neither."""
    own = [part.body for part in parts(item) if part.label in ADVISING and part.body.strip()]
    return "\n".join(own) if own else body(item)


def _opened(line: str, other: bool) -> tuple[int, str] | None:
    """Where a heading's structure ends on this line, and its label; None for a line that is no heading."""
    bare = line.rstrip()
    text = item_label(bare)
    label = "memory item"
    if text is None:
        field = field_heading(bare)
        if field is None:
            match = _OTHER.match(line) if other else None
            return (match.end(), "") if match else None
        text, label = field.text, field.name
    return (bare.rfind(text) if text else len(bare)), label


def _fenced(lines: list[str]) -> frozenset[int]:
    """Numbers of the lines in closed code fences. A fence that never closes is ordinary text."""
    inside: set[int] = set()
    opened, mark = -1, ""
    for number, line in enumerate(lines):
        match = _FENCE.match(line)
        if match is None:
            continue
        if opened < 0:
            opened, mark = number, match[1]
        elif match[1] == mark:
            inside.update(range(opened, number + 1))
            opened = -1
    return frozenset(inside)
