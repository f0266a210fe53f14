"""How far the items of each arm went, and effects by whether a Trigger held: beside intention to treat."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean
from typing import Literal

import numpy as np

from memtrial.analysis.inference.interval import t_interval, unit_sample
from memtrial.ledger.rows import TrialRow
from memtrial.ledger.run_plan import RunPlan
from memtrial.outcomes.reserved_names import INTACT, NONE, WITHOUT
from memtrial.protocol.run_cells import score_of
from memtrial.views.rows.evidence_rows import ExposedRow, FunnelRow

Block = tuple[str, str, int]
"""Backbone, task, repeat."""
_BLOCKS: tuple[Literal["fired", "not fired"], ...] = ("fired", "not fired")


def funnel_rows(trials: Iterable[TrialRow], plan: RunPlan) -> tuple[FunnelRow, ...]:
    """A row a backbone and arm, in the plan's order; errors are left out."""
    scored = [trial for trial in trials if trial.status != "error"]
    without = {_block(trial): score_of(trial, plan.outcome) for trial in scored if trial.arm == NONE}
    groups: dict[tuple[str, str], list[TrialRow]] = defaultdict(list)
    for trial in scored:
        if trial.condition == INTACT and trial.exposures:
            groups[trial.backbone, trial.arm].append(trial)
    rows = []
    for backbone in plan.backbones:
        for arm in plan.arms:
            own = groups.get((backbone, arm), [])
            items = [(trial, entry) for trial in own for entry in trial.exposures]
            shown = [pair for pair in items if pair[1]["shown"] is not None]
            fired = [pair for pair in shown if pair[1]["fired"] is not None]
            acted = [pair for pair in fired if pair[1]["acted"] is not None]
            beside = [(score_of(trial, plan.outcome), without.get(_block(trial))) for trial, _ in acted]
            known = [(score, other) for score, other in beside if score is not None and other is not None]
            if items:
                stages = {"retrieved": items, "shown": shown, "fired": fired, "acted": acted}
                rows.append(
                    FunnelRow(
                        backbone=backbone,
                        arm=arm,
                        **{name: len(reached) for name, reached in stages.items()},
                        mattered=sum(score > other for score, other in known),
                        cited=sum(entry["cited"] is not None for _, entry in shown),
                    )
                )
    return tuple(rows)


def exposed_rows(trials: Sequence[TrialRow], plan: RunPlan) -> tuple[ExposedRow, ...]:
    """Utilities and drops by blocks in which a Trigger held without memory (a shadow firing), and the rest.

    Composite conditions are left out, and so is all of it where no block is of the other kind.
    """
    fired = {
        _block(trial): bool(trial.firings)
        for trial in trials
        if trial.arm == NONE and trial.status != "error"
    }
    if len(set(fired.values())) < 2:
        return ()
    scores: dict[tuple[str, str], dict[Block, float]] = defaultdict(dict)
    for trial in trials:
        score = score_of(trial, plan.outcome)
        if score is not None:
            scores[trial.arm, trial.condition][_block(trial)] = score
    rows = []
    for backbone in plan.backbones:
        for arm in (arm for arm in plan.arms if arm != NONE):
            for condition in (
                WITHOUT,
                *(condition_name for condition_name in plan.conditions if "+" not in condition_name),
            ):
                other = scores.get((NONE if condition == WITHOUT else arm, condition), {})
                for held, name in zip((True, False), _BLOCKS, strict=True):
                    apart: dict[str, list[float]] = defaultdict(list)
                    for block, score in scores[arm, INTACT].items():
                        if block[0] == backbone and block in other and fired.get(block) is held:
                            apart[block[1]].append(score - other[block])
                    if apart:
                        mean, low, high = _estimate(apart, plan)
                        place = {"backbone": backbone, "arm": arm, "condition": condition, "blocks": name}
                        ends = {"n_tasks": len(apart), "estimate": mean, "low": low, "high": high}
                        rows.append(ExposedRow.model_validate(place | ends))
    return tuple(rows)


def _block(trial: TrialRow) -> Block:
    return trial.backbone, trial.task, trial.repeat


def _estimate(
    apart: Mapping[str, Sequence[float]], plan: RunPlan
) -> tuple[float, float | None, float | None]:
    """Mean over tasks with its interval over clusters; none where all tasks share one."""
    names: dict[str, int] = {}
    units = np.array([names.setdefault(plan.clusters.get(task) or task, len(names)) for task in apart])
    means = np.array([fmean(values) for values in apart.values()])
    if len(names) < 2:
        return float(means.mean()), None, None
    sample = unit_sample(means, units, plan.repeats, (-1.0, 1.0))
    low, high = t_interval(sample, plan.alpha)
    return round(float(sample.mean), 6), round(low, 6), round(high, 6)
