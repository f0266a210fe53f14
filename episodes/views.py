"""A trajectory as the text a condenser or a judge reads. All condensers get the same one.

Source: ReasoningBank's condenser input (UPSTREAM 3.4): the query, then thoughts and actions in tags.
Upstream's WebArena condenser sees no observations; `full` adds them, `actions` is as upstream.
"""

from typing import Literal

from loadbearing.episodes.trajectory import Trajectory

View = Literal["full", "actions"]


def render(trajectory: Trajectory, view: View = "full", bold: str = "**") -> str:
    """The trajectory in upstream's layout; with observations when the view is `full`.

    Args:
        bold: the marks around the two headings; the paper's harness has none.
    """
    full = view == "full"
    blocks = [_block("observation", trajectory.start)] if full and trajectory.start else []
    for step in trajectory.steps:
        lines = [_block("think", step.thought), _block("action", step.action)]
        lines += [_block("observation", step.observation)] if full else []
        blocks.append("\n".join(lines))
    heads = f"{bold}Query:{bold} {trajectory.query}\n\n{bold}Trajectory:{bold}\n"
    ended = "succeeded" if trajectory.outcome == "success" else "failed"
    reason = f"\n\nThe task {ended} because: {trajectory.reason}" if trajectory.reason else ""
    return heads + "\n\n".join(blocks) + reason


def passages(trajectory: Trajectory, view: View = "full") -> tuple[str, ...]:
    """The pieces a quotation may come from: no quotation runs over the border of two."""
    full = view == "full"
    pieces = [trajectory.query, trajectory.start if full else ""]
    for step in trajectory.steps:
        pieces += [step.thought, step.action, step.observation if full else ""]
    return tuple(piece for piece in pieces if piece)


def _block(tag: str, text: str) -> str:
    return f"<{tag}>\n{text}\n</{tag}>"
