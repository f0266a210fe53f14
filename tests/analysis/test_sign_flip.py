"""The sign flip and its families: against other implementations, and where the truth is set."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from memtrial.analysis.inference.sign_flip import exact_flip, flip_test, unit_sums

SEED = 20_240


def flip(columns, units=None, flips=999, seed=SEED):
    columns = np.asarray(columns, dtype=float)
    columns = columns[:, None] if columns.ndim == 1 else columns
    units = np.arange(len(columns)) if units is None else np.asarray(units)
    return flip_test(columns, units, flips, np.random.default_rng(seed))


def episodes(rng, n_tasks, repeats, probabilities, size=1):
    """Cell means, shape (cells, n_tasks, size): a task's chance is its own, cells shift it."""
    ease = rng.uniform(-0.1, 0.1, (n_tasks, size))
    return np.array([rng.binomial(repeats, np.clip(p + ease, 0, 1)) / repeats for p in probabilities])


def band(rate, n):
    """Range that a share of n draws at this rate leaves once in a thousand times."""
    from scipy.stats import binom

    return binom.ppf([0.0005, 0.9995], n, rate) / n


# -- sign flip ---------------------------------------------------------------------------------------


@settings(max_examples=25, deadline=None)
@given(d=arrays(float, st.integers(2, 10), elements=st.integers(-3, 3).map(lambda k: k / 3)))
def test_exact_p_is_that_of_scipy(d):
    from scipy.stats import permutation_test

    expected = permutation_test(
        (d,),
        lambda x, axis: np.round(np.sum(x, axis=axis), 9),
        permutation_type="samples",
        n_resamples=np.inf,
    )
    assert flip(d).p[0] == pytest.approx(expected.pvalue, abs=1e-12)


@pytest.mark.parametrize(
    ("gained", "lost", "same"), [(9, 2, 40), (6, 0, 7), (4, 4, 100), (1, 0, 3), (0, 13, 0)]
)
def test_one_repeat_is_exact_mcnemar(gained, lost, same):
    from statsmodels.stats.contingency_tables import mcnemar

    d = np.array([1.0] * gained + [-1.0] * lost + [0.0] * same)
    expected = mcnemar(np.array([[0, gained], [lost, same]]), exact=True).pvalue
    assert flip(d).p[0] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(("gained", "lost", "same"), [(9, 2, 40), (6, 0, 7), (40, 22, 100), (3, 1, 3)])
def test_mid_p_is_that_of_mcnemar(gained, lost, same):
    from scipy.stats import binom

    d = np.array([1.0] * gained + [-1.0] * lost + [0.0] * same)
    n, most = gained + lost, max(gained, lost)
    p, mid = exact_flip(d, np.arange(len(d)))
    assert p == pytest.approx(2 * binom.sf(most - 1, n, 0.5), abs=1e-12)
    assert mid == pytest.approx(2 * binom.sf(most - 1, n, 0.5) - binom.pmf(most, n, 0.5), abs=1e-12)
    if n <= 13:
        assert flip(d).p_mid[0] == pytest.approx(mid, abs=1e-12)
        assert flip(d).error[0] == 0.0


def test_exact_p_at_any_number_of_units_is_that_of_all_sign_vectors():
    rng = np.random.default_rng(4)
    d, units = rng.integers(-3, 4, 36) / 3, np.repeat(np.arange(12), 3)
    assert exact_flip(d, units) == pytest.approx((flip(d, units).p[0], flip(d, units).p_mid[0]), abs=1e-12)
    many = rng.integers(-3, 4, 60) / 3
    drawn = flip(many, flips=9_999)
    assert exact_flip(many, np.arange(60))[1] == pytest.approx(drawn.p_mid[0], abs=4 * drawn.error[0])
    assert drawn.error[0] > 0
    assert exact_flip(rng.normal(size=20), np.arange(20)) is None


def test_many_units_have_the_p_of_the_normal_distribution():
    from scipy.stats import norm

    rng = np.random.default_rng(10)
    d = rng.choice([-1.0, 0.0, 1.0], (9_000, 2), p=[0.2, 0.58, 0.22])
    counted = flip(d, flips=9_999)
    expected = 2 * norm.sf(np.abs(d.sum(axis=0)) / np.sqrt((d**2).sum(axis=0)))
    assert counted.p == pytest.approx(expected, abs=0.02)
    # hardly any two units alike
    apart = flip(d + rng.normal(0, 1e-6, d.shape), flips=1_999)
    assert apart.p == pytest.approx(counted.p, abs=0.04)
    assert apart.p_adjusted == pytest.approx(counted.p_adjusted, abs=0.05)


def test_drawn_p_is_close_to_the_exact_one_and_never_zero():
    rng = np.random.default_rng(3)
    d = rng.choice([-1, 0, 1], size=16, p=[0.1, 0.1, 0.8]) / 3 + rng.normal(0, 0.3, 16)
    signs = np.array(list(product((-1.0, 1.0), repeat=16)))
    exact = float((np.abs(signs @ d) >= abs(d.sum()) - 1e-9).mean())
    low, high = band(exact, 9_999)
    assert low - 1e-4 <= flip(d, flips=9_999).p[0] <= high + 1e-4
    assert flip(np.ones(40), flips=999).p[0] == pytest.approx(1 / 1_000)


def test_rounding_loses_no_tie():
    thirds = np.array([2, 1, -1, 3, 1, 1, 2, -2, 1, 2])
    in_binary = np.array([sum([1 / 3] * abs(k)) * np.sign(k) for k in thirds]) + (0.1 + 0.2 - 0.3)
    assert flip(in_binary).p[0] == flip(thirds).p[0]
    assert flip([0.3, -0.1, -0.2]).p[0] == flip([3, -1, -2]).p[0] == 1.0


def test_nothing_differs_gives_one():
    result = flip(np.zeros((20, 2)))
    assert result.p.tolist() == [1, 1]
    assert result.p_adjusted.tolist() == [1, 1]


@pytest.mark.parametrize("sign", [-1, 1])
def test_two_sided(sign):
    d = np.array([1, 1, 1, 0, 1, -1, 1, 1, 1.0])
    assert flip(sign * d).p[0] == flip(d).p[0] < 0.1


def test_clusters_flip_as_one():
    rng = np.random.default_rng(5)
    d, units = rng.normal(0.3, 1, 24), np.repeat(np.arange(8), 3)
    assert flip(d, units).p[0] == flip(d.reshape(8, 3).sum(axis=1)).p[0]
    cancels = flip([0.1, 0.2, -0.3, 1, 1, 1], [0, 0, 0, 1, 2, 3])
    assert cancels.p[0] == flip([1, 1, 1]).p[0]
    assert not unit_sums(np.array([[0.1], [0.2], [-0.3]]), np.zeros(3, dtype=int)).any()
    # one cluster carries no inference however many tasks it has
    assert flip(np.ones(24), np.zeros(24, dtype=int)).p[0] == 1.0


def test_missing_is_left_out_of_its_column_only():
    rng = np.random.default_rng(6)
    columns = rng.choice([-1, 0, 1], size=(12, 3)) / 1.0
    holed = columns.copy()
    holed[[1, 4, 7], 1] = np.nan
    result = flip(holed)
    assert result.p[1] == flip(np.delete(columns[:, 1], [1, 4, 7])).p[0]
    assert result.p[[0, 2]].tolist() == flip(columns).p[[0, 2]].tolist()
    # a column without a number changes nothing
    wider = flip(np.column_stack([columns, np.full(12, np.nan)]))
    assert np.isnan(wider.p[3])
    assert np.isnan(wider.p_adjusted[3])
    assert wider.p_adjusted[:3].tolist() == flip(columns).p_adjusted.tolist()


def test_max_t_is_westfall_young_with_students_t_and_mid_p():
    rng = np.random.default_rng(7)
    columns = rng.normal([0.1, 0.9, 0.5, 0.0], 1.0, (9, 4))
    signs = np.array(list(product((-1.0, 1.0), repeat=9)))

    def t(x):
        return np.abs(x.mean()) / (x.std(ddof=1) / 3)

    drawn = np.array([[t(s * columns[:, j]) for j in range(4)] for s in signs])
    seen = np.array([t(columns[:, j]) for j in range(4)])
    left, before, expected = list(np.argsort(-seen)), 0.0, np.zeros(4)
    while left:
        most = drawn[:, left].max(axis=1)
        share = np.mean([(most > seen[left[0]] * (1 + 1e-9)), (most >= seen[left[0]] * (1 - 1e-9))])
        before = expected[left[0]] = max(before, share)
        left = left[1:]
    np.testing.assert_allclose(flip(columns).p_adjusted, expected, atol=1e-12)


@settings(max_examples=40, deadline=None)
@given(columns=arrays(float, (15, 4), elements=st.sampled_from([-1, -1 / 3, 0, 1 / 3, 1, np.nan])))
def test_adjusted_is_never_below_raw(columns):
    result = flip(columns, flips=199)
    known = ~np.isnan(columns).all(axis=0)
    assert (result.p_adjusted[known] >= result.p_mid[known]).all()
    assert ((result.p[known] > 0) & (result.p_adjusted[known] <= 1)).all()


def test_same_seed_same_p_and_another_seed_hardly_differs():
    d = np.random.default_rng(8).choice([-1, 0, 1], 60, p=[0.2, 0.4, 0.4])
    one, again, other = (flip(d, flips=9_999, seed=s).p[0] for s in (1, 1, 2))
    assert one == again
    assert other == pytest.approx(one, abs=0.015)


# -- sign flip where the truth is set ----------------------------------------------------------------


@pytest.mark.parametrize(("n", "repeats", "chance"), [(12, 1, 0.5), (30, 1, 0.3), (60, 3, 0.5), (30, 3, 0.9)])
def test_without_an_effect_the_error_rate_is_kept(n, repeats, chance):
    rng = np.random.default_rng(SEED)
    intact, damaged = episodes(rng, n, repeats, (chance, chance), size=3_000)
    rate = float((flip(intact - damaged).p <= 0.05).mean())
    assert rate <= band(0.05, 3_000)[1]
    assert rate > 0.005  # a test that never rejects keeps its error rate too


def test_power_is_what_the_plan_counts_on():
    rng = np.random.default_rng(SEED)
    intact, damaged = episodes(rng, 60, 3, (0.6, 0.4), size=1_000)
    d = intact - damaged
    # normal theory, from the true variance of a difference of two binomial means
    se = np.sqrt(d.var(axis=0, ddof=1).mean() / 60)
    from scipy.stats import norm

    expected = norm.sf(1.96 - 0.2 / se)
    assert float((flip(d).p <= 0.05).mean()) == pytest.approx(expected, abs=0.04)


def test_a_family_holds_its_error_and_step_down_gains():
    rng = np.random.default_rng(SEED)
    any_false, found, found_alone = [], [], []
    for _ in range(400):
        chances = (0.6, 0.6, 0.6, 0.6, 0.6, 0.4, 0.35)
        cells = episodes(rng, 40, 3, chances)[:, :, 0]
        result = flip((cells[0] - cells[1:]).T, flips=299, seed=int(rng.integers(2**31)))
        any_false.append((result.p_adjusted[:4] <= 0.05).any())
        found.append((result.p_adjusted[4:] <= 0.05).mean())
        found_alone.append((result.p[4:] <= 0.05).mean())
    assert np.mean(any_false) <= band(0.05, 400)[1]
    assert np.mean(any_false) > 0
    assert 0.7 < np.mean(found) < np.mean(found_alone)


def test_clusters_as_units_keep_the_error_that_tasks_lose():
    rng = np.random.default_rng(SEED)
    shared = rng.normal(0, 0.2, (12, 1, 2_000)).repeat(5, axis=1).reshape(60, 2_000)
    d = shared + rng.choice([-1, 0, 1], (60, 2_000), p=[0.1, 0.8, 0.1]) / 3
    by_cluster = float((flip(d, np.arange(60) // 5).p <= 0.05).mean())
    by_task = float((flip(d).p <= 0.05).mean())
    assert by_cluster <= band(0.05, 2_000)[1]
    assert by_task > 0.2
