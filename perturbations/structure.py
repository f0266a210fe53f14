"""What of an item is structure, and stays, and what is body, and may be damaged."""

from __future__ import annotations

import re
from dataclasses import dataclass

LABELS = ("Title", "Description", "Content", "Claim", "Trigger", "Mechanism", "Scope", "Form")

_HEADING = re.compile(
    r"(?P<head>[ \t]{0,3}#{1,6}(?:"
    rf"[ \t]*(?P<label>Memory[ \t]+Items?(?:[ \t]+\d+)?|{'|'.join(LABELS)})\b[ \t]*:?[ \t]*"
    r"|[ \t]+|(?=\r?\n|$)))",
    re.IGNORECASE,
)
_FENCE = re.compile(r"[ \t]*(```|~~~)")
_CUE = re.compile(r"(?:^|(?<=\|))\s*(?:task|state|action)[ \t]*:", re.IGNORECASE)
_FORM = re.compile(r"^\s*(?:heuristic\b[ \t]*[:.;,]?|check[ \t]*:)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Part:
    """A heading and what follows it, up to the next heading; `head + body` is the text, verbatim.

    Args:
        head: `#` marks, a known label, the blanks after it; empty for text before the first heading.
            The text of any other heading is body: it names the lesson.
        body: the rest, on the same line or below.
        label: the known label in lower case ("memory item" without its number), or empty.
    """

    head: str
    body: str
    label: str

    @property
    def marks(self) -> str:
        """The heading as structure: its marks, and its label with the item's number."""
        return " ".join(self.head.lower().replace(":", " ").split())

    def kept(self) -> tuple[tuple[int, int], ...]:
        """Spans of the body that mark typed fields: cue names of a Trigger, the word that opens a Form."""
        pattern = {"trigger": _CUE, "form": _FORM}.get(self.label)
        return tuple(match.span() for match in pattern.finditer(self.body)) if pattern else ()


def parts(item: str) -> tuple[Part, ...]:
    """The item cut at its headings. A `#` inside a closed code fence is code, not a heading."""
    lines = item.splitlines(keepends=True)
    fenced = _fenced(lines)
    found: list[Part] = []
    head, label, body = "", "", ""
    for number, line in enumerate(lines):
        match = None if number in fenced else _HEADING.match(line)
        if match is None:
            body += line
            continue
        if head or body:
            found.append(Part(head, body, label))
        head = match["head"]
        label = " ".join(word for word in (match["label"] or "").lower().split() if not word.isdigit())
        body = line[match.end() :]
    if head or body:
        found.append(Part(head, body, label))
    return tuple(found)


def join(cut: tuple[Part, ...]) -> str:
    """The text that `parts` cut."""
    return "".join(part.head + part.body for part in cut)


def skeleton(item: str) -> tuple[str, ...]:
    """The headings as structure, in order: what every kind of damage must leave standing."""
    return tuple(part.marks for part in parts(item) if part.head)


def body(item: str) -> str:
    """The item without its headings: the text whose words are counted as content."""
    return "\n".join(part.body for part in parts(item))


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
