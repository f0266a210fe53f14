"""What memory costs: tokens and dollars of each condition, and how many times as much the intact one's."""

from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean
from typing import Literal

import numpy as np

from memtrial.analysis.inference.cost_ratio import CostRatio, compare_costs
from memtrial.ledger.rows import TrialRow
from memtrial.outcomes.grouping import group_by
from memtrial.outcomes.reserved_names import INTACT, WITHOUT
from memtrial.views.rows.cost_rows import ConditionCost

Measure = Literal["tokens", "usd"]
MEASURES: tuple[Measure, ...] = ("tokens", "usd")


def compare_condition_costs(trials: Sequence[TrialRow], alpha: float) -> tuple[ConditionCost, ...]:
    """By backbone and arm, each with the trials without memory; errors are left out.

    The words of one arm are a family. The order of the trials makes no difference.
    """
    played = [trial for trial in trials if trial.status != "error"]
    rows: list[ConditionCost] = []
    for backbone, own in sorted(group_by(played, lambda trial: trial.backbone).items()):
        without = [trial for trial in own if trial.condition == WITHOUT]
        shown = group_by([trial for trial in own if trial.condition != WITHOUT], lambda trial: trial.arm)
        for arm, of_arm in sorted(shown.items()):
            groups = group_by([*without, *of_arm], lambda trial: trial.condition)
            rows += _compare_arm(backbone, arm, groups, alpha)
    return tuple(rows)


def _compare_arm(
    backbone: str, arm: str, groups: dict[str, list[TrialRow]], alpha: float
) -> Iterator[ConditionCost]:
    """A row a condition."""
    family = len(groups) - 1
    spent = {(name, measure): _by_task(groups[name], measure) for name in groups for measure in MEASURES}
    for name in sorted(groups, key=lambda name: (name != WITHOUT, name != INTACT, name)):
        yield ConditionCost(
            backbone=backbone,
            arm=arm,
            condition=name,
            n_trials=len(groups[name]),
            solved=fmean(trial.score or 0.0 for trial in groups[name]),
            tokens=fmean(_spent(trial, "tokens") or 0.0 for trial in groups[name]),
            usd=_mean_usd(groups[name]),
            versus_tokens=_compare(spent, name, "tokens", alpha, family),
            versus_usd=_compare(spent, name, "usd", alpha, family),
        )


def _compare(
    spent: Mapping[tuple[str, Measure], Mapping[str, float]],
    name: str,
    measure: Measure,
    alpha: float,
    family: int,
) -> CostRatio | None:
    if name == INTACT or (INTACT, measure) not in spent:
        return None
    first, second = (spent[each, measure] for each in (INTACT, name))
    tasks = sorted(first.keys() & second.keys())
    with_it, other = (np.array([column[task] for task in tasks]) for column in (first, second))
    return compare_costs(with_it, other, alpha, family)


def _by_task(trials: Sequence[TrialRow], measure: Measure) -> dict[str, float]:
    """The geometric mean of each task; tasks with a trial that used nothing, or nobody knows what, are left
    out."""
    spent: dict[str, list[float | None]] = {}
    for trial in trials:
        spent.setdefault(trial.task, []).append(_spent(trial, measure))
    means: dict[str, float] = {}
    # tasks with as many trials at once
    for own in group_by(spent, lambda task: len(spent[task])).values():
        known = [task for task in own if all(spent[task])]
        values = np.sort(np.array([spent[task] for task in known], dtype=np.float64), axis=-1)
        if known:
            means |= zip(known, np.exp(np.log(values).mean(axis=1)).tolist(), strict=True)
    return means


def _spent(trial: TrialRow, measure: Measure) -> float | None:
    if measure == "usd":
        return trial.usd
    cached = trial.cache_read_tokens + trial.cache_write_tokens
    return float(trial.input_tokens + trial.output_tokens + cached)


def _mean_usd(trials: Sequence[TrialRow]) -> float | None:
    known = [trial.usd for trial in trials if trial.usd is not None]
    return fmean(known) if len(known) == len(trials) else None
