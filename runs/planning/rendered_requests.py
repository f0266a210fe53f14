"""The bundle audit of a plan: first requests rendered for a few tasks, before anything is paid for.

Memory that is condensed on the way is stood in for by a line a task. What asks no model is made for real: the
world's own memories, and what the user's condensers and memory systems make of the world's own solutions of a
few training tasks.
"""

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from loadbearing.arms.arm import DOSES, NONE, OF_THE_WORLD, ORACLE, Arm
from loadbearing.arms.prepend import Prepend
from loadbearing.environments.world import State, Task, World, WorldFault
from loadbearing.episodes.react import SYSTEM, TURN
from loadbearing.episodes.slot import NOTHING, Slot
from loadbearing.episodes.trajectory import Moment, Trajectory
from loadbearing.ledger.schema import unsealed
from loadbearing.memory.markdown import render
from loadbearing.models.client.cache import CallCache
from loadbearing.models.client.client import Caller, ModelClient
from loadbearing.models.client.types import ModelFault
from loadbearing.models.providers.open import open_backend
from loadbearing.reports.evidence.bundle_audit import MEMORY, Block, Bundle, audit, bundle
from loadbearing.reports.evidence.recorded_requests import audited_pairs
from loadbearing.reports.model.audit import AuditRow
from loadbearing.runs.errors import RunFault, SpecFault
from loadbearing.runs.plugins.condenser import load_condenser
from loadbearing.runs.plugins.memory import load_memory
from loadbearing.runs.prepare.slots import discussed
from loadbearing.runs.prepare.trajectories import expert
from loadbearing.runs.prepare.world_memories import state_memories
from loadbearing.runs.setup.preflight import Experiment
from loadbearing.runs.spec.plugin_names import is_plugin

MOST_TASKS = 8
UNWRITTEN = "(what {} will hold for {})"


def rendered_audit(experiment: Experiment, world: World, tasks: Sequence[Task]) -> tuple[AuditRow, ...]:
    """In what the first requests of two arms differ, as far as they can be rendered.

    Raises:
        WorldFault: the world broke.
    """
    few = tuple(tasks[:: max(1, len(tasks) // MOST_TASKS)][:MOST_TASKS])
    rendering = _Rendering(experiment, world, tuple((task, world.reset(task)) for task in few))
    design = experiment.design
    arms = [arm for arm in design.arms if arm.name != ORACLE]
    slots = {arm.name: rendering.slots(arm) for arm in arms}
    written = {name for name, found in slots.items() if found is not None} | {NONE}
    requests = {arm.name: rendering.bundles(arm, slots[arm.name]) for arm in arms}
    requests[NONE] = rendering.bundles(Arm(NONE, NONE, Prepend()), [NOTHING] * len(few))
    # a pair may name the oracle
    pairs = (pair for pair in audited_pairs(design.pairs, tuple(slots)) if set(pair) <= requests.keys())
    rows = (row for pair in pairs for row in audit("", pair, *(requests[arm] for arm in pair)))
    return tuple(
        replace(row, words=None, characters=None)
        if row.what == MEMORY and not {row.arm, row.versus} <= written
        else row
        for row in rows
    )


@dataclass(frozen=True, slots=True)
class _Rendering:
    """`begun` are the tasks with their first states."""

    experiment: Experiment
    world: World
    begun: tuple[tuple[Task, State], ...]

    @property
    def solved(self) -> tuple[Trajectory, ...]:
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
            if arm.memory in self.experiment.design.systems:
                return asyncio.run(self._recalled(arm.memory))
            if arm.memory in spec.condensers and is_plugin(spec.condensers[arm.memory].kind):
                return asyncio.run(self._condensed(spec.condensers[arm.memory].kind, cue))
        return None

    async def _recalled(self, source: str) -> list[Slot]:
        memory, slots = load_memory(source, _nobody(), self.experiment.spec.seed), []
        with suppress(WorldFault):  # a memory system can be asked before it has seen anything
            for trajectory in self.solved:
                await memory.observe(trajectory)
        for task, state in self.begun:
            slot = await memory.recall(task, state)
            slots.append(slot if slot.cue or not slot.items else Slot(self.experiment.cue.text, slot.items))
        return slots

    async def _condensed(self, kind: str, cue: str) -> list[Slot]:
        condenser = load_condenser(kind, _nobody(), self.experiment.spec.seed)
        made = [await condenser(trajectory) for trajectory in self.solved]
        if fault := next((fault for one in made for fault in one.faults), ""):
            raise RunFault(fault)
        texts = [tuple(render(item, at) for at, item in enumerate(one.items, 1)) for one in made]
        return [Slot(cue, items) if items else NOTHING for items in texts]

    def bundles(self, arm: Arm, slots: Sequence[Slot] | None) -> dict[Block, Bundle]:
        """The first request of each task with its slot. Nothing comes up by Trigger before it is written."""
        cue, found = self.experiment.cue.text, dict[Block, Bundle]()
        slots = slots or [Slot(cue, (UNWRITTEN.format(arm.memory, task.id),)) for task, _ in self.begun]
        for (task, state), slot in zip(self.begun, slots, strict=False):
            slot = discussed(slot) if arm.discuss else slot
            injection = arm.injection(slot, ())
            shown: Mapping[str, object] = {
                "task": task.query,
                "observation": state.observation,
                "actions": state.actions or (),
                "memory": injection.turn(0, Moment(task.query, state.observation)),
            }
            system = SYSTEM.render({"rules": self.world.rules, "memory": injection.opening()})
            messages = (
                {"role": "system", "content": system},
                {"role": "user", "content": TURN.render(shown)},
            )
            found[task.id, 0] = bundle(messages, slot.text, arm.injection.by_trigger)
        return found


def _nobody() -> Caller:
    return Caller(ModelClient(CallCache(unsealed()), open_backend), "nobody/asked")
