"""What memory costs: tokens and dollars of each condition, and how many times as much the intact one's."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Literal

import numpy as np

from memtrial.analysis.inference.cost_ratio import CostRatio, compare_costs
from memtrial.ledger.rows import TrialRow
from memtrial.outcomes.grouping import group_by
from memtrial.outcomes.reserved_names import INTACT, WITHOUT

Measure = Literal["tokens", "usd"]
MEASURES: tuple[Measure, ...] = ("tokens", "usd")


@dataclass(frozen=True, slots=True)
class ConditionCost:
    """What the trials of a condition used, in the mean of a trial.

    Args:
        tokens: sent and received; `usd` is None where the cost of some trial is not known.
        versus_tokens, versus_usd: the intact condition's as a multiple of this one's; None for itself, and
            where nothing can be compared.
    """

    condition: str
    n_trials: int
    solved: float
    tokens: float
    usd: float | None
    versus_tokens: CostRatio | None = None
    versus_usd: CostRatio | None = None


def compare_condition_costs(trials: Sequence[TrialRow], alpha: float) -> tuple[ConditionCost, ...]:
    """By condition of one arm, with the trials without memory; errors are left out."""
    played = [trial for trial in trials if trial.status != "error"]
    groups = group_by(played, lambda trial: trial.condition)
    names = sorted(groups, key=lambda name: (name != WITHOUT, name != INTACT))
    family = len(names) - 1
    return tuple(
        ConditionCost(
            condition=name,
            n_trials=len(groups[name]),
            solved=fmean(trial.score or 0.0 for trial in groups[name]),
            tokens=fmean(_spent(trial, "tokens") or 0.0 for trial in groups[name]),
            usd=_mean_usd(groups[name]),
            versus_tokens=_compare(groups, name, "tokens", alpha, family),
            versus_usd=_compare(groups, name, "usd", alpha, family),
        )
        for name in names
    )


def _compare(
    groups: dict[str, list[TrialRow]], name: str, measure: Measure, alpha: float, family: int
) -> CostRatio | None:
    if name == INTACT or INTACT not in groups:
        return None
    first, second = (_by_task(groups[each], measure) for each in (INTACT, name))
    tasks = sorted(first.keys() & second.keys())
    with_it, other = (np.array([column[task] for task in tasks]) for column in (first, second))
    return compare_costs(with_it, other, alpha, family)


def _by_task(trials: Sequence[TrialRow], measure: Measure) -> dict[str, float]:
    """The geometric mean of each task; tasks with a trial that used nothing, or nobody knows what, are left
    out."""
    means: dict[str, float] = {}
    for task, own in group_by(trials, lambda trial: trial.task).items():
        spent = [_spent(trial, measure) for trial in own]
        known = [value for value in spent if value]
        if len(known) == len(spent):
            means[task] = float(np.exp(np.mean(np.log(known))))
    return means


def _spent(trial: TrialRow, measure: Measure) -> float | None:
    if measure == "usd":
        return trial.usd
    cached = trial.cache_read_tokens + trial.cache_write_tokens
    return float(trial.input_tokens + trial.output_tokens + cached)


def _mean_usd(trials: Sequence[TrialRow]) -> float | None:
    known = [trial.usd for trial in trials if trial.usd is not None]
    return fmean(known) if len(known) == len(trials) else None
