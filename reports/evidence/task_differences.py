"""The numbers behind each mean: how the contrast is spread over tasks."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from loadbearing.analysis.plan import AnalysisPlan
from loadbearing.outcomes.outcomes import Outcomes
from loadbearing.reports.inputs.contrasts import named, shown_contrasts
from loadbearing.reports.model.rows import DifferenceRow

MOST_VALUES = 201


def difference_rows(outcomes: Outcomes, plan: AnalysisPlan) -> tuple[DifferenceRow, ...]:
    """For each utility, drop and contrast: `values`, pairs of a task's difference and its number of tasks.

    A contrast that takes more than 201 different values (dense scores) is given by 201 quantiles of its
    tasks, so that the results stay small; `exact` says which it is.

    Args:
        outcomes: all trials.
        plan: what is compared.
    """
    tables = {backbone: outcomes.cells(backbone) for backbone in outcomes.backbones}
    found = []
    for _, backbone, contrast in shown_contrasts(plan, outcomes.backbones):
        column = contrast.per_task(tables[backbone])
        values, exact = _condensed(column[~np.isnan(column)])
        if values:
            found.append(DifferenceRow(**dict(named(contrast, backbone)), exact=exact, values=values))
    return tuple(found)


def _condensed(column: NDArray[np.float64]) -> tuple[tuple[tuple[float, float], ...], bool]:
    """Distinct values with their counts, rounded to what a figure can show, from low to high."""
    levels, counts = np.unique(np.round(column, 6) + 0.0, return_counts=True)
    if len(levels) <= MOST_VALUES:
        return tuple((float(v), float(n)) for v, n in zip(levels, counts, strict=True)), True
    cut = np.quantile(column, (np.arange(MOST_VALUES) + 0.5) / MOST_VALUES)
    share = len(column) / MOST_VALUES
    return tuple((float(round(v, 6)), float(round(share, 6))) for v in cut), False
