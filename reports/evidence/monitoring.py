"""Monitoring: the e-process of every hypothesis over the completed tasks, and the looks that were taken."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from loadbearing.analysis.analyse import analyse
from loadbearing.analysis.estimands.contrast import Contrast
from loadbearing.analysis.families import HYPOTHESES, families_of
from loadbearing.analysis.result import Analysis
from loadbearing.analysis.sequential.confidence_sequence import confidence_sequence, stops_inert
from loadbearing.analysis.sequential.e_process import anytime_p, log_e
from loadbearing.analysis.sequential.look_schedule import Looks, looks_at
from loadbearing.analysis.sequential.monitor import Look, Seen, Stop, at_looks, take_look
from loadbearing.ledger.rows import TrialRow
from loadbearing.outcomes.outcomes import CellTable
from loadbearing.reports.inputs.cells import outcome_table
from loadbearing.reports.inputs.masking import NOTHING_MASKED, Mask
from loadbearing.reports.inputs.planned import NONE, Plan, analysis_plan

INTERIM = (
    "interim: the locked plan decides {when}, and nothing is decided before; what the data say so far stands"
    " in the numbers of this row"
)


def clusters_in_order(plan: Plan) -> tuple[tuple[str, ...], ...]:
    """The tasks of each cluster in the order in which clusters are complete; a task alone is its own."""
    groups: dict[str, list[str]] = {}
    for task in plan.get("task_order") or ():
        name = plan["clusters"].get(task) or f"task {task}"
        # a cluster is complete with its last task
        groups[name] = [*groups.pop(name, []), task]
    return tuple(tuple(tasks) for tasks in groups.values())


def looks_of(plan: Plan) -> Looks | None:
    """The looks of a plan; None where it has one, at its end, or compares no arms.

    Raises:
        ValueError: too few clusters for so many looks.
    """
    family = len(hypotheses_of(plan))
    if plan.get("looks", 1) < 2 or not family:
        return None
    return looks_at([len(one) for one in clusters_in_order(plan)], plan["looks"], plan["alpha"], family)


def hypotheses_of(plan: Plan) -> tuple[tuple[str, Contrast], ...]:
    """Backbone and contrast of every hypothesis of the primary family."""
    listed = families_of(analysis_plan(plan), tuple(plan["backbones"]))
    return next((family.members for family in listed if family.name == HYPOTHESES), ())


def complete_tasks(trials: Iterable[TrialRow], plan: Plan) -> frozenset[str]:
    """Tasks of which every block was played; a block is committed whole."""
    blocks = Counter(trial.task for trial in trials if trial.arm == NONE)
    return frozenset(task for task, n in blocks.items() if n >= len(plan["backbones"]) * plan["repeats"])


def look_now(trials: Sequence[TrialRow], plan: Plan, looks: Looks, before: Sequence[Look]) -> Look | None:
    """The next look, from the tasks that it waits for alone; None where they are not complete yet.

    Args:
        trials: all of the run.
        before: the looks taken so far.
    """
    number = len(before) + 1
    if number > len(looks.counts):
        return None
    tasks = [task for cluster in clusters_in_order(plan) for task in cluster][: looks.counts[number - 1]]
    if not set(tasks) <= complete_tasks(trials, plan):
        return None
    wanted = frozenset(tasks)
    outcomes = outcome_table([trial for trial in trials if trial.task in wanted], plan)
    rows = [one for one in analyse(outcomes, analysis_plan(plan)).estimates if one.family == HYPOTHESES]
    rule: Stop = "any" if plan.get("stop") == "any" else "all"
    return take_look(rows, looks, number, before, rule)


def look_body(look: Look) -> dict[str, Any]:
    """A look as the ledger states it."""
    return asdict(look)


def look_from(body: Mapping[str, Any], mask: Mask = NOTHING_MASKED) -> Look:
    """A look from what the ledger states."""
    seen = []
    for nth, one in enumerate(body["seen"], 1):
        place = tuple(one["place"])
        if mask:  # a pair and its direction would name the arms
            place = (place[0], f"hypothesis {nth}", "", place[3])
        seen.append(Seen(place, one["estimate"], one["p_adjusted"], one["overall"], one["crossed"]))
    return Look(body["number"], body["tasks"], body["level"], tuple(seen), body["stop"])


def at_its_looks(
    analysis: Analysis, plan: Plan, taken: Sequence[Look], locked: bool, complete: bool
) -> Analysis:
    """The hypotheses as the locked plan lets them be read; unlocked runs are left as they are.

    Args:
        locked: a lock stands, and was not amended.
        complete: all planned data are there, or the run stopped at a look.
    """
    looks = looks_of(plan) if locked else None
    if not locked or (complete and (looks is None or not taken)):
        return analysis
    changed = []
    for row in analysis.estimates:
        if row.family != HYPOTHESES:
            changed.append(row)
        elif complete and looks is not None:
            changed.append(at_looks(row, taken, looks))
        else:
            when = _next(looks, taken) if looks is not None else f"when all {plan['tasks']} tasks are played"
            changed.append(replace(row, verdict="inconclusive", reason=INTERIM.format(when=when)))
    return replace(analysis, estimates=tuple(changed))


def _next(looks: Looks, taken: Sequence[Look]) -> str:
    number = min(len(taken) + 1, len(looks.counts))
    return (
        f"at its looks, next at look {number} of {len(looks.counts)}, after {looks.counts[number - 1]} tasks"
    )


def monitoring(trials: Sequence[TrialRow], plan: Plan, taken: Sequence[Look], locked: bool) -> dict[str, Any]:
    """The key `monitoring` of the results: paths of the e-process, and the looks.

    Args:
        trials, taken: under the names that may be shown.
        locked: looks count only where a lock fixed them.
    """
    complete = complete_tasks(trials, plan)
    clusters = tuple(one for one in clusters_in_order(plan) if set(one) <= complete)
    outcomes = outcome_table([trial for trial in trials if trial.task in complete], plan)
    tables = {backbone: outcomes.cells(backbone) for backbone in outcomes.backbones}
    planned = len(clusters_in_order(plan))
    found = [
        _path(backbone, contrast, tables[backbone], clusters, plan, planned)
        for backbone, contrast in hypotheses_of(plan)
        if backbone in tables and clusters
    ]
    return {
        "threshold": 1 / plan["alpha"],
        "tasks_complete": sum(map(len, clusters)),
        "paths": found,
        "looks": _looks(plan, taken, locked),
    }


def _path(
    backbone: str,
    contrast: Contrast,
    table: CellTable,
    clusters: Sequence[Sequence[str]],
    plan: Plan,
    planned: int,
) -> dict[str, Any]:
    """The e-process of one hypothesis: cluster means in the order of the plan."""
    place = {task: at for at, task in enumerate(table.tasks)}
    column = contrast.per_task(table)
    values, tasks, counted = [], [], 0
    for cluster in clusters:
        counted += len(cluster)
        own = column[[place[task] for task in cluster]]
        own = own[~np.isnan(own)]
        if len(own):
            values.append(float(own.mean()))
            tasks.append(counted)
    units: NDArray[np.float64] = np.array(values)
    path = log_e(units)
    low, high = confidence_sequence(units, plan["alpha"], max(planned, 1))
    ends = (float(low[-1]), float(high[-1])) if len(units) and np.isfinite(low[-1]) else (None, None)
    return {
        "backbone": backbone,
        "treatment": contrast.arm,
        "control": contrast.versus,
        "condition": contrast.condition,
        "n_units": len(values),
        "tasks": tasks,
        "log10_e": [round(float(one) / np.log(10), 4) for one in path],
        "e": float(np.exp(min(path[-1], 700.0))) if len(path) else 1.0,
        "anytime_p": anytime_p(path),
        "low": ends[0],
        "high": ends[1],
        "inert_after": stops_inert(units, plan["margin"], max(planned, 1)),
    }


def _looks(plan: Plan, taken: Sequence[Look], locked: bool) -> dict[str, Any]:
    """The looks planned and taken, with their boundaries."""
    asked = plan.get("looks", 1)
    try:
        looks = looks_of(plan)
    except ValueError:
        looks = None  # a run that is locked cannot get here: the lock refuses such looks
    if looks is None:
        return {
            "planned": 1 if asked < 2 else asked,
            "in_force": False,
            "counts": [],
            "taken": [],
            "next": None,
        }
    number = len(taken)
    stopped = bool(taken) and taken[-1].stop
    return {
        "planned": asked,
        "in_force": locked,
        "rule": plan.get("stop", "all"),
        "spacing": "equal: O'Brien-Fleming" if looks.equal else "unequal: Lan-DeMets spending",
        "counts": list(looks.counts),
        "boundaries": [None if b == float("inf") else round(b, 4) for b in looks.boundaries],
        "levels": list(looks.levels),
        "taken": [asdict(one) for one in taken],
        "next": None if stopped or not locked or number >= len(looks.counts) else looks.counts[number],
    }
