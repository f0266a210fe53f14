"""The plan as the ledger states it before the first trial: what the analysis and the reports need to know."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from arms.arm import NONE
from environments.world import Task, World
from runs.checking import Experiment
from runs.design import Design
from runs.shelf import Shelf
from runs.spec import INTACT, Spec
from runs.trials import Block

NOTHING_LOST: Mapping[str, Mapping[str, str]] = MappingProxyType({})


def plan_facts(
    experiment: Experiment,
    world: World,
    tasks: tuple[Task, ...],
    shelves: dict[str, Shelf],
    planned: Mapping[str, int],
    space: str,
    lost: Mapping[str, Mapping[str, str]] = NOTHING_LOST,
) -> dict[str, Any]:
    """The plan of a run.

    Args:
        shelves: what the arms show; none in mode `stream`, where it is not known yet.
        planned: trials by arm.
        space: the identity of the embedder.
        lost: by backbone and training task, why it left no trajectory.
    """
    spec, design = experiment.spec, experiment.design
    known = {"world": world.digest, "embedder": space} | dict(experiment.digests)
    for backbone, shelf in shelves.items():
        known |= {f"memory {name}, {backbone}": digest for name, digest in shelf.digests.items()}
    return {
        "name": spec.name,
        "question": spec.question,
        "seed": spec.seed,
        "simulated": experiment.simulated,
        "control": experiment.control.label,
        "cue": experiment.cue.label,
        "mode": spec.mode,
        "world": world.name,
        "outcome": spec.analysis.outcome,
        "temperature": spec.temperature,
        "backbones": list(spec.backbone),
        "arms": [NONE, *(arm.name for arm in design.arms)],
        "injections": {arm.name: arm.injection.name for arm in design.arms},
        "conditions": list(design.conditions),
        "arm_conditions": {
            arm.name: [INTACT, *(kind.name for kind in design.damages[arm.name])] for arm in design.arms
        },
        "primary": list(design.primary),
        "pairs": [list(pair) for pair in design.pairs],
        "tasks": len(tasks),
        "repeats": spec.repeats,
        "trials": sum(planned.values()),
        "planned": dict(planned),
        "margin": spec.analysis.margin,
        "alpha": spec.analysis.alpha,
        "flips": spec.analysis.flips,
        "cluster": spec.analysis.cluster,
        "clusters": _clusters(spec, design, tasks, shelves),
        "digests": known,
        "notes": [*_lost(lost), *_notes(spec, shelves)],
    }


def _lost(lost: Mapping[str, Mapping[str, str]]) -> list[str]:
    return [
        f"{backbone}: {len(tasks)} training tasks left no trajectory, since the provider failed them to the"
        f" end; the banks were made without them. The first: {': '.join(next(iter(tasks.items())))}"
        for backbone, tasks in lost.items()
        if tasks
    ]


def planned_of(blocks: tuple[Block, ...]) -> dict[str, int]:
    """Trials by arm, of blocks that are laid out."""
    return dict(Counter(trial.arm.name for block in blocks for trial in block.trials))


def planned_at_most(spec: Spec, design: Design, n_tasks: int) -> dict[str, int]:
    """Trials by arm where it shows only on the way which damage does not apply."""
    each = n_tasks * spec.repeats * len(spec.backbone)
    return {arm: n * each for arm, n in Counter(arm for arm, _ in design.cells).items()}


def _clusters(
    spec: Spec, design: Design, tasks: tuple[Task, ...], shelves: dict[str, Shelf]
) -> dict[str, str]:
    """The unit of inference of each task; none where tasks stand for themselves."""
    if spec.analysis.cluster == "family":
        return {task.id: task.family for task in tasks}
    if spec.analysis.cluster == "record" and design.memories and shelves:
        shelf = next(iter(shelves.values()))
        sources = {task.id: shelf.shown[design.memories[0], task.id].sources for task in tasks}
        return {task_id: found[0] for task_id, found in sources.items() if found}
    return {}


def _notes(spec: Spec, shelves: dict[str, Shelf]) -> list[str]:
    """What a reader of the results has to know about the preparation."""
    if spec.mode == "stream":
        return [
            "Mode stream: each arm's memory grew from its own trials. Tasks of one stream share that memory"
            " and are still taken as units; more repeats, each in an order of its own, tell a stream's luck."
        ]
    unknown = any(not family for shelf in shelves.values() for family in shelf.families.values())
    if "irrelevant_swap" in spec.perturbations and unknown:
        return [
            "Imported traces name no family: a donor is of another source task, perhaps of the same kind."
        ]
    return []
