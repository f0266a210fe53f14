"""Plus-two interval and equivalence: against other implementations, and where the truth is set."""

from __future__ import annotations

import numpy as np
import pytest

from loadbearing.analysis.inference.interval import (
    p_equivalence,
    plus_two_sample,
    t_interval,
    units_to_settle,
)
from loadbearing.analysis.inference.sign_flip import flip_test

SEED = 20_240


def episodes(rng, n_tasks, repeats, probabilities, size=1):
    """Cell means, shape (cells, n_tasks, size): a task's chance is its own, cells shift it."""
    ease = rng.uniform(-0.1, 0.1, (n_tasks, size))
    return np.array([rng.binomial(repeats, np.clip(p + ease, 0, 1)) / repeats for p in probabilities])


def band(rate, n):
    """Range that a share of n draws at this rate leaves once in a thousand times."""
    from scipy.stats import binom

    return binom.ppf([0.0005, 0.9995], n, rate) / n


# -- plus-two interval -------------------------------------------------------------------------------


@pytest.mark.parametrize("repeats", [1, 3])
def test_interval_is_students_t_on_the_longer_sample(repeats):
    from scipy.stats import t

    d = np.random.default_rng(9).choice([-1, 0, 1], 25) / repeats
    longer = np.append(d, [1 / repeats, -1 / repeats])
    expected = t.interval(0.95, 26, loc=longer.mean(), scale=longer.std(ddof=1) / np.sqrt(27))
    assert t_interval(plus_two_sample(d, np.arange(25), repeats), 0.05) == pytest.approx(expected)


def test_clustered_interval_is_the_cluster_robust_one():
    import statsmodels.api as sm

    rng = np.random.default_rng(10)
    sizes = np.array([2, 4, 3, 5, 1, 3, 3, 3])  # 3 on average, so that a pseudo cluster has whole tasks
    units = np.repeat(np.arange(8), sizes)
    d = rng.normal(0.2, 0.5, 24) + rng.normal(0, 0.3, 8)[units]
    longer = np.append(d, [0.5] * 3 + [-0.5] * 3)
    groups = np.append(units, [8] * 3 + [9] * 3)
    fit = sm.OLS(longer, np.ones(30)).fit(cov_type="cluster", cov_kwds={"groups": groups}, use_t=True)
    low, high = t_interval(plus_two_sample(d, units, 2), 0.05)
    assert (low, high) == pytest.approx(tuple(fit.conf_int()[0]))


def test_cluster_labels_of_one_task_each_change_nothing():
    d = np.random.default_rng(11).normal(size=20)
    np.testing.assert_allclose(
        plus_two_sample(d, np.random.default_rng(1).permutation(20), 3).var(),
        plus_two_sample(d, np.arange(20), 3).var(),
    )


@pytest.mark.parametrize(
    ("n", "repeats", "chances"),
    [
        (12, 1, (0.05, 0.05)),
        (30, 1, (0.95, 0.95)),
        (30, 3, (0.6, 0.45)),
        (60, 1, (0.12, 0.05)),
        (100, 3, (0.5, 0.3)),
    ],
)
def test_interval_covers_the_truth(n, repeats, chances):
    rng = np.random.default_rng(SEED)
    ease = rng.uniform(-0.05, 0.05, (n, 800))
    cells = [rng.binomial(repeats, p + ease) / repeats for p in chances]
    truth, d = chances[0] - chances[1], cells[0] - cells[1]
    inside = [
        low <= truth <= high
        for low, high in (t_interval(plus_two_sample(x, np.arange(n), repeats), 0.05) for x in d.T)
    ]
    assert np.mean(inside) >= band(0.95, 800)[0]


def test_clustered_interval_covers_and_the_plain_one_does_not():
    rng = np.random.default_rng(SEED)
    sizes = rng.integers(1, 9, 20)
    units = np.repeat(np.arange(20), sizes)
    inside, plain = [], []
    for _ in range(500):
        d = rng.normal(0, 0.3, 20)[units] + rng.normal(0, 0.2, len(units))
        low, high = t_interval(plus_two_sample(d, units, 3), 0.05)
        inside.append(low <= 0 <= high)
        low, high = t_interval(plus_two_sample(d, np.arange(len(units)), 3), 0.05)
        plain.append(low <= 0 <= high)
    assert np.mean(inside) >= band(0.95, 500)[0] - 0.01
    assert np.mean(plain) < 0.85


# -- equivalence -------------------------------------------------------------------------------------


def test_p_equivalence_is_the_larger_of_two_one_sided_tests():
    from scipy.stats import ttest_1samp

    sample = plus_two_sample(np.random.default_rng(12).normal(0.03, 0.3, 80), np.arange(80), 3)
    above = ttest_1samp(sample, -0.1, alternative="greater").pvalue
    below = ttest_1samp(sample, 0.1, alternative="less").pvalue
    assert p_equivalence(sample, 0.1) == pytest.approx(max(above, below))


def test_no_variance_is_not_certainty():
    zeros = np.zeros(8)
    assert p_equivalence(plus_two_sample(zeros, np.arange(8), 1), 0.1) > 0.05
    assert p_equivalence(plus_two_sample(np.zeros(60), np.arange(60), 1), 0.1) < 0.05


@pytest.mark.parametrize("drop", [0.1, -0.1])
def test_an_effect_at_the_margin_is_rarely_called_equivalent(drop):
    rng = np.random.default_rng(SEED)
    intact, damaged = episodes(rng, 100, 3, (0.5 + drop / 2, 0.5 - drop / 2), size=1_000)
    called = [p_equivalence(plus_two_sample(x, np.arange(100), 3), 0.1) <= 0.05 for x in (intact - damaged).T]
    assert 0.01 < np.mean(called) <= band(0.06, 1_000)[1]


def test_tasks_to_settle_give_the_power_they_promise():
    sd = np.sqrt(0.27)  # variance of effects .02, of one repeat .25
    n = units_to_settle(0.0, sd, 0.1, 0.05, 1)
    assert n == pytest.approx(233, abs=3)
    rng = np.random.default_rng(SEED)
    flat = rng.normal(0, sd, (400, n))
    called = [p_equivalence(plus_two_sample(x, np.arange(n), 1), 0.1) <= 0.05 for x in flat]
    assert np.mean(called) >= band(0.78, 400)[0]
    n = units_to_settle(0.3, sd, 0.1, 0.05, 1)
    shown = flip_test(rng.normal(0.3, sd, (n, 400)), np.arange(n), 499, rng).p <= 0.05
    assert np.mean(shown) >= band(0.78, 400)[0]


@pytest.mark.parametrize("estimate", [0.0, 0.04, -0.04, 0.1, 0.3])
def test_more_noise_or_a_larger_family_takes_more_tasks(estimate):
    few = units_to_settle(estimate, 0.3, 0.1, 0.05, 1)
    assert units_to_settle(estimate, 0.6, 0.1, 0.05, 1) > few >= 1
    many = units_to_settle(estimate, 0.3, 0.1, 0.05, 24)
    assert many > few if abs(estimate) >= 0.1 else many >= few
