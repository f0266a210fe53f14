"""Other tasks, for a judge who has to say what belongs to the world, or what could refute an item.

Of each task its query and first state, cut short; nothing of how it was played or how it ended.
"""

from collections.abc import Sequence

from memtrial.agents.trajectory import Trajectory
from memtrial.agents.trajectory_views import View
from memtrial.memory.words import content_words
from memtrial.prompts.templates import Prompt

OTHER_TASKS = Prompt("other_tasks")
MOST_TASKS = 5
LONGEST_QUERY, LONGEST_STATE = 300, 500
"""Characters of each that are shown."""


def show_other_tasks(item: str, own: str, trajectories: Sequence[Trajectory], view: View) -> str:
    """The tasks that share most words with the item, the nearest first; empty where there is no other task.

    Args:
        item: its text.
        own: the task that it comes from, which is not shown.
        view: what condensers see; first states belong to it or not.
    """
    shown: dict[str, str] = {}
    for trace in trajectories:
        if trace.task_id != own and trace.task_id not in shown:
            shown[trace.task_id] = _describe(trace, view)
    words = set(content_words(item))
    nearest = sorted(shown.values(), key=lambda text: -len(words & set(content_words(text))))
    tasks = "\n\n".join(f"Other task {place}: {text}" for place, text in enumerate(nearest[:MOST_TASKS], 1))
    return OTHER_TASKS.render({"tasks": tasks}) if tasks else ""


def _describe(trace: Trajectory, view: View) -> str:
    state = _cut(trace.start, LONGEST_STATE) if view != "actions" else ""
    return _cut(trace.query, LONGEST_QUERY) + (f"\nFirst state: {state}" if state else "")


def _cut(text: str, longest: int) -> str:
    """On one line, and marked where it was cut."""
    # of a long page only the beginning is looked at
    line = " ".join(text[: 4 * longest].split())
    return line if len(line) <= longest else f"{line[:longest]} …"
