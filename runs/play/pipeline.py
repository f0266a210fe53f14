"""One session of a run: prepare, check, play. What the ledger holds already is not done again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from loadbearing.environments.world import World, WorldFault
from loadbearing.ledger.audit import Damage
from loadbearing.ledger.lock_facts import identity_in_force, state_plan
from loadbearing.ledger.progress import unplayed
from loadbearing.ledger.run_plan import RunPlan
from loadbearing.ledger.store import Ledger
from loadbearing.models.client.cache import StoreFault
from loadbearing.models.client.client import ModelClient
from loadbearing.models.client.transport import HaltFault
from loadbearing.models.client.types import ModelFault
from loadbearing.models.embeddings.embedders import open_embedder
from loadbearing.models.embeddings.embedding import Embedder
from loadbearing.runs.errors import RunFault
from loadbearing.runs.folder.run_folder import identity_of, refuse_changed
from loadbearing.runs.play.blocks import play_blocks, slots_of
from loadbearing.runs.play.interim_looks import play_to_looks
from loadbearing.runs.play.interrupt import on_interrupt
from loadbearing.runs.play.schedule import Ending, Limits, ending_of
from loadbearing.runs.play.stream import play_streams
from loadbearing.runs.prepare.backbone import prepare
from loadbearing.runs.prepare.world_memories import state_memories, wanted_of
from loadbearing.runs.progress.display import Display
from loadbearing.runs.setup.model_client import open_client, workers
from loadbearing.runs.setup.preflight import Experiment
from loadbearing.runs.setup.worlds import open_world
from loadbearing.runs.trials.advice_check import check_decisions
from loadbearing.runs.trials.damage import Damager, refuse_failed
from loadbearing.runs.trials.known_actions import known_to
from loadbearing.runs.trials.order import in_order, task_order
from loadbearing.runs.trials.plan_record import planned_at_most, planned_of, run_plan
from loadbearing.runs.trials.trials import Block, lay_out


@dataclass(frozen=True, slots=True)
class Session:
    """What one `run` command asks for, beside the spec.

    Args:
        most_blocks: play this many and stop; None for all.
        retry_errors: play trials again whose last attempt was an error.
        say: told of what happens, in lines for the log.
        freeze: gets the blocks and the plan before the first trial, and none is played; None to play them.
        amending: another analysis than the ledger states is about to be stated.
    """

    most_blocks: int | None = None
    retry_errors: bool = False
    say: Callable[[str], None] = lambda _: None
    freeze: Callable[[tuple[Block, ...], RunPlan], None] | None = None
    amending: bool = False


async def carry_out(experiment: Experiment, ledger: Ledger, display: Display, session: Session) -> Ending:
    """Prepare, check and play; how it ended.

    Raises:
        LedgerFault: the ledger was begun by another version, or cannot be written.
        RunFault: the run cannot go on; what is done stays done.
    """
    model_client = open_client(experiment, ledger, session.say)
    display.stats = model_client.stats
    try:
        with on_interrupt(model_client.transport.halt, display.say):
            return await _all_of_it(experiment, ledger, display, session, model_client)
    except HaltFault as fault:
        return ending_of(fault)
    except StoreFault as fault:
        raise RunFault(f"{fault}; what is kept stays, the same command goes on from here") from fault
    finally:
        await model_client.close()


async def _all_of_it(
    experiment: Experiment, ledger: Ledger, display: Display, session: Session, model_client: ModelClient
) -> Ending:
    spec = experiment.spec
    world = open_world(spec)
    embedder = open_embedder(
        spec.retrieval.embedder,
        experiment.keys,
        ledger.connection,
        model_client.transport.retry_policy,
        session.say,
        spec.engine.max_reply_bytes,
    )
    # tables of calls and vectors are there by now
    ledger.seal_tables()
    if spec.mode == "stream":
        return await _streams(experiment, world, embedder, model_client, ledger, display, session)
    try:
        blocks, plan = await _prepare(experiment, world, embedder, model_client, ledger, display)
    except (WorldFault, ModelFault) as fault:
        raise RunFault(f"the preparation broke: {fault}; the same command goes on from here") from fault
    finally:
        world.close()
    if session.freeze is not None:
        session.freeze(blocks, plan)
        return Ending()
    state_plan(ledger, plan)
    finished = ledger.finished() | (frozenset() if session.retry_errors else ledger.failed())
    over = [all(trial.key in finished for trial in block.trials) for block in blocks]
    waiting = tuple(
        block
        for block, done in zip(blocks, over, strict=True)
        if not done and not _left_out(block, ledger.damage)
    )
    if "slots" in ledger.damage.aside:
        shown = (block.trials for block, done in zip(blocks, over, strict=True) if done)
        ledger.add_slots(slots_of(chain.from_iterable(shown)))
    chosen = waiting[: session.most_blocks]
    with display.phase("play", sum(len(block.trials) for block in chosen)) as tick:

        async def play(some: tuple[Block, ...]) -> Ending:
            return await play_blocks(
                spec,
                some,
                finished,
                lambda: open_world(spec),
                model_client,
                ledger,
                tick,
                _limits(experiment, model_client),
                workers(experiment, world.blocking),
            )

        ending = await play_to_looks(ledger, chosen, play, session.say)
    if ending.how == "done" and len(chosen) < len(waiting):
        return Ending("limit", f"{len(waiting) - len(chosen)} blocks are left")
    return ending


async def _streams(
    experiment: Experiment,
    world: World,
    embedder: Embedder,
    model_client: ModelClient,
    ledger: Ledger,
    display: Display,
    session: Session,
) -> Ending:
    """Mode `stream`: memory is made on the way."""
    spec = experiment.spec
    try:
        tasks = world.tasks("test")
        planned = planned_at_most(spec, experiment.design, len(tasks))
        state_plan(ledger, run_plan(experiment, world, tasks, {}, planned, embedder.space))
        over = len(ledger.finished() | ledger.failed()) + sum(unplayed(ledger.connection).values())
        with display.phase("play", sum(planned.values()) - over) as tick:
            ending = await play_streams(
                experiment,
                world,
                embedder,
                model_client,
                ledger,
                tick,
                _limits(experiment, model_client),
                workers(experiment, world.blocking),
                session.most_blocks,
            )
    except (WorldFault, ModelFault) as fault:
        raise RunFault(f"a stream broke: {fault}; the same command goes on from here") from fault
    finally:
        world.close()
    return ending


def _left_out(block: Block, damage: Damage) -> bool:
    """A block that cannot be trusted is played again only when it is asked for."""
    return damage.touches((block.backbone, block.task.id, block.repeat), (one.key for one in block.trials))


def _limits(experiment: Experiment, model_client: ModelClient) -> Limits:
    spec = experiment.spec
    return Limits(
        max_usd=spec.budget.max_cost_usd,
        max_error_share=spec.engine.max_error_share,
        spent=lambda: model_client.transport.paid(model_client.cache)[0],
        halted=lambda: model_client.transport.halted,
    )


async def _prepare(
    experiment: Experiment,
    world: World,
    embedder: Embedder,
    model_client: ModelClient,
    ledger: Ledger,
    display: Display,
) -> tuple[tuple[Block, ...], RunPlan]:
    """Every block with its damage done and checked, and the plan."""
    spec, design = experiment.spec, experiment.design
    tasks = world.tasks("test")
    # before anything is paid for: the world may not state what an arm shows
    stated = state_memories(world, tasks, wanted_of(design.arms), experiment.cue.text, spec.seed)
    arm_slots = {
        backbone: await prepare(
            experiment, backbone, world, tasks, stated, embedder, model_client, ledger, display
        )
        for backbone in spec.backbone
    }
    n_blocks = len(spec.backbone) * len(tasks) * spec.repeats
    with display.phase("damage and check", n_blocks) as tick:
        bench = Damager(spec, known_to(design, world, tasks))
        blocks, checks = lay_out(spec, design, world, tasks, arm_slots, bench, tick)
        ledger.add_checks(checks)
    refuse_failed(checks)
    await check_decisions(experiment, blocks, world, model_client, ledger, display)
    lost = {backbone: ledger.lost_traces(backbone) for backbone in spec.backbone}
    plan = run_plan(experiment, world, tasks, arm_slots, planned_of(blocks), embedder.space, lost)
    blocks = in_order(spec, blocks, plan.clusters)
    return blocks, plan.model_copy(update={"task_order": tuple(task_order(blocks))})


def stated_identity(experiment: Experiment) -> dict[str, Any]:
    """All that determines the trials: of the spec, and of the texts and files it stands on."""
    files = {f"digest of {name}": value for name, value in experiment.digests.items()}
    return identity_of(experiment.spec) | files


def begin(experiment: Experiment, ledger: Ledger, folder: Path) -> None:
    """State what this run is, or make sure that it is the same as before.

    Raises:
        SpecFault: the folder holds another experiment.
        LedgerFault: the ledger cannot be written.
    """
    identity = stated_identity(experiment)
    refuse_changed(folder, identity_in_force(ledger), identity)
    if ledger.fact("identity") is None:
        ledger.state("identity", identity)
