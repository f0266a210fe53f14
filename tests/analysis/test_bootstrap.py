"""Cluster bootstrap: against scipy and a loop, its laws, and where the truth is set."""

import numpy as np
import pytest

from memtrial.analysis.sensitivity.method_panel import bootstrap_means, bootstrap_p, percentile_interval

SEED = 20_242


def means(d, units=None, draws=999, seed=SEED):
    units = np.arange(len(d)) if units is None else np.asarray(units)
    return bootstrap_means(np.asarray(d, dtype=float), units, draws, np.random.default_rng(seed))


def test_interval_is_that_of_scipy():
    from scipy.stats import bootstrap

    d = np.random.default_rng(SEED).choice([-1, -1 / 3, 0, 1 / 3, 1], 80)
    rng = np.random.default_rng(1)
    theirs = bootstrap((d,), np.mean, method="percentile", n_resamples=20_000, rng=rng).confidence_interval
    ours = percentile_interval(means(d, draws=20_000), 0.05)
    assert ours == pytest.approx([theirs.low, theirs.high], abs=0.006)


@pytest.mark.parametrize("sizes", [(1, 2, 3, 4, 5, 6), (3, 3, 3, 3, 3, 3)])
def test_a_draw_takes_whole_clusters_and_weighs_tasks_alike(sizes):
    rng = np.random.default_rng(SEED)
    units = np.repeat(np.arange(6), sizes)
    d = rng.normal(units, 0.1)
    drawn = means(d, units, 4_000)
    looped = []
    for _ in range(4_000):
        taken = np.concatenate([d[units == g] for g in rng.integers(0, 6, 6)])
        looped.append(taken.mean())
    assert drawn.mean() == pytest.approx(np.mean(looped), abs=0.05)
    assert drawn.std() == pytest.approx(np.std(looped), rel=0.06)
    # tasks that share a cluster vary together: many tasks of one cluster are one number
    assert drawn.std() > 1.5 * means(d, draws=4_000).std()


@pytest.mark.parametrize("sizes", [1, 2])
def test_many_units_of_few_kinds_are_drawn_alike(sizes):
    rng = np.random.default_rng(SEED)
    units = np.repeat(np.arange(2_400), np.resize([1, sizes], 2_400))
    # far from zero a mean depends on how many tasks a draw has
    d = 2 + (rng.binomial(3, 0.6, len(units)) - rng.binomial(3, 0.5, len(units))) / 3
    few, rare = means(d, units, 4_000), means(np.append(d, 0.5), np.append(units, 2_400), 4_000)
    several = means(d + 1e-6 * rng.random(len(d)), units, 4_000)  # each unit is a kind of its own
    for drawn in (few, rare):
        assert drawn.mean() == pytest.approx(several.mean(), abs=0.001)
        assert drawn.std() == pytest.approx(several.std(), rel=0.05)
    assert few.mean() == pytest.approx(d.mean(), abs=0.001)
    assert len(np.unique(few.round(9))) < len(np.unique(several.round(9)))


def test_interval_covers_the_truth_as_often_as_the_plan_says():
    rng = np.random.default_rng(SEED)
    inside = []
    for _ in range(500):
        d = rng.binomial(3, 0.6, 60) / 3 - rng.binomial(3, 0.45, 60) / 3
        low, high = percentile_interval(means(d, draws=399, seed=int(rng.integers(2**31))), 0.05)
        inside.append(low <= 0.15 <= high)
    assert 0.91 < np.mean(inside) < 0.97


def test_p_is_where_the_interval_reaches_zero_and_never_zero():
    drawn = np.linspace(-0.1, 0.9, 1_001)
    p = bootstrap_p(drawn)
    assert p == pytest.approx(0.2, abs=0.01)
    assert percentile_interval(drawn, p + 0.01)[0] > 0 > percentile_interval(drawn, p - 0.01)[0]
    assert bootstrap_p(np.ones(99)) == pytest.approx(0.02)
    assert bootstrap_p(np.zeros(99)) == 1.0
