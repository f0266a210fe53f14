"""Drops within each family of tasks: where effects live in some families only, the pooled drop hides them."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from loadbearing.analysis.estimands.contrast import Contrast
from loadbearing.analysis.inference.contrast_inference import units_of
from loadbearing.analysis.inference.interval import t_interval, unit_sample
from loadbearing.outcomes.outcomes import CellTable

MOST_FAMILIES = 24
"""Above this, families are hardly more than tasks, and no interval of one says anything."""


@dataclass(frozen=True, slots=True)
class FamilyEffect:
    """A contrast on the tasks of one family.

    `low` and `high` hold for all families at once, with 1 - alpha (Bonferroni); None below two units.
    """

    family: str
    n_tasks: int
    n_clusters: int
    estimate: float
    low: float | None
    high: float | None


def by_family(
    contrast: Contrast, table: CellTable, families: Mapping[str, str], alpha: float
) -> tuple[FamilyEffect, ...]:
    """The contrast in each family of tasks, by name; none where there are fewer than two, or very many.

    `families` has that of each task. Where a family is one cluster, its tasks are the units inside it.
    """
    column, units = contrast.per_task(table), units_of(table)
    of_task = np.array([families.get(task, "") for task in table.tasks])
    known = ~np.isnan(column) & (of_task != "")
    names = sorted(set(of_task[known]))
    if not 2 <= len(names) <= MOST_FAMILIES:
        return ()
    found = []
    for name in names:
        tasks = known & (of_task == name)
        unit = units[tasks] if len(np.unique(units[tasks])) > 1 else np.arange(tasks.sum())
        n, low, high = len(np.unique(unit)), None, None
        if n >= 2:
            sample = unit_sample(column[tasks], unit, contrast.repeats(table), contrast.bounds)
            low, high = t_interval(sample, alpha / len(names))
        found.append(FamilyEffect(name, int(tasks.sum()), n, float(column[tasks].mean()), low, high))
    return tuple(found)
