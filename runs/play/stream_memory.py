"""The memory of one arm in one stream: a bank that grows, or a memory system that observes trajectories."""

from dataclasses import asdict, dataclass, field, replace
from functools import partial

from pydantic import JsonValue

from loadbearing.arms.arm import OF_THE_WORLD, Arm
from loadbearing.condensers.condenser import Condensation, Condenser
from loadbearing.environments.world import Task
from loadbearing.episodes.slot import Slot
from loadbearing.episodes.trajectory import Step, Trajectory
from loadbearing.gates.surroundings import Surroundings
from loadbearing.ledger.rows import CondensationRow, EpisodeRow, TrialRow
from loadbearing.memory.bank import Bank, Record
from loadbearing.memory.item import Item
from loadbearing.memory.leakage import Leak, Secrets, echo_runs, item_leaks, says, without_echo
from loadbearing.memory.markdown import render
from loadbearing.models.client.client import Caller
from loadbearing.runs.plugins.members import Memory, load_memory
from loadbearing.runs.prepare.backbone import Recollections
from loadbearing.runs.prepare.banks import condense_once, record_of, to_json
from loadbearing.runs.prepare.condensers import build_condenser, setup_of
from loadbearing.runs.prepare.leaks import refuse_leaks
from loadbearing.runs.setup.context import RunContext
from loadbearing.runs.setup.worlds import Worlds


@dataclass
class Growing:
    """One arm's memory; either a condenser fills its bank, or it is a memory system.

    Args:
        name: of this arm in this stream, in the ledger.
        kept, recollections: what the ledger holds of its condensations, by task, and of its recalled slots.
        records: the bank so far, in the order of the stream.
        earlier: the texts of the slots it recalled so far, by task.
    """

    run: RunContext
    arm: Arm
    name: str
    backbone: str
    condenser: Condenser | None
    memory: Memory | None
    kept: dict[str, dict[str, JsonValue]]
    recollections: Recollections
    secrets: Secrets
    records: list[Record] = field(default_factory=list)
    earlier: dict[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def bank(self) -> Bank:
        return Bank(
            self.arm.name, tuple(self.records), self.run.experiment.control_of(self.arm.memory).layout
        )

    async def recall(self, task: Task, worlds: Worlds) -> Slot:
        """What the memory system shows for a task; asked once and saved."""
        assert self.memory is not None
        slot = self.recollections.slots.get(task.id)
        if slot is None:
            async with worlds.one() as world:
                slot = await self.recollections.recall(self.memory, task, world)
        self.earlier[task.id] = slot.items
        return slot

    async def see(self, task: Task, trajectory: Trajectory | None) -> None:
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
            client = self.run.model_client
            made = await condense_once(self.condenser, trajectory, client)
            leaks = self._leaks(trajectory, made)
            refuse_leaks(self.run.spec, leaks)
            self.kept[task.id] = to_json(made) | ({"leaks": [asdict(one) for one in leaks]} if leaks else {})
            client.cache.flush()
            row = CondensationRow(self.backbone, self.name, task.id, self.kept[task.id])
            self.run.ledger.add_condensations([row])
        self.records.append(record_of(trajectory, self.kept[task.id], {task.id: task.template}))

    def _leaks(self, trajectory: Trajectory, made: Condensation) -> list[Leak]:
        """What was made of a trajectory tells of other tasks, and the trajectory does not."""
        texts = [render(item) for item in made.items] if made.reply is None else [made.reply]
        found = item_leaks(self.secrets, self.arm.name, trajectory.task_id, texts)
        return [leak for leak in found if leak.kind == "task text" or not says(trajectory, leak.text)]


def grow(run: RunContext, backbone: str, repeat: int, secrets: Secrets) -> tuple[Growing, ...]:
    """The memories of all arms at the beginning of a stream, empty; `secrets` are of all its tasks."""
    setup = setup_of(run, backbone)
    rows = [row for row in run.ledger.condensations() if row.backbone == backbone]
    growing = []
    for arm in run.design.arms:
        if arm.memory in OF_THE_WORLD:
            continue
        condenser, memory, name = None, None, f"{arm.name} · repeat {repeat}"
        records: list[Record] = []
        if arm.memory in run.design.systems:
            caller = Caller(run.model_client, setup.model, repeat=repeat, purpose=f"memory {arm.name}")
            memory = load_memory(arm.memory, caller, run.spec.seed)
        else:
            own = replace(setup, around=Surroundings((), partial(_stored, records), run.model_embedder))
            condenser = build_condenser(arm.name, run.spec.condensers[arm.memory], own, repeat)
        kept = {row.task: row.body for row in rows if row.condenser == name}
        recollections = Recollections(run.ledger, backbone, name, run.cue)
        growing.append(
            Growing(run, arm, name, backbone, condenser, memory, kept, recollections, secrets, records)
        )
    return tuple(growing)


def _stored(records: list[Record], _: Trajectory) -> tuple[Item, ...]:
    """What a bank holds so far, for its gates."""
    return tuple(item for record in records for item in record.items)


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


def without_memory(trajectory: Trajectory, shown: Slot) -> Trajectory:
    """The trajectory whose thoughts do not repeat the memory that was shown in it (no feedback loop)."""
    memory = echo_runs(shown.items)
    steps = (replace(one, thought=without_echo(one.thought, memory)[0]) for one in trajectory.steps)
    return replace(trajectory, steps=tuple(steps))
