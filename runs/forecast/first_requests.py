"""What the first requests of each arm hold, as far as that is written before anything is asked."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from memtrial.agents.play import first_request
from memtrial.agents.slot import NOTHING, Slot
from memtrial.agents.trajectory import Trajectory
from memtrial.arms.arm import DOSES, NONE, OF_THE_WORLD, ORACLE, PREPEND, WITHHOLD, Arm
from memtrial.faults import RunFault, SpecFault
from memtrial.memory.markdown import render
from memtrial.models.client.types import Message, ModelFault
from memtrial.plugins.adapters import load_condenser
from memtrial.plugins.function_agent import FunctionAgent
from memtrial.plugins.plugin_names import is_plugin
from memtrial.plugins.shipped_memory import asks_model
from memtrial.protocols import Carrier, World
from memtrial.runs.preparation.arm_slots import ask_to_discuss
from memtrial.runs.preparation.backbone_memories import expert
from memtrial.runs.preparation.world_memories import state_memories
from memtrial.runs.setup.event_loop import without_loop
from memtrial.runs.setup.preflight import Experiment, nobody_asked
from memtrial.views.evidence.bundle_audit import MEMORY, Block, Bundle, audit, audited_pairs, bundle
from memtrial.views.rows.evidence_rows import AuditRow
from memtrial.worlds.given.world import GivenTasks
from memtrial.worlds.world import State, Task, WorldFault

MOST_TASKS = 8
UNWRITTEN = "(what {} will hold for {})"


def render_arms(experiment: Experiment, world: World, tasks: Sequence[Task]) -> "ArmRendering":
    """The arms in a few tasks, spread over all."""
    few = tuple(tasks[:: max(1, len(tasks) // MOST_TASKS)][:MOST_TASKS])
    return ArmRendering(experiment, world, tuple((task, world.reset(task)) for task in few))


def audit_requests(rendering: "ArmRendering") -> tuple[AuditRow, ...]:
    """In what the first requests of two arms differ, as far as they can be rendered."""
    design, few = rendering.experiment.design, rendering.begun
    arms = [arm for arm in design.arms if arm.name != ORACLE]
    slots = {arm.name: rendering.slots(arm) for arm in arms}
    written = {name for name, slot in slots.items() if slot is not None} | {NONE}
    requests = {arm.name: rendering.bundles(arm, slots[arm.name]) for arm in arms}
    requests[NONE] = rendering.bundles(Arm(NONE, NONE, PREPEND), [NOTHING] * len(few))
    # a pair may name the oracle
    compared = (*design.pairs, *design.channel_pairs)
    withheld = {arm.name for arm in arms if arm.injection == WITHHOLD}
    audited = audited_pairs(compared, tuple(slots), withheld)
    pairs = (pair for pair in audited if set(pair) <= requests.keys())
    rows = (row for pair in pairs for row in audit("", pair, *(requests[arm] for arm in pair)))
    return tuple(
        replace(row, words=None, characters=None)
        if row.what == MEMORY and not {row.arm, row.versus} <= written
        else row
        for row in rows
    )


@dataclass(frozen=True, slots=True)
class ArmRendering:
    """What the arms show; `begun` are the tasks with their first states."""

    experiment: Experiment
    world: World
    begun: tuple[tuple[Task, State], ...]

    @property
    def solutions(self) -> tuple[Trajectory, ...]:
        """The world's own solutions of a few training tasks."""
        return tuple(expert(self.world, task) for task in self.world.tasks("train")[: len(self.begun)])

    def slots(self, arm: Arm) -> list[Slot] | None:
        """By task, what the arm would show; None where that is not written yet."""
        cue, spec = self.experiment.cue.text, self.experiment.spec
        # what asks a model, or does not work on so little, is left to the run
        with suppress(ModelFault, RunFault, SpecFault, WorldFault):
            if arm.memory in OF_THE_WORLD and arm.memory not in DOSES:
                tasks = tuple(task for task, _ in self.begun)
                made = state_memories(self.world, tasks, frozenset({arm.memory}), cue, spec.seed)
                return [made[arm.memory].shown[task.id].slot for task in tasks]
            if arm.memory in self.experiment.design.systems and not asks_model(arm.memory):
                return without_loop(asyncio.run)(self._recall_slots(arm.memory))
            if arm.memory in spec.condensers and is_plugin(spec.condensers[arm.memory].kind):
                return without_loop(asyncio.run)(self._condense_slots(spec.condensers[arm.memory].kind, cue))
        return None

    async def _recall_slots(self, source: str) -> list[Slot]:
        spec = self.experiment.spec
        memory, slots = self.experiment.given.open_memory(source, nobody_asked(), spec), []
        with suppress(WorldFault):  # a memory system can be asked before it has seen anything
            for trajectory in self.solutions:
                await memory.write(trajectory)
        for task, state in self.begun:
            slot = await memory.recall(task, state)
            slots.append(slot if slot.cue or not slot.items else Slot(self.experiment.cue.text, slot.items))
        return slots

    async def _condense_slots(self, kind: str, cue: str) -> list[Slot]:
        condenser = load_condenser(kind, nobody_asked(), self.experiment.spec.seed)
        made = [await condenser(trajectory) for trajectory in self.solutions]
        if fault := next((fault for condensation in made for fault in condensation.faults), ""):
            raise RunFault(fault)
        texts = [
            tuple(render(item, number) for number, item in enumerate(condensation.items, 1))
            for condensation in made
        ]
        return [Slot(cue, items) if items else NOTHING for items in texts]

    def bundles(self, arm: Arm, slots: Sequence[Slot] | None) -> dict[Block, Bundle]:
        """The first request of each task with its slot. Nothing comes up by Trigger before it is written."""
        cue, bundles = self.experiment.cue.text, dict[Block, Bundle]()
        slots = slots or [Slot(cue, (UNWRITTEN.format(arm.memory, task.id),)) for task, _ in self.begun]
        for (task, state), slot in zip(self.begun, slots, strict=False):
            slot = ask_to_discuss(slot) if arm.discuss else slot
            slot = NOTHING if arm.injection == WITHHOLD else slot
            request = render_first(self.experiment, self.world, task, state, arm.injection(slot, ()))
            messages = tuple({"role": message.role, "content": message.text} for message in request)
            bundles[task.id, 0] = bundle(messages, slot.text, arm.injection.by_trigger)
        return bundles


def render_first(
    experiment: Experiment, world: World, task: Task, state: State, carrier: Carrier
) -> tuple[Message, ...]:
    """What the experiment's agent would send first; nothing is known of one that plays by its own code, which
    is not run for a plan."""
    agent = experiment.given.open_agent(experiment.spec)
    if isinstance(world, GivenTasks) or isinstance(agent, FunctionAgent):
        return ()
    return without_loop(asyncio.run)(first_request(agent, world, task, state, carrier))
