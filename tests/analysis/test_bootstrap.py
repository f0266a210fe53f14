"""Cluster bootstrap: against scipy and a loop, its laws, and where the truth is set."""

import numpy as np
import pytest

from loadbearing.analysis.inference.bootstrap import bootstrap_means, bootstrap_p, percentile_interval

SEED = 20_242


def means(columns, units=None, draws=999, seed=SEED):
    columns = np.asarray(columns, dtype=float)
    columns = columns[:, None] if columns.ndim == 1 else columns
    units = np.arange(len(columns)) if units is None else np.asarray(units)
    return bootstrap_means(columns, units, draws, np.random.default_rng(seed))


def test_interval_is_that_of_scipy():
    from scipy.stats import bootstrap

    d = np.random.default_rng(SEED).choice([-1, -1 / 3, 0, 1 / 3, 1], 80)
    rng = np.random.default_rng(1)
    theirs = bootstrap((d,), np.mean, method="percentile", n_resamples=20_000, rng=rng).confidence_interval
    ours = percentile_interval(means(d, draws=20_000), 0.05)[:, 0]
    assert ours == pytest.approx([theirs.low, theirs.high], abs=0.006)


def test_a_draw_takes_whole_clusters_and_weighs_tasks_alike():
    rng = np.random.default_rng(SEED)
    units = np.repeat(np.arange(6), [1, 2, 3, 4, 5, 6])
    d = rng.normal(units, 0.1)
    drawn = means(d, units, 4_000)[:, 0]
    looped = []
    for _ in range(4_000):
        taken = np.concatenate([d[units == g] for g in rng.integers(0, 6, 6)])
        looped.append(taken.mean())
    assert drawn.mean() == pytest.approx(np.mean(looped), abs=0.05)
    assert drawn.std() == pytest.approx(np.std(looped), rel=0.06)
    # tasks that share a cluster vary together: many tasks of one cluster are one number
    assert drawn.std() > 1.5 * means(d, draws=4_000)[:, 0].std()


def test_columns_share_their_draws_and_a_missing_task_counts_in_its_column_only():
    rng = np.random.default_rng(SEED)
    columns = rng.normal(size=(30, 3))
    drawn = means(np.column_stack([columns, columns[:, 0] - columns[:, 1]]))
    np.testing.assert_allclose(drawn[:, 3], drawn[:, 0] - drawn[:, 1], atol=1e-12)
    holed = columns.copy()
    holed[[2, 5, 11], 1] = np.nan
    with_holes = means(holed)
    np.testing.assert_allclose(with_holes[:, [0, 2]], means(columns)[:, [0, 2]], atol=1e-12)
    assert with_holes[:, 1].mean() == pytest.approx(np.nanmean(holed[:, 1]), abs=0.03)
    # a draw without a task of the column has no mean, and takes no part in the interval
    rare = np.full(30, np.nan)
    rare[0] = 1.0
    lonely = means(rare)
    assert 0.2 < np.isnan(lonely).mean() < 0.5
    assert percentile_interval(lonely, 0.05).tolist() == [[1.0], [1.0]]
    assert np.isnan(percentile_interval(means(np.full(9, np.nan)), 0.05)).all()


def test_many_equal_units_are_drawn_as_a_count_with_the_same_distribution():
    rng = np.random.default_rng(SEED)
    d = rng.choice([-1.0, 0.0, 1.0], 6_000, p=[0.1, 0.6, 0.3])
    grouped = means(d, draws=4_000)[:, 0]
    assert grouped.std() == pytest.approx(d.std() / np.sqrt(6_000), rel=0.05)
    assert grouped.mean() == pytest.approx(d.mean(), abs=0.001)
    noisy = means(d + rng.normal(0, 1e-3, 6_000), draws=500)[:, 0]
    assert noisy.std() == pytest.approx(grouped.std(), rel=0.15)


def test_interval_covers_the_truth_as_often_as_the_plan_says():
    rng = np.random.default_rng(SEED)
    inside = []
    for _ in range(500):
        d = rng.binomial(3, 0.6, 60) / 3 - rng.binomial(3, 0.45, 60) / 3
        low, high = percentile_interval(means(d, draws=399, seed=int(rng.integers(2**31))), 0.05)[:, 0]
        inside.append(low <= 0.15 <= high)
    assert 0.91 < np.mean(inside) < 0.97


def test_p_is_where_the_interval_reaches_zero_and_never_zero():
    drawn = np.linspace(-0.1, 0.9, 1_001)
    p = bootstrap_p(drawn)
    assert p == pytest.approx(0.2, abs=0.01)
    assert (
        percentile_interval(drawn[:, None], p + 0.01)[0, 0]
        > 0
        > percentile_interval(drawn[:, None], p - 0.01)[0, 0]
    )
    assert bootstrap_p(np.ones(99)) == pytest.approx(0.02)
    assert bootstrap_p(np.zeros(99)) == 1.0


def test_nothing_gives_nothing():
    assert np.isnan(means(np.zeros((0, 2)), draws=5)).all()
