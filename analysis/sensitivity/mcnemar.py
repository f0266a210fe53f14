"""McNemar's test: one trial a cell, a success or a failure, two cells."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from loadbearing.analysis.sensitivity.method import Reading
from loadbearing.analysis.sensitivity.trial_scores import Cells, per_task

EXACT = "McNemar, exact"
MID_P = "McNemar, mid-p"


def mcnemar(cells: Cells, units: NDArray[np.int64]) -> tuple[Reading, ...]:
    """The exact and the mid-p test on the tasks that one cell solved and the other did not.

    Args:
        cells: the cells of the contrast.
        units: index of the cluster of each task, any integers, shape (n_tasks,).

    Returns:
        both readings; none where the test does not apply: other than two cells of weights +1 and -1,
        more than one trial a cell, a score between 0 and 1, or tasks that share a cluster.

    Source: McNemar 1947; Fagerland, Lydersen & Laake 2013 (mid-p). The exact one is the sign flip.
    """
    from statsmodels.stats.contingency_tables import mcnemar as test

    known = ~np.isnan(per_task(cells))
    if not known.any() or sorted(cell.weight for cell in cells) != [-1, 1]:
        return ()
    first, second = sorted((cell.at(known) for cell in cells), key=lambda cell: -cell.weight)
    one_trial = (first.trials == 1).all() and (second.trials == 1).all()
    binary = np.isin(first.totals, (0, 1)).all() and np.isin(second.totals, (0, 1)).all()
    if not (one_trial and binary) or len(np.unique(units[known])) < known.sum():
        return ()
    b = int((first.totals > second.totals).sum())
    c = int((first.totals < second.totals).sum())
    estimate = (b - c) / int(known.sum())
    note = f"discordant tasks: b = {b}, c = {c}"
    exact = float(test(np.array([[0, b], [c, 0]]), exact=True).pvalue)
    mid = exact - _half_observed(b, c) if b + c else 1.0
    return (
        Reading(EXACT, estimate, None, None, exact, note),
        Reading(MID_P, estimate, None, None, mid, note),
    )


def _half_observed(b: int, c: int) -> float:
    """Half the chance of the split that was seen, in either direction."""
    from scipy.stats import binom

    return float(binom.pmf(b, b + c, 0.5)) * (0.5 if b == c else 1.0)
