"""Mode `frozen`: memory is prepared from the training tasks, then the test tasks are played with it."""

from __future__ import annotations

from collections import Counter

from loadbearing.environments.world import WorldFault
from loadbearing.ledger.lock_facts import state_plan
from loadbearing.ledger.run_plan import RunPlan
from loadbearing.models.client.types import ModelFault
from loadbearing.runs.errors import RESUME, RunFault
from loadbearing.runs.play.blocks import BlockPlayer, slots_of
from loadbearing.runs.play.interim_looks import play_to_looks
from loadbearing.runs.play.runner import Session
from loadbearing.runs.play.schedule import Ending, limits_of
from loadbearing.runs.prepare.backbone import prepare
from loadbearing.runs.prepare.world_memories import state_memories, wanted_of
from loadbearing.runs.setup.context import RunContext
from loadbearing.runs.setup.worlds import open_world
from loadbearing.runs.trials.advice_check import check_decisions
from loadbearing.runs.trials.damage import Damager, refuse_failed
from loadbearing.runs.trials.known_actions import known_to
from loadbearing.runs.trials.plan_record import run_plan
from loadbearing.runs.trials.trials import Block, Layout, in_order, lay_out


async def run_frozen(run: RunContext, session: Session) -> Ending:
    """Prepare every block, state the plan, then play what is left, and close the run's world.

    Raises:
        RunFault: the infrastructure broke, or the run cannot continue for another reason.
        HaltFault, StoreFault: nothing more may be sent.
    """
    ledger = run.ledger
    try:
        blocks, plan = await _prepare(run)
    except (WorldFault, ModelFault) as fault:
        raise RunFault(f"the preparation broke: {fault}; {RESUME}") from fault
    finally:
        run.world.close()  # it may be a process; trials are played in worlds of their own
    if session.freeze is not None:
        session.freeze(blocks, plan)
        return Ending()
    state_plan(ledger, plan)
    finished = ledger.finished() | (frozenset() if session.retry_errors else ledger.failed())
    waiting: list[Block] = []
    for block in blocks:
        place, keys = (block.backbone, block.task.id, block.repeat), [trial.key for trial in block.trials]
        if not finished.issuperset(keys):
            # rows that were changed after they were written are played again only when it is asked for
            if not ledger.damage.touches(place, keys):
                waiting.append(block)
        elif "slots" in ledger.damage.aside:
            ledger.add_slots(slots_of(block))  # set aside with others; written again
    chosen = tuple(waiting[: session.most_blocks])
    with run.display.phase("play", sum(len(block.trials) for block in chosen)) as tick:
        player = BlockPlayer(
            spec=run.spec,
            open_world=lambda: open_world(run.spec),
            model_client=run.model_client,
            ledger=ledger,
            tick=tick,
            limits=limits_of(run),
            workers=run.workers,
        )
        ending = await play_to_looks(ledger, chosen, lambda some: player.play(some, finished), session.say)
    if ending.how == "done" and len(chosen) < len(waiting):
        return Ending("limit", f"{len(waiting) - len(chosen)} blocks are left")
    return ending


async def _prepare(run: RunContext) -> tuple[tuple[Block, ...], RunPlan]:
    """Every block with its damage done and checked, in the order of playing, and the plan."""
    spec, design, ledger, tasks = run.spec, run.design, run.ledger, run.tasks
    # before anything is paid for: the world may not state what an arm shows
    stated = state_memories(run.world, tasks, wanted_of(design.arms), run.cue, spec.seed)
    arm_slots = {backbone: await prepare(run, backbone, tasks, stated) for backbone in spec.backbone}
    with run.display.phase("damage and check", len(spec.backbone) * len(tasks) * spec.repeats) as tick:
        layout = Layout(spec, design, run.world, Damager(spec, known_to(design, run.world, tasks)))
        blocks, checks = lay_out(layout, tasks, arm_slots, tick)
        ledger.add_checks(checks)
    refuse_failed(checks)
    await check_decisions(run, blocks)
    lost = {backbone: ledger.lost_traces(backbone) for backbone in spec.backbone}
    planned = Counter(trial.arm.name for block in blocks for trial in block.trials)
    plan = run_plan(run.experiment, run.world, tasks, arm_slots, planned, run.embedder.space, lost)
    blocks = in_order(spec, blocks, plan.clusters)
    # tasks in the order in which their last blocks are played
    last = {block.task.id: place for place, block in enumerate(blocks)}
    order = tuple(sorted(last, key=lambda task: last[task]))
    return blocks, plan.model_copy(update={"task_order": order})
