"""Recall: what a memory system shows for each task, asked once and saved; all conditions share it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from loadbearing.environments.world import Task, World
from loadbearing.episodes.slot import Slot
from loadbearing.episodes.trajectory import Trajectory
from loadbearing.ledger.store import Ledger
from loadbearing.runs.plugins.memory import Memory
from loadbearing.runs.setup.worlds import begun


@dataclass
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
        bodies = self.ledger.recollections(self.backbone, self.arm)
        self.slots = {task: Slot(body["cue"], tuple(body["items"])) for task, body in bodies.items()}

    async def recall(self, memory: Memory, task: Task, world: World) -> Slot:
        """Ask for one task, and save the slot.

        Raises:
            RunFault: the memory system raised, or returned something else than text.
            ModelFault, WorldFault: the infrastructure broke.
        """
        slot = await memory.recall(task, await begun(world, task))
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
    held = recollections.slots
    if any(task.id not in held for task in tasks):
        for trajectory in traces:
            await memory.observe(trajectory)
    for task in tasks:
        if task.id not in held:
            await recollections.recall(memory, task, world)
        tick()
    return {task.id: held[task.id] for task in tasks}
