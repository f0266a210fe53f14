"""Several backbones on the tasks they share: their mean inside each task, and whether they differ."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from loadbearing.outcomes.outcomes import CellTable


def pooled(tables: Mapping[str, CellTable]) -> CellTable | None:
    """The cells that every backbone played, averaged over backbones; None with fewer than two.

    Backbones are a fixed, named set on shared tasks, so that the task stays the unit and the ordinary
    inference holds; a meta-analysis would take the backbones for independent studies. A task that one
    backbone is missing in a cell is missing there.

    Source: STATISTICS 9.
    """
    several = tuple(tables.values())
    if len(several) < 2:
        return None
    first = several[0]
    cells = tuple(cell for cell in first.cells if all(cell in table.cells for table in several))
    places = [[table.cells.index(cell) for cell in cells] for table in several]
    pairs = list(zip(several, places, strict=True))
    return replace(
        first,
        cells=cells,
        by_cell=np.empty(0),  # trials of several backbones are no repeats of one another
        nth=np.empty(0, dtype=np.int64),
        means=np.mean([table.means[:, at] for table, at in pairs], axis=0),
        trials=np.sum([table.trials[:, at] for table, at in pairs], axis=0),
        errors=np.sum([table.errors[:, at] for table, at in pairs], axis=0),
    )


@dataclass(frozen=True, slots=True)
class Heterogeneity:
    """Hotelling's T^2 over units with a contrast on every backbone; None without a test, as `note` says."""

    statistic: float | None
    p: float | None
    n_units: int
    note: str


def heterogeneity(contrasts: NDArray[np.float64], units: NDArray[np.int64]) -> Heterogeneity:
    """Test that the mean contrast is the same on every backbone, by Hotelling's T^2.

    The numbers tested are each task's differences to the first backbone, so that what backbones share
    in a task cancels; any other first one gives the same T^2. Where tasks form clusters the sums of
    their deviations stand for them.

    Args:
        contrasts: one row a task, one column a backbone, of which there are two or more; shape
            (n_tasks, n_backbones). Tasks missing on one of them are left out.
        units: index of the unit of each task, any integers, shape (n_tasks,).

    Source: Hotelling 1931.
    """
    from scipy.stats import f

    known = ~np.isnan(contrasts).any(axis=1)
    apart = contrasts[known, 1:] - contrasts[known, :1]
    labels, unit = np.unique(units[known], return_inverse=True)
    n, k = len(labels), apart.shape[1]
    if n <= k:
        return Heterogeneity(None, None, n, f"needs more than {k} units, got {n}")
    size = np.bincount(unit, minlength=n).astype(np.float64)
    sums = np.column_stack([np.bincount(unit, weights=column, minlength=n) for column in apart.T])
    mean = apart.mean(axis=0)
    deviations = (sums - size[:, None] * mean) / size.mean()
    covariance = deviations.T @ deviations / (n - 1)
    spread = np.linalg.eigvalsh(covariance)
    if spread[0] <= 1e-10 * max(spread[-1], 1e-12):
        return Heterogeneity(None, None, n, "differences between backbones do not vary enough over tasks")
    statistic = float(n * mean @ np.linalg.solve(covariance, mean))
    p = float(f.sf(statistic * (n - k) / (k * (n - 1)), k, n - k))
    return Heterogeneity(statistic, p, n, f"Hotelling's T^2 on {n} units, {k} and {n - k} degrees of freedom")
