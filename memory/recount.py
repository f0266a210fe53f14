"""A trajectory as the text of one item, step by step.

Continuation lines are indented, so that every label at the start of a line is the layout's own.
"""

from textwrap import indent

from loadbearing.episodes.trajectory import Trajectory
from loadbearing.episodes.views import View


def recount(trajectory: Trajectory, view: View = "full") -> str:
    """The task, the numbered steps and the outcome; without observations when the view is `actions`.

    Every step has the same labels, those without text too.
    """
    lines = [_line("Task", trajectory.query)]
    if view != "actions" and trajectory.start.strip():
        lines.append(_line("Start", trajectory.start))
    for number, step in enumerate(trajectory.steps, 1):
        lines += ["", f"Step {number}", _line("Thought", step.thought), _line("Action", step.action)]
        if view != "actions":
            lines.append(_line("Observation", step.observation))
    return "\n".join([*lines, "", _line("Outcome", trajectory.outcome)])


def _line(label: str, text: str) -> str:
    return f"{label}: {indent(text.strip(), '  ').lstrip()}".rstrip()
