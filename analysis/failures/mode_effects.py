"""What each factor of a subset design does to the rate of each failure mode."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from memtrial.analysis.arrays import Floats, Ints
from memtrial.analysis.estimands.subset_effects import SubsetCells
from memtrial.analysis.failures.shares import MODES, Mode
from memtrial.analysis.inference.interval import (
    POWER,
    UnitSample,
    interval_at,
    p_zero,
    quantile,
    unit_sample,
)
from memtrial.analysis.inference.sign_flip import family_p, flip_test, simultaneous_quantile
from memtrial.analysis_rules import AnalysisRules
from memtrial.ledger.random_streams import Stream, generator

_SAME = 1e-9  # less is rounding


@dataclass(frozen=True, slots=True, eq=False)
class ArmModes:
    """Failures of one backbone.

    Args:
        base: the weight of each task: the share of its repeats that were solved without memory, shape
            (n_tasks,); NaN where none was played.
        rates: by arm, share of the repeats that fail in each of MODES, shape (n_tasks, n_modes); NaN where a
            task was not played, or none of its failures has a code.
    """

    backbone: str
    base: Floats
    rates: Mapping[str, Floats]


@dataclass(frozen=True, slots=True)
class ModeEffect:
    """The main effect of a factor on the rate of a mode, per task of those that are solved without memory.

    Args:
        estimate: below zero where the factor prevents such failures; None where no task was measured.
        low, high: of an interval that holds together with those of the whole family.
        p_adjusted: over all factors, modes and backbones.
        detectable: the size from which on an effect has 80 % power to be seen.
        unchanged: no task differs.
    """

    backbone: str
    factor: str
    mode: Mode
    n_tasks: int
    n_clusters: int
    estimate: float | None
    low: float | None = None
    high: float | None = None
    p: float | None = None
    p_adjusted: float | None = None
    detectable: float | None = None
    unchanged: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class _Column:
    """The effect of one factor on one mode, by task; NaN where a task is not in the base set."""

    backbone: str
    factor: str
    mode: Mode
    values: Floats
    sample: UnitSample | None


def mode_effects(
    measured: Sequence[ArmModes], cells: SubsetCells, units: Ints, repeats: int, rules: AnalysisRules
) -> tuple[ModeEffect, ...]:
    """Main effects of all factors on all modes and backbones: one family of tests.

    Rates are per task of the base set and not shares among failures, so that arms stay comparable
    (STATISTICS 8); a task weighs as often as it is solved without memory.

    Args:
        cells: which arm plays which subset; every arm is in the rates of every backbone.
        units: the unit of inference of each task.
    """
    columns = [
        _measure(arms, cells, factor, mode, units, repeats)
        for arms in measured
        for factor in cells.factors
        for mode in MODES
    ]
    if not columns:
        return ()
    tested = np.column_stack(
        [np.full_like(c.values, np.nan) if c.sample is None else c.values for c in columns]
    )
    p = np.array([np.nan if c.sample is None else float(p_zero(c.sample)) for c in columns])
    freedom = np.array([np.nan if c.sample is None else c.sample.freedom for c in columns])
    rng = generator(rules.seed, Stream.SUBSET_MODES)
    adjusted = family_p(p, flip_test(tested, units, rules.flips, rng))[0]
    reach = simultaneous_quantile(tested, units, freedom, rules.alpha, rules.flips, rng)
    return tuple(
        _effect(column, units, *numbers)
        for column, *numbers in zip(columns, p.tolist(), adjusted.tolist(), reach.tolist(), strict=True)
    )


def _measure(
    arms: ArmModes, cells: SubsetCells, factor: str, mode: Mode, units: Ints, repeats: int
) -> _Column:
    """Mean with the factor less mean without it, of each task, by its weight in the base set."""
    weights, number = cells.effect((factor,)), MODES.index(mode)
    difference = np.sum([weight * arms.rates[arm][:, number] for arm, weight in weights.items()], axis=0)
    kept = (arms.base > 0) & ~np.isnan(difference)
    scale = float(arms.base[kept].mean()) if kept.any() else 1.0
    values = np.where(kept, arms.base / scale * difference, np.nan)
    sample = None
    if len(np.unique(units[kept])) > 1:
        sample = unit_sample(values[kept], units[kept], repeats, (-1 / scale, 1 / scale))
    return _Column(arms.backbone, factor, mode, values, sample)


def _effect(column: _Column, units: Ints, p: float, p_adjusted: float, reach: float) -> ModeEffect:
    known = ~np.isnan(column.values)
    values, sample = column.values[known], column.sample
    about = (column.backbone, column.factor, column.mode, len(values), len(np.unique(units[known])))
    if sample is None:
        return ModeEffect(*about, float(values.mean()) if len(values) else None)
    mean, (low, high) = float(sample.mean), interval_at(sample, reach)
    detectable = max(mean - low, high - mean) + quantile(sample.freedom, 2 * (1 - POWER)) * float(
        sample.error
    )
    same = bool(np.abs(values).max() < _SAME)
    return ModeEffect(*about, mean, low, high, p, p_adjusted, detectable, same)
