"""Prepare one backbone: collect, condense, recall, retrieve."""

from __future__ import annotations

from collections.abc import Mapping

from loadbearing.environments.world import Task
from loadbearing.episodes.slot import Slot
from loadbearing.memory.bank import Bank
from loadbearing.models.client.client import Caller
from loadbearing.runs.plugins.memory import load_memory
from loadbearing.runs.prepare.banks import fill_banks
from loadbearing.runs.prepare.recall import Recollections, recall_all
from loadbearing.runs.prepare.slots import ArmSlots, Memories, WorldMemories, fill_slots, find_records
from loadbearing.runs.prepare.trajectories import collect
from loadbearing.runs.setup.context import RunContext


async def prepare(
    run: RunContext, backbone: str, tasks: tuple[Task, ...], stated: Mapping[str, WorldMemories]
) -> tuple[ArmSlots, ...]:
    """What the arms of one backbone show for each task, once a draw of the banks.

    Args:
        stated: memories that the world states.

    Raises:
        WorldFault, ModelFault: the infrastructure broke; progress is saved.
        HaltFault, StoreFault: nothing more may be sent.
        RunFault: a memory system of the user's broke.
    """
    spec, design, world = run.spec, run.design, run.world
    banks: dict[str, tuple[Bank, ...]] = {}
    recalled: dict[str, dict[str, Slot]] = {}
    if design.memories or design.systems:
        with run.display.phase(f"collect, {backbone}", len(world.tasks("train"))) as tick:
            traces = await collect(spec, backbone, world, run.model_client, run.ledger, tick, run.workers)
        banks = await fill_banks(run, backbone, traces)
        for arm in design.arms:
            if arm.memory in design.systems and arm.memory not in recalled:
                model = spec.roles.condenser or backbone
                caller = Caller(run.model_client, model, purpose=f"memory {arm.name}")
                memory = load_memory(arm.memory, caller, spec.seed)
                held = Recollections(run.ledger, backbone, arm.name, run.cue)
                with run.display.phase(f"recall by {arm.name}, {backbone}", len(tasks)) as tick:
                    recalled[arm.memory] = await recall_all(memory, traces, world, tasks, held, tick)
    # a condenser that was asked once has the same bank for every draw
    draws = [{name: drawn[n % len(drawn)] for name, drawn in banks.items()} for n in range(design.draws)]
    found = find_records(spec, tasks, draws[0], run.embedder)
    return tuple(
        fill_slots(spec, tasks, Memories(one, stated, recalled), run.embedder, run.cue, found)
        for one in draws
    )
