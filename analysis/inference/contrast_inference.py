"""Inference on contrasts: everything that is computed about each of a family before a word is chosen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil

import numpy as np
from numpy.typing import NDArray

from loadbearing.analysis.estimands.contrast import Contrast
from loadbearing.analysis.inference.equivalence import p_equivalence, units_to_settle
from loadbearing.analysis.inference.interval import interval_at, plus_two_sample, t_interval
from loadbearing.analysis.inference.sign_flip import flip_test, unit_sums
from loadbearing.analysis.inference.simultaneous import simultaneous_quantile
from loadbearing.analysis.plan import AnalysisPlan
from loadbearing.analysis.result import Estimate
from loadbearing.outcomes.outcomes import CellTable


@dataclass(frozen=True, slots=True)
class Tested:
    """One contrast of a family, and what the sign flips say of it.

    Args:
        column: the contrast of each task, shape (n_tasks,); NaN where one of its cells has no score.
        p, p_adjusted: as in Estimate.
        reach: standard errors that the family's intervals reach out.
    """

    backbone: str
    contrast: Contrast
    column: NDArray[np.float64]
    p: float
    p_adjusted: float
    reach: float


def gather(
    family: str,
    members: Sequence[tuple[str, Contrast]],
    tables: Mapping[str, CellTable],
    plan: AnalysisPlan,
    rng: np.random.Generator,
) -> tuple[Estimate, ...]:
    """Measure the contrasts of one family, over all backbones, with one set of sign vectors.

    A run prints a verdict per backbone, arm and condition. Each alone is wrong in at most alpha of the
    runs that have no effect; a table of forty would nearly always hold a false one. Hence p_adjusted.

    Args:
        family: its name.
        members: backbone and contrast of each hypothesis.
        tables: the cells of every backbone, all on the same tasks.
        plan: margin, alpha and number of flips.
        rng: source of the sign vectors.

    Returns:
        a row for each member, without its word.
    """
    if not members:
        return ()
    units = units_of(next(iter(tables.values())))
    columns = [contrast.per_task(tables[backbone]) for backbone, contrast in members]
    counts = [len(np.unique(units[~np.isnan(column)])) for column in columns]
    tested = np.column_stack(
        [
            column if count >= 2 else np.full_like(column, np.nan)
            for column, count in zip(columns, counts, strict=True)
        ]
    )
    test = flip_test(tested, units, plan.flips, rng)
    reach = simultaneous_quantile(tested, units, plan.alpha, plan.flips, rng)
    size = sum(count >= 2 for count in counts)
    numbers = zip(test.p.tolist(), test.p_adjusted.tolist(), reach.tolist(), strict=True)
    return tuple(
        _row(Tested(*member, column, *found), family, size, tables[member[0]], units, plan)
        for member, column, found in zip(members, columns, numbers, strict=True)
    )


def units_of(table: CellTable) -> NDArray[np.int64]:
    """Index of each task's cluster; a task without a cluster is independent."""
    place = {name: index for index, name in enumerate(dict.fromkeys(table.clusters))}
    return np.array([place[name] for name in table.clusters], dtype=np.int64)


def _row(
    one: Tested, family: str, size: int, table: CellTable, units: NDArray[np.int64], plan: AnalysisPlan
) -> Estimate:
    """The row of one contrast; without numbers of inference where fewer than two units have it.

    Args:
        size: hypotheses that are tested together with it, itself included.
        units: the unit of each task.
    """
    contrast, known = one.contrast, ~np.isnan(one.column)
    values, unit = one.column[known], units[known]
    n_tasks, n_units = len(values), len(np.unique(unit))
    mean = float(values.mean()) if n_tasks else None
    if mean is not None and abs(mean) < 1e-12:
        mean = 0.0  # contrasts that cancel on paper leave a rest in binary
    row = Estimate(
        estimand=contrast.estimand,
        backbone=one.backbone,
        arm=contrast.arm,
        versus=contrast.versus,
        condition=contrast.condition,
        share=contrast.share,
        family=family,
        n_tasks=n_tasks,
        n_clusters=n_units,
        n_missing=int(table.played.sum()) - n_tasks,
        n_informative=int((unit_sums(values[:, None], unit) != 0).sum()),
        estimate=mean,
        n_errors=contrast.errors(table),
    )
    if mean is None or n_units < 2:
        return row
    sample = plus_two_sample(values, unit, contrast.repeats(table))
    low, high = t_interval(sample, plan.alpha)
    low_family, high_family = interval_at(sample, one.reach)
    # on the plus-two sample, and so never zero
    sd = float(sample.std(ddof=1))
    needed = units_to_settle(mean, sd, plan.margin, plan.alpha, size)
    return replace(
        row,
        low=low,
        high=high,
        low_family=low_family,
        high_family=high_family,
        sd=sd,
        p=one.p,
        p_adjusted=one.p_adjusted,
        p_equivalence=p_equivalence(sample, plan.margin),
        tasks_to_settle=ceil(needed * n_tasks / n_units),
    )
