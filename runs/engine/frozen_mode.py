"""Mode `frozen`: memory is prepared from the training tasks, then the test tasks are played with it.

Where interim analyses were locked, it is played up to each one, which is taken, and may end the run.
"""

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import AsyncExitStack, nullcontext
from dataclasses import replace
from functools import partial

from memtrial.faults import RESUME, RunFault
from memtrial.ledger.run_plan import (
    RunPlan,
    plan_in_force,
    state_plan,
)
from memtrial.ledger.shards.shard_facts import plan_here
from memtrial.ledger.shared_work import OfferedBlock, SharedWork
from memtrial.models.client.types import ModelFault
from memtrial.protocols import LedgerStore
from memtrial.runs.engine.blocks import BlockPlayer
from memtrial.runs.engine.early_trials import EarlyTrials, may_play_early
from memtrial.runs.engine.frozen.locked_looks import looks_in_force, play_to_looks, stopping_look
from memtrial.runs.engine.frozen.prepared_plan import prepare_plan
from memtrial.runs.engine.leased_blocks import LOOK_S, list_offers
from memtrial.runs.engine.processes.block_work import BlockBasis
from memtrial.runs.engine.processes.process_damage import shows_whole_banks
from memtrial.runs.engine.processes.process_player import ProcessPlayer
from memtrial.runs.engine.processes.process_pool import begin_processes, count_beside, count_trials
from memtrial.runs.engine.processes.process_vectors import begin_vectors
from memtrial.runs.engine.run_limits import limits_of
from memtrial.runs.engine.schedule import Ending, Session
from memtrial.runs.engine.shard_part import take_part
from memtrial.runs.preparation.world_memories import state_memories, wanted_of
from memtrial.runs.setup.context import RunContext
from memtrial.runs.setup.processes.process_world import open_apart
from memtrial.runs.trials.planned.planned_blocks import PlannedBlocks
from memtrial.worlds.world import WorldFault


async def run_frozen(run: RunContext, session: Session) -> Ending:
    """Prepare every block, state the plan, then play what is left, and close the run's world.

    Nothing is prepared again for a run of which nothing is left to play.
    """
    async with AsyncExitStack() as at_end:
        return await _run_to_end(run, session, at_end)


async def _run_to_end(run: RunContext, session: Session, at_end: AsyncExitStack) -> Ending:
    ledger = run.ledger
    finished = ledger.finished_keys() | (frozenset() if session.retry_errors else ledger.failed_keys())
    try:
        sees = session.freeze is not None or session.see_blocks is not None
        if not sees and _is_over(ledger, finished):
            return await play_to_looks(ledger, None, _nothing_left, session.say)
        if session.shared is not None:
            await wait_turn(run, session.shared)
        vectors = begin_vectors(run, count_trials(run)) if count_beside(run, session) else None
        if vectors is not None:
            at_end.callback(vectors.close)
        # before anything is paid for: the world may not state what an arm shows
        stated = state_memories(run.world, run.tasks, wanted_of(run.design.arms), run.cue, run.spec.seed)
        if vectors is not None:
            run = replace(run, embedder=await vectors.take())
        # they load their libraries while memory is prepared
        beside = nullcontext(()) if shows_whole_banks(run.design) else begin_processes(run, session)
        with beside as damaging:
            limits = limits_of(run, session.shared is not None)
            early = EarlyTrials(run, stated, limits) if may_play_early(run, session) else None
            if early is not None:
                at_end.push_async_callback(early.end)
                await early.begin()
            shared = session.shared if not session.retry_errors else None
            laid = shared.list_laid() if shared is not None else ()
            blocks, plan = await prepare_plan(run, stated, early, laid, damaging)
        if early is not None:
            early.stop()
    except (WorldFault, ModelFault) as fault:
        raise RunFault(f"the preparation broke: {fault}; {RESUME}") from fault
    finally:
        run.world.close()  # it may be a process; trials are played in worlds of their own
    if session.freeze is not None:
        session.freeze(blocks, plan)
        return Ending()
    if session.see_blocks is not None:
        session.see_blocks(blocks)
    if session.shared is None:
        state_plan(ledger, plan)
    else:
        offers = () if laid else list_offers(blocks, finished)
        session.shared.decide_alone(partial(_state_and_offer, session, ledger, plan, offers))
        session.shared.end_preparing()
    blocks = take_part(ledger, blocks)
    waiting = blocks.choose(
        (not each.done for each in laid) if laid else _list_waiting(ledger, blocks, finished)
    )
    chosen = waiting[: session.most_blocks]
    n_trials = sum(chosen.n_trials)
    # not by those that damaged: what they remember of texts for that takes more than the rest of a process
    beside = begin_processes(run, session) if chosen else nullcontext(())
    with beside as playing, run.display.phase("play", n_trials) as tick:
        for process in playing:
            await process.tell(BlockBasis.of(chosen.source))
        player = BlockPlayer(
            spec=run.spec,
            open_world=open_apart(run.spec, run.world, lambda: run.experiment.given.open_world(run.spec)),
            model_client=run.model_client,
            ledger=ledger,
            tick=tick,
            limits=limits,
            workers=run.workers,
            most_waiting=run.most_waiting,
            given=run.experiment.given,
            shared=session.shared,
        )
        chosen_player = ProcessPlayer(player, playing) if playing else player
        play = partial(chosen_player.play, finished=finished)
        ending = await play_to_looks(ledger, chosen, play, session.say, session.shared)
    if ending.how == "done" and len(chosen) < len(waiting):
        return Ending("limit", f"{len(waiting) - len(chosen)} blocks are left")
    return ending


def _state_and_offer(
    session: Session, ledger: LedgerStore, plan: RunPlan, offers: Sequence[OfferedBlock]
) -> None:
    """State the plan and lay the blocks out, together: whoever waits for the plan finds the blocks, too."""
    state_plan(ledger, plan)
    if session.shared is not None:
        session.shared.offer(offers, session.retry_errors)


def _list_waiting(ledger: LedgerStore, blocks: PlannedBlocks, finished: frozenset[str]) -> Iterator[bool]:
    """Whether something is left of each block; one in which a row was changed after it was written is not
    played again."""
    for place, keys in zip(blocks.places, blocks.keys, strict=True):
        touched = ledger.damage.touches((place.backbone, place.task.id, place.repeat), keys)
        yield not (finished.issuperset(keys) or touched)


async def wait_turn(run: RunContext, shared: SharedWork) -> None:
    """Of the workers of a run the first prepares it, and the others wait; what it paid costs them nothing.

    Once the plan is stated all of them work the same blocks out. Raises HaltFault where this is interrupted.
    """
    while plan_in_force(run.ledger) is None and not shared.begin_preparing():
        run.model_client.transport.refuse_halted()
        await asyncio.sleep(LOOK_S)


def _is_over(ledger: LedgerStore, finished: frozenset[str]) -> bool:
    """Every trial of the plan was played, or a look that is in force ended the run."""
    plan = plan_in_force(ledger)
    if plan is None or len(finished) >= plan_here(ledger, plan).trials:
        return plan is not None
    return looks_in_force(ledger, plan) is not None and stopping_look(ledger, plan) is not None


async def _nothing_left(_: PlannedBlocks) -> Ending:
    return Ending()
