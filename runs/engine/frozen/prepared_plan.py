"""The plan of a run that is played with frozen memory: all of its blocks, damaged and checked."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from memtrial.ledger.rows import CheckRow
from memtrial.ledger.run_plan import (
    RunPlan,
    stated_plan,
)
from memtrial.ledger.shared_work import OfferedBlock
from memtrial.runs.engine.early_trials import EarlyTrials
from memtrial.runs.engine.leased_blocks import take_laid
from memtrial.runs.engine.processes.process_damage import damage_beside
from memtrial.runs.engine.processes.process_pool import BlockProcess
from memtrial.runs.preparation.arm_slots import WorldMemories
from memtrial.runs.preparation.backbone_memories import Prepared, prepare
from memtrial.runs.preparation.banks import ignore_bank
from memtrial.runs.preparation.leaks import count_leaks, leaks_of, refuse_leaks
from memtrial.runs.preparation.store_conduct import conduct_notes
from memtrial.runs.setup.context import RunContext
from memtrial.runs.setup.parallel_work import end_all
from memtrial.runs.trials.damaged_stores import damage_stores
from memtrial.runs.trials.decision_check import check_decisions
from memtrial.runs.trials.plan_facts import run_plan
from memtrial.runs.trials.planned.block_order import BlockPlaces
from memtrial.runs.trials.planned.planned_blocks import PlanDraft, PlannedBlocks
from memtrial.runs.trials.slot_damage import Damager, failed_of, in_reach, known_to, refuse_failed
from memtrial.runs.trials.trials import TrialLayout, n_to_damage
from memtrial.runs.trials.written_damage import write_damage

CHECKS_AT_ONCE = 2000
"""Checks that are written together."""


async def prepare_plan(
    run: RunContext,
    stated: Mapping[str, WorldMemories],
    early: EarlyTrials | None,
    laid: Sequence[OfferedBlock],
    processes: Sequence[BlockProcess],
) -> tuple[PlannedBlocks, RunPlan]:
    """Every block with its damage done and checked, in the order of playing, and the plan.

    Args:
        laid: the blocks as another worker laid them out, and checked their damage; each is damaged here when
            it is played. Empty where they are laid out now.
        processes: damage the slots; none where this process does.
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
            await _lay_out(run, draft, tick, processes)
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


async def _lay_out(
    run: RunContext, draft: PlanDraft, tick: Callable[[int], None], processes: Sequence[BlockProcess]
) -> None:
    """Lay all blocks out and keep their checks. RunFault where damage was not done; HaltFault where this is
    interrupted."""
    ledger = run.ledger
    checks: list[CheckRow] = []
    failed: list[CheckRow] = []
    n_checks = 0
    async with damage_beside(draft, processes) as reach:
        for number in range(len(draft.source.places)):
            run.model_client.transport.refuse_halted()
            while not await reach(number):
                run.model_client.transport.refuse_halted()
            of_block = draft.lay(number, tick)
            checks += of_block
            if len(checks) >= CHECKS_AT_ONCE:
                ledger.add_checks(checks)
                checks = []
            n_checks += len(of_block)
            failed += failed_of(of_block)
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
