"""Prepare one backbone: collect, condense, recall, retrieve."""

from __future__ import annotations

from collections.abc import Mapping

from loadbearing.environments.world import Task
from loadbearing.episodes.slot import Slot
from loadbearing.episodes.trajectory import Trajectory
from loadbearing.memory.bank import Bank
from loadbearing.models.client.client import Caller
from loadbearing.runs.plugins.memory import load_memory
from loadbearing.runs.prepare.banks import build_condenser, fill_banks, setup_of
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
    banks: dict[str, tuple[Bank, ...]] = {}
    recalled: dict[str, dict[str, Slot]] = {}
    if run.design.memories or run.design.systems:
        traces = await _collect(run, backbone)
        banks = await _condense(run, backbone, traces)
        recalled = await _recall(run, backbone, tasks, traces)
    found = find_records(run.spec, tasks, of_draw(banks, 0), run.embedder)
    draws = [Memories(of_draw(banks, draw), stated, recalled) for draw in range(run.design.draws)]
    return tuple(fill_slots(run.spec, tasks, memories, run.embedder, run.cue, found) for memories in draws)


def of_draw(banks: Mapping[str, tuple[Bank, ...]], draw: int) -> dict[str, Bank]:
    """One bank of each condenser; one that was asked once has the same for every draw."""
    return {name: drawn[draw % len(drawn)] for name, drawn in banks.items()}


async def _collect(run: RunContext, backbone: str) -> tuple[Trajectory, ...]:
    with run.display.phase(f"collect, {backbone}", len(run.world.tasks("train"))) as tick:
        return await collect(
            run.spec, backbone, run.world, run.model_client, run.ledger, lambda: tick(1), run.workers
        )


async def _condense(
    run: RunContext, backbone: str, traces: tuple[Trajectory, ...]
) -> dict[str, tuple[Bank, ...]]:
    design, setup = run.design, setup_of(run, backbone)
    times = {name: design.draws if name in design.drawn else 1 for name in design.memories}
    condensers = {
        name: tuple(build_condenser(name, run.spec.condensers[name], setup, draw) for draw in range(n))
        for name, n in times.items()
    }
    with run.display.phase(f"condense, {backbone}", len(traces) * sum(times.values())) as tick:
        return await fill_banks(run, backbone, condensers, traces, lambda: tick(1))


async def _recall(
    run: RunContext, backbone: str, tasks: tuple[Task, ...], traces: tuple[Trajectory, ...]
) -> dict[str, dict[str, Slot]]:
    recalled: dict[str, dict[str, Slot]] = {}
    for arm in run.design.arms:
        if arm.memory in run.design.systems and arm.memory not in recalled:
            model = run.spec.roles.condenser or backbone
            caller = Caller(run.model_client, model, purpose=f"memory {arm.name}")
            memory = load_memory(arm.memory, caller, run.spec.seed)
            held = Recollections(run.ledger, backbone, arm.name, run.cue)
            with run.display.phase(f"recall by {arm.name}, {backbone}", len(tasks)) as tick:
                recalled[arm.memory] = await recall_all(
                    memory, traces, run.world, tasks, held, lambda: tick(1)
                )
    return recalled
