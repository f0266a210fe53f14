"""Monitoring: the e-process of every hypothesis over the completed tasks, and the looks that were taken."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence

import numpy as np

from memtrial.analysis.estimands.contrast import Contrast
from memtrial.analysis.hypothesis_families import HYPOTHESES, families_of
from memtrial.analysis.sequential.interim import anytime_p, log_e, take_look
from memtrial.analysis.sequential.look_schedule import Looks, looks_at
from memtrial.ledger.blocks.block_outcomes import BlockOutcomes, group_trials
from memtrial.ledger.rows import TrialRow
from memtrial.ledger.run_plan import Look, RunPlan
from memtrial.ledger.trial_cells import Cell, TrialScore
from memtrial.outcomes.reserved_names import NONE
from memtrial.protocol.masking import NOTHING_MASKED, Mask
from memtrial.protocol.monitoring_rows import EProcess, LookState, Monitoring
from memtrial.protocol.run_cells import analysis_plan, counted_score, outcome_table


def clusters_in_order(plan: RunPlan) -> tuple[tuple[str, ...], ...]:
    """The tasks of each cluster in the order in which clusters are complete; a task alone is its own."""
    groups: dict[str, list[str]] = {}
    for task in plan.task_order:
        name = plan.clusters.get(task) or f"task {task}"
        # a cluster is complete with its last task
        groups[name] = [*groups.pop(name, []), task]
    return tuple(tuple(tasks) for tasks in groups.values())


def looks_of(plan: RunPlan) -> Looks | None:
    """The looks of a plan; None where it has one or compares no arms. ValueError: too few clusters."""
    family = len(hypotheses_of(plan))
    if plan.looks < 2 or not family:
        return None
    return looks_at([len(cluster) for cluster in clusters_in_order(plan)], plan.looks, plan.alpha, family)


def hypotheses_of(plan: RunPlan) -> tuple[tuple[str, Contrast], ...]:
    """Backbone and contrast of every hypothesis of the primary family."""
    listed = families_of(analysis_plan(plan), plan.backbones)
    return next((family.members for family in listed if family.name == HYPOTHESES), ())


def complete_tasks(trials: Iterable[TrialRow], plan: RunPlan) -> frozenset[str]:
    """Tasks of which every block was played; a block is committed whole."""
    return _list_complete((trial.task for trial in trials if trial.arm == NONE), plan)


def _list_complete(played: Iterable[str], plan: RunPlan) -> frozenset[str]:
    """Tasks that are complete; `played`: the task of each trial without memory."""
    wanted = len(plan.backbones) * plan.repeats
    return frozenset(task for task, n in Counter(played).items() if n >= wanted)


def look_now(trials: Sequence[TrialRow], plan: RunPlan, looks: Looks, before: Sequence[Look]) -> Look | None:
    """The next look, from the tasks that it waits for alone; None where they are not complete yet."""
    number = len(before) + 1
    if number > len(looks.counts):
        return None
    tasks = [task for cluster in clusters_in_order(plan) for task in cluster][: looks.counts[number - 1]]
    if not set(tasks) <= complete_tasks(trials, plan):
        return None
    from memtrial.analysis.analyse import analyse

    wanted = frozenset(tasks)
    outcomes = outcome_table([trial for trial in trials if trial.task in wanted], plan)
    rows = [row for row in analyse(outcomes, analysis_plan(plan)).estimates if row.family == HYPOTHESES]
    return take_look(rows, looks, number, before, plan.stop)


def masked_look(look: Look, mask: Mask = NOTHING_MASKED) -> Look:
    """A look under names that may be shown: a pair and its direction would name the arms."""
    seen = []
    for nth, hypothesis in enumerate(look.seen, 1):
        place = (
            (hypothesis.place[0], f"hypothesis {nth}", "", hypothesis.place[3]) if mask else hypothesis.place
        )
        seen.append(hypothesis.model_copy(update={"place": place}))
    return Look.model_validate(look.model_dump(include=set(Look.model_fields)) | {"seen": tuple(seen)})


def cells_monitored(plan: RunPlan) -> frozenset[Cell]:
    """The cells that the hypotheses speak of."""
    return _cells_in(hypotheses_of(plan))


def _cells_in(hypotheses: Iterable[tuple[str, Contrast]]) -> frozenset[Cell]:
    return frozenset(cell for _, contrast in hypotheses for cell, _ in contrast.weights)


def monitor_trials(
    trials: Iterable[TrialRow | TrialScore], plan: RunPlan, taken: Sequence[Look], locked: bool
) -> Monitoring:
    """The same as `monitor_blocks`, of trials that were read for other things as well."""
    return monitor_blocks(group_trials(trials), plan, taken, locked)


def monitor_blocks(
    blocks: Iterable[BlockOutcomes], plan: RunPlan, taken: Sequence[Look], locked: bool
) -> Monitoring:
    """What is seen by now, under names that may be shown; looks count only where a lock fixed them.

    Args:
        blocks: each once, in any order, with the trials without memory and of the monitored cells at least.
    """
    ordered, hypotheses = sorted(blocks, key=lambda block: block.repeat), hypotheses_of(plan)
    bare = (block.task for block in ordered for arm, _ in block.cells if arm == NONE)
    complete = _list_complete(bare, plan)
    means = _average(ordered, _cells_in(hypotheses), plan.outcome)
    clusters = tuple(cluster for cluster in clusters_in_order(plan) if complete.issuperset(cluster))
    played = {block.backbone for block in ordered if block.task in complete}
    seen = tuple(
        _e_process(backbone, contrast, means, clusters)
        for backbone, contrast in hypotheses
        if backbone in played and clusters
    )
    return Monitoring(1 / plan.alpha, sum(map(len, clusters)), seen, _looks(plan, taken, locked))


def _average(
    blocks: Iterable[BlockOutcomes], cells: Collection[Cell], outcome: str
) -> dict[tuple[str, Cell], dict[str, float]]:
    """The mean score of each task, by backbone and cell, over the repeats that have one.

    Args:
        blocks: in the order of repeats, as sums of them hang on it in the last digit.
    """
    scores: defaultdict[tuple[str, Cell], defaultdict[str, list[float]]] = defaultdict(
        lambda: defaultdict(list)
    )
    for block in blocks:
        for cell, status, score in zip(block.cells, block.statuses, block.scores, strict=True):
            if cell in cells and (counted := counted_score(status, score, outcome)) is not None:
                scores[block.backbone, cell][block.task].append(counted)
    return {
        place: {task: sum(own) / len(own) for task, own in by_task.items()}
        for place, by_task in scores.items()
    }


def _e_process(
    backbone: str,
    contrast: Contrast,
    means: Mapping[tuple[str, Cell], Mapping[str, float]],
    clusters: Sequence[Sequence[str]],
) -> EProcess:
    """Of cluster means in the order of the plan; a cluster without a score is left out."""
    columns = [(means.get((backbone, cell), {}), weight) for cell, weight in contrast.weights]
    by_cluster = (
        [
            sum(weight * column[task] for column, weight in columns)
            for task in tasks
            if all(task in column for column, _ in columns)
        ]
        for tasks in clusters
    )
    path = log_e(np.array([own[0] if len(own) == 1 else np.mean(own) for own in by_cluster if own]))
    e = float(np.exp(min(path[-1], 700.0))) if len(path) else 1.0
    names = (backbone, contrast.arm, contrast.versus, contrast.condition)
    return EProcess(*names, len(path), e, anytime_p(path))


def _looks(plan: RunPlan, taken: Sequence[Look], locked: bool) -> LookState:
    try:
        looks = looks_of(plan)
    except ValueError:
        looks = None  # a run that is locked cannot get here: the lock refuses such looks
    if looks is None:
        return LookState(max(plan.looks, 1), False, plan.stop)
    over = not locked or len(taken) >= len(looks.counts) or (bool(taken) and taken[-1].stop)
    return LookState(
        planned=plan.looks,
        in_force=locked,
        rule=plan.stop,
        spacing="equal: O'Brien-Fleming" if looks.equal else "unequal: Lan-DeMets spending",
        counts=looks.counts,
        boundaries=tuple(round(boundary, 4) for boundary in looks.boundaries),
        levels=looks.levels,
        taken=tuple(taken),
        next=None if over else looks.counts[len(taken)],
    )
