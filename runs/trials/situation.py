"""A situation as judges are told it: the task, what is observed, and which actions there are; no memory."""

from collections.abc import Sequence

from memtrial.prompts.templates import Prompt
from memtrial.protocols import World
from memtrial.runs.setup.world_pool import begun
from memtrial.worlds.world import Task

SITUATION = Prompt("situation")


def describe_situation(task: str, observation: str, actions: Sequence[str] = ()) -> str:
    """The text of a situation; no line for actions where none are listed."""
    return SITUATION.render({"task": task, "observation": observation, "actions": tuple(actions)})


async def first_situation(world: World, task: Task) -> str:
    """How a task begins."""
    state = await begun(world, task)
    return describe_situation(task.query, state.observation, state.actions or ())
