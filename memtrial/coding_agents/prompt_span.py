"""Memory within the task itself: a span between two marks, for every agent that people run."""

OPENING, CLOSING = "<memory>", "</memory>"


def add_memory_span(task: str, memory: str) -> str:
    """The task with a memory in front of it; the task alone where there is none."""
    return f"{OPENING}\n{memory}\n{CLOSING}\n\n{task}" if memory.strip() else task
