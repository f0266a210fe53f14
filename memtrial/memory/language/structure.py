"""What of an item is structure, and stays, and what is body, and may be damaged."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise

from memtrial.memory.heading import field_heading, item_label
from memtrial.memory.language.layout_parts import MOST_LEAD_IN, pieces
from memtrial.memory.layouts.chatter import after_thoughts, farewell
from memtrial.memory.layouts.fields import Kind
from memtrial.memory.markdown import layout_in

ADVISING = ("claim", "content")
_OTHER = re.compile(r"[ \t]{0,3}#{1,6}(?:[ \t]+|(?=[\r\n]|$))")
_FENCE = re.compile(r"[ \t]*(```|~~~)")
_CUE = re.compile(r"(?i)(?:^|(?<=[|\n]))(?:[^\S\n]|[*_-])*+(?:not\s++)?(?:task|state|action)[\s*_]*+:")
_FORM = re.compile(r"(?i)^\s*(?:heuristic\b[ \t]*[:.;,]?|check[ \t]*:)")
_NUMBER = re.compile(r"(?m)^[ \t]*\d{1,3}[.)](?=\s)")
# labels of a recounted trajectory; numbered ones are those of others' ReAct logs: "Thought 3: …"
_LABEL = re.compile(
    r"(?:(?P<bare>Step)[ \t]+\d{1,4}(?:[ \t]*:|(?=[ \t]*(?:[\r\n]|$)))|"
    r"(?P<name>Task|Query|Question|Start|Thought|Action|Observation|Outcome)(?:[ \t]+\d{1,4})?[ \t]*:)"
    r"(?:[ \t]+|(?=[\r\n]|$))"
)
_OUTSIDE = ("task", "query", "question", "start", "outcome")


@dataclass(frozen=True, slots=True)
class HeadedPart:
    """A heading and what follows it; `head + body` is the text, verbatim.

    Args:
        head: the marks, the known label, the blanks after it; empty for text before the first heading.
            The text of any other heading is body: it names the lesson. In a raw trajectory, the label of
            a step or of one of its lines.
        body: the rest, on the same line and below.
        label: "memory item", a field's name, a trajectory's "step", "thought", …, or empty.
        step: number of the trajectory's step it belongs to, from 1; 0 for all else.
        layout: how the fields are marked, where not by headings.
    """

    head: str
    body: str
    label: str
    step: int = 0
    layout: Kind | None = None

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
def parts(item: str) -> tuple[HeadedPart, ...]:
    """The item cut at its headings, a raw trajectory at its labels.

    A text is a trajectory when it holds two actions, or one in a numbered step, and begins with a label.
    """
    if begin := after_thoughts(item):
        opened = item.index(">") + 1
        closed = item.rindex("<", 0, begin)
        thoughts = HeadedPart(item[:opened], item[opened:closed], "")
        return (thoughts, HeadedPart(item[closed:begin], "", ""), *parts(item[begin:]))
    lines = item.splitlines(keepends=True)
    labelled = _cut_parts(lines, [_read_label(line) for line in lines])
    labels = [part.label for part in labelled]
    acts = labels.count("action")
    if labels and labels[0] and (acts > 1 or (acts and "step" in labels)):
        return tuple(_number_steps(labelled))
    if (layout := layout_in(item)) and layout.blocks:
        read = pieces(item, layout)
        pieces_read = (HeadedPart(piece.head, piece.body, piece.name, layout=layout.kind) for piece in read)
        return tuple(part for part in pieces_read if part.head or part.body)
    fenced = _fenced_lines(lines)
    headed = _cut_parts(
        lines, [_read_heading(line, number not in fenced) for number, line in enumerate(lines)]
    )
    return tuple(_without_chatter(headed))


def place_parts(item: str) -> Iterator[tuple[HeadedPart, int]]:
    """The parts, each with the place where its body begins in the item."""
    place = 0
    for part in parts(item):
        place += len(part.head)
        yield part, place
        place += len(part.body)


def skeleton(item: str) -> tuple[str, ...]:
    """The headings as structure, in order: what every kind of damage must leave standing."""
    return tuple(" ".join(part.head.lower().split()) for part in parts(item) if part.head.strip())


def body(item: str) -> str:
    """The item without its headings: the text whose words are counted as content."""
    return "\n".join(part.body for part in parts(item))


def advising_text(item: str) -> str:
    """The text that says what to do: Claim or Content, or all bodies of an item that has neither."""
    own = [part.body for part in parts(item) if part.label in ADVISING and part.body.strip()]
    return "\n".join(own) if own else body(item)


def n_lessons(item: str) -> int:
    """Number of lessons in the text: of Titles, or of Claims; 1 where it has neither."""
    labels = [part.label for part in parts(item)]
    return max(1, labels.count("title"), labels.count("claim"))


def _cut_parts(lines: list[str], opened: list[tuple[int, str] | None]) -> list[HeadedPart]:
    """The text cut at the lines that open a part: where its head ends on them, and its label."""
    starts = [*(number for number, opens in enumerate(opened) if opens), len(lines)]
    cut_parts = [HeadedPart("", "".join(lines[: starts[0]]), "")]
    for start, stop in pairwise(starts):
        end, label = opened[start] or (0, "")
        cut_parts.append(
            HeadedPart(lines[start][:end], lines[start][end:] + "".join(lines[start + 1 : stop]), label)
        )
    return [part for part in cut_parts if part.head or part.body]


def _without_chatter(cut: list[HeadedPart]) -> Iterator[HeadedPart]:
    """The parts; a short lead-in above the items, and the farewell below them, are heads."""
    for place, part in enumerate(cut):
        known = place + 1 < len(cut) and cut[place + 1].label
        if place == 0 and not part.head and known and len(part.body.split()) <= MOST_LEAD_IN:
            yield HeadedPart(part.body, "", "")
        elif place == len(cut) - 1 and part.label:
            lines = part.body.splitlines(keepends=True)
            end = farewell(lines)
            yield replace(part, body="".join(lines[:end]))
            if end < len(lines):
                yield HeadedPart("".join(lines[end:]), "", "")
        else:
            yield part


def _read_label(line: str) -> tuple[int, str] | None:
    match = _LABEL.match(line)
    return (match.end(), (match["bare"] or match["name"]).lower()) if match else None


def _read_heading(line: str, other: bool) -> tuple[int, str] | None:
    """The same for headings; `other`: an unknown `#` line counts, for it is no code."""
    bare = line.rstrip()
    text, label = item_label(bare), "memory item"
    if text is None and (field := field_heading(bare)):
        text, label = field.text, field.name
    if text is None:
        match = _OTHER.match(line) if other else None
        return (match.end(), "") if match else None
    return (bare.rfind(text) if text else len(bare)), label


def _number_steps(labelled: list[HeadedPart]) -> Iterator[HeadedPart]:
    """A step opens at its own label; where there is none, at a thought, or at an action without one."""
    own = any(part.label == "step" for part in labelled)
    step, before, inside = 0, "", False
    for part in labelled:
        label = part.label
        if label == "step" if own else label == "thought" or (label == "action" and before != "thought"):
            step, inside = step + 1, True
        elif label in _OUTSIDE:
            inside = False
        yield replace(part, step=step if inside else 0)
        before = label


def _fenced_lines(lines: list[str]) -> set[int]:
    """Numbers of the lines in closed code fences. A fence that never closes, or holds an item, is none."""
    inside: set[int] = set()
    opened, mark = -1, ""
    for number, line in enumerate(lines):
        match = _FENCE.match(line)
        if match and opened < 0:
            if not (number + 1 < len(lines) and item_label(lines[number + 1].rstrip()) is not None):
                opened, mark = number, match[1]
        elif match and match[1] == mark:
            inside.update(range(opened, number + 1))
            opened = -1
    return inside
