"""Carry out an evolution in its folder, from where it stopped.

Every answer of a model is kept before it is used, so that a stream that was cut off is played again without
asking for anything twice. A stream that ended is read from its file.
"""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from memtrial.call_purpose import Purpose
from memtrial.console.display import Display
from memtrial.evolution.asked_temperatures import AskedTemperatures, asked_temperatures
from memtrial.evolution.evolve_folder import (
    BANKS,
    StreamPlace,
    begin_folder,
    read_stream,
    refuse_other,
    write_stream,
)
from memtrial.evolution.evolve_spec import EvolveArm, EvolveSpec
from memtrial.evolution.grown_bank import write_grown
from memtrial.evolution.rollout_variants import list_tools
from memtrial.evolution.scaled_task import Players
from memtrial.evolution.stream_rows import StreamEnd, TaskRow
from memtrial.evolution.task_loop import StreamMemory, TaskLoop
from memtrial.faults import RESUME, RunFault, SpecFault, StoreFault, refused
from memtrial.judges.success import ORACLE
from memtrial.ledger.open_ledger import open_ledger
from memtrial.ledger.random_streams import Stream, generator
from memtrial.ledger.row_text import LedgerFault
from memtrial.memory.bank.confidence.verdict_audit import VerdictAudit, audit_verdicts, sum_audits
from memtrial.memory.bank.distillation.told_truths import Truths
from memtrial.memory.systems.bank_system import RunClock, open_bank
from memtrial.memory.systems.system_door import SystemDoor
from memtrial.models.client.client import Caller, ModelClient
from memtrial.models.client.transport import HaltFault
from memtrial.models.embeddings.provider import open_embedder
from memtrial.perturbations.advice.known_actions import NOTHING_KNOWN, Repertoire
from memtrial.plugins.own_agent import load_agent
from memtrial.protocols import Embedder
from memtrial.runs.engine.interrupt import on_interrupt
from memtrial.runs.engine.schedule import Ending, ending_of
from memtrial.runs.run_folder.folder import LEDGER, alone_in, make
from memtrial.runs.setup.context import open_client, workers
from memtrial.runs.setup.preflight import Experiment
from memtrial.runs.setup.processes.process_world import is_apart, open_apart
from memtrial.runs.setup.world_pool import Worlds, open_world
from memtrial.runs.spec.sampling import sampling_of
from memtrial.runs.trials.slot_damage import repertoire_of
from memtrial.worlds.world import Task, Truth, WorldFault


@dataclass(frozen=True, slots=True)
class EvolveEnd:
    """How a session ended, and what is kept of all streams that have ended by now.

    Args:
        n_tasks: of a stream.
    """

    folder: Path
    ending: Ending
    streams: tuple[StreamEnd, ...]
    n_tasks: int

    @property
    def rows(self) -> tuple[TaskRow, ...]:
        """A row a task, stream by stream."""
        return tuple(row for end in self.streams for row in end.rows)

    @property
    def audit(self) -> VerdictAudit:
        """The checks of the judge in all streams."""
        return sum_audits(end.audit for end in self.streams if end.audit is not None)


def evolve_in(folder: Path, spec: EvolveSpec, experiment: Experiment, display: Display) -> EvolveEnd:
    """Play all streams that are left.

    Raises:
        SpecFault: the folder holds something else.
        RunFault: the evolution cannot go on; what was done is kept.
    """
    make(folder)
    with alone_in(folder):
        with refused(LedgerFault, RunFault, prefix=f"{folder}: "):
            ledger = open_ledger(folder / LEDGER)
        with closing(ledger):
            refuse_toolless(spec, experiment)
            refuse_other(folder, spec)
            client = open_client(experiment, ledger, display.say)
            display.stats = client.stats
            evolution = Evolution(folder, spec, experiment, client, display)
            begin_folder(folder, spec)
            ending = asyncio.run(evolution.play())
    kept = (read_stream(folder, place) for place in evolution.places)
    streams = tuple(end for end in kept if end is not None)
    return EvolveEnd(folder, ending, streams, evolution.n_tasks)


def refuse_toolless(spec: EvolveSpec, experiment: Experiment) -> None:
    """SpecFault where tries are to vary by tools, and the world names none, or leaves a single turn."""
    arm = next((name for name, arm in spec.arms.items() if "tools" in arm.vary), None)
    if arm is None:
        return
    with closing(open_world(experiment.spec)) as world, refused(WorldFault, RunFault):
        tasks = world.tasks(spec.split)[:1]
        known = repertoire_of(world, tasks)
        turns = [world.step_limit(task) for task in tasks]
    tools = list_tools([action for listed in known.lists for action in listed], known.forms)
    if turns == [1] or not tools:
        raise SpecFault(
            f"arms.{arm}.vary: tools are kinds of actions that a world lists, or whose forms its rules name;"
            f" {world.name} has none: use seed, temperature or decomposition"
        )


@dataclass
class Evolution:
    """An evolution that is being played."""

    folder: Path
    spec: EvolveSpec
    experiment: Experiment
    client: ModelClient
    display: Display
    _worlds: Worlds = field(init=False)
    _tasks: tuple[Task, ...] = field(init=False)
    _truths: dict[str, Truths] = field(default_factory=dict, init=False)
    _known: Repertoire = field(default=NOTHING_KNOWN, init=False)
    _asked: AskedTemperatures = field(init=False)

    def __post_init__(self) -> None:
        run, self._asked = self.experiment.spec, asked_temperatures(self.spec)
        world = open_world(run)
        every = world.tasks(self.spec.split)
        if (self.spec.tasks or 0) > len(every):
            world.close()
            raise SpecFault(
                f"tasks: at most the {len(every)} of split {self.spec.split} are there; got {self.spec.tasks}"
            )
        self._tasks = every[: self.spec.tasks] if self.spec.tasks else every
        if self.spec.train:
            with refused(WorldFault, RunFault):
                self._truths = {task.id: _answers(world.ground_truth(task)) for task in self._tasks}
        if any(arm.learn != "none" or "tools" in arm.vary for arm in self.spec.arms.values()):
            with refused(WorldFault, RunFault):
                self._known = repertoire_of(world, self._tasks)
        most = workers(self.experiment, world.blocking)
        opened = open_apart(run, world, lambda: open_world(run))
        self._worlds = Worlds(opened, most, [] if is_apart(run, world) else [world], [world])

    @property
    def n_tasks(self) -> int:
        """Of a stream."""
        return len(self._tasks)

    @property
    def places(self) -> Iterator[StreamPlace]:
        """All streams, stream by stream, so that arms end together."""
        return (
            StreamPlace(backbone, arm, stream)
            for stream in range(self.spec.streams)
            for backbone in self.spec.backbone
            for arm in self.spec.arms
        )

    async def play(self) -> Ending:
        """Play what is left; how that ended."""
        left = [place for place in self.places if read_stream(self.folder, place) is None]
        room = asyncio.Semaphore(max(1, self._worlds.most))
        try:
            with (
                on_interrupt(self.client.transport.halt, self.display.say),
                self.display.phase("evolve", len(left) * len(self._tasks)) as tick,
            ):

                async def one(place: StreamPlace) -> None:
                    async with room:
                        await self._stream(place, tick)

                ended = await asyncio.gather(*map(one, left), return_exceptions=True)
            halts = [end for end in ended if isinstance(end, HaltFault)]
            for end in ended:
                if isinstance(end, BaseException) and not isinstance(end, HaltFault):
                    raise end
            return ending_of(halts[0]) if halts else Ending()
        except StoreFault as fault:
            raise RunFault(f"{fault}; {RESUME}") from fault
        finally:
            self._worlds.close()
            await self.client.close()

    async def _stream(self, place: StreamPlace, tick: Callable[[int, int], None]) -> None:
        """One arm's stream, from its first task to its last."""
        arm = self.spec.arms[place.arm]
        order = generator(self.spec.seed, Stream.STREAM_TASKS, place.stream).permutation(len(self._tasks))
        with self._memory(place, arm) as memory:
            loop = TaskLoop(self._players(place), place.arm, arm, place.stream, memory, self.spec.name)
            rows = []
            for position, number in enumerate(order.tolist()):
                rows.append(await loop.run_task(self._tasks[number], position))
                self.client.cache.flush()
                tick(1, int(bool(rows[-1].error)))
            n_items, audit = 0, None
            if memory is not None:
                held = memory.bank.items()
                write_grown(self.folder / BANKS / f"{place.name}.jsonl", place.arm, held)
                n_items = len(held)
                audit = None if self.spec.roles.judge == ORACLE else audit_verdicts(memory.bank.log)
        end = StreamEnd(tuple(rows), tuple(loop.spans), n_items, tuple(loop.consolidations), audit)
        write_stream(self.folder, place, end)

    def _players(self, place: StreamPlace) -> Players:
        run = self.experiment.spec
        return Players(
            agent=load_agent(run.agent, self.spec.seed),
            model_client=self.client,
            worlds=self._worlds,
            backbone=place.backbone,
            sampling=sampling_of(run.sampling.agent, "agent"),
            judge=None if self.spec.roles.judge == ORACLE else self.spec.roles.judge,
            judging=sampling_of(run.sampling.judge, "judge")._replace(temperature=self._asked.judge),
            stream=place.stream,
            known=self._known,
            most_calls=self.spec.calls_a_task,
        )

    @contextmanager
    def _memory(self, place: StreamPlace, arm: EvolveArm) -> Iterator[StreamMemory | None]:
        """A fresh bank for one stream of one arm; None where it learns nothing."""
        if arm.learn == "none":
            yield None
            return
        sampled = sampling_of(self.experiment.spec.sampling.condenser, "condenser")
        writer = self.spec.roles.writer or place.backbone
        caller = Caller(
            self.client,
            writer,
            self._asked.writer,
            place.stream,
            sampled.max_tokens,
            Purpose("memory", place.arm),
        )
        embedder: Embedder = open_embedder(self.spec.embedder, self.client)
        door = SystemDoor(caller.ask, embedder)
        settings, clock = self.spec.bank.settings(arm.learn, arm.retrieve == "within"), RunClock()
        with TemporaryDirectory(prefix="memtrial-bank-") as folder:
            bank = open_bank(Path(folder), door, settings, clock)
            with closing(bank.log):
                yield StreamMemory(bank, door, caller, clock, self._truths, self._opposes(place))

    def _opposes(self, place: StreamPlace) -> Caller | None:
        """Who says which items contradict each other, where a model is named for it."""
        model, asked = self.spec.roles.contradictions, self.experiment.spec.sampling.judge
        if model is None:
            return None
        drawn, purpose = sampling_of(asked, "judge"), Purpose("memory", place.arm)
        return Caller(self.client, model, self._asked.judge, place.stream, drawn.max_tokens, purpose)


def _answers(truth: Truth) -> Truths:
    """What a task's writer is shown in training: its right answers, or else the path that solves it."""
    return truth.answers or tuple(filter(None, ["; ".join(truth.path)]))
