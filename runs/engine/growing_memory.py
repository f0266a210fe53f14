"""The memories of one stream: each arm's own store, which grows with what the arm itself did."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import partial

from pydantic import JsonValue

from memtrial.agents.slot import Slot
from memtrial.agents.trajectory import Trajectory
from memtrial.arms.arm import OF_THE_WORLD, Arm
from memtrial.condensers.condenser import Condensation
from memtrial.gates.gate import Surroundings
from memtrial.ledger.rows import CondensationRow
from memtrial.memory.bank_store import BankStore
from memtrial.memory.item import Item
from memtrial.memory.leakage import Leak, Secrets, item_leaks, says
from memtrial.memory.markdown import render
from memtrial.memory.record_bank import Bank, Record
from memtrial.plugins.own_memory import OwnMemory, load_memory
from memtrial.protocols import Condenser
from memtrial.runs.preparation.backbone_memories import Recollections, memory_caller
from memtrial.runs.preparation.banks import condense_once, record_of, to_json
from memtrial.runs.preparation.leaks import refuse_leaks
from memtrial.runs.preparation.open_condensers import CondenserSetup, build_condenser, setup_of
from memtrial.runs.setup.context import RunContext
from memtrial.runs.setup.world_pool import Worlds
from memtrial.worlds.world import Task


@dataclass(frozen=True, slots=True)
class GrowingBank:
    """The bank of one arm: a record of each task, of whatever the arm did in it."""

    arm: Arm
    store: BankStore

    async def see(self, task: Task, trajectory: Trajectory | None) -> None:
        """Take in what the arm did in a task; None: its trial broke, and the record stays empty."""
        if trajectory is not None:
            await self.store.write(trajectory)
        else:
            self.store.add(Record(task.id, task.query, task.family, task.template, (), task.id, "failure"))


@dataclass(frozen=True, slots=True)
class GrowingSystem:
    """The memory system of one arm.

    `recollections` are what the ledger holds of it, `earlier` the texts of the slots that it recalled so far.
    """

    arm: Arm
    store: OwnMemory
    recollections: Recollections
    earlier: dict[str, tuple[str, ...]] = field(default_factory=dict)

    async def recall(self, task: Task, worlds: Worlds) -> Slot:
        """What it shows for a task; asked once and saved."""
        slot = self.recollections.slots.get(task.id)
        if slot is None:
            async with worlds.borrow() as world:
                slot = await self.recollections.recall(self.store, task, world)
        self.earlier[task.id] = slot.items
        return slot

    async def see(self, _: Task, trajectory: Trajectory | None) -> None:
        """Let it see what the arm did in a task; None: its trial broke, and there is nothing to see."""
        if trajectory is not None:
            await self.store.write(trajectory)


Growing = GrowingBank | GrowingSystem


@dataclass(frozen=True, slots=True)
class RecordMaker:
    """Makes the record of what one arm did in one task, once: what the ledger holds is taken from there.

    Args:
        name: the condenser's in this stream, in the ledger.
        kept: by task, what the ledger holds of it.
        secrets: of all tasks of the stream; `templates` are these tasks' own.
    """

    run: RunContext
    arm: Arm
    name: str
    backbone: str
    condenser: Condenser
    kept: dict[str, dict[str, JsonValue]]
    secrets: Secrets
    templates: Mapping[str, str]

    async def __call__(self, trajectory: Trajectory) -> Record:
        """The record; SpecFault where it tells of other tasks and the spec refuses that."""
        task_id = trajectory.task_id
        if task_id not in self.kept:
            client = self.run.model_client
            made = await condense_once(self.condenser, trajectory, client)
            leaks = self._leaks(trajectory, made)
            refuse_leaks(self.run.spec, leaks)
            self.kept[task_id] = to_json(made) | (
                {"leaks": [asdict(leak) for leak in leaks]} if leaks else {}
            )
            client.cache.flush()
            row = CondensationRow(self.backbone, self.name, task_id, self.kept[task_id])
            self.run.ledger.add_condensations([row])
        return record_of(trajectory, self.kept[task_id], self.templates)

    def _leaks(self, trajectory: Trajectory, made: Condensation) -> list[Leak]:
        """What was made of a trajectory tells of other tasks, and the trajectory does not."""
        texts = [render(item) for item in made.items] if made.reply is None else [made.reply]
        leaks = item_leaks(self.secrets, self.arm.name, trajectory.task_id, texts)
        return [leak for leak in leaks if leak.kind == "task text" or not says(trajectory, leak.text)]


def grow(run: RunContext, backbone: str, repeat: int, secrets: Secrets) -> tuple[Growing, ...]:
    """The memories of all arms at the beginning of a stream, empty; `secrets` are of all its tasks."""
    setup = setup_of(run, backbone)
    rows = [row for row in run.ledger.condensations() if row.backbone == backbone]
    templates = {task.id: task.template for task in run.tasks}
    growing: list[Growing] = []
    for arm in run.design.arms:
        name = f"{arm.name} · repeat {repeat}"
        if arm.memory in run.design.systems:
            caller = memory_caller(run, setup.model, arm.name, repeat)
            memory = load_memory(arm.memory, caller, run.spec.seed, run.spec.retrieval.k, run.embedder)
            keep_calls = run.model_client.cache.flush
            kept_slots = Recollections(run.ledger, backbone, name, run.cue, keep_calls)
            growing.append(GrowingSystem(arm, memory, kept_slots))
        elif arm.memory not in OF_THE_WORLD:
            layout = run.experiment.control_of(arm.memory).layout
            store = BankStore(run.embedder, Bank(arm.name, (), layout), run.spec.retrieval.leave_out)
            condenser = _condenser_of(run, arm, setup, store, repeat)
            kept = {row.task: row.body for row in rows if row.condenser == name}
            store.condense = RecordMaker(run, arm, name, backbone, condenser, kept, secrets, templates)
            growing.append(GrowingBank(arm, store))
    return tuple(growing)


def _condenser_of(
    run: RunContext, arm: Arm, setup: CondenserSetup, store: BankStore, repeat: int
) -> Condenser:
    """The condenser of one arm, whose gates look at what the arm's own bank holds so far."""
    own = replace(
        setup,
        around=Surroundings((), partial(_stored_items, store), run.model_embedder),
        traces_of=f"{setup.traces_of} {arm.name}".strip(),
    )
    return build_condenser(arm.name, run.spec.condensers[arm.memory], own, repeat)


def _stored_items(store: BankStore, _: Trajectory) -> tuple[Item, ...]:
    return tuple(item for record in store.bank.records for item in record.items)
