"""Memory within the task itself: a span between two marks, for every agent that people run."""

from memtrial.coding_agents.agent_record import MemoryPlace
from memtrial.coding_agents.memory_files import MemoryFile

OPENING, CLOSING = "<memory>", "</memory>"
IN_TASK = MemoryPlace("the task", "instructions")


def add_memory_span(task: str, memory: str) -> str:
    """The task with a memory in front of it; the task alone where there is none."""
    return f"{OPENING}\n{memory}\n{CLOSING}\n\n{task}" if memory.strip() else task


def take_for_file(memory: str) -> MemoryFile:
    """The memory of a span as `prove_memory` takes it."""
    return MemoryFile(IN_TASK.pattern, IN_TASK, "", memory)
