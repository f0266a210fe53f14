"""Student's t on units and equivalence: against other implementations, and where the truth is set."""

import numpy as np
import pytest
from scipy.stats import t, ttest_1samp

from memtrial.analysis.inference.interval import (
    p_equivalence,
    p_zero,
    t_interval,
    unit_sample,
    units_to_settle,
)

SEED = 20_240


def episodes(rng, n_tasks, repeats, probabilities, size=1):
    """Cell means, shape (cells, n_tasks, size): a task's chance is its own, cells shift it."""
    ease = rng.uniform(-0.1, 0.1, (n_tasks, size))
    return np.array([rng.binomial(repeats, np.clip(p + ease, 0, 1)) / repeats for p in probabilities])


def band(rate, n):
    """Range that a share of n draws at this rate leaves once in a thousand times."""
    from scipy.stats import binom

    return binom.ppf([0.0005, 0.9995], n, rate) / n


def alone(d, repeats=1, bounds=(-1.0, 1.0)):
    return unit_sample(d, np.arange(len(d)), repeats, bounds)


# -- interval and test -------------------------------------------------------------------------------


def test_error_and_test_are_students_on_tasks_and_on_equal_clusters():
    rng = np.random.default_rng(9)
    d = rng.choice([-1, 0, 1], 30) / 3
    for values, sample in (
        (d, alone(d, 3)),
        (d.reshape(6, 5).mean(axis=1), unit_sample(d, np.repeat(np.arange(6), 5), 3, (-1.0, 1.0))),
    ):
        seen = ttest_1samp(values, 0.0)
        assert float(p_zero(sample)) == pytest.approx(seen.pvalue, abs=1e-12)
        assert sample.freedom == pytest.approx(len(values) - 1)


def test_unequal_clusters_have_the_bias_reduced_error_and_satterthwaites_freedom():
    rng = np.random.default_rng(10)
    sizes = np.array([2, 4, 3, 5, 1, 9])
    units = np.repeat(np.arange(6), sizes)
    d = rng.normal(0.2, 0.5, 24)
    n, mean = 24, d.mean()
    # CR2 by its definition: residuals times (I - H_gg)^(-1/2), here with all rows of H alike
    variance = sum(
        (np.linalg.inv(_root(np.eye(m) - 1 / n)) @ (d[units == g] - mean)).sum() ** 2
        for g, m in enumerate(sizes)
    )
    # trace(B)^2 / trace(B B) of the quadratic form, with independent errors
    left = np.eye(n) - 1 / n
    forms = np.array([left[units == g].T @ np.linalg.inv(_root(np.eye(m) - 1 / n)).sum(axis=0)
                      for g, m in enumerate(sizes)])  # fmt: skip
    gram = forms @ forms.T
    sample = unit_sample(d, rng.permutation(60)[units], 1, (-2.0, 2.0))
    assert float(sample.error) == pytest.approx(np.sqrt(variance) / n, abs=1e-12)
    assert sample.freedom == pytest.approx(np.trace(gram) ** 2 / (gram**2).sum(), abs=1e-9)


def _root(matrix):
    values, vectors = np.linalg.eigh(matrix)
    return vectors @ np.diag(np.sqrt(values)) @ vectors.T


def test_interval_has_two_more_tasks_and_the_end_at_zero_is_that_of_the_test():
    d = np.array([1.0] + 29 * [0.0])
    longer = np.append(d, [1.0, -1.0])
    half = t.isf(0.025, 29) * longer.std(ddof=1) / np.sqrt(32)
    assert t_interval(alone(d), 0.05) == pytest.approx((1 / 30 - half, 1 / 30 + half))
    d = np.array(4 * [1.0] + 11 * [0.0])
    longer = np.append(d, [1.0, -1.0])
    reach, mean = t.isf(0.025, 14), d.mean()
    low, high = t_interval(alone(d), 0.05)
    assert float(p_zero(alone(d))) <= 0.05
    assert mean - reach * longer.std(ddof=1) / np.sqrt(17) < 0
    assert low == pytest.approx(mean - reach * d.std(ddof=1) / np.sqrt(15))
    assert high == pytest.approx(mean + reach * longer.std(ddof=1) / np.sqrt(17))


@pytest.mark.parametrize("shape", [(3, 5), (20, 5), (4, 1), (30, 1)])
@pytest.mark.parametrize("repeats", [1, 4])
def test_interval_and_test_agree_and_no_end_is_impossible(shape, repeats):
    clusters, size = shape
    rng, units = np.random.default_rng(SEED), np.repeat(np.arange(clusters), size)
    for chances in ((0.5, 0.5), (0.9, 0.5), (1.0, 0.0), (0.02, 0.05)):
        first, second = (rng.binomial(repeats, p, (len(units), 200)) / repeats for p in chances)
        for d in (first - second).T:
            sample = unit_sample(d, units, repeats, (-1.0, 1.0))
            low, high = t_interval(sample, 0.05)
            assert (low > 0 or high < 0) == (float(p_zero(sample)) <= 0.05)
            assert -1 <= low <= d.mean() <= high <= 1


def test_units_that_all_agree_are_not_certain():
    p = [float(p_zero(alone(np.ones(n)))) for n in (2, 3, 4, 5, 6, 8)]
    assert p == pytest.approx([2.0**-n for n in (2, 3, 4, 5, 6, 8)], abs=0.05)  # mid-p of the sign flip
    units = np.repeat(np.arange(3), 5)
    d = np.tile([1.0, 0, 0, 0, 0], 3)
    assert 0.001 < float(p_zero(unit_sample(d, units, 1, (-1.0, 1.0)))) < 0.05
    assert float(p_zero(unit_sample(0 * d, units, 1, (-1.0, 1.0)))) == 1.0


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
    inside = [low <= truth <= high for low, high in (t_interval(alone(x, repeats), 0.05) for x in d.T)]
    assert np.mean(inside) >= band(0.95, 800)[0]


def test_clustered_interval_covers_and_the_plain_one_does_not():
    rng = np.random.default_rng(SEED)
    sizes = rng.integers(1, 9, 20)
    units = np.repeat(np.arange(20), sizes)
    inside, plain = [], []
    for _ in range(500):
        d = rng.normal(0, 0.3, 20)[units] + rng.normal(0, 0.2, len(units))
        low, high = t_interval(unit_sample(d, units, 3, (-2.0, 2.0)), 0.05)
        inside.append(low <= 0 <= high)
        low, high = t_interval(alone(d, 3, (-2.0, 2.0)), 0.05)
        plain.append(low <= 0 <= high)
    assert np.mean(inside) >= band(0.95, 500)[0] - 0.01
    assert np.mean(plain) < 0.85


# -- equivalence -------------------------------------------------------------------------------------


def test_p_equivalence_is_the_larger_of_two_one_sided_tests():
    d = np.random.default_rng(12).normal(0.03, 0.3, 80)
    above = ttest_1samp(d, -0.1, alternative="greater").pvalue
    below = ttest_1samp(d, 0.1, alternative="less").pvalue
    assert float(p_equivalence(alone(d, 3), 0.1)) == pytest.approx(max(above, below), rel=0.05)
    for alpha in (0.02, 0.05, 0.2, 0.4):
        low, high = t_interval(alone(d, 3), 2 * alpha)
        assert (low > -0.1 and high < 0.1) == (float(p_equivalence(alone(d, 3), 0.1)) < alpha)


def test_no_variance_is_not_certainty():
    assert p_equivalence(alone(np.zeros(8)), 0.1) > 0.05
    assert p_equivalence(alone(np.zeros(60)), 0.1) < 0.05


@pytest.mark.parametrize("drop", [0.1, -0.1])
def test_an_effect_at_the_margin_is_rarely_called_equivalent(drop):
    rng = np.random.default_rng(SEED)
    intact, damaged = episodes(rng, 100, 3, (0.5 + drop / 2, 0.5 - drop / 2), size=1_000)
    called = [p_equivalence(alone(x, 3), 0.1) <= 0.05 for x in (intact - damaged).T]
    assert 0.01 < np.mean(called) <= band(0.06, 1_000)[1]


def test_tasks_to_settle_give_the_power_they_promise():
    sd = np.sqrt(0.27)  # variance of effects .02, of one repeat .25
    n = units_to_settle(0.0, sd, 0.1, 0.05, 1)
    assert n == pytest.approx(233, abs=3)
    rng = np.random.default_rng(SEED)
    flat = rng.normal(0, sd, (400, n))
    called = [p_equivalence(alone(x), 0.1) <= 0.05 for x in flat]
    assert np.mean(called) >= band(0.78, 400)[0]
    n = units_to_settle(0.3, sd, 0.1, 0.05, 1)
    shown = p_zero(alone(rng.normal(0.3, sd, (n, 400)))) <= 0.05
    assert np.mean(shown) >= band(0.78, 400)[0]


@pytest.mark.parametrize("estimate", [0.0, 0.04, -0.04, 0.1, 0.3])
def test_more_noise_or_a_larger_family_takes_more_tasks(estimate):
    few = units_to_settle(estimate, 0.3, 0.1, 0.05, 1)
    assert units_to_settle(estimate, 0.6, 0.1, 0.05, 1) > few >= 1
    assert units_to_settle(estimate, 0.3, 0.1, 0.05, 24) > few
