"""Prepare one backbone: collect, condense, recall (asked once, saved, shared by all conditions), retrieve."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from loadbearing.condensers.reviewer import ReviewWaits
from loadbearing.environments.world import Task, World
from loadbearing.episodes.slot import Slot
from loadbearing.episodes.trajectory import Trajectory
from loadbearing.ledger.store import Ledger
from loadbearing.memory.bank import Bank
from loadbearing.models.client.client import Caller
from loadbearing.runs.plugins.members import Memory, load_memory
from loadbearing.runs.prepare.banks import fill_banks
from loadbearing.runs.prepare.slots import ArmSlots, Memories, WorldMemories, fill_slots, find_records
from loadbearing.runs.prepare.trajectories import collect
from loadbearing.runs.setup.context import RunContext
from loadbearing.runs.setup.worlds import begun


async def prepare(
    run: RunContext, backbone: str, tasks: tuple[Task, ...], stated: Mapping[str, WorldMemories]
) -> tuple[ArmSlots, ...]:
    """What the arms of one backbone show for each task, once a draw of the banks.

    Raises:
        ReviewWaits: drafts wait for a person, and nobody looks on.
    """
    spec, design, world = run.spec, run.design, run.world
    banks: dict[str, tuple[Bank, ...]] = {}
    recalled: dict[str, dict[str, Slot]] = {}
    if design.memories or design.systems:
        with run.display.phase(f"collect, {backbone}", len(world.tasks("train"))) as tick:
            traces = await collect(spec, backbone, world, run.model_client, run.ledger, tick, run.workers)
        banks = await _reviewed_banks(run, backbone, traces)
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
    found = await find_records(spec, tasks, draws[0], run.embedder)
    return tuple(
        [
            await fill_slots(spec, tasks, Memories(one, stated, recalled), run.embedder, run.cue, found)
            for one in draws
        ]
    )


async def _reviewed_banks(
    run: RunContext, backbone: str, traces: tuple[Trajectory, ...]
) -> dict[str, tuple[Bank, ...]]:
    """The banks, once people have decided on all drafts that wait for them."""
    while True:
        try:
            return await fill_banks(run, backbone, traces)
        except ReviewWaits as waits:
            assert run.reviews is not None  # who asked people
            await run.reviews.decided(waits)


@dataclass
class Recollections:
    """The slots that one memory system recalled for one backbone, by task id, as the ledger holds them.

    `arm` is its name there, `cue` the line above texts that come without one.
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
        """Ask for one task, and save the slot."""
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
        memory: a fresh one. It sees all traces in order before it is asked, unless nothing is missing.

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
