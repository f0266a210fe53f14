"""Mode `frozen`: memory is prepared from the training tasks, then the test tasks are played with it.

Where interim analyses were locked, it is played up to each one, which is taken, and may end the run.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, nullcontext
from dataclasses import replace
from functools import partial

from memtrial.analysis.sequential.look_schedule import Looks
from memtrial.faults import RESUME, RunFault
from memtrial.ledger.row_text import now
from memtrial.ledger.rows import CheckRow
from memtrial.ledger.run_plan import (
    Amendment,
    RunPlan,
    TakenLook,
    add_numbered,
    plan_in_force,
    read_lock,
    read_numbered,
    state_plan,
    stated_plan,
)
from memtrial.ledger.shards.shard_facts import plan_here
from memtrial.ledger.shared_work import OfferedBlock, SharedWork
from memtrial.models.client.types import ModelFault
from memtrial.outcomes.count_words import how_many
from memtrial.protocol.monitoring import clusters_in_order, look_now, looks_of
from memtrial.protocol.run_cells import read_played
from memtrial.protocols import LedgerStore
from memtrial.runs.engine.blocks import BlockPlayer
from memtrial.runs.engine.early_trials import EarlyTrials, may_play_early
from memtrial.runs.engine.leased_blocks import LOOK_S, list_offers, take_laid
from memtrial.runs.engine.processes.process_player import process_player
from memtrial.runs.engine.schedule import Ending, Session, limits_of
from memtrial.runs.engine.shard_part import take_part
from memtrial.runs.preparation.arm_slots import WorldMemories
from memtrial.runs.preparation.backbone_memories import Prepared, prepare
from memtrial.runs.preparation.banks import ignore_bank
from memtrial.runs.preparation.leaks import count_leaks, leaks_of, refuse_leaks
from memtrial.runs.preparation.store_conduct import conduct_notes
from memtrial.runs.preparation.world_memories import state_memories, wanted_of
from memtrial.runs.setup.all_ended import end_all
from memtrial.runs.setup.context import RunContext
from memtrial.runs.setup.processes.process_count import count_processes
from memtrial.runs.setup.processes.process_world import open_apart
from memtrial.runs.trials.damaged_stores import damage_stores
from memtrial.runs.trials.decision_check import check_decisions
from memtrial.runs.trials.plan_facts import run_plan
from memtrial.runs.trials.planned.block_order import BlockPlaces
from memtrial.runs.trials.planned.planned_blocks import PlanDraft, PlannedBlocks
from memtrial.runs.trials.slot_damage import Damager, failed_of, in_reach, known_to, refuse_failed
from memtrial.runs.trials.trials import TrialLayout, n_to_damage
from memtrial.runs.trials.written_damage import write_damage
from memtrial.worlds.world import WorldFault

CHECKS_AT_ONCE = 2000
"""Checks that are written together."""
Play = Callable[[PlannedBlocks], Awaitable[Ending]]


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
        # before anything is paid for: the world may not state what an arm shows
        stated = state_memories(run.world, run.tasks, wanted_of(run.design.arms), run.cue, run.spec.seed)
        early = EarlyTrials(run, stated) if may_play_early(run, session) else None
        if early is not None:
            at_end.push_async_callback(early.end)
            await early.begin()
        laid = session.shared.list_laid() if session.shared is not None and not session.retry_errors else ()
        blocks, plan = await _prepare(run, stated, early, laid)
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
    with run.display.phase("play", n_trials) as tick:
        player = BlockPlayer(
            spec=run.spec,
            open_world=open_apart(run.spec, run.world, lambda: run.experiment.given.open_world(run.spec)),
            model_client=run.model_client,
            ledger=ledger,
            tick=tick,
            limits=limits_of(run, session.shared is not None),
            workers=run.workers,
            most_waiting=run.most_waiting,
            given=run.experiment.given,
            shared=session.shared,
        )
        n = 1 if session.shared else count_processes(run.experiment, n_trials)
        with process_player(player, n) if n > 1 else nullcontext(player) as chosen_player:
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
    return _looks(ledger, plan) is not None and _stopping_look(ledger, plan) is not None


async def _nothing_left(_: PlannedBlocks) -> Ending:
    return Ending()


async def _prepare(
    run: RunContext,
    stated: Mapping[str, WorldMemories],
    early: EarlyTrials | None,
    laid: Sequence[OfferedBlock],
) -> tuple[PlannedBlocks, RunPlan]:
    """Every block with its damage done and checked, in the order of playing, and the plan.

    Args:
        laid: the blocks as another worker laid them out, and checked their damage; each is damaged here when
            it is played. Empty where this process lays them out.
    """
    spec, design, ledger, tasks = run.spec, run.design, run.ledger, run.tasks
    prepared = await _prepare_each(run, stated, early)
    arm_slots = {backbone: made.drawn for backbone, made in prepared.items()}
    leaks = leaks_of(run, tasks, arm_slots, (*design.memories, *design.systems))
    refuse_leaks(spec, leaks)
    known = known_to(design, run.world, tasks)
    drafts = await write_damage(run, arm_slots, known)
    stored = await damage_stores(run, tasks, prepared, Damager(spec, known, drafts))
    damager = Damager(spec, known, drafts, stored)
    agent = run.experiment.given.open_agent(spec)
    layout = TrialLayout(spec, design, run.world, damager, agent.digests)
    with run.display.phase(
        "damage and check", 0 if laid else n_to_damage(spec, len(tasks), arm_slots)
    ) as tick:
        arm_slots = {
            backbone: tuple(in_reach(spec, design, tasks, slots, damager) for slots in drawn)
            for backbone, drawn in arm_slots.items()
        }
        draft = PlanDraft.begin(layout, arm_slots, BlockPlaces(spec.backbone, tasks, spec.repeats))
        if laid:
            planned = stated_plan(ledger).planned
        else:
            await _lay_out(ledger, draft, tick)
            planned = dict(draft.planned)
    lost = {backbone: ledger.lost_traces(backbone) for backbone in spec.backbone}
    plan = run_plan(run.experiment, run.world, tasks, arm_slots, planned, run.embedder.space, lost)
    if laid:
        blocks = take_laid(draft.source, laid, plan.clusters)
    else:
        blocks = draft.finish(plan.clusters)
        await check_decisions(run, blocks)
    # tasks in the order in which their last blocks are played
    last = {place.task.id: number for number, place in enumerate(blocks.places)}
    order = tuple(sorted(last, key=lambda task: last[task]))
    notes = (*plan.notes, *stored.sentences, *conduct_notes(ledger, spec.backbone, plan.arms))
    return blocks, plan.model_copy(update={"task_order": order, "leaks": count_leaks(leaks), "notes": notes})


async def _lay_out(ledger: LedgerStore, draft: PlanDraft, tick: Callable[[int], None]) -> None:
    """Lay all blocks out and keep their checks; RunFault where damage was not done."""
    checks: list[CheckRow] = []
    failed: list[CheckRow] = []
    n_checks = 0
    for of_block in draft.lay_each(tick):
        checks += of_block
        if len(checks) >= CHECKS_AT_ONCE:
            ledger.add_checks(checks)
            checks = []
        n_checks += len(of_block)
        failed += failed_of(of_block)
        await asyncio.sleep(0)  # answers that arrive meanwhile have their turn
    ledger.add_checks(checks)
    refuse_failed(failed, n_checks)


async def _prepare_each(
    run: RunContext, stated: Mapping[str, WorldMemories], early: EarlyTrials | None
) -> dict[str, Prepared]:
    """What each backbone's arms show. Where answers are waited for, and no backbone takes over what another
    one has, all are prepared side by side, each with a world of its own."""
    spec, tasks, given = run.spec, run.tasks, run.experiment.given
    taken_over = spec.roles.condenser is not None and (
        spec.traces.player is not None or spec.traces.source == "import"
    )
    in_turn = run.workers < 2 or run.world.blocking or run.reviews is not None or taken_over

    async def prepare_alone(backbone: str, own: RunContext) -> Prepared:
        ready = ignore_bank if early is None else partial(early.take_bank, backbone)
        return await prepare(own, backbone, tasks, stated, ready)

    if in_turn or len(spec.backbone) < 2:
        return {backbone: await prepare_alone(backbone, run) for backbone in spec.backbone}
    owns = [replace(run, world=given.open_world(spec)) for _ in spec.backbone]
    try:
        done = await end_all(map(prepare_alone, spec.backbone, owns))
    finally:
        for own in owns:
            own.world.close()
    return dict(zip(spec.backbone, done, strict=True))


async def play_to_looks(
    ledger: LedgerStore,
    chosen: PlannedBlocks | None,
    play: Play,
    say: Callable[[str], None],
    shared: SharedWork | None = None,
) -> Ending:
    """Play the chosen blocks, if any, in the order of the run; `say` gets a line for every look.

    Where looks were locked, no block beyond a look is begun before it was taken.
    """
    plan = stated_plan(ledger)
    looks = _looks(ledger, plan)
    if looks is None:
        return Ending() if chosen is None else await play(chosen)
    tasks = [task for cluster in clusters_in_order(plan) for task in cluster]
    for number, count in enumerate(looks.counts, 1):
        if ending := _stopping_look(ledger, plan):
            return ending
        upto = frozenset(tasks[:count])
        if chosen is not None:
            is_due = [place.task.id in upto for place in chosen.places]
            due, chosen = chosen.choose(is_due), chosen.choose(not each for each in is_due)
            ending = await play(due) if due else Ending()
            if ending.how != "done":
                return ending
        take = partial(_take_look, ledger, plan, looks)
        # of workers that come to it together one takes it
        look, taken = take() if shared is None else shared.decide_alone(take)
        if look is not None:
            decided = sum(hypothesis.crossed for hypothesis in look.seen)
            done = how_many(look.tasks, "task")
            say(f"look {look.number}, {done}: {decided} of {len(look.seen)} hypotheses decided")
        elif chosen and taken < number:
            why = f"look {number} waits for blocks that cannot be trusted: begin anew with --clean"
            return Ending("halted", why)
    return _stopping_look(ledger, plan) or Ending()


def _take_look(ledger: LedgerStore, plan: RunPlan, looks: Looks) -> tuple[TakenLook | None, int]:
    """The look that is due and was not taken yet, which is noted, and how many were taken before."""
    taken = read_numbered(ledger, TakenLook)
    look = look_now(read_played(ledger, plan), plan, looks, taken)
    if look is None:
        return None, len(taken)
    noted = TakenLook.model_validate(dict(look) | {"made": now()})
    add_numbered(ledger, noted)
    return noted, len(taken)


def _looks(ledger: LedgerStore, plan: RunPlan) -> Looks | None:
    """The looks in force: those that were locked, unless something was amended since."""
    in_force = read_lock(ledger) is not None and not read_numbered(ledger, Amendment)
    return looks_of(plan) if in_force else None


def _stopping_look(ledger: LedgerStore, plan: RunPlan) -> Ending | None:
    """How the run ended, where a look ended it before its last task."""
    last = next((look for look in read_numbered(ledger, TakenLook) if look.stop), None)
    if last is None or last.tasks >= plan.tasks:
        return None
    why = f"stopped at look {last.number}, after {last.tasks} of {plan.tasks} tasks, as it was locked"
    return Ending("boundary", why)
