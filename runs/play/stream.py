"""Mode `stream`: each arm's memory grows task by task from what the arm itself did.

A stream is one backbone and repeat: the test tasks in an order drawn for the repeat, block after block.
Before a block every arm is shown what its own memory holds; after it, the arm's intact trial is condensed
into that memory. Streams run side by side.

Source: ReasoningBank's deployment (UPSTREAM 3.2 to 3.4), where memory is written between tasks.
"""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from loadbearing.arms.arm import OF_THE_WORLD
from loadbearing.environments.world import Task, WorldFault
from loadbearing.ledger.calls import unplayed
from loadbearing.ledger.lock_facts import state_plan
from loadbearing.ledger.random_streams import Stream, generator
from loadbearing.ledger.rows import EpisodeRow, TrialRow
from loadbearing.memory.leakage import Secrets
from loadbearing.models.client.transport import HaltFault
from loadbearing.models.client.types import ModelFault
from loadbearing.outcomes.reserved_names import INTACT
from loadbearing.perturbations.advice.known_actions import Repertoire
from loadbearing.runs.errors import RESUME, RunFault
from loadbearing.runs.play.blocks import commit, dearest_block, play_trial
from loadbearing.runs.play.schedule import Ending, Schedule, Session, ending_of, limits_of
from loadbearing.runs.play.stream_memory import Growing, grow, trajectory_of, without_memory
from loadbearing.runs.prepare.leaks import known_secrets
from loadbearing.runs.prepare.slots import ArmSlots, Memories, WorldMemories, fill_slots
from loadbearing.runs.prepare.world_memories import state_memories, wanted_of
from loadbearing.runs.setup.context import RunContext
from loadbearing.runs.setup.worlds import Worlds, open_world
from loadbearing.runs.trials.damage import Damager, Place, known_to, refuse_failed
from loadbearing.runs.trials.plan_record import planned_at_most, run_plan
from loadbearing.runs.trials.trials import Block, Layout, Trial, interleaved


async def run_streams(run: RunContext, session: Session) -> Ending:
    """State the plan, then play all streams side by side, and close the run's world."""
    spec, ledger, tasks, limits = run.spec, run.ledger, run.tasks, limits_of(run)
    worlds = Worlds(lambda: open_world(spec), run.workers)
    try:
        planned = planned_at_most(spec, run.design, len(tasks))
        state_plan(ledger, run_plan(run.experiment, run.world, tasks, {}, planned, run.embedder.space, {}))
        # a trial that broke stays broken: later tasks have been shown what came before
        finished = ledger.finished() | ledger.failed()
        n_left = sum(planned.values()) - len(finished) - sum(unplayed(ledger.connection).values())
        with run.display.phase("play", n_left) as tick:
            streams = Streams(
                run=run,
                worlds=worlds,
                schedule=Schedule(limits=limits, dearest_usd=dearest_block(ledger, limits)),
                finished=finished,
                intact={row.key: row for row in ledger.trials() if row.condition == INTACT},
                stated=state_memories(run.world, tasks, wanted_of(run.design.arms), run.cue, spec.seed),
                families={task.id: task.family for task in tasks},
                known=known_to(run.design, run.world, tasks),
                secrets=known_secrets(run.world, tasks),
                tick=tick,
                most_blocks=session.most_blocks,
            )
            every = [(backbone, repeat) for backbone in spec.backbone for repeat in range(spec.repeats)]
            ended = await asyncio.gather(
                *(streams.play(backbone, repeat, tasks) for backbone, repeat in every),
                return_exceptions=True,
            )
        for one in ended:
            if isinstance(one, HaltFault):
                await streams.schedule.stop(ending_of(one))
            elif one is not None:
                raise one
        ending = streams.schedule.ending
        return Ending("limit", "blocks are left") if ending.how == "done" and streams.held_back else ending
    except (WorldFault, ModelFault) as fault:
        raise RunFault(f"a stream broke: {fault}; {RESUME}") from fault
    finally:
        worlds.close()
        run.world.close()


@dataclass
class Streams:
    """All streams of a run; `most_blocks` may still begin, and one that may not is held back."""

    run: RunContext
    worlds: Worlds
    schedule: Schedule
    finished: frozenset[str]
    intact: dict[str, TrialRow]
    stated: Mapping[str, WorldMemories]
    families: Mapping[str, str]
    known: Repertoire
    secrets: Secrets
    tick: Callable[[int, int], None]
    most_blocks: int | None = None
    held_back: bool = False

    async def play(self, backbone: str, repeat: int, tasks: tuple[Task, ...]) -> None:
        """One stream, from its first task or from where it stopped."""
        spec, ledger = self.run.spec, self.run.ledger
        # every arm has its own memory, named as the arm is
        own = (
            one if one.memory in OF_THE_WORLD else replace(one, memory=one.name)
            for one in self.run.design.arms
        )
        design = replace(self.run.design, arms=tuple(own))
        growing = grow(self.run, backbone, repeat, self.secrets)
        # a damager of its own: another stream may show the same slot and have other donors
        layout = Layout(spec, design, self.run.world, Damager(spec, self.known))
        for position in generator(spec.seed, Stream.STREAM_TASKS, repeat).permutation(len(tasks)).tolist():
            task = tasks[position]
            slots = await self._slots(task, growing)
            block, checks = layout.block(Place(backbone, task, position, repeat), slots)
            ledger.add_checks(checks)
            refuse_failed(checks)
            block = interleaved(block, generator(spec.seed, Stream.STREAM_CELLS, position, repeat))
            if not await self._block(block):
                return
            # every arm is waited for: what is being condensed when another breaks is saved
            seen = (self._remember(one, block) for one in growing)
            for fault in await asyncio.gather(*seen, return_exceptions=True):
                if fault is not None:
                    raise fault

    async def _slots(self, task: Task, growing: tuple[Growing, ...]) -> ArmSlots:
        """What the arms show for this task, by what their own memories hold now."""
        systems = [one for one in growing if one.memory is not None]
        recalled = {one.arm.name: {task.id: await one.recall(task, self.worlds)} for one in systems}
        banks = {one.arm.name: one.bank for one in growing if one.memory is None}
        memories = Memories(banks, self.stated, recalled)
        slots = await fill_slots(self.run.spec, (task,), memories, self.run.embedder, self.run.cue)
        earlier = {one.arm.name: one.earlier for one in systems}
        return replace(slots, texts={**slots.texts, **earlier}, families={**self.families, **slots.families})

    async def _block(self, block: Block) -> bool:
        """Play what is left of a block; whether the stream may continue."""
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
        for one in await asyncio.gather(*(self._trial(trial) for trial in left), return_exceptions=True):
            if isinstance(one, BaseException):
                # this block never ends: streams that wait for it must not wait longer
                await self.schedule.stop(ending_of(one if isinstance(one, HaltFault) else str(one)))
                if isinstance(one, HaltFault):
                    return False
                raise one
            row, episode = one
            opened.add((row, episode))
            if row.condition == INTACT:
                self.intact[row.key] = row
        await commit(opened, self.schedule, self.run.model_client, self.run.ledger, self.tick)
        return True

    async def _trial(self, trial: Trial) -> tuple[TrialRow, EpisodeRow | None]:
        async with self.worlds.one() as world:
            return await play_trial(self.run.spec, world, trial, self.run.model_client)

    async def _remember(self, growing: Growing, block: Block) -> None:
        """Let an arm's memory see what the arm did; an error leaves nothing to see."""
        own = (growing.arm.name, INTACT)
        trial = next(one for one in block.trials if (one.arm.name, one.condition) == own)
        row, episode = self.intact[trial.key], self.run.ledger.episode(trial.key)
        seen = None if episode is None else trajectory_of(block.task, row, episode)
        if seen is not None and self.run.spec.leakage == "refuse":
            seen = without_memory(seen, trial.shown)
        await growing.see(block.task, seen)
