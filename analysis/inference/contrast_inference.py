"""Evidence: everything that is computed about one contrast before a word is chosen for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil

import numpy as np
from numpy.typing import NDArray

from loadbearing.analysis.estimands.contrast import Contrast
from loadbearing.analysis.inference.equivalence import p_equivalence, units_to_settle
from loadbearing.analysis.inference.interval import interval_at, plus_two_sample, t_interval
from loadbearing.analysis.inference.sign_flip import flip_test, unit_sums
from loadbearing.analysis.inference.simultaneous import simultaneous_quantile
from loadbearing.analysis.plan import AnalysisPlan
from loadbearing.outcomes.outcomes import CellTable


@dataclass(frozen=True, slots=True)
class Inference:
    """What may be concluded about a contrast that has at least two units.

    Args:
        estimate: mean over tasks, each of the same weight.
        low: lower end of the 1 - alpha interval, for this contrast alone.
        high: its upper end.
        sd: standard deviation of a unit's contrast on the plus-two sample, never zero.
        p: sign-flip p-value of this contrast alone.
        p_adjusted: the same within its family; verdicts rest on it.
        p_equivalence: p-value against an effect at or beyond the margin.
        family: hypotheses tested together with this one, itself included.
        tasks_to_settle: tasks after which an effect as large as this one would be settled (80 % power).
        low_family: lower end of the interval that holds for the whole family at once.
        high_family: its upper end.
    """

    estimate: float
    low: float
    high: float
    sd: float
    p: float
    p_adjusted: float
    p_equivalence: float
    family: int
    tasks_to_settle: int
    low_family: float | None = None
    high_family: float | None = None


@dataclass(frozen=True, slots=True)
class Evidence:
    """What the data say about one contrast of one backbone.

    Args:
        estimate: mean over tasks, each of the same weight; None without a task.
        n_tasks: tasks with a score in every cell of the contrast.
        n_missing: other tasks that this backbone played.
        n_units: tasks, or clusters where tasks share one.
        n_informative: units whose contrast is not zero.
        all_zero: not one task differs.
        inference: None with fewer than two units.
        bounds: the least and the most that one task can give.
    """

    estimate: float | None
    n_tasks: int
    n_missing: int
    n_units: int
    n_informative: int
    all_zero: bool
    inference: Inference | None
    bounds: tuple[float, float] = (-1.0, 1.0)


@dataclass(frozen=True, slots=True)
class Tested:
    """What the sign flips of a family say of one contrast.

    Args:
        p, p_adjusted: as in Inference.
        reach: standard errors that the family's intervals reach out.
    """

    p: float
    p_adjusted: float
    reach: float


def gather(
    family: Sequence[tuple[str, Contrast]],
    tables: Mapping[str, CellTable],
    plan: AnalysisPlan,
    rng: np.random.Generator,
) -> tuple[Evidence, ...]:
    """Measure the contrasts of one family, over all backbones, with one set of sign vectors.

    A run prints a verdict per backbone, arm and condition. Each alone is wrong in at most alpha of the
    runs that have no effect; a table of forty would nearly always hold a false one. Hence p_adjusted.

    Args:
        family: backbone and contrast of each hypothesis.
        tables: the cells of every backbone, all on the same tasks.
        plan: margin, alpha and number of flips.
        rng: source of the sign vectors.
    """
    if not family:
        return ()
    units = units_of(next(iter(tables.values())))
    columns = [contrast.per_task(tables[backbone]) for backbone, contrast in family]
    counts = [len(np.unique(units[~np.isnan(column)])) for column in columns]
    tested = np.column_stack(
        [
            column if count >= 2 else np.full_like(column, np.nan)
            for column, count in zip(columns, counts, strict=True)
        ]
    )
    test = flip_test(tested, units, plan.flips, rng)
    size = sum(count >= 2 for count in counts)
    reach = simultaneous_quantile(tested, units, plan.alpha, plan.flips, rng)
    tests = [Tested(*map(float, one)) for one in zip(test.p, test.p_adjusted, reach, strict=True)]
    return tuple(
        _evidence(contrast, column, units, tables[backbone], plan, size, tested_one)
        for (backbone, contrast), column, tested_one in zip(family, columns, tests, strict=True)
    )


def units_of(table: CellTable) -> NDArray[np.int64]:
    """Index of each task's cluster; a task without a cluster stands for itself."""
    place = {name: index for index, name in enumerate(dict.fromkeys(table.clusters))}
    return np.array([place[name] for name in table.clusters], dtype=np.int64)


def _evidence(
    contrast: Contrast,
    column: NDArray[np.float64],
    units: NDArray[np.int64],
    table: CellTable,
    plan: AnalysisPlan,
    family: int,
    tested: Tested,
) -> Evidence:
    known = ~np.isnan(column)
    values, unit = column[known], units[known]
    n_tasks, n_units = len(values), len(np.unique(unit))
    n_missing = int(table.played.sum()) - n_tasks
    sums = unit_sums(values[:, None], unit)
    informative = int((sums != 0).sum())
    all_zero = bool(n_tasks) and bool((np.abs(values) < 1e-9).all())
    mean = float(values.mean()) if n_tasks else None
    if mean is not None and abs(mean) < 1e-12:
        mean = 0.0  # contrasts that cancel on paper leave a rest in binary
    inference = None
    if mean is not None and n_units >= 2:
        sample = plus_two_sample(values, unit, contrast.repeats(table))
        low, high = t_interval(sample, plan.alpha)
        low_family, high_family = interval_at(sample, tested.reach)
        sd = float(sample.std(ddof=1))
        needed = units_to_settle(mean, sd, plan.margin, plan.alpha, family)
        inference = Inference(
            estimate=mean,
            low=low,
            high=high,
            sd=sd,
            p=tested.p,
            p_adjusted=tested.p_adjusted,
            p_equivalence=p_equivalence(sample, plan.margin),
            family=family,
            tasks_to_settle=ceil(needed * n_tasks / n_units),
            low_family=low_family,
            high_family=high_family,
        )
    return Evidence(mean, n_tasks, n_missing, n_units, informative, all_zero, inference, contrast.bounds)
