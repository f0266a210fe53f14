"""Backbones on shared tasks and benchmarks of their own."""

from __future__ import annotations

import numpy as np
import pytest

from loadbearing.analysis.groups.heterogeneity import combine_benchmarks, heterogeneity

SEED = 20_245


def test_two_backbones_differ_as_a_paired_t_test_says():
    from scipy.stats import ttest_rel

    d = np.random.default_rng(SEED).normal(0.1, 0.4, (30, 2))
    expected = ttest_rel(d[:, 1], d[:, 0])
    got = heterogeneity(d, np.arange(30))
    assert got.statistic == pytest.approx(expected.statistic**2)
    assert got.p == pytest.approx(expected.pvalue)


def test_several_backbones_are_tested_as_by_manova_and_their_order_is_without_influence():
    from statsmodels.multivariate.manova import MANOVA

    d = np.random.default_rng(SEED).normal([0.1, 0.3, 0.0, 0.2], 0.5, (40, 4))
    table = MANOVA(d[:, 1:] - d[:, :1], np.ones((40, 1))).mv_test().results["x0"]["stat"]
    got = heterogeneity(d, np.arange(40))
    assert got.p == pytest.approx(float(table.loc["Hotelling-Lawley trace", "Pr > F"]))
    assert heterogeneity(d[:, ::-1], np.arange(40)).p == pytest.approx(got.p)
    holed = np.vstack([d, [0.5, np.nan, 0.5, 0.5]])
    assert heterogeneity(holed, np.arange(41)).p == pytest.approx(got.p)


@pytest.mark.parametrize("size", [1, 4])
def test_equal_backbones_are_rarely_called_different(size):
    rng = np.random.default_rng(SEED)
    units, hits, naive = np.arange(120) // size, [], []
    for _ in range(500):
        d = rng.normal(0, 0.3, (120, 3)) + rng.normal(0, 0.3, (120, 1)) + rng.normal(0, 0.2, (120, 3))[units]
        hits.append(heterogeneity(d, units).p <= 0.05)
        naive.append(heterogeneity(d, np.arange(120)).p <= 0.05)
    assert 0.02 < np.mean(hits) < 0.09
    if size > 1:
        assert np.mean(naive) > 0.12


def test_no_test_says_why_and_a_wrong_call_is_refused():
    d = np.random.default_rng(SEED).normal(size=(3, 4))
    assert heterogeneity(d, np.arange(3)).note == "needs more than 3 units, got 3"
    same = heterogeneity(np.ones((9, 2)), np.arange(9))
    assert (same.p, same.statistic) == (None, None)
    assert "do not vary" in same.note
    assert heterogeneity(np.full((4, 2), np.nan), np.arange(4)).p is None
    with pytest.raises(ValueError, match="two or more"):
        heterogeneity(d[:, :1], np.arange(3))
    with pytest.raises(ValueError, match="one unit per task"):
        heterogeneity(d, np.arange(4))


def test_mean_inside_tasks_covers_where_a_meta_analysis_does_not():
    from scipy.stats import t

    rng, inside, meta = np.random.default_rng(SEED), [], []
    for _ in range(300):
        # a task's effect is shared by five backbones
        d = 0.1 + rng.normal(0, 0.25, (60, 1)) + rng.normal(0, 0.25, (60, 5))
        one = d.mean(axis=1)
        low, high = t.interval(0.95, 59, loc=one.mean(), scale=one.std(ddof=1) / np.sqrt(60))
        inside.append(low <= 0.1 <= high)
        got = combine_benchmarks(list(d.mean(axis=0)), list(d.std(axis=0, ddof=1) / np.sqrt(60)), 0.05)
        meta.append(got.low <= 0.1 <= got.high)
    assert 0.91 < np.mean(inside) < 0.985
    assert np.mean(meta) < 0.9


def test_benchmarks_are_combined_as_statsmodels_does_and_predict_one_more():
    from scipy.stats import t
    from statsmodels.stats.meta_analysis import combine_effects

    effects, errors = [0.10, 0.22, 0.05, 0.34], [0.05, 0.06, 0.04, 0.07]
    fit = combine_effects(np.array(effects), np.array(errors) ** 2, method_re="iterated", use_t=True)
    got = combine_benchmarks(effects, errors, 0.05)
    assert got.mean == pytest.approx(fit.mean_effect_re)
    ends = tuple(fit.conf_int()[3])  # random effects, scale from the residuals
    assert (got.low, got.high) == pytest.approx(ends, abs=1e-5)
    assert (got.tau2, got.i2) == pytest.approx((fit.tau2, fit.i2))
    half = t.isf(0.025, 2) * np.sqrt(fit.tau2 + fit.sd_eff_w_re_hksj**2)
    assert (got.predicted_low, got.predicted_high) == pytest.approx(
        (got.mean - half, got.mean + half), abs=1e-4
    )
    assert got.n_benchmarks == 4


def test_benchmarks_that_agree_by_chance_keep_their_width():
    got = combine_benchmarks([0.1, 0.1, 0.1], [0.05, 0.05, 0.05], 0.05)
    assert got.tau2 == 0
    assert got.high - got.low > 0.1


@pytest.mark.parametrize(
    ("effects", "errors"), [([0.1, 0.2], [0.1, 0.1]), ([0.1] * 3, [0.1] * 2), ([0.1] * 3, [0.1, 0.0, 0.1])]
)
def test_too_few_benchmarks_are_refused(effects, errors):
    with pytest.raises(ValueError, match="combining benchmarks needs"):
        combine_benchmarks(effects, errors, 0.05)
