"""Simultaneous intervals: between Student and Bonferroni, and all right at once where the truth is set."""

import numpy as np
import pytest
from scipy.stats import t

from memtrial.analysis.inference.interval import interval_at, p_zero, t_interval, unit_sample
from memtrial.analysis.inference.sign_flip import simultaneous_quantile, student_max_t

SEED = 20_243


def reach(columns, units=None, flips=999, alpha=0.05, seed=SEED):
    columns = np.asarray(columns, dtype=float)
    units = np.arange(len(columns)) if units is None else units
    freedom = np.full(columns.shape[1], len(np.unique(units)) - 1.0)
    return simultaneous_quantile(columns, units, freedom, alpha, flips, np.random.default_rng(seed))


def test_one_interval_is_student_s():
    d = np.random.default_rng(SEED).normal(size=(30, 1))
    (one,) = reach(d)
    sample = unit_sample(d[:, 0], np.arange(30), 3, (-9.0, 9.0))
    assert interval_at(sample, one) == pytest.approx(t_interval(sample, 0.05))


def test_independent_columns_need_bonferroni_and_equal_ones_student():
    d = np.random.default_rng(SEED).normal(size=(200, 8))
    alone, every = t.isf(0.025, 199), t.isf(0.025 / 8, 199)
    assert reach(d, flips=9_999) == pytest.approx(np.full(8, every), abs=0.06)
    assert reach(np.tile(d[:, :1], 8), flips=9_999) == pytest.approx(np.full(8, alone), abs=0.06)
    between = reach(d + 2 * d[:, :1], flips=9_999)[0]
    assert alone < between < every


def test_it_does_not_hang_on_the_effects():
    d = np.random.default_rng(SEED).normal(size=(40, 4))
    assert reach(d + np.array([0, 1, -3, 10])) == pytest.approx(reach(d))


def test_missing_columns_few_units_and_no_spread_have_finite_numbers():
    d = np.random.default_rng(SEED).choice([-1.0, 0.0, 1.0], (12, 3))
    d[:, 1] = np.nan
    holed = reach(d)
    assert np.isnan(holed[1])
    assert np.isfinite(holed[[0, 2]]).all()
    assert reach(np.zeros((9, 3))) == pytest.approx(np.full(3, t.isf(0.025, 8)))
    # three units: |t| is infinite under a quarter of the signs
    few = reach(np.array([[1.0, 0], [-1, 1], [0, -1]]))
    assert (few <= t.isf(0.025 / 2, 2) + 1e-12).all()
    assert np.isnan(reach(np.ones((5, 2)), units=np.zeros(5, dtype=int))).all()


@pytest.mark.parametrize("size", [1, 3])
def test_all_intervals_hold_at_once_and_students_do_not(size):
    rng = np.random.default_rng(SEED)
    chances = np.array([0.6, 0.6, 0.55, 0.5, 0.45, 0.4, 0.35])
    units, together, alone = np.arange(60) // size, [], []
    for _ in range(400):
        ease = rng.uniform(-0.1, 0.1, (60, 1)) + rng.normal(0, 0.02, (60, 1))
        cells = rng.binomial(3, np.clip(chances + ease, 0, 1)) / 3
        d, truth = cells[:, :1] - cells[:, 1:], chances[0] - chances[1:]
        wide = reach(d, units, 299, seed=int(rng.integers(2**31)))
        samples = [unit_sample(column, units, 3, (-1.0, 1.0)) for column in d.T]
        ends = np.array([interval_at(s, w) for s, w in zip(samples, wide, strict=True)])
        narrow = np.array([t_interval(s, 0.05) for s in samples])
        together.append(((ends[:, 0] <= truth) & (truth <= ends[:, 1])).all())
        alone.append(((narrow[:, 0] <= truth) & (truth <= narrow[:, 1])).all())
    assert 0.92 < np.mean(together) < 0.995
    assert np.mean(alone) < 0.88


def test_a_family_of_one_is_students_equal_columns_are_one_test_and_independent_ones_all():
    rng = np.random.default_rng(SEED)
    d = rng.normal(size=(60, 5)) + np.array([0.09, 0, 0, 0, 0])
    units = np.arange(60)
    p = p_zero(unit_sample(d, units, 1, (-9.0, 9.0)))
    adjusted = student_max_t(d, units, 9_999, rng)
    assert student_max_t(d[:, :1], units, 99, rng) == pytest.approx(p[:1])
    alike = student_max_t(np.tile(d[:, :1], 5), units, 9_999, rng)
    assert 0.005 < p[0] < 0.05
    assert alike == pytest.approx(np.full(5, p[0]), rel=0.05)
    assert 3.5 * p[0] < adjusted[0] <= 5 * p[0]
    assert (np.diff(adjusted[np.argsort(p)]) >= 0).all()
    # three units have four sign vectors, which say nothing about a tail: Holm
    few = rng.normal(size=(3, 2)) + 3
    p = np.sort(p_zero(unit_sample(few, np.arange(3), 1, (-9.0, 9.0))))
    adjusted = np.sort(student_max_t(few, np.arange(3), 99, rng))
    assert adjusted == pytest.approx([2 * p[0], max(2 * p[0], p[1])])
