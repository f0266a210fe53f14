"""Backbones on shared tasks."""

from __future__ import annotations

import numpy as np
import pytest

from loadbearing.analysis.groups.heterogeneity import heterogeneity

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
    for _ in range(300):
        d = rng.normal(0, 0.3, (120, 3)) + rng.normal(0, 0.3, (120, 1)) + rng.normal(0, 0.2, (120, 3))[units]
        hits.append(heterogeneity(d, units).p <= 0.05)
        naive.append(heterogeneity(d, np.arange(120)).p <= 0.05)
    assert 0.02 < np.mean(hits) < 0.10
    if size > 1:
        assert np.mean(naive) > 0.12


def test_no_test_says_why():
    d = np.random.default_rng(SEED).normal(size=(3, 4))
    assert heterogeneity(d, np.arange(3)).note == "needs more than 3 units, got 3"
    same = heterogeneity(np.ones((9, 2)), np.arange(9))
    assert (same.p, same.statistic) == (None, None)
    assert "do not vary" in same.note
    assert heterogeneity(np.full((4, 2), np.nan), np.arange(4)).p is None
