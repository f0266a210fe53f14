"""One session of a run: prepare, check, play. What the ledger holds already is not done again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from environments.world import World, WorldFault
from ledger.audit import Damage
from ledger.locking import identity_in_force, state_plan
from ledger.standing import unplayed
from ledger.store import Ledger
from models.cache import StoreFault
from models.call import ModelFault
from models.door import Door
from models.embedding import Embedder
from models.embedding_catalogue import open_embedder
from models.sending import HaltFault
from runs.checking import Experiment
from runs.damage import Workbench, refuse_failed
from runs.deciding import check_decisions
from runs.display import Display
from runs.fault import RunFault
from runs.folder import identity_of, refuse_changed
from runs.interrupting import on_interrupt
from runs.looking import play_to_looks
from runs.opening import open_door, workers
from runs.ordering import in_order, task_order
from runs.playing import play_blocks, slots_of
from runs.preparing import prepare
from runs.repertoire import known_to
from runs.schedule import Ending, Limits, ending_of
from runs.stated import state_memories, wanted_of
from runs.stating import plan_facts, planned_at_most, planned_of
from runs.streaming import play_streams
from runs.trials import Block, lay_out
from runs.worlds import open_world


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
    freeze: Callable[[tuple[Block, ...], dict[str, Any]], None] | None = None
    amending: bool = False


async def carry_out(experiment: Experiment, ledger: Ledger, display: Display, session: Session) -> Ending:
    """Prepare, check and play; how it ended.

    Raises:
        LedgerFault: the ledger was begun by another version, or cannot be written.
        RunFault: the run cannot go on; what is done stays done.
    """
    door = open_door(experiment, ledger, session.say)
    display.pulse = door.pulse
    try:
        with on_interrupt(door.sender.halt, display.say):
            return await _all_of_it(experiment, ledger, display, session, door)
    except HaltFault as fault:
        return ending_of(fault)
    except StoreFault as fault:
        raise RunFault(f"{fault}; what is kept stays, the same command goes on from here") from fault
    finally:
        await door.close()


async def _all_of_it(
    experiment: Experiment, ledger: Ledger, display: Display, session: Session, door: Door
) -> Ending:
    spec = experiment.spec
    world = open_world(spec)
    embedder = open_embedder(
        spec.retrieval.embedder,
        experiment.keys,
        ledger.connection,
        door.sender.patience,
        session.say,
        spec.engine.max_reply_bytes,
    )
    # tables of calls and vectors are there by now
    ledger.seal_tables()
    if spec.mode == "stream":
        return await _streams(experiment, world, embedder, door, ledger, display, session)
    try:
        blocks, plan = await _prepare(experiment, world, embedder, door, ledger, display)
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
                door,
                ledger,
                tick,
                _limits(experiment, door),
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
    door: Door,
    ledger: Ledger,
    display: Display,
    session: Session,
) -> Ending:
    """Mode `stream`: memory is made on the way."""
    spec = experiment.spec
    try:
        tasks = world.tasks("test")
        planned = planned_at_most(spec, experiment.design, len(tasks))
        ledger.state("plan", plan_facts(experiment, world, tasks, {}, planned, embedder.space))
        over = len(ledger.finished() | ledger.failed()) + sum(unplayed(ledger.connection).values())
        with display.phase("play", sum(planned.values()) - over) as tick:
            ending = await play_streams(
                experiment,
                world,
                embedder,
                door,
                ledger,
                tick,
                _limits(experiment, door),
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


def _limits(experiment: Experiment, door: Door) -> Limits:
    spec = experiment.spec
    return Limits(
        max_usd=spec.budget.max_cost_usd,
        max_error_share=spec.engine.max_error_share,
        spent=lambda: door.sender.paid(door.cache)[0],
        halted=lambda: door.sender.halted,
    )


async def _prepare(
    experiment: Experiment,
    world: World,
    embedder: Embedder,
    door: Door,
    ledger: Ledger,
    display: Display,
) -> tuple[tuple[Block, ...], dict[str, Any]]:
    """Every block with its damage done and checked, and the plan."""
    spec, design = experiment.spec, experiment.design
    tasks = world.tasks("test")
    # before anything is paid for: the world may not state what an arm shows
    stated = state_memories(world, tasks, wanted_of(design.arms), experiment.cue.text, spec.seed)
    shelves = {
        backbone: await prepare(experiment, backbone, world, tasks, stated, embedder, door, ledger, display)
        for backbone in spec.backbone
    }
    n_blocks = len(spec.backbone) * len(tasks) * spec.repeats
    with display.phase("damage and check", n_blocks) as tick:
        bench = Workbench(spec, known_to(design, world, tasks))
        blocks, checks = lay_out(spec, design, world, tasks, shelves, bench, tick)
        ledger.add_checks(checks)
    refuse_failed(checks)
    await check_decisions(experiment, blocks, world, door, ledger, display)
    lost = {backbone: ledger.lost_traces(backbone) for backbone in spec.backbone}
    facts = plan_facts(experiment, world, tasks, shelves, planned_of(blocks), embedder.space, lost)
    blocks = in_order(spec, blocks, facts["clusters"])
    return blocks, facts | {"task_order": task_order(blocks)}


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
