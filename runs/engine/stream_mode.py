"""Mode `stream`: each arm's memory grows task by task from what the arm itself did.

A stream is one backbone and repeat: the test tasks in an order of its own. Before a block every arm is shown
what its memory holds; after it, the arm's intact trial is condensed into that. Streams run side by side.

Source: ReasoningBank's deployment (UPSTREAM 3.2 to 3.4), where memory is written between tasks.
"""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from memtrial.agents.slot import Slot
from memtrial.agents.trajectory import Step, Trajectory
from memtrial.arms.arm import OF_THE_WORLD
from memtrial.faults import RESUME, RunFault
from memtrial.ledger.random_streams import Stream, generator
from memtrial.ledger.rows import EpisodeRow, TrialRow
from memtrial.ledger.run_plan import state_plan
from memtrial.memory.leakage import Secrets, echo_runs, without_echo
from memtrial.models.client.transport import HaltFault
from memtrial.models.client.types import ModelFault
from memtrial.outcomes.reserved_names import INTACT
from memtrial.perturbations.advice.known_actions import Repertoire
from memtrial.plugins.own_agent import load_agent
from memtrial.runs.engine.blocks import commit, dearest_block, play_alike
from memtrial.runs.engine.growing_memory import Growing, GrowingBank, GrowingSystem, grow
from memtrial.runs.engine.run_limits import limits_of
from memtrial.runs.engine.schedule import Ending, Schedule, Session, ending_of
from memtrial.runs.preparation.arm_slots import ArmSlots, Memories, WorldMemories, fill_slots
from memtrial.runs.preparation.backbone_memories import as_trajectory
from memtrial.runs.preparation.leaks import known_secrets
from memtrial.runs.preparation.world_memories import state_memories, wanted_of
from memtrial.runs.setup.context import RunContext
from memtrial.runs.setup.parallel_work import end_all
from memtrial.runs.setup.processes.process_world import open_apart
from memtrial.runs.setup.world_pool import Worlds, open_world
from memtrial.runs.trials.plan_facts import planned_at_most, run_plan
from memtrial.runs.trials.slot_damage import Damager, Place, failed_of, known_to, refuse_failed
from memtrial.runs.trials.trials import Block, Trial, TrialLayout, interleave
from memtrial.worlds.world import Task, WorldFault


def trajectory_of(task: Task, row: TrialRow, episode: EpisodeRow) -> Trajectory:
    """An intact trial as a trajectory."""
    steps = (Step(**step) for step in episode.steps)
    return as_trajectory(task, row.status == "success", steps, episode.start, row.score)


def without_memory(trajectory: Trajectory, shown: Slot) -> Trajectory:
    """The trajectory whose thoughts do not repeat the memory that was shown in it (no feedback loop)."""
    memory = echo_runs(shown.items)
    steps = (replace(step, thought=without_echo(step.thought, memory)[0]) for step in trajectory.steps)
    return replace(trajectory, steps=tuple(steps))


async def run_streams(run: RunContext, session: Session) -> Ending:
    """State the plan, then play all streams side by side, and close the run's world."""
    spec, ledger, tasks, limits = run.spec, run.ledger, run.tasks, limits_of(run)
    worlds = Worlds(open_apart(spec, run.world, lambda: open_world(spec)), run.workers)
    try:
        planned = planned_at_most(spec, run.design, len(tasks))
        state_plan(ledger, run_plan(run.experiment, run.world, tasks, {}, planned, run.embedder.space, {}))
        # a trial that broke stays broken: later tasks have been shown what came before
        finished = ledger.finished_keys() | ledger.failed_keys()
        n_left = sum(planned.values()) - len(finished) - sum(ledger.accounts.unplayed_trials().values())
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
            plays = (
                streams.play(backbone, nth, tasks)
                for backbone in spec.backbone
                for nth in range(spec.repeats)
            )
            ended = await asyncio.gather(*plays, return_exceptions=True)
        for end in ended:
            if isinstance(end, HaltFault):
                await streams.schedule.stop(ending_of(end))
            elif end is not None:
                raise end
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
            arm if arm.memory in OF_THE_WORLD else replace(arm, memory=arm.name)
            for arm in self.run.design.arms
        )
        design = replace(self.run.design, arms=tuple(own))
        growing = grow(self.run, backbone, repeat, self.secrets)
        # a damager of its own: another stream may show the same slot and have other donors
        agent = load_agent(spec.agent, spec.seed)
        layout = TrialLayout(spec, design, self.run.world, Damager(spec, self.known), agent.digests)
        for position in generator(spec.seed, Stream.STREAM_TASKS, repeat).permutation(len(tasks)).tolist():
            task = tasks[position]
            slots = await self._slots(task, growing)
            block, checks = layout.block(Place(backbone, task, position, repeat), slots)
            ledger.add_checks(checks)
            refuse_failed(failed_of(checks), len(checks))
            rng = generator(spec.seed, Stream.STREAM_CELLS, position, repeat)
            block = interleave(block, rng.permutation(len(block.trials)).tolist())
            if not await self._block(block):
                return
            # every arm is waited for: what is being condensed when another breaks is saved
            await end_all(self._remember(grown, block) for grown in growing)

    async def _slots(self, task: Task, growing: tuple[Growing, ...]) -> ArmSlots:
        """What the arms show for this task, by what their own memories hold now."""
        systems = [grown for grown in growing if isinstance(grown, GrowingSystem)]
        recalled = {grown.arm.name: {task.id: await grown.recall(task, self.worlds)} for grown in systems}
        banks = {grown.arm.name: grown.store for grown in growing if isinstance(grown, GrowingBank)}
        memories = Memories(banks, self.stated, recalled)
        slots = await fill_slots(self.run.spec, (task,), memories, self.run.cue)
        earlier = {grown.arm.name: grown.earlier for grown in systems}
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
        for ended in await asyncio.gather(*(self._trial(trial) for trial in left), return_exceptions=True):
            if isinstance(ended, BaseException):
                # this block never ends: streams that wait for it must not wait longer
                await self.schedule.stop(ending_of(ended if isinstance(ended, HaltFault) else str(ended)))
                if isinstance(ended, HaltFault):
                    return False
                raise ended
            row, episode = ended
            opened.add((row, episode))
            if row.condition == INTACT:
                self.intact[row.key] = row
        await commit(opened, self.schedule, self.run.model_client, self.run.ledger, self.tick)
        return True

    async def _trial(self, trial: Trial) -> tuple[TrialRow, EpisodeRow | None]:
        async with self.worlds.borrow() as world:
            return (await play_alike(self.run.spec, world, (trial,), self.run.model_client))[0]

    async def _remember(self, growing: Growing, block: Block) -> None:
        """Let an arm's memory see what the arm did; an error leaves nothing to see."""
        own = (growing.arm.name, INTACT)
        trial = next(trial for trial in block.trials if (trial.arm.name, trial.condition) == own)
        row, episode = self.intact[trial.key], self.run.ledger.episode(trial.key)
        seen = None if episode is None else trajectory_of(block.task, row, episode)
        if seen is not None and self.run.spec.leakage == "refuse":
            seen = without_memory(seen, trial.shown)
        await growing.see(block.task, seen)
