"""Instruments that are wrong in one place: each turns a band of the table red that the real one keeps."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import norm, t

from memtrial.analysis.analysis_plan import AnalysisPlan
from memtrial.analysis.calibration.calibration_table import table
from memtrial.analysis.calibration.error_bands import PromiseCheck
from memtrial.analysis.calibration.experiments import (
    MUTANTS,
    REAL,
    UNGUARDED,
    Instrument,
    MeasuredContrast,
    Played,
    Trials,
    judge,
    measure,
)
from memtrial.analysis.calibration.measured_experiments import MIDDLE, Bench, Effort
from memtrial.analysis.hypothesis_families import stepped_down
from memtrial.analysis.inference.interval import ends_at, unit_sample
from memtrial.analysis.inference.sign_flip import flip_test
from memtrial.analysis.result import Analysis

BRIEF = Effort("brief", 2_000, 600, 30, 199, (MIDDLE,))
"""The real instrument is tried as hard in `test_calibration.py`."""


def asked(question: str, instrument: Instrument) -> Iterator[PromiseCheck]:
    """What an instrument answers to one question, row by row."""
    bench = Bench(instrument, BRIEF)
    return (row.check(bench) for row in table(BRIEF)[question])


Floats = NDArray[np.float64]
Units = NDArray[np.int64]


# -- intervals and equivalence -----------------------------------------------------------------------


def without_pseudo_units(trials: Trials, weights: tuple[float, ...], plan: AnalysisPlan) -> MeasuredContrast:
    """Student's t and two one-sided tests on the bare contrasts; without variance they are certain."""
    d = np.einsum("ecn,c->ne", trials.mean(axis=3), np.asarray(weights))
    mean, error = d.mean(axis=0), d.std(axis=0, ddof=1) / np.sqrt(len(d))
    half = t.isf(plan.rules.alpha / 2, len(d) - 1) * error
    steps = (plan.rules.margin - np.abs(mean)) / np.where(error > 0, error, 1e-12)
    p_equivalence = t.sf(steps, len(d) - 1)
    return MeasuredContrast(mean, mean - half, mean + half, np.ones(len(mean)), p_equivalence)


def plain_t(trials: Trials, weights: tuple[float, ...], unit: Units, plan: AnalysisPlan) -> MeasuredContrast:
    plain = without_pseudo_units(trials, weights, plan)
    return replace(measure(trials, weights, unit, plan), low=plain.low, high=plain.high)


def plain_tost(
    trials: Trials, weights: tuple[float, ...], unit: Units, plan: AnalysisPlan
) -> MeasuredContrast:
    plain = without_pseudo_units(trials, weights, plan)
    return replace(measure(trials, weights, unit, plan), p_equivalence=plain.p_equivalence)


def stretched(seen: MeasuredContrast, factor: float) -> MeasuredContrast:
    middle, half = (seen.low + seen.high) / 2, (seen.high - seen.low) / 2
    return replace(seen, low=middle - factor * half, high=middle + factor * half)


def normal_quantile(
    trials: Trials, weights: tuple[float, ...], unit: Units, plan: AnalysisPlan
) -> MeasuredContrast:
    students = t.isf(plan.rules.alpha / 2, len(np.unique(unit)) - 1)
    return stretched(measure(trials, weights, unit, plan), norm.isf(plan.rules.alpha / 2) / students)


def twice_as_wide(
    trials: Trials, weights: tuple[float, ...], unit: Units, plan: AnalysisPlan
) -> MeasuredContrast:
    return stretched(measure(trials, weights, unit, plan), 2.0)


def whole_pseudo_clusters(
    trials: Trials, weights: tuple[float, ...], unit: Units, plan: AnalysisPlan
) -> MeasuredContrast:
    """Two pseudo units as large as a cluster, each of which moves it by 1/R (STATISTICS 0d.5)."""
    d = np.einsum("ecn,c->ne", trials.mean(axis=3), np.asarray(weights))
    size, step = len(d) // len(np.unique(unit)), 1 / trials.shape[3]
    longer = np.vstack([d, np.full((size, d.shape[1]), step), np.full((size, d.shape[1]), -step)])
    more = np.append(unit, np.repeat([unit.max() + 1, unit.max() + 2], size))
    low, high = ends_at(unit_sample(longer, more, 1, (-1.0, 1.0)), 2.0)
    return replace(measure(trials, weights, unit, plan), low=low, high=high)


def beyond_the_range(
    trials: Trials, weights: tuple[float, ...], unit: Units, plan: AnalysisPlan
) -> MeasuredContrast:
    d = np.einsum("ecn,c->ne", trials.mean(axis=3), np.asarray(weights))
    low, high = ends_at(unit_sample(d, unit, 1, (-9.0, 9.0)), t.isf(0.025, len(d) - 1))
    return replace(measure(trials, weights, unit, plan), low=low, high=high)


# -- families ----------------------------------------------------------------------------------------


def bonferroni(contrasts: Floats, unit: Units, flips: int, rng: np.random.Generator) -> Floats:
    return np.minimum(contrasts.shape[1] * flip_test(contrasts, unit, flips, rng).p, 1.0)


def a_quarter_of_bonferroni(contrasts: Floats, unit: Units, flips: int, rng: np.random.Generator) -> Floats:
    return np.minimum(contrasts.shape[1] / 4 * flip_test(contrasts, unit, flips, rng).p, 1.0)


def own_signs(contrasts: Floats, unit: Units, flips: int, rng: np.random.Generator) -> Floats:
    """Signs drawn for each column apart: the largest of them is that of independent columns (Sidak-Holm)."""
    p = np.array([flip_test(column[:, None], unit, flips, rng).p[0] for column in contrasts.T])
    order = np.argsort(p)
    stepped = np.maximum.accumulate(1 - (1 - p[order]) ** np.arange(len(p), 0, -1))
    adjusted = np.empty_like(p)
    adjusted[order] = stepped
    return adjusted


def half_of_mid_p(contrasts: Floats, unit: Units, flips: int, rng: np.random.Generator) -> Floats:
    return REAL.adjust_mid(contrasts, unit, flips, rng) / 2


def not_adjusted(contrasts: Floats, unit: Units, flips: int, rng: np.random.Generator) -> Floats:
    return flip_test(contrasts, unit, flips, rng).p


def counted_in_full(p: Floats, _df: Floats, _alpha: float) -> Floats:
    """Holm's step-down: effects far outside the margin count like all others."""
    adjusted, order = np.empty_like(p), np.argsort(p)
    adjusted[order] = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    return adjusted


def a_third_of_the_family(p: Floats, df: Floats, alpha: float) -> Floats:
    return stepped_down(p, df, alpha) / 3


# -- looks and verdicts ------------------------------------------------------------------------------


def dead(_drops: Floats) -> float:
    return 1.0


def easily_convinced(drops: Floats) -> float:
    return REAL.watch(drops) ** 2


def inert_from_p(one: Played, plan: AnalysisPlan) -> Analysis:
    """What must never happen: no difference printed from p > .05."""
    seen = judge(one, plan)
    rows = tuple(
        replace(row, verdict="inert")
        if row.estimand == "drop" and row.p_adjusted is not None and row.p_adjusted > 0.05
        else row
        for row in seen.estimates
    )
    return replace(seen, estimates=rows)


UNSEEN = (
    *("startled, nothing asked", "startled", "startled by rewording", "garbles its replies"),
    *("stumbles over contradiction", "startled by fluent text", "misses the block", "startled"),
    "odder in one arm",
)
"""Who is said to use the content where a guard is left out, in the order of `UNGUARDED`."""

CASES: tuple[tuple[Instrument, str, int], ...] = (
    (replace(REAL, name="plain t", measure=plain_t), "edges", 9),
    (replace(REAL, name="plain TOST", measure=plain_tost), "edges", 2),
    (replace(REAL, name="normal quantile", measure=normal_quantile), "edges", 1),
    (replace(REAL, name="normal quantile", measure=normal_quantile), "inside", 1),
    (replace(REAL, name="pseudo clusters", measure=whole_pseudo_clusters), "clusters", 6),
    (replace(REAL, name="beyond the range", measure=beyond_the_range), "edges", 3),
    (replace(REAL, name="half of mid-p", adjust_mid=half_of_mid_p), "families", 1),
    (replace(REAL, name="twice as wide", measure=twice_as_wide), "inside", 4),
    (replace(REAL, name="Bonferroni", adjust=bonferroni), "families", 1),
    (replace(REAL, name="a quarter of Bonferroni", adjust=a_quarter_of_bonferroni), "families", 1),
    (replace(REAL, name="own signs", adjust=own_signs), "families", 1),
    (replace(REAL, name="not adjusted", adjust=not_adjusted), "families", 2),
    *((one, "absences", 2) for one in MUTANTS if one.absence is not REAL.absence),
    (replace(REAL, name="a third of the family", absence=a_third_of_the_family), "absences", 2),
    (replace(REAL, name="absences counted in full", absence=counted_in_full), "absences", 1),
    (replace(REAL, name="dead e-process", watch=dead), "looks", 1),
    (replace(REAL, name="e-process squared", watch=easily_convinced), "looks", 2),
    (replace(REAL, name="inert from p > .05", judge=inert_from_p), "verdicts, ignores", 1),
    (replace(REAL, name="inert from p > .05", judge=inert_from_p), "verdicts, mixed-sign 0.2", 1),
    *((one, f"verdicts, {name}", 1) for one, name in zip(UNGUARDED, UNSEEN, strict=True)),
)
"""Instrument, the question that finds it out, and how many bands of it break at least."""


@pytest.mark.parametrize(
    ("mutant", "question", "least"), CASES, ids=[f"{one.name}: {question}" for one, question, _ in CASES]
)
def test_a_fault_in_one_place_turns_its_band_red(mutant: Instrument, question: str, least: int) -> None:
    broken = (check.name for check in asked(question, mutant) if not check.holds)
    found = list(islice(broken, least))  # that many are enough
    assert len(found) == least, found


def test_plain_t_misses_what_the_plan_says_it_misses() -> None:
    seen = {check.name: check.observed for check in asked("edges", replace(REAL, measure=plain_t))}
    # STATISTICS 11: floor n = 12 .691, floor n = 30 R = 1 .878
    assert seen["coverage at the edge: floor, a little gained, 12 tasks x 1"] == pytest.approx(0.69, abs=0.03)
    assert seen["coverage at the edge: floor, a little gained, 30 tasks x 1"] == pytest.approx(0.88, abs=0.03)
