"""Prepare one backbone: collect, condense, recall, retrieve."""

from __future__ import annotations

from collections.abc import Mapping

from loadbearing.environments.world import Task, World
from loadbearing.episodes.slot import Slot
from loadbearing.episodes.trajectory import Trajectory
from loadbearing.ledger.store import Ledger
from loadbearing.memory.bank import Bank
from loadbearing.models.client.client import Caller, ModelClient
from loadbearing.models.embeddings.embedding import Embedder
from loadbearing.runs.plugins.memory import load_memory
from loadbearing.runs.prepare.banks import AT_ONCE, build_condenser, fill_banks
from loadbearing.runs.prepare.recall import recall_all
from loadbearing.runs.prepare.slots import ArmSlots, WorldMemories, fill_slots, find_records
from loadbearing.runs.prepare.trajectories import collect
from loadbearing.runs.progress.display import Display
from loadbearing.runs.setup.model_client import workers
from loadbearing.runs.setup.model_roles import gate_model
from loadbearing.runs.setup.preflight import Experiment


async def prepare(
    experiment: Experiment,
    backbone: str,
    world: World,
    tasks: tuple[Task, ...],
    stated: Mapping[str, WorldMemories],
    embedder: Embedder,
    model_client: ModelClient,
    ledger: Ledger,
    display: Display,
) -> tuple[ArmSlots, ...]:
    """What the arms of one backbone show for each task, once a draw of the banks.

    Args:
        stated: memories of the world's own.

    Raises:
        WorldFault, ModelFault: the infrastructure broke; what is done stays done.
        HaltFault, StoreFault: nothing more may be sent.
        RunFault: a memory system of the user's broke.
    """
    spec, design, cue = experiment.spec, experiment.design, experiment.cue.text
    banks: dict[str, tuple[Bank, ...]] = {}
    recalled: dict[str, dict[str, Slot]] = {}
    if design.memories or design.systems:
        train = world.tasks("train")
        at_once = workers(experiment, world.blocking)
        with display.phase(f"collect, {backbone}", len(train)) as tick:
            traces = await collect(spec, backbone, world, model_client, ledger, lambda: tick(1), at_once)
        banks = await _condense(experiment, backbone, train, traces, model_client, ledger, display)
        for arm in design.arms:
            if arm.memory in design.systems and arm.memory not in recalled:
                caller = Caller(model_client, spec.roles.condenser or backbone, purpose=f"memory {arm.name}")
                memory = load_memory(arm.memory, caller, spec.seed)
                with display.phase(f"recall by {arm.name}, {backbone}", len(tasks)) as tick:
                    recalled[arm.memory] = await recall_all(
                        backbone, arm.name, memory, traces, world, tasks, ledger, cue, lambda: tick(1)
                    )
    found = find_records(spec, tasks, of_draw(banks, 0), embedder)
    return tuple(
        fill_slots(spec, tasks, of_draw(banks, draw), stated, embedder, cue, recalled, found)
        for draw in range(design.draws)
    )


def of_draw(banks: Mapping[str, tuple[Bank, ...]], draw: int) -> dict[str, Bank]:
    """One bank of each condenser; one that was asked once has the same for every draw."""
    return {name: drawn[draw % len(drawn)] for name, drawn in banks.items()}


async def _condense(
    experiment: Experiment,
    backbone: str,
    train: tuple[Task, ...],
    traces: tuple[Trajectory, ...],
    model_client: ModelClient,
    ledger: Ledger,
    display: Display,
) -> dict[str, tuple[Bank, ...]]:
    spec, design = experiment.spec, experiment.design
    times = {name: design.draws if name in design.drawn else 1 for name in design.memories}
    model = spec.roles.condenser or backbone
    judge = gate_model(model, spec.roles.gate)
    condensers = {
        name: tuple(
            build_condenser(
                name,
                spec.condensers[name],
                model_client,
                model,
                judge,
                experiment.control,
                spec.traces.view,
                spec.seed,
                draw,
            )
            for draw in range(n)
        )
        for name, n in times.items()
    }
    templates = {task.id: task.template for task in train}
    shared = spec.roles.condenser is not None and (
        spec.traces.player is not None or spec.traces.source == "import"
    )
    # a batch wants all of them together
    most = len(traces) * design.draws
    at_once = most if spec.engine.batch else max(AT_ONCE, workers(experiment, False))
    with display.phase(f"condense, {backbone}", len(traces) * sum(times.values())) as tick:
        return await fill_banks(
            backbone,
            condensers,
            traces,
            templates,
            model_client,
            ledger,
            shared,
            lambda: tick(1),
            at_once,
            spec.engine.max_error_share,
        )
