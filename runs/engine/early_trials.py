"""Episodes of trials whose prompts are known, while the memories of other arms are still being made.

They are begun with connections that would be idle, for a request of the preparation goes first. What is kept
of one are the answers: its trial asks the same once the plan is stated, and has them. So nothing is decided
here, and no trial is written; a run that is locked plays none early. Where dollars or requests are bounded, a
trial is begun only as far as its block is surely played later, and none of its requests leaves once the
budget is spent.
"""

import asyncio
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial

from memtrial.agents.slot import NOTHING
from memtrial.arms.arm import NONE, WITHHOLD, Arm
from memtrial.faults import RunFault, SpecFault, StoreFault
from memtrial.ledger.run_plan import plan_in_force, read_lock
from memtrial.ledger.shards.shard_facts import read_shard
from memtrial.memory.record_bank import Bank
from memtrial.models.client.transport import CallTerms, HaltFault
from memtrial.models.client.types import LOCAL, provider_of
from memtrial.outcomes.reserved_names import INTACT, WITHOUT
from memtrial.plugins.own_agent import SHIPPED
from memtrial.runs.engine.blocks import play_alike
from memtrial.runs.engine.run_limits import Limits
from memtrial.runs.engine.schedule import Session
from memtrial.runs.preparation.arm_slots import ArmSlots, IntactSlot, Memories, WorldMemories, fill_slots
from memtrial.runs.preparation.backbone_memories import store_of
from memtrial.runs.preparation.leaks import leaks_of, refuse_leaks
from memtrial.runs.setup.context import RunContext
from memtrial.runs.setup.parallel_work import end_all
from memtrial.runs.setup.world_pool import Worlds
from memtrial.runs.spec.environment import PluginWorldSpec
from memtrial.runs.trials.early_damage import write_early
from memtrial.runs.trials.planned.block_order import BlockPlaces, draw_order
from memtrial.runs.trials.trials import NO_MEMORY, Trial
from memtrial.worlds.world import Task, WorldFault

STOPPING = (HaltFault, StoreFault, RunFault, WorldFault)
"""Faults after which no further episode is begun; where they matter the run itself meets them."""


def may_play_early(run: RunContext, session: Session) -> bool:
    """Whether answers may be asked for before the plan is stated.

    Only where they are kept for the trials, which an agent of one's own need not do, and where nothing may
    forbid the trials, or spend what they cost otherwise.
    """
    spec, given = run.spec, run.experiment.given
    worlds = spec.engine.max_environments  # all of which are there for the run itself
    watched = (session.freeze, session.see_blocks, session.shared, given.agent, given.world)
    begun = plan_in_force(run.ledger) is not None or read_lock(run.ledger) is not None
    begun = begun or read_shard(run.ledger) is not None  # what other shards play is theirs to ask
    own = isinstance(spec.environment, PluginWorldSpec) or spec.agent not in {agent.name for agent in SHIPPED}
    blocking = run.world.blocking or run.workers < 2
    return not (begun or own or blocking) and all(
        each is None for each in (session.most_blocks, worlds, *watched)
    )


@dataclass
class EarlyTrials:
    """Plays intact trials of the memories that are there; what is added goes behind what waits.

    Each waits with the number of blocks up to its own.
    """

    run: RunContext
    stated: Mapping[str, WorldMemories]
    limits: Limits
    _left: deque[tuple[int, Trial]] = field(default_factory=deque)
    _over: bool = False
    _begun: list[asyncio.Task[None]] = field(default_factory=list)
    _n_workers: int = 0
    _worlds: Worlds = field(init=False)

    def __post_init__(self) -> None:
        run = self.run
        self._worlds = Worlds(lambda: run.experiment.given.open_world(run.spec), run.workers)

    async def begin(self) -> None:
        """Play what needs no memory, or one that the world states."""
        spec, tasks = self.run.spec, self.run.tasks
        slots = await fill_slots(spec, tasks, Memories({}, self.stated), self.run.cue)
        arms = [arm for arm in self.run.design.arms if arm.memory in self.stated]
        for backbone in self._asked:
            self._add((None, *arms), backbone, (slots,))

    def take_bank(self, backbone: str, name: str, banks: tuple[Bank, ...]) -> None:
        """Play the arms that show this condenser's banks, which are whole now."""
        # a model's vectors are asked for where the records of all arms are searched
        if not self._over and backbone in self._asked and self.run.model_embedder is None:
            self._begun.append(asyncio.create_task(self._add_arms(backbone, name, banks)))

    async def end(self) -> None:
        """Begin nothing more, and wait for what is under way, whose answers are paid for."""
        self._over = True
        while some := tuple(self._begun):
            self._begun.clear()
            await end_all(some)
        self._worlds.close()

    def stop(self) -> None:
        """Begin nothing more: the trials themselves are about to be played."""
        self._over = True

    @property
    def _asked(self) -> tuple[str, ...]:
        """The backbones whose answers take time."""
        return tuple(each for each in self.run.spec.backbone if provider_of(each) not in LOCAL)

    async def _add_arms(self, backbone: str, name: str, banks: tuple[Bank, ...]) -> None:
        run, tasks = self.run, self.run.tasks
        drawn = tuple(
            [
                await fill_slots(run.spec, tasks, Memories({name: store_of(run, bank)}), run.cue)
                for bank in banks
            ]
        )
        with suppress(SpecFault):  # the run refuses it, too, once all memories are there
            refuse_leaks(run.spec, leaks_of(run, tasks, {backbone: drawn}, (name,)))
            arms = [arm for arm in run.design.arms if arm.memory == name and arm.reach != "bank"]
            self._add(arms, backbone, drawn)
            await write_early(run, arms, drawn)

    def _add(self, arms: Iterable[Arm | None], backbone: str, drawn: tuple[ArmSlots, ...]) -> None:
        """Let these arms be played, block by block in the order in which the run will play them."""
        spec, tasks, shown = self.run.spec, self.run.tasks, tuple(arms)
        places = BlockPlaces(spec.backbone, tasks, spec.repeats)
        order, _ = draw_order(spec.seed, len(places))
        for n_blocks, place in enumerate(map(places.place_of, order.tolist()), 1):
            if place.backbone == backbone:
                slots = drawn[place.repeat % len(drawn)]
                added = _trials(backbone, place.task, place.repeat, shown, slots)
                self._left.extend((n_blocks, trial) for trial in added)
        self._begin_workers()

    def _begin_workers(self) -> None:
        while (
            not self._over
            and self._n_workers < min(self.run.workers, len(self._left))
            and self.limits.may_play_ahead(self._n_workers)
        ):
            self._n_workers += 1
            self._begun.append(asyncio.create_task(self._work()))

    async def _work(self) -> None:
        try:
            while self._left and not self._over and self.limits.may_play_ahead(self._n_workers - 1):
                n_blocks, trial = self._left.popleft()
                if self.limits.reaches_ahead(n_blocks):
                    await self._play(trial)
                    self._begin_workers()
        except STOPPING:
            self._over = True
        finally:
            self._n_workers -= 1

    async def _play(self, trial: Trial) -> None:
        run, costs, is_bounded = self.run, self.limits.ahead, self.limits.is_bounded
        may_go_on = (lambda: not self._over) if is_bounded else (lambda: True)
        terms = CallTerms(may_go_on, first=is_bounded and not costs.is_known)
        async with self._worlds.borrow() as world:
            ended = await play_alike(run.spec, world, (trial,), run.model_client, run.experiment.given, terms)
        costs.add(ended[0][0])


def _trials(
    backbone: str, task: Task, repeat: int, arms: Iterable[Arm | None], slots: ArmSlots
) -> Iterator[Trial]:
    """The intact trials of a block; None stands for the one without memory."""
    made = partial(Trial, "", backbone)
    for arm in arms:
        if arm is None:
            yield made(NO_MEMORY, WITHOUT, task, repeat, NOTHING, IntactSlot(NOTHING, (), ()))
        elif arm.name != NONE:
            intact = slots.of(arm, task)
            shown = NOTHING if arm.injection == WITHHOLD else intact.slot
            yield made(arm, INTACT, task, repeat, shown, intact)
