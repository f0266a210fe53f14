"""One run: prepare, check, play. What the ledger holds already is not done again."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from arms.arm import NONE, ORACLE
from environments.world import Task, World, WorldFault
from episodes.traces import TraceFault, read_traces
from gates.suite import ALL as GATES
from ledger.store import Ledger
from models.cache import CallCache
from models.call import ModelFault
from models.catalogue import open_backend
from models.door import Door
from models.embedding import HashingEmbedder
from prompts.control import ControlFault, ControlPrompts, load_control
from prompts.templates import Prompt, cue_line
from runs.casting import cast, check_cast, gate_model
from runs.collecting import collect
from runs.condensing import build_condenser, fill_banks
from runs.damage import Workbench, refuse_failed
from runs.design import Design, design_of
from runs.display import Display
from runs.fault import RunFault, SpecFault
from runs.folder import identity_of, refuse_changed
from runs.playing import play_blocks
from runs.shelf import Shelf, fill_shelf
from runs.spec import Spec
from runs.trials import Block, lay_out
from runs.worlds import open_world

PLAYED = ("react_system", "react_turn", "react_withheld")
CONDENSED = ("judge", "theory_draft", "theory_revise", "native_success", "native_failure")


@dataclass(frozen=True, slots=True)
class Experiment:
    """A spec with all that was checked about it before anything was begun."""

    spec: Spec
    design: Design
    control: ControlPrompts


def check_spec(spec: Spec) -> Experiment:
    """Everything cheap is checked here: arms, gates, models, files.

    Raises:
        SpecFault: something does not fit.
    """
    design = design_of(spec)
    try:
        control = load_control(spec.control.source)
    except ControlFault as fault:
        raise SpecFault(str(fault)) from fault
    check_cast(cast(spec, design))
    if spec.traces.path is not None:
        try:
            read_traces(spec.traces.path)
        except TraceFault as fault:
            raise SpecFault(f"traces.path: {fault}") from fault
    open_world(spec).close()
    return Experiment(spec, design, control)


async def carry_out(
    experiment: Experiment, ledger: Ledger, display: Display, most_blocks: int | None
) -> None:
    """Prepare, check and play.

    Raises:
        LedgerFault: the ledger was begun by another version.
        RunFault: the run cannot go on; what is done stays done.
    """
    spec, design = experiment.spec, experiment.design
    door = Door(CallCache(ledger.connection), open_backend)
    world = open_world(spec)
    try:
        tasks = world.tasks("test")
        shelves = {
            backbone: await _prepare(experiment, backbone, world, tasks, door, ledger, display)
            for backbone in spec.backbone
        }
        n_blocks = len(spec.backbone) * len(tasks) * spec.repeats
        with display.phase("damage and check", n_blocks) as tick:
            blocks, checks = lay_out(spec, design, world, tasks, shelves, Workbench(spec), tick)
            ledger.add_checks(checks)
        refuse_failed(checks)
        ledger.state("plan", _plan(experiment, world, tasks, shelves, blocks))
    except (WorldFault, ModelFault) as fault:
        raise RunFault(f"the preparation broke: {fault}; the same command goes on from here") from fault
    finally:
        world.close()
    finished = ledger.finished()
    waiting = tuple(block for block in blocks if not all(trial.key in finished for trial in block.trials))
    chosen = waiting[:most_blocks]
    with display.phase("play", sum(len(block.trials) for block in chosen)) as tick:
        await play_blocks(spec, chosen, finished, lambda: open_world(spec), door, ledger, tick)


def begin(experiment: Experiment, ledger: Ledger, folder: Path) -> None:
    """State what this run is, or make sure that it is the same as before.

    Raises:
        SpecFault: the folder holds another experiment.
    """
    identity = identity_of(experiment.spec) | {
        f"digest of {name}": value for name, value in _digests(experiment).items()
    }
    refuse_changed(folder, ledger.fact("identity"), identity)
    ledger.state("identity", identity)


def _digests(experiment: Experiment) -> dict[str, str]:
    """Sha256 of every text and file, besides the spec, that determines what is sent."""
    gates = tuple(gate.question.name for gate in GATES)
    digests = {f"prompt {name}": Prompt(name).digest for name in (*PLAYED, *CONDENSED, *gates)}
    digests["prompt cue"] = sha256(cue_line().encode()).hexdigest()
    digests["control"] = experiment.control.digest
    digests["embedder"] = HashingEmbedder().space
    if experiment.spec.traces.path is not None:
        digests["traces"] = sha256(experiment.spec.traces.path.read_bytes()).hexdigest()
    return digests


async def _prepare(
    experiment: Experiment,
    backbone: str,
    world: World,
    tasks: tuple[Task, ...],
    door: Door,
    ledger: Ledger,
    display: Display,
) -> Shelf:
    """Collect, condense and retrieve for one backbone."""
    spec, design = experiment.spec, experiment.design
    names = design.memories
    banks = {}
    if names:
        train = world.tasks("train")
        with display.phase(f"collect, {backbone}", len(train)) as tick:
            traces = await collect(spec, backbone, world, door, ledger, lambda: tick(1))
        model = spec.roles.condenser or backbone
        judge = gate_model(model, spec.roles.gate)
        condensers = {
            name: build_condenser(
                name, spec.condensers[name], door, model, judge, experiment.control, spec.traces.view
            )
            for name in names
        }
        templates = {task.id: task.template for task in train}
        shared = spec.roles.condenser is not None and (
            spec.traces.player is not None or spec.traces.source == "import"
        )
        with display.phase(f"condense, {backbone}", len(traces) * len(names)) as tick:
            banks = await fill_banks(
                backbone, condensers, traces, templates, door, ledger, shared, lambda: tick(1)
            )
    return fill_shelf(spec, world, tasks, banks, any(arm.memory == ORACLE for arm in design.arms))


def is_simulated(experiment: Experiment) -> bool:
    """Some model of the run is a simulated one: its results calibrate and are labelled so."""
    return any(model.startswith("simulated/") for _, model in cast(experiment.spec, experiment.design))


def _plan(
    experiment: Experiment,
    world: World,
    tasks: tuple[Task, ...],
    shelves: dict[str, Shelf],
    blocks: tuple[Block, ...],
) -> dict[str, Any]:
    """What the analysis and the reports need to know, stated before the first trial."""
    spec, design = experiment.spec, experiment.design
    digests = {"world": world.digest} | _digests(experiment)
    for backbone, shelf in shelves.items():
        digests |= {f"memory {name}, {backbone}": digest for name, digest in shelf.digests.items()}
    return {
        "name": spec.name,
        "question": spec.question,
        "seed": spec.seed,
        "simulated": is_simulated(experiment),
        "control": experiment.control.label,
        "world": world.name,
        "outcome": spec.analysis.outcome,
        "backbones": list(spec.backbone),
        "arms": [NONE, *(arm.name for arm in design.arms)],
        "injections": {arm.name: arm.injection.name for arm in design.arms},
        "conditions": [kind.name for kind in design.conditions],
        "primary": list(spec.primary),
        "pairs": [list(pair) for pair in design.pairs],
        "tasks": len(tasks),
        "repeats": spec.repeats,
        "trials": sum(len(block.trials) for block in blocks),
        "margin": spec.analysis.margin,
        "alpha": spec.analysis.alpha,
        "flips": spec.analysis.flips,
        "cluster": spec.analysis.cluster,
        "clusters": _clusters(spec, design, tasks, shelves),
        "digests": digests,
        "notes": _notes(spec, shelves),
    }


def _clusters(
    spec: Spec, design: Design, tasks: tuple[Task, ...], shelves: dict[str, Shelf]
) -> dict[str, str]:
    """The unit of inference of each task; none where tasks stand for themselves."""
    if spec.analysis.cluster == "family":
        return {task.id: task.family for task in tasks}
    if spec.analysis.cluster == "record" and design.memories:
        shelf = next(iter(shelves.values()))
        sources = {task.id: shelf.shown[design.memories[0], task.id].sources for task in tasks}
        return {task_id: found[0] for task_id, found in sources.items() if found}
    return {}


def _notes(spec: Spec, shelves: dict[str, Shelf]) -> list[str]:
    """What a reader of the results has to know about the preparation."""
    unknown = any(not family for shelf in shelves.values() for family in shelf.families.values())
    if "irrelevant_swap" in spec.perturbations and unknown:
        return [
            "Imported traces name no family: a donor is of another source task, perhaps of the same kind."
        ]
    return []
