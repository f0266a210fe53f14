"""A trajectory as the text a condenser or a judge reads (all condensers get the same one), or as an item's.

Source: ReasoningBank's condenser input (UPSTREAM 3.4): the query, then thoughts and actions in tags.
Upstream's WebArena condenser sees no observations; `full` adds them, `actions` is as upstream. `messages` is
as upstream's condenser for SWE: every message but the system's, each on a new line, and no judge's reason. It
is byte for byte upstream's where a trace holds the first message of the user as its `start`, the agent's
whole message as a step's `thought`, and the user's next message as its `observation`, all as they were sent.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from textwrap import indent
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from memtrial.agents.trajectory import Trajectory

View = Literal["full", "actions", "messages"]


def render(trajectory: Trajectory, view: View = "full", bold: str = "**") -> str:
    """The trajectory in upstream's layout; with observations unless the view is `actions`.

    Args:
        bold: the marks around the two headings; the paper's harness has none.
    """
    heads = f"{bold}Query:{bold} {trajectory.query}\n\n{bold}Trajectory:{bold}\n"
    if view == "messages":
        return heads + "\n".join(_messages(trajectory))
    full = view == "full"
    blocks = [_block("observation", trajectory.start)] if full and trajectory.start else []
    for step in trajectory.steps:
        lines = [_block("think", step.thought), _block("action", step.action)]
        lines += [_block("observation", step.observation)] if full else []
        blocks.append("\n".join(lines))
    ended = "succeeded" if trajectory.outcome == "success" else "failed"
    reason = f"\n\nThe task {ended} because: {trajectory.reason}" if trajectory.reason else ""
    return heads + "\n\n".join(blocks) + reason


def keep_parts(trajectory: Trajectory, reason: bool, blank_actions: bool) -> Trajectory:
    """The trajectory without the judge's reason, and without steps that have no action, unless they are kept.

    Source: `induce_memory.py` of v1 passes such steps by and appends the reason; v0 does neither, and the
    paper's harness passes them by (UPSTREAM 3.4).
    """
    steps = trajectory.steps if blank_actions else tuple(step for step in trajectory.steps if step.action)
    return replace(trajectory, steps=steps, reason=trajectory.reason if reason else "")


def passages(trajectory: Trajectory, view: View = "full") -> tuple[str, ...]:
    """The pieces a quotation may come from: no quotation runs over the border of two."""
    if view == "messages":
        return tuple(filter(None, (trajectory.query, *_messages(trajectory))))
    full = view == "full"
    pieces = [trajectory.query, trajectory.start if full else ""]
    for step in trajectory.steps:
        pieces += [step.thought, step.action, step.observation if full else ""]
    return tuple(piece for piece in pieces if piece)


def _messages(trajectory: Trajectory) -> Iterator[str]:
    """What was said, in order; an action that its thought holds was read out of that message."""
    yield from filter(None, [trajectory.start])
    for step in trajectory.steps:
        own = [step.thought] if step.action in step.thought else [step.thought, step.action]
        yield from filter(None, [*own, step.observation])


def _block(tag: str, text: str) -> str:
    return f"<{tag}>\n{text}\n</{tag}>"


def recount(trajectory: Trajectory, view: View = "full", first: int = 1) -> str:
    """The task, the steps, numbered from `first` on, and the outcome; without observations when the view is
    `actions`.

    Every step has the same labels, those without text too.
    """
    lines = [_line("Task", trajectory.query)]
    if view != "actions" and trajectory.start.strip():
        lines.append(_line("Start", trajectory.start))
    for number, step in enumerate(trajectory.steps, first):
        lines += ["", f"Step {number}", _line("Thought", step.thought), _line("Action", step.action)]
        if view != "actions":
            lines.append(_line("Observation", step.observation))
    return "\n".join([*lines, "", _line("Outcome", trajectory.outcome)])


def _line(label: str, text: str) -> str:
    return f"{label}: {indent(text.strip(), '  ').lstrip()}".rstrip()
