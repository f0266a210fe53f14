"""Recall: what a memory system shows for each task, asked once and saved; all conditions share it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from loadbearing.environments.world import Task, World
from loadbearing.episodes.slot import Slot
from loadbearing.episodes.trajectory import Trajectory
from loadbearing.ledger.store import Ledger
from loadbearing.runs.plugins.memory import Memory


@dataclass(frozen=True)
class Recollections:
    """The slots that one memory system recalled for one backbone, as the ledger holds them.

    Args:
        arm: its name in the ledger.
        cue: the line above texts that come without one.
        slots: by task id.
    """

    ledger: Ledger
    backbone: str
    arm: str
    cue: str
    slots: dict[str, Slot] = field(init=False)

    def __post_init__(self) -> None:
        """Read what the ledger holds."""
        bodies = self.ledger.recollections(self.backbone, self.arm)
        slots = {task: Slot(body["cue"], tuple(body["items"])) for task, body in bodies.items()}
        object.__setattr__(self, "slots", slots)

    async def recall(self, memory: Memory, task: Task, world: World) -> Slot:
        """Ask for one task, and save the slot.

        Raises:
            RunFault: the memory system raised, or returned something else than text.
            ModelFault, WorldFault: the infrastructure broke.
        """
        # a world that waits on something outside Python does so in a thread
        state = await asyncio.to_thread(world.reset, task) if world.blocking else world.reset(task)
        slot = await memory.recall(task, state)
        if slot.items and not slot.cue:
            slot = Slot(self.cue, slot.items)
        body = {"cue": slot.cue, "items": list(slot.items)}
        self.ledger.add_recollection(self.backbone, self.arm, task.id, body)
        self.slots[task.id] = slot
        return slot


async def recall_all(
    memory: Memory,
    traces: Sequence[Trajectory],
    world: World,
    tasks: Sequence[Task],
    recollections: Recollections,
    tick: Callable[[], None],
) -> dict[str, Slot]:
    """The slot of every task; those that the ledger holds already are taken from there.

    Args:
        memory: a fresh one that has seen nothing. It sees all traces in order before it is asked, unless
            nothing is missing.
        tick: called once for each task.

    Raises:
        RunFault: the memory system broke; what it recalled before is saved.
        ModelFault, WorldFault: the infrastructure broke.
    """
    missing = [task for task in tasks if task.id not in recollections.slots]
    for _ in range(len(tasks) - len(missing)):
        tick()
    for trajectory in traces if missing else ():
        await memory.observe(trajectory)
    for task in missing:
        await recollections.recall(memory, task, world)
        tick()
    return {task.id: recollections.slots[task.id] for task in tasks}
