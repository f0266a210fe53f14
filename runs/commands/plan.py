"""`plan`: what a spec comes to, before anything is spent."""

from __future__ import annotations

import json
from math import sqrt
from statistics import NormalDist
from typing import Any

from arms.arm import NONE
from runs.experiment import Experiment, check_spec, is_simulated
from runs.spec import Spec
from runs.worlds import open_world

# Assumed variance parts (STATISTICS 2 and 4): tau^2 between tasks and w^2 of the repeats, of a drop and of a
# contrast of drops. A pilot's replace them in a later version.
DROP, CONTRAST = (0.02, 0.25), (0.07, 0.51)
POWER = 0.8


def plan_spec(spec: Spec, as_json: bool) -> None:
    """Print the plan.

    Raises:
        SpecFault: something in the spec does not fit.
    """
    plan = plan_of(check_spec(spec))
    if as_json:
        print(json.dumps(plan, ensure_ascii=False, indent=2))
    else:
        _print(plan)


def plan_of(experiment: Experiment) -> dict[str, Any]:
    """Cells, counts and the smallest effects that 80 % of such runs would detect."""
    spec, design = experiment.spec, experiment.design
    world = open_world(spec)
    try:
        tasks = world.tasks("test")
        turns = sum(world.step_limit(task) for task in tasks)
        train = world.tasks("train") if design.memories else ()
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
    simulated = is_simulated(experiment)
    price = 0.0 if simulated else None
    n = len(tasks)
    return {
        "name": spec.name,
        "simulated": simulated,
        "control": experiment.control.label,
        "cells": cells,
        "tasks": n,
        "repeats": spec.repeats,
        "episodes": len(cells) * n * spec.repeats,
        "training_tasks": len(train),
        "calls": calls,
        "calls_are": "at most: every turn, and every action withheld once where items enter by trigger;"
        " collecting and condensing come on top",
        "cost_usd": {
            arm: {"low": price, "likely": price, "high": price}
            for arm in (NONE, *(arm.name for arm in design.arms))
        },
        "detectable": {
            "drop": _detectable(DROP, n, spec),
            "contrast": _detectable(CONTRAST, n, spec),
        },
        "detectable_is": f"with 80 % power at alpha {spec.analysis.alpha:g}, one row, tasks that share no"
        " record, assumed variance parts (STATISTICS 4)",
    }


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
    size = f"{plan['tasks']} tasks x {plan['repeats']} repeats x {len(plan['cells'])} cells"
    print(f"{size} = {plan['episodes']} episodes")
    print(f"{plan['calls']} calls {plan['calls_are']}")
    drop, contrast = plan["detectable"]["drop"], plan["detectable"]["contrast"]
    print(f"smallest detectable drop {drop:.3f}, contrast {contrast:.3f} ({plan['detectable_is']})")
