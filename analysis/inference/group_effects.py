"""Effects by group of tasks, partly pooled, and whether they differ between the groups.

A group is a family of tasks, or the tasks whose memory held one item: groups may share tasks.
"""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from math import sqrt
from typing import TypeVar

import numpy as np

from memtrial.analysis.arrays import Bools, Floats, Ints, Rng
from memtrial.analysis.inference.interval import UnitSample, p_zero, t_interval, unit_sample
from memtrial.analysis.inference.shrunken_interval import Leaning, lean_intervals

Named = TypeVar("Named", bound=Hashable)
MOST_GROUPS = 24
"""Above this, groups are hardly more than tasks, and no interval of one says anything."""
_DRAWS = 999
_BORROWED = 1.0
"""Degrees of freedom that the variance of a group takes from all groups: of few units its own is poor."""
_TIE = 1e-9
_DIGITS = 9


@dataclass(frozen=True, slots=True)
class GroupEffect:
    """A contrast on the tasks of one group.

    Args:
        low, high: hold for all groups at once, with 1 - alpha (Bonferroni); None below two units.
        shrunk: drawn towards the mean of all groups, the more the fewer its tasks and the more alike these.
        low_shrunk, high_shrunk: of this group alone, with 1 - alpha.
        p: of this group alone; p_adjusted: among the groups (Holm).
    """

    group: str
    n_tasks: int
    n_clusters: int
    estimate: float
    low: float | None = None
    high: float | None = None
    shrunk: float | None = None
    low_shrunk: float | None = None
    high_shrunk: float | None = None
    p: float | None = None
    p_adjusted: float | None = None


@dataclass(frozen=True, slots=True)
class GroupSpread:
    """How far the effects of groups lie apart.

    Args:
        mean: of all groups, by what each is known with.
        tau: standard deviation of the true effects (Paule & Mandel).
        p: that they are all the same.
    """

    groups: int
    mean: float
    tau: float
    p: float


@dataclass(frozen=True, slots=True)
class _Units:
    """Sum and number of tasks of each unit, shape (U,), and which groups it is in, shape (U, J)."""

    sums: Floats
    sizes: Floats
    member: Floats


@dataclass(frozen=True, slots=True)
class _Moments:
    """Mean of each group and its variance, shape (..., J), and the variance of one task, shape (...)."""

    mean: Floats
    variance: Floats
    of_task: Floats


def measure_groups(
    column: Floats,
    units: Ints,
    members: Mapping[str, Bools],
    repeats: int,
    bounds: tuple[float, float],
    alpha: float,
    rng: Rng,
) -> tuple[tuple[GroupEffect, ...], GroupSpread | None]:
    """The contrast in each group, in the order given; nothing below two groups, or above very many.

    Where a group is one cluster, or groups share tasks, its tasks are the units inside it. Of groups with two
    units or more the effects are drawn towards their mean, and compared.

    Args:
        column: the contrast of each task, NaN where it has none, shape (n_tasks,).
        units: index of each task's cluster.
        members: by group, whether a task is in it.
        repeats, bounds: as in `unit_sample`.
        rng: of the draws of the test.

    Source: Morris 1983 (empirical Bayes); Paule & Mandel 1982; Pauly, Brunner & Konietschke 2015 (relabelling
        a studentised statistic); Wu 1986 (random signs).
    """
    known = ~np.isnan(column)
    tasks = {name: here & known for name, here in members.items() if (here & known).any()}
    if not 2 <= len(tasks) <= MOST_GROUPS:
        return (), None
    shared = np.sum([*tasks.values()], axis=0).max() > 1
    unit_of = {name: _own_units(units[here], shared) for name, here in tasks.items()}
    samples = {
        name: unit_sample(column[here], unit_of[name], repeats, bounds)
        for name, here in tasks.items()
        if len(np.unique(unit_of[name])) >= 2
    }
    table = _tabulate(column, {name: (tasks[name], unit_of[name]) for name in samples}, shared)
    drawn = _shrink(samples, table, alpha) if len(samples) >= 2 else {}
    adjusted = step_down({name: float(p_zero(sample)) for name, sample in samples.items()})
    effects = []
    for name, here in tasks.items():
        effect = GroupEffect(
            name, int(here.sum()), len(np.unique(unit_of[name])), float(np.sort(column[here]).mean())
        )
        if (sample := samples.get(name)) is not None and name in drawn:
            low, high = t_interval(sample, alpha / len(tasks))
            shrunk, low_shrunk, high_shrunk = drawn[name]
            effect = GroupEffect(
                *(effect.group, effect.n_tasks, effect.n_clusters, effect.estimate, low, high),
                *(shrunk, low_shrunk, high_shrunk, float(p_zero(sample)), adjusted[name]),
            )
        effects.append(effect)
    return tuple(effects), _compare(table, rng) if len(samples) >= 2 else None


def _own_units(units: Ints, shared: bool) -> Ints:
    return np.arange(len(units)) if shared or len(np.unique(units)) < 2 else units


def _tabulate(column: Floats, groups: Mapping[str, tuple[Bools, Ints]], shared: bool) -> _Units:
    if shared:
        member = np.column_stack([here for here, _ in groups.values()]).astype(np.float64)
        some = member.any(axis=1)
        return _sort_units(column[some], np.ones(int(some.sum())), member[some])
    sums, sizes, member_rows = [], [], []
    for number, (here, unit) in enumerate(groups.values()):
        _, place = np.unique(unit, return_inverse=True)
        sums.append(np.bincount(place, column[here]))
        sizes.append(np.bincount(place).astype(np.float64))
        member_rows.append(np.tile(np.eye(len(groups))[number], (len(sizes[-1]), 1)))
    if not sums:
        return _Units(np.zeros(0), np.zeros(0), np.zeros((0, 0)))
    return _sort_units(np.concatenate(sums), np.concatenate(sizes), np.vstack(member_rows))


def _sort_units(sums: Floats, sizes: Floats, member: Floats) -> _Units:
    """In an order that does not hang on the tasks', so that no draw does."""
    sums = sums.round(_DIGITS)
    order = np.lexsort((sizes, sums, *member.T))
    return _Units(sums[order], sizes[order], member[order])


def _moments(sums: Floats, sizes: Floats, member: Floats) -> _Moments:
    """Of units, shape (..., U). A group's variance borrows from that of all."""
    n = sizes @ member
    mean = sums @ member / n
    left = sums**2 @ member - 2 * mean * (sums * sizes @ member) + mean**2 * (sizes**2 @ member)
    k = member.sum(axis=0)
    of_task = np.maximum(left, 0.0) / n * k / (k - 1)
    pooled = (of_task * (k - 1)).sum(axis=-1) / (k - 1).sum()
    borrowed = (of_task * (k - 1) + _BORROWED * pooled[..., None]) / (k - 1 + _BORROWED)
    return _Moments(mean, borrowed / n, pooled)


def _homogeneity(moments: _Moments, tau_squared: float | Floats = 0.0) -> tuple[Floats, Floats]:
    """Cochran's Q and the mean of all groups, shape (...).

    Args:
        tau_squared: between groups; of several lots of groups with a last axis of length 1.
    """
    weight = 1 / np.maximum(moments.variance + tau_squared, _TIE)
    centre = (weight * moments.mean).sum(axis=-1) / weight.sum(axis=-1)
    return (weight * (moments.mean - centre[..., None]) ** 2).sum(axis=-1), centre


def _tau_squared(moments: _Moments) -> Floats:
    """The variance between groups at which Q is what it is expected to be, shape (...); 0 where it is less
    without any."""
    expected = moments.mean.shape[-1] - 1
    alike = _homogeneity(moments)[0] <= expected
    low, high = np.zeros(alike.shape), np.full(alike.shape, 4.0)
    if alike.all():
        return low
    for _ in range(50):
        middle = (low + high) / 2
        above = _homogeneity(moments, middle[..., None])[0] > expected
        low, high = np.where(above, middle, low), np.where(above, high, middle)
    tau_squared: Floats = np.where(alike, 0.0, (low + high) / 2)
    return tau_squared


def _shrink(
    samples: Mapping[str, UnitSample], table: _Units, alpha: float
) -> dict[str, tuple[float, float, float]]:
    """By group its effect drawn towards the others', with an interval that holds for it alone."""
    every = _moments(table.sums, table.sizes, table.member)
    tau_squared = float(_tau_squared(every))
    centre = float(_homogeneity(every, tau_squared)[1])
    kept = tau_squared / np.maximum(tau_squared + every.variance, _TIE)
    drawn, leanings = {}, _ask_others(table)
    asked = {number: sample for number, sample in enumerate(samples.values()) if number in leanings}
    leant = lean_intervals([(sample, leanings[number]) for number, sample in asked.items()], alpha)
    ends_of = dict(zip(asked, leant, strict=True))
    for number, (name, sample) in enumerate(samples.items()):
        shrunk = float(centre + kept[number] * (every.mean[number] - centre))
        low, high = ends_of.get(number) or t_interval(sample, alpha)
        ends = shrunk, min(low, shrunk), max(high, shrunk)
        drawn[name] = round(ends[0], _DIGITS), round(ends[1], _DIGITS), round(ends[2], _DIGITS)
    return drawn


def _ask_others(table: _Units) -> dict[int, Leaning]:
    """What the other groups say of each, from the units that are not in it; not of fewer than two groups."""
    without: dict[int, list[tuple[int, _Moments]]] = {}
    for number in range(table.member.shape[1]):
        outside = table.member[:, number] == 0
        member = table.member[outside]
        others = member.sum(axis=0) >= 2
        if (left := int(others.sum())) >= 2:
            moments = _moments(table.sums[outside], table.sizes[outside], member[:, others])
            without.setdefault(left, []).append((number, moments))
    leanings = {}
    for lots in without.values():  # as many groups each: all at once
        mean, variance = (
            np.stack([getattr(moments, name) for _, moments in lots]) for name in ("mean", "variance")
        )
        every = _Moments(mean, variance, np.array([moments.of_task for _, moments in lots]))
        tau_squared = _tau_squared(every)
        centres = _homogeneity(every, tau_squared[:, None])[1]
        for place, (number, _) in enumerate(lots):
            n = float(table.sizes @ table.member[:, number])
            of_task = sqrt(float(every.of_task[place]) / n)
            leanings[number] = Leaning(float(centres[place]), sqrt(tau_squared[place]), of_task)
    return leanings


def _compare(table: _Units, rng: Rng) -> GroupSpread:
    """The spread of the effects, and how often their groups lie as far apart where nothing differs.

    Relabelled units are exact where the units of all groups are alike; units that keep their group, and whose
    distance from its mean gets a random sign, where each group varies in its own way. The larger p counts:
    with either alone, groups of unlike size and difficulty are called different too often (.14 and .09 for
    .05).
    """
    sums, sizes, member = table.sums, table.sizes, table.member
    seen = _moments(sums, sizes, member)
    tau_squared = float(_tau_squared(seen))
    order = rng.permuted(np.tile(np.arange(len(sums)), (_DRAWS, 1)), axis=1)
    k, groups = member.sum(axis=0), member.sum(axis=1)
    apart = (sums - sizes * (member @ seen.mean / groups)) * (member @ np.sqrt(k / (k - 1)) / groups)
    signs = rng.integers(0, 2, (_DRAWS, len(sums))) * 2.0 - 1.0
    q = float(_homogeneity(seen)[0])
    drawn = (_moments(sums[order], sizes[order], member), _moments(apart * signs, sizes, member))
    as_far = max(int((_homogeneity(each)[0] >= q - _TIE * max(1.0, q)).sum()) for each in drawn)
    return GroupSpread(
        groups=member.shape[1],
        mean=round(float(_homogeneity(seen, tau_squared)[1]), _DIGITS),
        tau=round(sqrt(tau_squared), _DIGITS),
        p=(1 + as_far) / (1 + _DRAWS),
    )


def step_down(p: Mapping[Named, float]) -> dict[Named, float]:
    """Holm's adjusted p-values."""
    worst = 0.0
    adjusted: dict[Named, float] = {}
    for rank, name in enumerate(sorted(p, key=lambda key: p[key])):
        worst = max(worst, min(1.0, (len(p) - rank) * p[name]))
        adjusted[name] = round(worst, _DIGITS)
    return adjusted
