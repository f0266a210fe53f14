"""Inference on contrasts: everything that is computed about each of a family before a word is chosen."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import ceil, sqrt

import numpy as np

from memtrial.analysis.analysis_plan import AnalysisPlan
from memtrial.analysis.arrays import Floats, Ints, Rng
from memtrial.analysis.estimands.contrast import Contrast
from memtrial.analysis.inference.interval import (
    interval_at,
    p_equivalence,
    p_zero,
    t_interval,
    unit_sample,
    units_to_settle,
)
from memtrial.analysis.inference.sign_flip import (
    exact_flip,
    family_p,
    flip_test,
    simultaneous_quantile,
    unit_sums,
)
from memtrial.analysis.result import Estimate
from memtrial.outcomes.outcomes import CellTable, Outcomes
from memtrial.outcomes.reserved_names import ALL


def gather(
    family: str,
    members: Sequence[tuple[str, Contrast]],
    tables: Mapping[str, CellTable],
    plan: AnalysisPlan,
    rng: Rng,
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
    test = flip_test(together, units, plan.rules.flips, rng)
    p = np.array([np.nan if sample is None else float(p_zero(sample)) for sample in samples])
    adjusted, adjusted_error = family_p(p, test)
    freedom = np.array([np.nan if sample is None else sample.freedom for sample in samples])
    reach = simultaneous_quantile(together, units, freedom, plan.rules.alpha, plan.rules.flips, rng)
    estimates = []
    for number, (backbone, contrast) in enumerate(members):
        table, values, unit = tables[backbone], columns[number][known[number]], units[known[number]]
        row = _row(family, backbone, contrast, table, values, unit)
        sample = samples[number]
        if sample is not None and row.estimate is not None:
            alone = exact_flip(values, unit)
            p_flip, p_mid = alone or (float(test.p[number]), float(test.p_mid[number]))
            low, high = t_interval(sample, plan.rules.alpha)
            low_equivalence, high_equivalence = t_interval(sample, 2 * plan.rules.alpha)
            low_family, high_family = interval_at(sample, float(reach[number]))
            sd = float(sample.error) * sqrt(row.n_clusters)  # never zero
            needed = units_to_settle(row.estimate, sd, plan.rules.margin, plan.rules.alpha, sum(tested))
            row = replace(
                row,
                low=low,
                high=high,
                low_family=low_family,
                high_family=high_family,
                sd=sd,
                freedom=sample.freedom,
                p=float(p[number]),
                p_adjusted=float(adjusted[number]),
                p_adjusted_error=float(adjusted_error[number]),
                p_flip=p_flip,
                p_mid=p_mid,
                p_mid_adjusted=float(test.p_adjusted[number]),
                p_flip_error=0.0 if alone else float(test.error[number]),
                p_mid_least=None if alone or not test.error[number] else 0.5 / (plan.rules.flips + 1),
                p_equivalence=float(p_equivalence(sample, plan.rules.margin)),
                low_equivalence=low_equivalence,
                high_equivalence=high_equivalence,
                tasks_to_settle=ceil(needed * row.n_tasks / row.n_clusters),
            )
        estimates.append(row)
    return tuple(estimates)


def _row(
    family: str, backbone: str, contrast: Contrast, table: CellTable, values: Floats, unit: Ints
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


def units_of(table: CellTable) -> Ints:
    """Index of each task's cluster; a task without a cluster is independent."""
    place = {name: index for index, name in enumerate(dict.fromkeys(table.clusters))}
    return np.array([place[name] for name in table.clusters], dtype=np.int64)


def tables_of(outcomes: Outcomes) -> dict[str, CellTable]:
    """The cells of each backbone, and under `all` those that each of several played, averaged over them.

    Backbones are a fixed, named set on shared tasks, so that the task stays the unit and the ordinary
    inference holds. A task that one backbone is missing in a cell is missing there (STATISTICS 9).
    """
    tables = {backbone: outcomes.cells(backbone) for backbone in outcomes.backbones}
    if len(tables) > 1:
        several = tuple(tables.values())
        cells = tuple(cell for cell in several[0].cells if all(cell in table.cells for table in several))
        pairs = [(table, [table.cells.index(cell) for cell in cells]) for table in several]
        tables[ALL] = replace(
            several[0],
            cells=cells,
            single=several[0].single.clear(),  # trials of several backbones are no repeats of one another
            means=np.mean([table.means[:, column_number] for table, column_number in pairs], axis=0),
            trials=np.sum([table.trials[:, column_number] for table, column_number in pairs], axis=0),
            errors=np.sum([table.errors[:, column_number] for table, column_number in pairs], axis=0),
        )
    return tables
