"""Variance parts of every contrast of a pilot, and those that a plan reckons with."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from loadbearing.analysis.estimands.contrast import Contrast
from loadbearing.analysis.planning.variance import Parts
from loadbearing.analysis.planning.variance_limits import VarianceParts, variance_parts
from loadbearing.outcomes.outcomes import CellTable, Outcomes

LEAST_TASKS = 8
"""Tasks below which a pilot tells nothing about variance."""
LEAST_SHARING = 10
"""Tasks beyond one a cluster below which it tells nothing about clusters; half of tau^2 is then theirs."""


@dataclass(frozen=True, slots=True)
class Piloted:
    """One contrast of a pilot."""

    backbone: str
    contrast: Contrast
    found: VarianceParts


@dataclass(frozen=True, slots=True)
class Reckoned:
    """What a plan reckons with for one estimand.

    Args:
        parts: the mean over the pilot's contrasts of that estimand.
        upper: the same at the upper 80 % limit of their total variance.
        n_contrasts, n_tasks: behind them; 0 where nothing was piloted and `parts` is assumed.
        how: in words.
    """

    parts: Parts
    upper: Parts
    n_contrasts: int
    n_tasks: int
    how: str


def piloted(outcomes: Outcomes, contrasts: Iterable[Contrast]) -> tuple[Piloted, ...]:
    """Variance parts of each contrast on each backbone of an outcome table.

    Left out are contrasts with a cell that was not played, with fewer than eight tasks, and those in which
    no task differs (damage that changed nothing has no variance to plan with).

    Args:
        outcomes: of a pilot; its clusters are used where tasks share one.
    """
    listed = tuple(contrasts)
    found = []
    for backbone in outcomes.backbones:
        table = outcomes.cells(backbone)
        for contrast in listed:
            one = _parts(table, contrast)
            if one is not None:
                found.append(Piloted(backbone, contrast, one))
    return tuple(found)


def reckoned(found: Iterable[Piloted], estimand: str, assumed: Parts, repeats: int) -> Reckoned:
    """The parts of one estimand, averaged over its contrasts; the assumed ones where none was piloted.

    A pilot of one repeat knows only the sum of the parts; they are then split as the assumed ones are.

    Args:
        assumed: parts where the pilot says nothing.
        repeats: at which the upper limit is wanted.
    """
    mine = [one.found for one in found if one.contrast.estimand == estimand]
    if not mine:
        return Reckoned(assumed, assumed, 0, 0, "assumed (STATISTICS 4)")
    apart = [one for one in mine if one.repeat is not None]
    n_tasks = min(one.n_tasks for one in mine)
    if not apart:
        factor = float(np.mean([one.total for one in mine])) / assumed.total(1)
        upper = float(np.mean([one.upper_total(1) for one in mine])) / assumed.total(1)
        how = "the pilot's total, split as the assumed parts: one repeat tells them apart in no way"
        return Reckoned(_times(assumed, factor), _times(assumed, upper), len(mine), n_tasks, how)
    parts = _mean([one.parts for one in apart])
    upper_parts = _mean([one.upper_parts(repeats) for one in apart])
    if all(one.n_tasks - one.n_clusters >= LEAST_SHARING for one in apart):
        return Reckoned(parts, upper_parts, len(apart), n_tasks, "the pilot's")
    how = "the pilot's, the clusters' part assumed to be half of tau^2: too few of its tasks share one"
    return Reckoned(_half(parts), _half(upper_parts), len(apart), n_tasks, how)


def _parts(table: CellTable, contrast: Contrast) -> VarianceParts | None:
    if any(cell not in table.cells for cell, _ in contrast.weights):
        return None
    total = contrast.per_repeat(table)
    known: NDArray[np.bool_] = np.asarray((~np.isnan(total)).any(axis=1))
    own = len(set(table.clusters)) == len(table.tasks)
    clusters = None if own else [name for name, keep in zip(table.clusters, known, strict=True) if keep]
    enough = int(known.sum()) >= LEAST_TASKS and (clusters is None or len(set(clusters)) >= 3)
    if not enough or not np.nanmax(np.abs(total)) > 0:
        return None
    return variance_parts(total[known], clusters)


def _mean(several: Iterable[Parts | None]) -> Parts:
    known = [one for one in several if one is not None]
    task = float(np.mean([one.task for one in known]))
    repeat = float(np.mean([one.repeat for one in known]))
    cluster = float(np.mean([one.cluster for one in known]))
    return Parts(task, repeat, min(cluster, task))


def _half(parts: Parts) -> Parts:
    return Parts(parts.task, parts.repeat, parts.task / 2)


def _times(parts: Parts, factor: float) -> Parts:
    return Parts(parts.task * factor, parts.repeat * factor, parts.cluster * factor)
