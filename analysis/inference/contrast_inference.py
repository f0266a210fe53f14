"""Inference on contrasts: everything that is computed about each of a family before a word is chosen."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import ceil, sqrt

import numpy as np
from numpy.typing import NDArray

from loadbearing.analysis.estimands.contrast import Contrast
from loadbearing.analysis.inference.interval import (
    interval_at,
    p_equivalence,
    p_zero,
    t_interval,
    unit_sample,
    units_to_settle,
)
from loadbearing.analysis.inference.sign_flip import exact_flip, family_p, flip_test, unit_sums
from loadbearing.analysis.inference.simultaneous import simultaneous_quantile
from loadbearing.analysis.plan import AnalysisPlan
from loadbearing.analysis.result import Estimate
from loadbearing.outcomes.outcomes import CellTable


def gather(
    family: str,
    members: Sequence[tuple[str, Contrast]],
    tables: Mapping[str, CellTable],
    plan: AnalysisPlan,
    rng: np.random.Generator,
) -> tuple[Estimate, ...]:
    """Measure the contrasts of one family, over all backbones, with one set of sign vectors.

    Args:
        members: backbone and contrast of each hypothesis, at least one.
        tables: the cells of every backbone, all on the same tasks.

    Returns:
        a row for each member, without its word; without numbers of inference below two units.
    """
    units = units_of(next(iter(tables.values())))
    columns = [contrast.per_task(tables[backbone]) for backbone, contrast in members]
    known = [~np.isnan(column) for column in columns]
    tested = [len(np.unique(units[tasks])) >= 2 for tasks in known]
    together = np.column_stack(
        [column if two else np.full_like(column, np.nan) for column, two in zip(columns, tested, strict=True)]
    )
    samples = [
        unit_sample(column[here], units[here], contrast.repeats(tables[backbone]), contrast.bounds)
        if two
        else None
        for (backbone, contrast), column, here, two in zip(members, columns, known, tested, strict=True)
    ]
    test = flip_test(together, units, plan.flips, rng)
    p = np.array([np.nan if one is None else float(p_zero(one)) for one in samples])
    adjusted, adjusted_error = family_p(p, test)
    freedom = np.array([np.nan if one is None else one.freedom for one in samples])
    reach = simultaneous_quantile(together, units, freedom, plan.alpha, plan.flips, rng)
    found = []
    for at, (backbone, contrast) in enumerate(members):
        table, values, unit = tables[backbone], columns[at][known[at]], units[known[at]]
        row = _row(family, backbone, contrast, table, values, unit)
        sample = samples[at]
        if sample is not None and row.estimate is not None:
            alone = exact_flip(values, unit)
            p_flip, p_mid = alone or (float(test.p[at]), float(test.p_mid[at]))
            low, high = t_interval(sample, plan.alpha)
            low_equivalence, high_equivalence = t_interval(sample, 2 * plan.alpha)
            low_family, high_family = interval_at(sample, float(reach[at]))
            sd = float(sample.error) * sqrt(row.n_clusters)  # never zero
            needed = units_to_settle(row.estimate, sd, plan.margin, plan.alpha, sum(tested))
            row = replace(
                row,
                low=low,
                high=high,
                low_family=low_family,
                high_family=high_family,
                sd=sd,
                freedom=sample.freedom,
                p=float(p[at]),
                p_adjusted=float(adjusted[at]),
                p_adjusted_error=float(adjusted_error[at]),
                p_flip=p_flip,
                p_mid=p_mid,
                p_mid_adjusted=float(test.p_adjusted[at]),
                p_flip_error=0.0 if alone else float(test.error[at]),
                p_equivalence=float(p_equivalence(sample, plan.margin)),
                low_equivalence=low_equivalence,
                high_equivalence=high_equivalence,
                tasks_to_settle=ceil(needed * row.n_tasks / row.n_clusters),
            )
        found.append(row)
    return tuple(found)


def _row(
    family: str,
    backbone: str,
    contrast: Contrast,
    table: CellTable,
    values: NDArray[np.float64],
    unit: NDArray[np.int64],
) -> Estimate:
    mean = float(values.mean()) if len(values) else None
    if mean is not None and abs(mean) < 1e-12:
        mean = 0.0  # contrasts that cancel on paper leave a rest in binary
    return Estimate(
        estimand=contrast.estimand,
        backbone=backbone,
        arm=contrast.arm,
        versus=contrast.versus,
        condition=contrast.condition,
        share=contrast.share,
        family=family,
        n_tasks=len(values),
        n_clusters=len(np.unique(unit)),
        n_missing=int(table.played.sum()) - len(values),
        n_informative=int((unit_sums(values[:, None], unit) != 0).sum()),
        estimate=mean,
        n_errors=contrast.errors(table),
    )


def units_of(table: CellTable) -> NDArray[np.int64]:
    """Index of each task's cluster; a task without a cluster is independent."""
    place = {name: index for index, name in enumerate(dict.fromkeys(table.clusters))}
    return np.array([place[name] for name in table.clusters], dtype=np.int64)
