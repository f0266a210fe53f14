"""Prepare one backbone: collect, condense, recall (asked once, saved, shared by all conditions), retrieve."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from memtrial.agents.slot import Slot
from memtrial.agents.traces import read_traces, trace_from_json, trace_to_json
from memtrial.agents.trajectory import Step, Trajectory, Verdict
from memtrial.call_purpose import Purpose
from memtrial.condensers.condenser import ReviewWaits
from memtrial.ledger.random_streams import Stream, generator
from memtrial.ledger.rows import TraceRow
from memtrial.memory.bank_store import BankStore
from memtrial.memory.record_bank import Bank
from memtrial.models.client.client import Caller, ModelClient
from memtrial.plugins.own_memory import OwnStore, RecallingMemory
from memtrial.protocols import LedgerStore, World
from memtrial.runs.preparation.arm_slots import ArmSlots, Memories, WorldMemories, fill_slots, find_records
from memtrial.runs.preparation.banks import BankReady, fill_banks, ignore_bank
from memtrial.runs.preparation.early_drafts import early_drafts
from memtrial.runs.preparation.retry_once import two_rounds
from memtrial.runs.preparation.store_conduct import conduct_stated, see_conduct, state_conduct
from memtrial.runs.preparation.store_reading import find_held
from memtrial.runs.preparation.training_attempts import first_in_turn, first_of_all, play_training
from memtrial.runs.setup.context import RunContext
from memtrial.runs.setup.processes.process_world import is_apart, open_apart
from memtrial.runs.setup.world_pool import Worlds, begun, open_world
from memtrial.runs.spec.sampling import settle_temperature
from memtrial.runs.spec.spec import Spec
from memtrial.worlds.world import Task


@dataclass
class OpenedMemory:
    """A memory system that sees all trajectories once, before it is first asked."""

    memory: RecallingMemory
    traces: Sequence[Trajectory]
    _filled: bool = field(default=False, init=False)

    async def fill(self) -> None:
        """Let it see them, in order."""
        if not self._filled:
            self._filled = True
            for trajectory in self.traces:
                await self.memory.write(trajectory)


@dataclass(frozen=True, slots=True)
class Prepared:
    """What the arms of one backbone show.

    Args:
        drawn: once a draw of the banks.
        systems: the memory systems, by name.
    """

    drawn: tuple[ArmSlots, ...]
    systems: Mapping[str, OpenedMemory]


async def prepare(
    run: RunContext,
    backbone: str,
    tasks: tuple[Task, ...],
    stated: Mapping[str, WorldMemories],
    ready: BankReady = ignore_bank,
) -> Prepared:
    """What the arms of one backbone show for each task; `ready` hears of each condenser's banks."""
    spec, design, world = run.spec, run.design, run.world
    banks: dict[str, tuple[Bank, ...]] = {}
    recalled: dict[str, dict[str, Slot]] = {}
    held: dict[str, Mapping[str, tuple[str, ...]]] = {}
    systems: dict[str, OpenedMemory] = {}
    if design.memories or design.systems:
        banks, traces = await _learn(run, backbone, ready)
        for arm in design.arms:
            if arm.memory in design.systems and arm.memory not in recalled:
                model = spec.roles.condenser or backbone
                caller = memory_caller(run, model, arm.name)
                memory = run.experiment.given.open_memory(arm.memory, caller, spec, run.embedder)
                keep_calls = run.model_client.cache.flush
                kept = Recollections(run.ledger, backbone, arm.name, run.cue, keep_calls)
                asked = any(task.id not in kept.slots for task in tasks)
                opened = systems[arm.memory] = OpenedMemory(memory, traces)
                with run.display.phase(f"recall by {arm.name}, {backbone}", len(tasks)) as tick:
                    recalled[arm.memory] = await recall_all(opened, world, tasks, kept, tick)
                held[arm.memory] = kept.held
                # a run that goes on asks nothing, and has what was seen in its ledger
                if asked and not conduct_stated(run.ledger, backbone, arm.name):
                    queries = [trace.query for trace in traces]
                    seen = await see_conduct(memory, world, tasks, kept.slots, queries)
                    keep_calls()
                    state_conduct(run.ledger, backbone, arm.name, seen)
    stores = {name: [store_of(run, bank) for bank in drawn] for name, drawn in banks.items()}
    # a condenser that was asked once has the same bank for every draw
    draws = [{name: drawn[n % len(drawn)] for name, drawn in stores.items()} for n in range(design.draws)]
    records = await find_records(spec, tasks, draws[0])
    filled = [
        await fill_slots(spec, tasks, Memories(drawn, stated, recalled, held), run.cue, records)
        for drawn in draws
    ]
    return Prepared(tuple(filled), systems)


def memory_caller(run: RunContext, model: str, arm: str, repeat: int = 0) -> Caller:
    """The model that an arm's memory system may ask, at the condenser's temperature where that is stated."""
    temperature = settle_temperature(run.spec.sampling.condenser, None)
    return Caller(run.model_client, model, temperature, repeat, purpose=Purpose("memory", arm))


def store_of(run: RunContext, bank: Bank) -> BankStore:
    """A bank that grows no more, as a store."""
    return BankStore(run.embedder, bank, run.spec.retrieval.leave_out, kept=run.index_folder)


async def _learn(
    run: RunContext, backbone: str, ready: BankReady
) -> tuple[dict[str, tuple[Bank, ...]], tuple[Trajectory, ...]]:
    """Collect and condense. Where answers are waited for a trace is drafted from as soon as it is there."""
    spec, world, client = run.spec, run.world, run.model_client
    drafts = early_drafts(run, backbone) if run.workers > 1 else None
    try:
        with run.display.phase(f"collect, {backbone}", len(world.tasks("train"))) as tick:

            def take(trace: Trajectory | None) -> None:
                tick()
                if drafts is not None and trace is not None:
                    drafts.begin(trace)

            traces = await collect(spec, backbone, world, client, run.ledger, take, run.workers)
        if drafts is not None:
            await drafts.load()
        return await _reviewed_banks(run, backbone, traces, ready), traces
    finally:
        if drafts is not None:
            await drafts.end()


async def _reviewed_banks(
    run: RunContext, backbone: str, traces: tuple[Trajectory, ...], ready: BankReady
) -> dict[str, tuple[Bank, ...]]:
    """The banks, once people have decided on all drafts that wait for them."""
    while True:
        try:
            return await fill_banks(run, backbone, traces, ready)
        except ReviewWaits as waits:
            assert run.reviews is not None  # who asked people
            await run.reviews.wait_for_decisions(waits)


@dataclass
class Recollections:
    """The slots that one memory system recalled for one backbone, by task id, as the ledger holds them.

    `arm` is its name there, `cue` the line above texts that come without one; `held` are the texts that a
    store holds of what it shows, where damage is done in it. `keep_calls` keeps what was asked before a slot
    is kept: a run that goes on does not ask again.
    """

    ledger: LedgerStore
    backbone: str
    arm: str
    cue: str
    keep_calls: Callable[[], None]
    slots: dict[str, Slot] = field(init=False)
    held: dict[str, tuple[str, ...]] = field(init=False)

    def __post_init__(self) -> None:
        bodies = self.ledger.recollections(self.backbone, self.arm)
        self.slots = {task: Slot(body["cue"], tuple(body["items"])) for task, body in bodies.items()}
        self.held = {task: tuple(body["held"]) for task, body in bodies.items() if "held" in body}

    async def recall(self, memory: RecallingMemory, task: Task, world: World) -> Slot:
        """Ask for one task, and save the slot."""
        state = await begun(world, task)
        slot = await memory.recall(task, state)
        if slot.items and not slot.cue:
            slot = Slot(self.cue, slot.items)
        body = {"cue": slot.cue, "items": list(slot.items)}
        if isinstance(memory, OwnStore) and memory.takes_damage and slot.items:
            self.held[task.id] = await find_held(memory, task, state)
            body["held"] = list(self.held[task.id])
        self.keep_calls()
        self.ledger.add_recollection(self.backbone, self.arm, task.id, body)
        self.slots[task.id] = slot
        return slot


async def recall_all(
    opened: OpenedMemory,
    world: World,
    tasks: Sequence[Task],
    recollections: Recollections,
    tick: Callable[[], None],
) -> dict[str, Slot]:
    """The slot of every task, from the ledger where it is there."""
    held = recollections.slots
    if any(task.id not in held for task in tasks):
        await opened.fill()
    for task in tasks:
        if task.id not in held:
            await recollections.recall(opened.memory, task, world)
        tick()
    return {task.id: held[task.id] for task in tasks}


EXPERT_THOUGHT = "The way to do this is known."


async def collect(
    spec: Spec,
    backbone: str,
    world: World,
    model_client: ModelClient,
    ledger: LedgerStore,
    take: Callable[[Trajectory | None], None],
    at_once: int = 1,
) -> tuple[Trajectory, ...]:
    """The trajectories of one backbone, in the order of the tasks; those the ledger holds are taken.

    `take` gets each as soon as it was played, and None for each that the ledger holds, or has lost.
    """
    done, lost = ledger.traces(backbone), ledger.lost_traces(backbone)
    if spec.traces.source == "import":
        assert spec.traces.path is not None  # the spec's own rule
        # one trace a source task: a record holds the items of one
        first: dict[str, Trajectory] = {}
        for trace in read_traces(spec.traces.path):
            first.setdefault(trace.task_id, trace)
        ledger.add_traces(
            TraceRow(backbone, name, trace_to_json(trace))
            for name, trace in first.items()
            if name not in done
        )
        return tuple(trace_from_json(raw) for raw in ledger.traces(backbone).values())
    tasks = world.tasks("train")
    waiting = {task.id: task for task in tasks if task.id not in done and task.id not in lost}
    for _ in range(len(tasks) - len(waiting)):
        take(None)
    order = generator(spec.seed, Stream.EXPERTS).permutation(len(tasks))
    experts = {tasks[i].id for i in order[: round(len(tasks) * spec.traces.expert_share)]}
    opened = open_apart(spec, world, lambda: open_world(spec))
    worlds = Worlds(opened, at_once, [] if is_apart(spec, world) else [world])

    together = spec.engine.attempts_together and at_once > 1

    async def one(task_id: str) -> None:
        task = waiting[task_id]
        if spec.traces.source == "expert" and task_id in experts:
            async with worlds.borrow() as own:
                trace = expert(own, task)
        else:
            plays = [
                partial(play_training, spec, backbone, worlds, task, model_client, attempt)
                for attempt in range(spec.traces.attempts)
            ]
            trace = (await (first_of_all if together else first_in_turn)(plays)).trajectory()
        model_client.cache.flush()
        raw = trace_to_json(trace)
        ledger.add_traces([TraceRow(backbone, task_id, raw)])
        take(trace_from_json(raw))

    most_lost = int(spec.engine.max_error_share * len(tasks))
    try:
        broken = await two_rounds(tuple(waiting), one, at_once, most_lost - len(lost), model_client.forgive)
    finally:
        worlds.close()
    for task_id, fault in broken.items():
        ledger.lose_trace(backbone, task_id, str(fault))
    have = ledger.traces(backbone)
    return tuple(trace_from_json(have[task.id]) for task in tasks if task.id in have)


def expert(world: World, task: Task) -> Trajectory:
    """The world's own path, walked in the world."""
    path = world.ground_truth(task).path
    state = world.reset(task)
    start = state.observation
    steps = []
    for action in path:
        if state.done:
            break
        state = world.step(action)
        steps.append(Step(EXPERT_THOUGHT, action, state.observation, "refused" if state.refused else ""))
    outcome = world.outcome()
    return as_trajectory(task, outcome.success, steps, start, outcome.score)


def as_trajectory(
    task: Task, solved: bool, steps: Iterable[Step], start: str, score: float | None
) -> Trajectory:
    """What was done in a task, under the task's own name."""
    outcome: Verdict = "success" if solved else "failure"
    return Trajectory(task.id, task.id, task.query, outcome, tuple(steps), start, task.family, score)
