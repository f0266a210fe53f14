"""`plan`: what a spec comes to, before anything is spent."""

from __future__ import annotations

from math import sqrt
from pathlib import Path
from statistics import NormalDist
from typing import Any

from arms.arm import NONE, Arm
from environments.world import WorldFault
from runs.checking import Experiment, check_spec
from runs.expecting import Sample, preparation, sample, shape_of
from runs.fault import RunFault
from runs.forecast import NOTHING, Range, of_episode, rounded
from runs.piloting import Pilot, read_pilot
from runs.spec import Spec
from runs.standard_output import put_json
from runs.worlds import open_world

# Assumed variance parts (STATISTICS 2 and 4): tau^2 between tasks and w^2 of the repeats, of a drop and of a
# contrast of drops. A pilot's replace them in a later version.
DROP, CONTRAST = (0.02, 0.25), (0.07, 0.51)
POWER = 0.8
BY_PROMPTS = "from rendered prompts: low is the shortest way through each task, high is every turn"
BY_PILOT = "from the pilot's trials: likely is their mean, low and high two standard errors away"


def plan_spec(spec: Spec, as_json: bool, pilot: Path | None = None) -> None:
    """Print the plan.

    Args:
        pilot: a run whose measured tokens take the place of rendered prompts.

    Raises:
        SpecFault: something in the spec does not fit, or the pilot is no run with trials.
        RunFault: the world broke.
    """
    plan = plan_of(check_spec(spec), None if pilot is None else read_pilot(pilot))
    if as_json:
        put_json(plan)
    else:
        _print(plan)


def plan_of(experiment: Experiment, pilot: Pilot | None = None) -> dict[str, Any]:
    """Cells, counts, what they may cost, and the smallest effects that 80 % of such runs would detect."""
    spec, design = experiment.spec, experiment.design
    world = open_world(spec)
    try:
        tasks = world.tasks("test")
        turns = sum(world.step_limit(task) for task in tasks)
        prepares = spec.mode == "frozen" and (design.memories or design.systems)
        train = world.tasks("train") if prepares else ()
        seen = sample(world, tasks)
    except WorldFault as fault:
        raise RunFault(f"a plan looks at a few tasks of the world, and it broke: {fault}") from fault
    finally:
        world.close()
    cells = [
        {"backbone": backbone, "arm": arm, "condition": condition}
        for backbone in spec.backbone
        for arm, condition in design.cells
    ]
    by_trigger = {arm.name for arm in design.arms if arm.injection.name == "trigger"}
    # an action that a Trigger speaks of is withheld, and the agent asked once more
    calls = sum(1 + (cell["arm"] in by_trigger) for cell in cells) * turns * spec.repeats
    n = len(tasks)
    cost = {
        NONE if arm is None else arm.name: _cost(experiment, pilot, arm, seen, n * spec.repeats)
        for arm in (None, *design.arms)
    }
    measured = None if pilot is None else pilot.preparation(experiment, len(train), n)
    before = measured or preparation(experiment, seen, len(train), n)
    unknown = [model for model in experiment.models if experiment.prices.of(model) is None]
    return {
        "name": spec.name,
        "simulated": experiment.simulated,
        "control": experiment.control.label,
        "cue": experiment.cue.label,
        "mode": spec.mode,
        "cells": cells,
        "tasks": n,
        "repeats": spec.repeats,
        "episodes": len(cells) * n * spec.repeats,
        "training_tasks": len(train),
        "calls": calls,
        "calls_are": "at most: every turn, and every action withheld once where items enter by trigger;"
        " collecting and condensing come on top",
        "cost_usd": {arm: rounded(one) for arm, one in cost.items()},
        "preparation_usd": rounded(before),
        "total_usd": rounded(sum(cost.values(), before)),
        "cost_is": BY_PILOT if pilot is not None else BY_PROMPTS,
        "prices": {"date": experiment.prices.date, "unknown": unknown},
        "detectable": {
            "drop": _detectable(DROP, n, spec),
            "contrast": _detectable(CONTRAST, n, spec),
        },
        "detectable_is": f"with 80 % power at alpha {spec.analysis.alpha:g}, one row, tasks that share no"
        " record, assumed variance parts (STATISTICS 4)",
    }


def _cost(experiment: Experiment, pilot: Pilot | None, arm: Arm | None, seen: Sample, n: int) -> Range:
    """What all trials of one arm cost, over backbones; None stands for no memory."""
    spec, name = experiment.spec, NONE if arm is None else arm.name
    cells = sum(cell[0] == name for cell in experiment.design.cells)
    whole = NOTHING
    for backbone in spec.backbone:
        measured = None if pilot is None else pilot.of(name, backbone, experiment)
        one = measured or of_episode(backbone, experiment.prices, shape_of(spec, arm, seen))
        whole += one.times(cells * n)
    return whole


def _detectable(parts: tuple[float, float], n: int, spec: Spec) -> float:
    between, within = parts
    z = NormalDist().inv_cdf
    reach = z(1 - spec.analysis.alpha / 2) + z(POWER)
    return round(reach * sqrt((between + within / spec.repeats) / n), 4)


def _print(plan: dict[str, Any]) -> None:
    from rich.console import Console
    from rich.table import Table

    console = Console()
    table = Table(title=f"Plan of {plan['name']}")
    for column in ("backbone", "arm", "conditions"):
        table.add_column(column)
    rows: dict[tuple[str, str], list[str]] = {}
    for cell in plan["cells"]:
        rows.setdefault((cell["backbone"], cell["arm"]), []).append(cell["condition"])
    for (backbone, arm), conditions in rows.items():
        table.add_row(backbone, arm, ", ".join(conditions))
    console.print(table)
    print(plan["control"])
    print(plan["cue"])
    size = f"{plan['tasks']} tasks x {plan['repeats']} repeats x {len(plan['cells'])} cells"
    print(f"{size} = {plan['episodes']} episodes")
    print(f"{plan['calls']} calls {plan['calls_are']}")
    costs = Table(title=f"US dollars, {plan['cost_is']}")
    for column in ("", "low", "likely", "high"):
        costs.add_column(column, justify="left" if not column else "right")
    rows_of = {**plan["cost_usd"], "preparation": plan["preparation_usd"], "in all": plan["total_usd"]}
    for name, figures in rows_of.items():
        costs.add_row(name, *("unknown" if usd is None else f"{usd:,.2f}" for usd in figures.values()))
    console.print(costs)
    said = f"prices of {plan['prices']['date']}"
    if plan["prices"]["unknown"]:
        said += f"; none is known for {', '.join(plan['prices']['unknown'])}: give budget.prices"
    print(said)
    drop, contrast = plan["detectable"]["drop"], plan["detectable"]["contrast"]
    print(f"smallest detectable drop {drop:.3f}, contrast {contrast:.3f} ({plan['detectable_is']})")
