"""A memory system of one's own: opaque, with two methods, `observe(trajectory)` and `recall(task, state)`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from loadbearing.environments.world import State, Task
from loadbearing.episodes.slot import NOTHING, Slot
from loadbearing.episodes.trajectory import Trajectory
from loadbearing.models.client.client import Caller
from loadbearing.runs.errors import RunFault
from loadbearing.runs.plugins.ask import make_asking
from loadbearing.runs.plugins.load import Border, half_sign, settled

WANTED = "a text, a list of texts, a Slot or None is needed"


class Memory(Protocol):
    """Anything that sees trajectories and can later be asked for what it holds."""

    async def observe(self, trajectory: Trajectory) -> None:
        """See one trajectory, a success or a failure.

        Raises:
            ModelFault: no answer could be had.
            RunFault: the system broke.
        """
        ...

    async def recall(self, task: Task, state: State) -> Slot:
        """What it would show an agent that begins this task; nothing where it holds nothing that fits.

        A slot without a cue line leaves that line to whoever shows it.

        Args:
            state: what the world shows after the reset.
        """
        ...


@dataclass(frozen=True, slots=True)
class OwnMemory:
    """Somebody's memory system behind the border.

    Args:
        thing: what was loaded.
        source: its `path/to/module.py:Object`.
    """

    thing: Any
    source: str

    async def observe(self, trajectory: Trajectory) -> None:
        """See one trajectory.

        Raises:
            ModelFault: no answer could be had.
            RunFault: the method raised.
        """
        with Border(f"observe of {self.source}, trace {trajectory.trace_id},", RunFault, self.source):
            await settled(self.thing.observe(trajectory))

    async def recall(self, task: Task, state: State) -> Slot:
        """What it shows for a task.

        Raises:
            ModelFault: no answer could be had.
            RunFault: the method raised, or returned something else than memory text.
        """
        where = f"recall of {self.source}, task {task.id},"
        with Border(where, RunFault, self.source):
            made = await settled(self.thing.recall(task, state))
        if made is None:
            return NOTHING
        texts = made.items if isinstance(made, Slot) else [made] if isinstance(made, str) else made
        if not isinstance(texts, list | tuple) or not all(isinstance(text, str) for text in texts):
            raise RunFault(f"{where} returned {_kind(made)}; {WANTED}")
        if isinstance(made, Slot) and not isinstance(made.cue, str):
            got = type(made.cue).__name__
            raise RunFault(
                f"{where} returned a Slot whose cue is a {got}; make it as Slot(items=(text, ...))"
            )
        items = tuple(text for text in texts if text.strip())
        cue = made.cue if isinstance(made, Slot) else ""
        if why := half_sign(cue, *items):
            raise RunFault(f"{where} returned {why}")
        return Slot(cue, items) if items else NOTHING


def load_memory(source: str, caller: Caller, seed: int) -> Memory:
    """A fresh memory system that has seen nothing.

    Args:
        source: `path/to/module.py:Object`.
        caller: the model that `ask` asks.

    Raises:
        SpecFault: it cannot be loaded, or lacks a method.
    """
    thing = make_asking(source, caller, seed, "a memory system", ("observe", "recall"))
    return OwnMemory(thing, source)


def _kind(made: Any) -> str:
    other = [type(one).__name__ for one in made if not isinstance(one, str)] if isinstance(made, list) else []
    return f"a list with {other[0]}" if other else type(made).__name__
