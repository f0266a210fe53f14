"""Whose bank an item is in: a path `org/team/project`, searched from the project upwards.

A project sees its own items, those of its team and those of its organisation, and nothing else: without a
project there are only the items that belong to none (REQUIREMENTS C23: a missing scope fails closed).
"""

from memtrial.memory.stored_item import MemoryFault

DEEPEST = 3
LONGEST = 200
"""Parts of a path, and characters of it."""


def cascade(project: str) -> tuple[str, ...]:
    """The paths whose items a project sees, the nearest first; of no project, that of no project.

    Raises:
        MemoryFault: it is no path of one to three names.
    """
    parts = check_project(project).split("/")
    return tuple("/".join(parts[:size]) for size in range(len(parts), 0, -1))


def check_project(project: str) -> str:
    """The same path; MemoryFault where it is none."""
    parts = project.split("/")
    sound = all(part.strip() == part and part not in ("", ".", "..") for part in parts)
    if project and not (
        sound and len(parts) <= DEEPEST and len(project) <= LONGEST and project.isprintable()
    ):
        raise MemoryFault(
            f"a project is a path of at most {DEEPEST} names, as org/team/project; got {project[:60]!r}"
        )
    return project
