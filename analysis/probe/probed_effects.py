"""Effects of a probe: means over tasks, intervals and tests that hold for a family, and a word for each."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from memtrial.analysis.arrays import Floats, Ints, Rng
from memtrial.analysis.hypothesis_families import stepped_down
from memtrial.analysis.inference.interval import UnitSample, interval_at, p_equivalence, p_zero, unit_sample
from memtrial.analysis.inference.sign_flip import family_p, flip_test, simultaneous_quantile
from memtrial.analysis_rules import AnalysisRules

ProbeWord = Literal["moves", "still", "reversed", "inconclusive", "untestable"]
FEWEST_CLUSTERS = 2


@dataclass(frozen=True, slots=True, eq=False)
class ProbedFamily:
    """Contrasts of one family, a column each.

    Args:
        values: one row a decision, shape (n_decisions, n_columns); NaN where the decision says nothing.
        tasks, clusters: index of each decision's task and of its cluster, shape (n_decisions,).
        replies: replies behind a cell of a decision; of shares that a server gave, how finely they are known.
        bounds: the least and the greatest possible value.
        floor: what a value is held against, 0 or the margin. A shift is never below zero and, where shares
            are exact, never zero: it is held against the margin.
    """

    values: Floats
    tasks: Ints
    clusters: Ints
    replies: int
    bounds: tuple[float, float] = (-1.0, 1.0)
    floor: float = 0.0


@dataclass(frozen=True, slots=True)
class ProbedEffect:
    """One contrast.

    Args:
        low, high: hold for the whole family at once, with 1 - alpha; None below two clusters, as p.
        p: of no effect, or of one at the floor; p_adjusted: in its family, by step-down max-T.
        p_equivalence: of an effect at or beyond the margin, adjusted for the family.
    """

    n_decisions: int
    n_tasks: int
    n_clusters: int
    estimate: float | None
    low: float | None = None
    high: float | None = None
    p: float | None = None
    p_adjusted: float | None = None
    p_equivalence: float | None = None


def measure_family(family: ProbedFamily, rules: AnalysisRules, rng: Rng) -> tuple[ProbedEffect, ...]:
    """Measure every column of a family; decisions of one task are averaged, clusters are the units.

    Source: STATISTICS 1 and 3 (units, max-T), 0d.3 (absences are stepped down).
    """
    values, units = average_tasks(family)
    counted = (~np.isnan(family.values)).sum(axis=0)
    known = ~np.isnan(values)
    tested = np.array([len(np.unique(units[here])) >= FEWEST_CLUSTERS for here in known.T], dtype=bool)
    together = np.where(tested, values - family.floor, np.nan)
    samples = [
        _sample(column[here], units[here], family, int(n))
        for column, here, n in zip(together.T[tested], known.T[tested], counted[tested], strict=True)
    ]
    p = np.full(len(tested), np.nan)
    freedom, equal = p.copy(), p.copy()
    p[tested] = [float(p_zero(sample)) for sample in samples]
    freedom[tested] = [sample.freedom for sample in samples]
    # an absence is one of the effect itself, whatever the floor
    whole = [
        _sample(column[here], units[here], family, int(n), floor=0.0)
        for column, here, n in zip(values.T[tested], known.T[tested], counted[tested], strict=True)
    ]
    alone = np.array([float(p_equivalence(sample, rules.margin)) for sample in whole])
    if len(alone):
        equal[tested] = stepped_down(alone, freedom[tested], rules.alpha)
    adjusted = family_p(p, flip_test(together, units, rules.flips, rng))[0]
    reach = simultaneous_quantile(together, units, freedom, rules.alpha, rules.flips, rng)
    effects, place = [], 0
    for number, here in enumerate(known.T):
        column, unit = values[here, number], units[here]
        effect = ProbedEffect(
            int(counted[number]),
            len(column),
            len(np.unique(unit)),
            float(column.mean()) if len(column) else None,
        )
        if tested[number]:
            low, high = interval_at(samples[place], float(reach[number]))
            effect = ProbedEffect(
                *(effect.n_decisions, effect.n_tasks, effect.n_clusters, effect.estimate),
                *(low + family.floor, high + family.floor),
                *(float(p[number]), float(adjusted[number]), float(equal[number])),
            )
            place += 1
        effects.append(effect)
    return tuple(effects)


def average_tasks(family: ProbedFamily) -> tuple[Floats, Ints]:
    """The mean of each task's decisions, shape (n_tasks, n_columns), NaN where none says anything; and the
    unit of each task, counted from 0."""
    tasks, first, place = np.unique(family.tasks, return_index=True, return_inverse=True)
    known = ~np.isnan(family.values)
    sums, n = np.zeros((len(tasks), family.values.shape[1])), np.zeros((len(tasks), family.values.shape[1]))
    np.add.at(sums, place, np.where(known, family.values, 0.0))
    np.add.at(n, place, known)
    units = np.unique(family.clusters[first], return_inverse=True)[1]
    return np.where(n > 0, sums / np.maximum(n, 1), np.nan), units.astype(np.int64)


def _sample(
    column: Floats, units: Ints, family: ProbedFamily, decisions: int, floor: float | None = None
) -> UnitSample:
    taken = family.floor if floor is None else floor
    low, high = family.bounds
    repeats = max(1, family.replies * decisions // len(column))
    sample = unit_sample(column, units, repeats, (low - taken, high - taken))
    # shares of few replies are skewed: Student's t alone would err in 6 % for 5 %
    return replace(sample, error=sample.wider)


def choose_word(effect: ProbedEffect, room: float, rules: AnalysisRules) -> ProbeWord:
    """The word of an effect on a share: shown, shown to be inside the margin, the other way, or none.

    Args:
        room: by how much the effect could be seen at most; below the margin nothing could be.
    """
    if effect.p_adjusted is None or effect.estimate is None or room < rules.margin:
        return "untestable"
    if effect.p_adjusted <= rules.alpha and effect.estimate > 0:
        return "moves"
    if effect.p_equivalence is not None and effect.p_equivalence <= rules.alpha:
        return "still"
    return "reversed" if effect.p_adjusted <= rules.alpha else "inconclusive"


def choose_shift_word(effect: ProbedEffect, floor: float, rules: AnalysisRules) -> ProbeWord:
    """The word of a shift, which has one direction alone: to lie below chance is no finding.

    Args:
        floor: as of the family.
    """
    if effect.p_adjusted is None or effect.estimate is None:
        return "untestable"
    if effect.p_adjusted <= rules.alpha and effect.estimate > floor:
        return "moves"
    still = effect.p_equivalence is not None and effect.p_equivalence <= rules.alpha
    return "still" if still else "inconclusive"


def all_shown(effects: Sequence[ProbedEffect], rules: AnalysisRules) -> bool:
    """Whether each of several effects is shown above zero. No correction, as every one of them has to be."""
    return all(
        effect.p is not None and effect.p <= rules.alpha and (effect.estimate or 0.0) > 0
        for effect in effects
    )
