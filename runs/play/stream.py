"""Mode `stream`: each arm's bank grows task by task from what the arm itself did.

A stream is one backbone and repeat: the test tasks in an order drawn for the repeat, block after block.
Before a block every arm is shown what its own bank holds; after it, the arm's intact trial is condensed into
that bank. Streams run side by side.

Source: ReasoningBank's deployment (UPSTREAM 3.2 to 3.4), where memory is written between tasks.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from loadbearing.arms.arm import OF_THE_WORLD, Arm
from loadbearing.environments.world import Task, World
from loadbearing.ledger.random_streams import Stream, generator
from loadbearing.ledger.rows import EpisodeRow, TrialRow
from loadbearing.ledger.store import Ledger
from loadbearing.ledger.stored import LedgerFault
from loadbearing.models.client.cache import StoreFault
from loadbearing.models.client.client import ModelClient
from loadbearing.models.client.transport import HaltFault
from loadbearing.models.embeddings.embedding import Embedder
from loadbearing.outcomes.reserved_names import INTACT
from loadbearing.perturbations.advice.known_actions import Repertoire
from loadbearing.runs.play.blocks import commit, dearest_block, play_trial
from loadbearing.runs.play.schedule import Ending, Limits, Opened, Schedule, ending_of
from loadbearing.runs.play.stream_memory import Growing, grow, trajectory_of
from loadbearing.runs.prepare.slots import ArmSlots, WorldMemories, fill_slots
from loadbearing.runs.prepare.world_memories import state_memories, wanted_of
from loadbearing.runs.setup.design import Design
from loadbearing.runs.setup.preflight import Experiment
from loadbearing.runs.setup.world_pool import Worlds
from loadbearing.runs.setup.worlds import open_world
from loadbearing.runs.trials.damage import Damager, refuse_failed
from loadbearing.runs.trials.known_actions import known_to
from loadbearing.runs.trials.trials import Block, Trial, interleaved, lay_block


@dataclass
class Streams:
    """All streams of a run.

    Args:
        world: for tasks and lessons; episodes are played in `worlds`.
        intact: by key, how the intact trials ended that the ledger holds.
        stated: memories of the world's own, of all tasks.
        families: of all test tasks.
        known: what the world accepts.
        most_blocks: blocks that this session may still begin; None for all.
        held_back: a block was not begun because of that.
    """

    experiment: Experiment
    world: World
    worlds: Worlds
    embedder: Embedder
    model_client: ModelClient
    ledger: Ledger
    schedule: Schedule
    finished: frozenset[str]
    intact: dict[str, TrialRow]
    stated: Mapping[str, WorldMemories]
    families: Mapping[str, str]
    known: Repertoire
    tick: Callable[[int, int], None]
    most_blocks: int | None = None
    held_back: bool = False

    async def play(self, backbone: str, repeat: int, tasks: tuple[Task, ...]) -> None:
        """One stream, from its first task or from where it stopped."""
        spec = self.experiment.spec
        design = _own_banks(self.experiment.design)
        growing = grow(self.experiment, design, backbone, repeat, self.model_client, self.ledger)
        # a bench of its own: another stream may show the same slot and have other donors
        bench = Damager(spec, self.known)
        for position in generator(spec.seed, Stream.STREAM_TASKS, repeat).permutation(len(tasks)):
            task = tasks[position]
            slots = await self._slots(task, growing)
            block, checks = lay_block(
                spec, design, self.world, backbone, task, int(position), repeat, slots, bench
            )
            self.ledger.add_checks(checks)
            refuse_failed(checks)
            block = interleaved(block, generator(spec.seed, Stream.STREAM_CELLS, int(position), repeat))
            if not await self._block(block):
                return
            # every arm is waited for: what is being condensed when another breaks is kept
            seen = (self._remember(one, block, task) for one in growing)
            for fault in await asyncio.gather(*seen, return_exceptions=True):
                if fault is not None:
                    raise fault

    async def _slots(self, task: Task, growing: tuple[Growing, ...]) -> ArmSlots:
        """What the arms show for this task, by what their own memories hold now."""
        spec, cue = self.experiment.spec, self.experiment.cue.text
        banks = {one.arm.name: one.bank for one in growing if one.condenser is not None}
        recalled = {
            one.arm.name: {task.id: await one.recall(task, self.worlds, cue)}
            for one in growing
            if one.memory is not None
        }
        slots = fill_slots(spec, (task,), banks, self.stated, self.embedder, cue, recalled)
        earlier = {one.arm.name: one.earlier for one in growing if one.memory is not None}
        return replace(slots, texts={**slots.texts, **earlier}, families={**self.families, **slots.families})

    async def _block(self, block: Block) -> bool:
        """Play what is left of a block; whether the stream may go on."""
        left = tuple(trial for trial in block.trials if trial.key not in self.finished)
        if not left:
            return True
        if self.most_blocks is not None:
            if not self.most_blocks:
                self.held_back = True
                return False
            self.most_blocks -= 1
        opened = await self.schedule.admit(replace(block, trials=left))
        if opened is None:
            return False
        ended = await asyncio.gather(*(self._trial(trial) for trial in left), return_exceptions=True)
        for one in ended:
            if isinstance(one, HaltFault):
                await self.schedule.stop(ending_of(one))
                return False
            if isinstance(one, BaseException):
                # this block never ends, and nobody is to wait for it
                await self.schedule.stop(ending_of(str(one)))
                raise one
            row, episode = one
            opened.rows.append(row)
            opened.episodes += [episode] if episode is not None else []
            if row.condition == INTACT:
                self.intact[row.key] = row
        await self.over(opened)
        return True

    async def over(self, opened: Opened) -> None:
        """Commit a block that has ended, and let others know.

        Raises:
            StoreFault, LedgerFault: it cannot be kept; nothing more is begun.
        """
        try:
            commit(opened, self.model_client, self.ledger)
        except (StoreFault, LedgerFault) as fault:
            # it stays open for ever: who waits for it to end is to wait no longer
            await self.schedule.stop(ending_of(str(fault)))
            raise
        await self.schedule.finished(opened)
        self.tick(len(opened.block.trials), sum(row.status == "error" for row in opened.rows))

    async def _trial(self, trial: Trial) -> tuple[TrialRow, EpisodeRow | None]:
        async with self.worlds.one() as world:
            return await play_trial(self.experiment.spec, world, trial, self.model_client)

    async def _remember(self, growing: Growing, block: Block, task: Task) -> None:
        """Let an arm's memory see what the arm did; an error leaves nothing to see."""
        key = next(
            trial.key
            for trial in block.trials
            if (trial.arm.name, trial.condition) == (growing.arm.name, INTACT)
        )
        row, episode = self.intact[key], self.ledger.episode(key)
        await growing.see(
            task, None if episode is None else trajectory_of(task, row, episode), self.model_client
        )


async def play_streams(
    experiment: Experiment,
    world: World,
    embedder: Embedder,
    model_client: ModelClient,
    ledger: Ledger,
    tick: Callable[[int, int], None],
    limits: Limits,
    workers: int,
    most_blocks: int | None,
) -> Ending:
    """All streams side by side; how they ended."""
    spec = experiment.spec
    tasks = world.tasks("test")
    worlds = Worlds(lambda: open_world(spec), workers)
    streams = Streams(
        experiment=experiment,
        world=world,
        worlds=worlds,
        embedder=embedder,
        model_client=model_client,
        ledger=ledger,
        schedule=Schedule(
            limits=limits, dearest_usd=None if limits.max_usd is None else dearest_block(ledger)
        ),
        # a trial that broke stays broken: later tasks have been shown what came before
        finished=ledger.finished() | ledger.failed(),
        intact={row.key: row for row in ledger.trials() if row.condition == INTACT},
        stated=state_memories(
            world, tasks, wanted_of(experiment.design.arms), experiment.cue.text, spec.seed
        ),
        families={task.id: task.family for task in tasks},
        known=known_to(experiment.design, world, tasks),
        tick=tick,
        most_blocks=most_blocks,
    )
    every = [(backbone, repeat) for backbone in spec.backbone for repeat in range(spec.repeats)]
    try:
        ended = await asyncio.gather(
            *(streams.play(backbone, repeat, tasks) for backbone, repeat in every), return_exceptions=True
        )
    finally:
        worlds.close()
    for one in ended:
        if isinstance(one, HaltFault):
            await streams.schedule.stop(ending_of(one))
        elif isinstance(one, BaseException):
            raise one
    if streams.schedule.ending.how == "done" and streams.held_back:
        return Ending("limit", "blocks are left")
    return streams.schedule.ending


def _own_banks(design: Design) -> Design:
    """Every arm its own memory, named as the arm is."""
    arms: tuple[Arm, ...] = tuple(
        arm if arm.memory in OF_THE_WORLD else replace(arm, memory=arm.name) for arm in design.arms
    )
    return replace(design, arms=arms)
