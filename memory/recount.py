"""A trajectory as the text of one item, step by step, and which lines of a text are such steps.

Continuation lines are indented, so that every label at the start of a line is the layout's own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from textwrap import indent

from loadbearing.episodes.trajectory import Trajectory
from loadbearing.episodes.views import View

_INDENT = "  "
# numbered labels are those of others' ReAct logs: "Thought 3: …"
_LABEL = re.compile(
    r"(?:(?P<bare>Step)[ \t]+\d{1,4}(?:[ \t]*:|(?=[ \t]*(?:[\r\n]|$)))|"
    r"(?P<name>Task|Query|Question|Start|Thought|Action|Observation|Outcome)(?:[ \t]+\d{1,4})?[ \t]*:)"
    r"(?:[ \t]+|(?=[\r\n]|$))"
)
_OUTSIDE = ("task", "query", "question", "start", "outcome")


@dataclass(frozen=True, slots=True)
class Piece:
    """A label and what follows it, verbatim: `head + body`.

    Args:
        label: "step", "thought", "action", …; empty for the text before the first label.
        step: number of the step it belongs to, from 1; 0 for what stands before and after the steps.
    """

    head: str
    body: str
    label: str
    step: int


def recount(trajectory: Trajectory, view: View = "full") -> str:
    """The task, the numbered steps and the outcome; without observations when the view is `actions`.

    Every step has the same labels, those without text too.
    """
    lines = [_line("Task", trajectory.query)]
    if view == "full" and trajectory.start.strip():
        lines.append(_line("Start", trajectory.start))
    for number, step in enumerate(trajectory.steps, 1):
        lines += ["", f"Step {number}", _line("Thought", step.thought), _line("Action", step.action)]
        if view == "full":
            lines.append(_line("Observation", step.observation))
    return "\n".join([*lines, "", _line("Outcome", trajectory.outcome)])


@lru_cache(maxsize=1024)
def pieces(text: str) -> tuple[Piece, ...]:
    """The labelled pieces of a recounted trajectory, in order; none for any other text.

    A text is one when it holds two actions, or one in a numbered step, and its first line is a label.
    """
    if "Action" not in text:
        return ()
    found = list(_labelled(text))
    labels = [label for _, _, label in found]
    acts = labels.count("action")
    if not labels or not labels[0] or not (acts > 1 or (acts and "step" in labels)):
        return ()
    return tuple(_numbered(found))


def _line(label: str, text: str) -> str:
    return f"{label}: {indent(text.strip(), _INDENT).lstrip()}".rstrip()


def _labelled(text: str) -> Iterator[tuple[str, str, str]]:
    """Head, body and label of each piece."""
    head, body, label = "", "", ""
    for line in text.splitlines(keepends=True):
        match = _LABEL.match(line)
        if match is None:
            body += line
            continue
        if head or body:
            yield head, body, label
        head, body = match[0], line[match.end() :]
        label = (match["bare"] or match["name"]).lower()
    if head or body:
        yield head, body, label


def _numbered(found: list[tuple[str, str, str]]) -> Iterator[Piece]:
    """A step opens at its own label; where there is none, at a thought, or at an action without one."""
    own = any(label == "step" for _, _, label in found)
    step, before, inside = 0, "", False
    for head, body, label in found:
        opens = label == "step" if own else label == "thought" or (label == "action" and before != "thought")
        if opens:
            step, inside = step + 1, True
        elif label in _OUTSIDE:
            inside = False
        yield Piece(head, body, label, step if inside else 0)
        before = label
