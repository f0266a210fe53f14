"""A user's memory system: opaque, with two methods, `observe(trajectory)` and `recall(task, state)`."""

from dataclasses import dataclass
from typing import Any

from loadbearing.environments.world import State, Task
from loadbearing.episodes.slot import NOTHING, Slot
from loadbearing.episodes.trajectory import Trajectory
from loadbearing.models.client.client import Caller
from loadbearing.runs.plugins.adapter import Adapter, Expected, load_adapter

IGNORED = Expected(list[Any], "nothing")
RECALLED = Expected(
    list[str | tuple[str, ...] | Slot | None],
    "a text, a list of texts, None, or a Slot(items=(text, ...))",
)


@dataclass(frozen=True, slots=True)
class Memory:
    """A user's memory system: it sees trajectories, and can later be asked for what it holds.

    Raises:
        ModelFault: from either method; no answer could be had.
        RunFault: from either method; the system broke.
    """

    own: Adapter

    async def observe(self, trajectory: Trajectory) -> None:
        """See one trajectory, a success or a failure."""
        where = f"observe of {self.own.source}, trace {trajectory.trace_id},"
        await self.own.ask(where, IGNORED, trajectory, method="observe")

    async def recall(self, task: Task, state: State) -> Slot:
        """What it would show an agent that begins this task in this state; nothing where nothing fits.

        Blank texts are left out. A slot without a cue line gets the cue line of the spec.
        """
        where = f"recall of {self.own.source}, task {task.id},"
        made = await self.own.ask(where, RECALLED, task, state, method="recall")
        cue, texts = (made.cue, made.items) if isinstance(made, Slot) else ("", made or ())
        items = tuple(text for text in ((texts,) if isinstance(texts, str) else texts) if text.strip())
        return Slot(cue, items) if items else NOTHING


def load_memory(source: str, caller: Caller, seed: int) -> Memory:
    """A fresh memory system that has seen nothing; a SpecFault where it cannot be loaded."""
    return Memory(load_adapter(source, caller, seed, "a memory system", ("observe", "recall")))
