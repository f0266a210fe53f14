"""What a plan learns from the world: its tasks, which of them go together, and a few rendered prompts."""

import asyncio
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from statistics import fmean

import numpy as np
from numpy.typing import NDArray

from memtrial.agents.play import first_request
from memtrial.agents.slot import NOTHING, Slot
from memtrial.agents.traces import read_traces
from memtrial.agents.trajectory import Trajectory
from memtrial.analysis.planning.variance import Clustering, clustering_of, without_clusters
from memtrial.arms.arm import DOSES, NONE, OF_THE_WORLD, ORACLE, PREPEND, Arm
from memtrial.faults import RunFault, SpecFault
from memtrial.memory.markdown import render
from memtrial.memory.retrieval import SourceKey, Sources, make_index, nearest_records
from memtrial.models.client.types import Message, ModelFault
from memtrial.models.embeddings.embedding import HashingEmbedder
from memtrial.plugins.adapters import load_condenser
from memtrial.plugins.function_agent import FunctionAgent
from memtrial.plugins.plugin_names import is_plugin
from memtrial.protocols import Carrier, World
from memtrial.runs.preparation.arm_slots import ask_to_discuss
from memtrial.runs.preparation.backbone_memories import expert
from memtrial.runs.preparation.world_memories import refuse_unstated, state_memories, wanted_of
from memtrial.runs.setup.event_loop import without_loop
from memtrial.runs.setup.preflight import Experiment, nobody_asked
from memtrial.views.evidence.bundle_audit import MEMORY, Block, Bundle, audit, audited_pairs, bundle
from memtrial.views.rows.evidence_rows import AuditRow
from memtrial.worlds.given.world import GivenTasks
from memtrial.worlds.world import State, Task, WorldFault

MOST_TASKS = 8
UNWRITTEN = "(what {} will hold for {})"


def rendered_audit(experiment: Experiment, world: World, tasks: Sequence[Task]) -> tuple[AuditRow, ...]:
    """In what the first requests of two arms differ, as far as they can be rendered."""
    few = tuple(tasks[:: max(1, len(tasks) // MOST_TASKS)][:MOST_TASKS])
    rendering = _Rendering(experiment, world, tuple((task, world.reset(task)) for task in few))
    design = experiment.design
    arms = [arm for arm in design.arms if arm.name != ORACLE]
    slots = {arm.name: rendering.slots(arm) for arm in arms}
    written = {name for name, slot in slots.items() if slot is not None} | {NONE}
    requests = {arm.name: rendering.bundles(arm, slots[arm.name]) for arm in arms}
    requests[NONE] = rendering.bundles(Arm(NONE, NONE, PREPEND), [NOTHING] * len(few))
    # a pair may name the oracle
    compared = (*design.pairs, *design.channel_pairs)
    pairs = (pair for pair in audited_pairs(compared, tuple(slots)) if set(pair) <= requests.keys())
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
            if arm.memory in self.experiment.design.systems:
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
            request = _first_request(self.experiment, self.world, task, state, arm.injection(slot, ()))
            messages = tuple({"role": message.role, "content": message.text} for message in request)
            bundles[task.id, 0] = bundle(messages, slot.text, arm.injection.by_trigger)
        return bundles


CHARACTERS = 4
"""Of a token: a rule of thumb for English; a pilot is better."""
HASHING = "hashing"
SAMPLED = 5
"""Tasks whose prompts are rendered."""
Three = NDArray[np.float64]
"""At least, likely, at most: shape (3,)."""
REPLY: Three = np.array([30.0, 60.0, 200.0])
"""Tokens of one reply of an agent: a thought and an action."""


@dataclass(frozen=True, slots=True)
class WorldSample:
    """Counts over all tasks, and means over a few.

    Args:
        n_test, n_train: tasks; none to train on where nothing is prepared.
        most_turns: that all test tasks have together.
        unit: that the tasks of a cluster share: task (each is independent), record or family.
        how: the clusters are known.
        rules, turn: tokens.
    """

    n_test: int
    n_train: int
    most_turns: int
    clusters: Clustering
    unit: str
    how: str
    rules: float
    turn: float
    turns: Three
    audit: tuple[AuditRow, ...]

    @property
    def traces(self) -> Three:
        """Tokens of one trajectory."""
        return self.turns * (self.turn + REPLY)


def sample_world(experiment: Experiment) -> WorldSample:
    """Look at the tasks, and render the first turns of a few, spread over all; RunFault where the world
    broke."""
    spec, design = experiment.spec, experiment.design
    world = experiment.given.open_world(spec)
    try:
        tasks = world.tasks("test")
        prepares = spec.mode == "frozen" and (design.memories or design.systems)
        train = world.tasks("train") if prepares else ()
        few = tasks[:: max(1, len(tasks) // SAMPLED)][:SAMPLED]
        rules, turns, paths = list[float](), list[float](), list[int]()
        for task in few:
            request = _first_request(experiment, world, task, world.reset(task), PREPEND(NOTHING, ()))
            rules.append(_tokens(message for message in request if message.role == "system"))
            turns.append(_tokens(message for message in request if message.role != "system"))
            paths.append(_path(world, task))
        refuse_unstated(world, tasks, few, wanted_of(design.arms))
        limit = fmean(world.step_limit(task) for task in few)
        shortest = min(fmean(paths), limit)
        clusters, unit, how = _clusters(experiment, tasks, train)
        return WorldSample(
            n_test=len(tasks),
            n_train=len(train),
            most_turns=sum(world.step_limit(task) for task in tasks),
            clusters=clusters,
            unit=unit,
            how=how,
            rules=fmean(rules),
            turn=fmean(turns),
            turns=np.array([shortest, (shortest + limit) / 2, limit]),
            audit=rendered_audit(experiment, world, tasks),
        )
    except WorldFault as fault:
        raise RunFault(f"a plan looks at a few tasks of the world, and it broke: {fault}") from fault
    finally:
        world.close()


def _first_request(
    experiment: Experiment, world: World, task: Task, state: State, carrier: Carrier
) -> tuple[Message, ...]:
    """What the experiment's agent would send first; nothing is known of one that plays by its own code, which
    is not run for a plan."""
    agent = experiment.given.open_agent(experiment.spec)
    if isinstance(world, GivenTasks) or isinstance(agent, FunctionAgent):
        return ()
    return without_loop(asyncio.run)(first_request(agent, world, task, state, carrier))


def _tokens(messages: Iterable[Message]) -> float:
    """How many tokens the texts have, about."""
    return sum(len(message.text) for message in messages) / CHARACTERS


def _path(world: World, task: Task) -> int:
    """Turns that the world's own way takes; a world of one's own need not state it."""
    try:
        return len(world.ground_truth(task).path)
    except WorldFault:
        return 1


def _clusters(
    experiment: Experiment, tasks: tuple[Task, ...], train: tuple[Task, ...]
) -> tuple[Clustering, str, str]:
    """The clusters of the test tasks before anything is played, what a cluster shares, and how it is known.

    Retrieval by source query is carried out with the embedder that ships, which asks nobody.
    """
    spec, n = experiment.spec, len(tasks)
    unit, vectors = spec.analysis.cluster, HashingEmbedder().vectors
    if unit == "family":
        return clustering_of(task.family for task in tasks), unit, "tasks of one family are correlated"
    prepared = spec.mode != "stream" and experiment.design.memories
    sources = _sources(experiment, train) if unit == "record" and prepared else ()
    if not sources:
        return without_clusters(n), "task", "each task is taken to be independent"
    known = Sources(sources, make_index(vectors([key.query for key in sources])))
    asked, queries = spec.retrieval, vectors([task.query for task in tasks])
    nearest = nearest_records(known, tasks, queries, asked.k, asked.leave_out)
    # as the run states it: by the nearest record, and a task that is shown none is independent
    labels = [
        ("record", sources[near[0].place].task_id) if near else ("task", task.id)
        for task, near in zip(tasks, nearest, strict=True)
    ]
    how = "tasks that are shown the same nearest record are correlated"
    if asked.embedder != HASHING:
        how += f" (by words: a plan does not ask {asked.embedder})"
    return clustering_of(labels), unit, how


def _sources(experiment: Experiment, train: tuple[Task, ...]) -> tuple[SourceKey, ...]:
    """What records will be found by, in their order."""
    path = experiment.spec.traces.path
    if path is None:
        return tuple(SourceKey(task.id, task.query, task.template) for task in train)
    templates = {task.id: task.template for task in train}
    queries = {trace.task_id: trace.query for trace in read_traces(path)}
    return tuple(SourceKey(task, query, templates.get(task, "")) for task, query in queries.items())
