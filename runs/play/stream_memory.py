"""The memory of one arm in one stream: a bank that grows, or a memory system that sees what came."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import Any

from loadbearing.arms.arm import OF_THE_WORLD, Arm
from loadbearing.condensers.condenser import Condenser
from loadbearing.environments.world import Task
from loadbearing.episodes.slot import NOTHING, Slot
from loadbearing.episodes.trajectory import Step, Trajectory
from loadbearing.ledger.rows import CondensationRow, EpisodeRow, TrialRow
from loadbearing.ledger.store import Ledger
from loadbearing.memory.bank import Bank
from loadbearing.memory.record import Record
from loadbearing.models.client.client import Caller, ModelClient
from loadbearing.runs.plugins.memory import Memory, load_memory
from loadbearing.runs.prepare.banks import build_condenser, patiently, record_of, to_json
from loadbearing.runs.setup.design import Design
from loadbearing.runs.setup.model_roles import gate_model
from loadbearing.runs.setup.preflight import Experiment
from loadbearing.runs.setup.world_pool import Worlds


@dataclass
class Growing:
    """One arm's memory; either a condenser fills its bank, or it is a memory system.

    Args:
        name: of this arm in this stream, in the ledger.
        kept: what the ledger holds of its condensations, by task.
        recalled: what the ledger holds of its recollections, by task.
        records: the bank so far, in the order of the stream.
        earlier: the texts of the slots it recalled so far, by task.
    """

    arm: Arm
    name: str
    backbone: str
    ledger: Ledger
    condenser: Condenser | None
    memory: Memory | None
    kept: dict[str, dict[str, Any]]
    recalled: dict[str, Any]
    records: list[Record] = field(default_factory=list)
    earlier: dict[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def bank(self) -> Bank:
        """All that this arm has condensed."""
        return Bank(self.arm.name, tuple(self.records))

    async def recall(self, task: Task, worlds: Worlds, cue: str) -> Slot:
        """What the memory system shows for a task; asked once and kept."""
        assert self.memory is not None
        if task.id not in self.recalled:
            async with worlds.one() as world:
                state = await asyncio.to_thread(world.reset, task) if world.blocking else world.reset(task)
            slot = await self.memory.recall(task, state)
            slot = Slot(slot.cue or cue, slot.items) if slot.items else NOTHING
            self.recalled[task.id] = {"cue": slot.cue, "items": list(slot.items)}
            self.ledger.add_recollection(self.backbone, self.name, task.id, self.recalled[task.id])
        body = self.recalled[task.id]
        slot = Slot(body["cue"], tuple(body["items"]))
        self.earlier[task.id] = slot.items
        return slot

    async def see(self, task: Task, trajectory: Trajectory | None, model_client: ModelClient) -> None:
        """Take in what the arm did in a task; None: its trial broke, and the record stays empty."""
        if self.memory is not None:
            if trajectory is not None:
                await self.memory.observe(trajectory)
            return
        assert self.condenser is not None
        if trajectory is None:
            self.records.append(
                Record(task.id, task.query, task.family, task.template, (), task.id, "failure")
            )
            return
        if task.id not in self.kept:
            made = await patiently(self.condenser, trajectory, model_client)
            self.kept[task.id] = to_json(made)
            model_client.cache.flush()
            self.ledger.add_condensations(
                [CondensationRow(self.backbone, self.name, task.id, self.kept[task.id])]
            )
        self.records.append(record_of(trajectory, self.kept[task.id], {task.id: task.template}))


def grow(
    experiment: Experiment,
    design: Design,
    backbone: str,
    repeat: int,
    model_client: ModelClient,
    ledger: Ledger,
) -> tuple[Growing, ...]:
    """The memories of all arms at the beginning of a stream, empty.

    Args:
        design: its arms are named as their memories are.
    """
    spec = experiment.spec
    model = spec.roles.condenser or backbone
    judge = gate_model(model, spec.roles.gate)
    sources = {arm.name: arm.memory for arm in experiment.design.arms}
    rows = [row for row in ledger.condensations() if row.backbone == backbone]
    growing = []
    for arm in design.arms:
        source, name = sources[arm.name], f"{arm.name} · repeat {repeat}"
        if source in OF_THE_WORLD:
            continue
        condenser, memory = None, None
        if source in design.systems:
            caller = Caller(model_client, model, repeat=repeat, purpose=f"memory {arm.name}")
            memory = load_memory(source, caller, spec.seed)
        else:
            condenser = build_condenser(
                arm.name,
                spec.condensers[source],
                model_client,
                model,
                judge,
                experiment.control,
                spec.traces.view,
                spec.seed,
                repeat,
            )
        kept = {row.task: row.body for row in rows if row.condenser == name}
        recalled = ledger.recollections(backbone, name)
        growing.append(Growing(arm, name, backbone, ledger, condenser, memory, kept, recalled))
    return tuple(growing)


def trajectory_of(task: Task, row: TrialRow, episode: EpisodeRow) -> Trajectory:
    """An intact trial as a trajectory."""
    return Trajectory(
        trace_id=task.id,
        task_id=task.id,
        query=task.query,
        outcome="success" if row.status == "success" else "failure",
        steps=tuple(Step(**step) for step in episode.steps),
        start=episode.start,
        family=task.family,
        score=row.score,
    )
