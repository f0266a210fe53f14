"""Recall: what a memory system shows for each task, asked once and kept; all conditions share it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from loadbearing.environments.world import State, Task, World
from loadbearing.episodes.slot import Slot
from loadbearing.episodes.trajectory import Trajectory
from loadbearing.ledger.store import Ledger
from loadbearing.runs.plugins.memory import Memory


async def recall_all(
    backbone: str,
    arm: str,
    memory: Memory,
    traces: Sequence[Trajectory],
    world: World,
    tasks: Sequence[Task],
    ledger: Ledger,
    cue: str,
    tick: Callable[[], None],
) -> dict[str, Slot]:
    """The slot of every task; what the ledger holds already is taken from there.

    Args:
        memory: a fresh one that has seen nothing. It sees all traces in order before it is asked, unless
            nothing is missing.
        cue: the line above texts that come without one.
        tick: called once for each task.

    Raises:
        RunFault: the memory system broke; what it recalled before stays.
        ModelFault, WorldFault: the infrastructure broke.
    """
    slots = {
        task: Slot(body["cue"], tuple(body["items"]))
        for task, body in ledger.recollections(backbone, arm).items()
    }
    missing = [task for task in tasks if task.id not in slots]
    for _ in range(len(tasks) - len(missing)):
        tick()
    for trajectory in traces if missing else ():
        await memory.observe(trajectory)
    for task in missing:
        slot = await memory.recall(task, await _start(world, task))
        if slot.items and not slot.cue:
            slot = Slot(cue, slot.items)
        ledger.add_recollection(backbone, arm, task.id, {"cue": slot.cue, "items": list(slot.items)})
        slots[task.id] = slot
        tick()
    return {task.id: slots[task.id] for task in tasks}


async def _start(world: World, task: Task) -> State:
    """What the agent will see first; a world that waits on something outside Python does so in a thread."""
    return await asyncio.to_thread(world.reset, task) if world.blocking else world.reset(task)
