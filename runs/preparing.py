"""Prepare one backbone: collect, condense, recall, retrieve."""

from __future__ import annotations

from arms.arm import ORACLE
from environments.world import Task, World
from episodes.slot import Slot
from episodes.trajectory import Trajectory
from ledger.store import Ledger
from memory.bank import Bank
from models.door import Caller, Door
from models.embedding import Embedder
from runs.casting import gate_model
from runs.checking import Experiment
from runs.collecting import collect
from runs.condensing import AT_ONCE, build_condenser, fill_banks
from runs.display import Display
from runs.opening import workers
from runs.own.memory import load_memory
from runs.recalling import recall_all
from runs.shelf import Shelf, fill_shelf


async def prepare(
    experiment: Experiment,
    backbone: str,
    world: World,
    tasks: tuple[Task, ...],
    embedder: Embedder,
    door: Door,
    ledger: Ledger,
    display: Display,
) -> Shelf:
    """What the arms of one backbone show for each task.

    Raises:
        WorldFault, ModelFault: the infrastructure broke; what is done stays done.
        HaltFault, StoreFault: nothing more may be sent.
        RunFault: a memory system of the user's broke.
    """
    spec, design = experiment.spec, experiment.design
    banks: dict[str, Bank] = {}
    recalled: dict[str, dict[str, Slot]] = {}
    if design.memories or design.systems:
        train = world.tasks("train")
        at_once = workers(experiment, world.blocking)
        with display.phase(f"collect, {backbone}", len(train)) as tick:
            traces = await collect(spec, backbone, world, door, ledger, lambda: tick(1), at_once)
        banks = await _condense(experiment, backbone, train, traces, door, ledger, display)
        for arm in design.arms:
            if arm.memory in design.systems and arm.memory not in recalled:
                caller = Caller(door, spec.roles.condenser or backbone, purpose=f"memory {arm.name}")
                memory = load_memory(arm.memory, caller, spec.seed)
                cue = experiment.cue.text
                with display.phase(f"recall by {arm.name}, {backbone}", len(tasks)) as tick:
                    recalled[arm.memory] = await recall_all(
                        backbone, arm.name, memory, traces, world, tasks, ledger, cue, lambda: tick(1)
                    )
    oracle = any(arm.memory == ORACLE for arm in design.arms)
    return fill_shelf(spec, world, tasks, banks, oracle, embedder, experiment.cue.text, recalled)


async def _condense(
    experiment: Experiment,
    backbone: str,
    train: tuple[Task, ...],
    traces: tuple[Trajectory, ...],
    door: Door,
    ledger: Ledger,
    display: Display,
) -> dict[str, Bank]:
    spec, names = experiment.spec, experiment.design.memories
    model = spec.roles.condenser or backbone
    judge = gate_model(model, spec.roles.gate)
    condensers = {
        name: build_condenser(
            name, spec.condensers[name], door, model, judge, experiment.control, spec.traces.view, spec.seed
        )
        for name in names
    }
    templates = {task.id: task.template for task in train}
    shared = spec.roles.condenser is not None and (
        spec.traces.player is not None or spec.traces.source == "import"
    )
    # a batch wants all of them together
    at_once = len(traces) if spec.engine.batch else max(AT_ONCE, workers(experiment, False))
    with display.phase(f"condense, {backbone}", len(traces) * len(names)) as tick:
        return await fill_banks(
            backbone,
            condensers,
            traces,
            templates,
            door,
            ledger,
            shared,
            lambda: tick(1),
            at_once,
            spec.engine.max_error_share,
        )
