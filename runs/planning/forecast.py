"""The forecast: cells, counts, cost and power of a spec, before anything is spent."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from loadbearing.analysis.planning.allocation import Cost
from loadbearing.analysis.planning.effective_tasks import Clustering
from loadbearing.arms.arm import NONE, Arm
from loadbearing.environments.world import WorldFault
from loadbearing.runs.errors import RunFault
from loadbearing.runs.planning.clusters import expected_clusters
from loadbearing.runs.planning.cost import NOTHING, Range, of_episode, rounded
from loadbearing.runs.planning.pilot import Pilot
from loadbearing.runs.planning.power_context import curve, equivalence, paired_vs_unpaired, per_decision
from loadbearing.runs.planning.power_questions import Wanted, clusters_said, questions_of
from loadbearing.runs.planning.power_table import Sizes, allocation, power_rows
from loadbearing.runs.planning.usage import Sample, deciding, few_of, preparation, sample, shape_of
from loadbearing.runs.prepare.world_memories import refuse_unstated, wanted_of
from loadbearing.runs.setup.preflight import Experiment
from loadbearing.runs.setup.worlds import open_world

BY_PROMPTS = "from rendered prompts: low is the shortest way through each task, high is every turn"
BY_PILOT = "from the pilot's trials: likely is their mean, low and high two standard errors away"


def plan_of(experiment: Experiment, pilot: Pilot | None = None, wanted: Wanted = Wanted()) -> dict[str, Any]:
    """Cells, counts, what they may cost, and what they can show.

    Raises:
        SpecFault: a budget without costs, or a pilot whose outcomes cannot be read.
        RunFault: the world broke.
    """
    spec, design = experiment.spec, experiment.design
    world = open_world(spec)
    try:
        tasks = world.tasks("test")
        turns = sum(world.step_limit(task) for task in tasks)
        prepares = spec.mode == "frozen" and (design.memories or design.systems)
        train = world.tasks("train") if prepares else ()
        seen = sample(world, tasks)
        refuse_unstated(world, tasks, few_of(tasks), wanted_of(design.arms))
        clusters_and_how = expected_clusters(experiment, tasks, train)
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
    before = (measured or preparation(experiment, seen, len(train), n)) + deciding(experiment, seen, n)
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
        "draws": design.draws,
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
        **_power(experiment, pilot, wanted, clusters_and_how, cost, before),
    }


def _power(
    experiment: Experiment,
    pilot: Pilot | None,
    wanted: Wanted,
    clusters_and_how: tuple[Clustering, str],
    cost: Mapping[str, Range],
    before: Range,
) -> dict[str, Any]:
    """What the size can show, and what the wanted effect takes."""
    spec, design = experiment.spec, experiment.design
    rules, (clusters, how) = spec.analysis, clusters_and_how
    blocks = clusters.n_tasks * spec.repeats
    cells = Counter(arm for arm, _ in design.cells)
    likely = {arm: one.likely for arm, one in cost.items()}
    whole = sum(cost.values(), NOTHING).likely
    usd = None
    if whole is not None and before.likely is not None:
        usd = Cost(whole / blocks, wanted.task_usd, before.likely)
    sizes = Sizes(
        clusters=clusters,
        repeats=spec.repeats,
        cells=len(design.cells) * len(spec.backbone),
        usd=usd,
        episode_usd={
            arm: None if dollars is None else dollars / (blocks * cells[arm] * len(spec.backbone))
            for arm, dollars in likely.items()
        },
        pairs=design.pairs,
    )
    asked = questions_of(experiment, pilot, wanted, clusters)
    rows = power_rows(asked, wanted, sizes, rules.alpha, spec.seed)
    alone = {row["estimand"]: row["alone"]["detectable"] for row in rows["rows"]}
    return {
        "detectable": {name: alone[name] for name in ("drop", "contrast")},
        "detectable_is": f"with power {wanted.power:g} at alpha {rules.alpha:g}, one row by itself;"
        f" variance parts {asked.source}",
        "effective_n": clusters_said(clusters, how, asked.questions, spec.repeats),
        "power": rows,
        "allocation": allocation(asked, wanted, sizes),
        "paired_vs_unpaired": paired_vs_unpaired(asked, wanted, sizes),
        "equivalence": equivalence(asked, wanted, sizes, rules.margin, rules.alpha),
        "per_decision_usd": per_decision(asked, wanted, sizes),
        "curve": curve(asked, wanted, sizes),
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
