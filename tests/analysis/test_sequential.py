"""Looking early costs nothing where it was planned, and a lot where it was not."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import multivariate_normal, norm, t

from memtrial.analysis.sequential.interim import anytime_p, log_e
from memtrial.analysis.sequential.look_schedule import (
    Looks,
    crossing_chances,
    looks_at,
    obrien_fleming,
    obrien_fleming_p,
    spend_alpha,
    spending_boundaries,
)

# Jennison & Turnbull 1999, table 2.3: C_B(K, alpha) for K = 1..10
TABLE = {
    0.05: (1.960, 1.977, 2.004, 2.024, 2.040, 2.053, 2.063, 2.072, 2.080, 2.087),
    0.01: (2.576, 2.580, 2.595, 2.609, 2.621, 2.631, 2.640, 2.648, 2.654, 2.660),
    0.10: (1.645, 1.678, 1.710, 1.733, 1.751, 1.765, 1.776, 1.786, 1.794, 1.801),
}
RUNS, N, K = 3_000, 150, 5
ENDS = np.arange(1, K + 1) * N // K


def contrasts(rng: np.random.Generator, effect: float, runs: int = RUNS, n: int = N) -> np.ndarray:
    """Simulated contrasts of drops at three repeats: sums of four shares, many of them zero."""
    tasks = rng.beta(1, 1, size=(runs, n, 1))
    chance = np.clip(np.concatenate([tasks, tasks, tasks, tasks], axis=2), 0, 1)
    chance[..., 0] = np.clip(chance[..., 0] * (1 - effect) + effect, 0, 1)
    share = rng.binomial(3, chance) / 3
    return np.asarray(share[..., 0] - share[..., 1] - share[..., 2] + share[..., 3])


def t_values(d: np.ndarray) -> np.ndarray:
    """Student's t after each task, shape (runs, n)."""
    k = np.arange(1, d.shape[1] + 1)
    mean = d.cumsum(1) / k
    variance = np.maximum((d**2).cumsum(1) / k - mean**2, 1e-12) * k / np.maximum(k - 1, 1)
    return np.asarray(mean / np.sqrt(variance / k))


def crossed(d: np.ndarray) -> np.ndarray:
    """Whether each run passed one of O'Brien and Fleming's five boundaries, as quantiles of t."""
    bounds = t.isf(norm.sf(obrien_fleming(K, 0.05)), ENDS - 1)
    return np.asarray((np.abs(t_values(d)[:, ENDS - 1]) >= bounds).any(1))


@pytest.mark.parametrize("alpha", TABLE)
@pytest.mark.parametrize("looks", range(1, 11))
def test_boundaries_are_those_of_the_table(alpha: float, looks: int) -> None:
    found = obrien_fleming(looks, alpha)
    assert found[-1] == pytest.approx(TABLE[alpha][looks - 1], abs=6e-4)
    assert found == pytest.approx(found[-1] * np.sqrt(looks / np.arange(1, looks + 1)))


def test_spending_boundaries_are_those_of_r_ldbounds() -> None:
    # ldbounds::bounds(seq(.2, 1, .2), iuse = c(1, 1), alpha = c(.025, .025))
    found = spending_boundaries([0.2, 0.4, 0.6, 0.8, 1.0], 0.05)
    assert found == pytest.approx([4.8769, 3.3569, 2.6803, 2.2898, 2.0310], abs=2e-4)


@settings(deadline=None, max_examples=25)
@given(gaps=st.lists(st.floats(0.05, 1), min_size=1, max_size=6), alpha=st.sampled_from([0.01, 0.05, 0.2]))
def test_all_of_alpha_is_spent_and_never_more(gaps: list[float], alpha: float) -> None:
    fractions = np.cumsum(gaps) / np.sum(gaps)
    fractions[-1] = 1.0
    bounds = spending_boundaries(fractions.tolist(), alpha)
    used = crossing_chances(bounds.tolist(), fractions.tolist())
    assert used[-1] == pytest.approx(alpha, abs=1e-7)
    assert all(u <= spend_alpha(f, alpha) + 1e-7 for u, f in zip(used, fractions, strict=True))


def test_the_recursion_is_the_multivariate_normal() -> None:
    fractions, bounds = np.array([0.3, 0.55, 1.0]), np.array([2.5, 2.2, 2.0])
    cov = np.sqrt(np.minimum.outer(fractions, fractions) / np.maximum.outer(fractions, fractions))
    inside = multivariate_normal(cov=cov, maxpts=10**6, abseps=1e-8, seed=1).cdf(bounds, lower_limit=-bounds)
    assert crossing_chances(bounds.tolist(), fractions.tolist())[-1] == pytest.approx(1 - inside, abs=2e-5)


def test_with_no_effect_planned_looks_keep_alpha_and_peeking_does_not() -> None:
    d = contrasts(np.random.default_rng(1), 0.0)
    planned = crossed(d).mean()
    ever = np.array([log_e(one).max() >= np.log(20) for one in d[:1500]]).mean()
    peeking = (np.abs(t_values(d))[:, 9:] >= 1.96).any(1).mean()
    assert 0.036 < planned < 0.064
    assert ever < 0.05
    # the check can fail: a test of five per cent, looked at after every task
    assert peeking > 0.2


def test_looks_cost_little_power_and_save_tasks() -> None:
    d = contrasts(np.random.default_rng(2), 0.4, runs=1500)
    fixed = np.abs(t_values(d)[:, -1]) >= t.isf(0.025, N - 1)
    assert fixed.mean() > 0.7
    assert crossed(d).mean() > fixed.mean() - 0.03


def test_an_e_process_bets_fairly_on_a_sign_and_wins_where_there_is_one() -> None:
    # the mean over both signs of one unit is exactly 1, whatever its size
    for size in (0.0, 0.3, 2.0, 40.0):
        both = np.exp([log_e(np.array([size]))[0], log_e(np.array([-size]))[0]])
        assert both.mean() == pytest.approx(1.0)
    assert log_e(np.full(40, 0.5))[-1] > np.log(20)
    path = log_e(np.array([0.5] * 30 + [-0.5] * 30))
    assert anytime_p(path) == pytest.approx(np.exp(-path.max()))
    assert anytime_p(np.array([])) == 1.0


def test_looks_stand_at_equal_counts_or_at_the_next_end_of_a_cluster() -> None:
    even = looks_at([1] * 150, 5, 0.05)
    assert even.counts == (30, 60, 90, 120, 150)
    assert even.equal
    assert even.boundaries == pytest.approx(obrien_fleming(5, 0.05))
    assert even.levels[-1] == pytest.approx(0.0413, abs=1e-4)
    uneven = looks_at([7] * 12, 3, 0.05)
    assert uneven.counts == (28, 56, 84)
    moved = looks_at([5, 8, 3, 9, 4, 6, 5], 3, 0.05)
    assert moved.counts == (16, 29, 40)
    assert not moved.equal
    assert moved.boundaries == pytest.approx(spending_boundaries(moved.fractions, 0.05))
    for sizes in ([], [40], [1, 38, 1], [10] * 5):
        with pytest.raises(ValueError, match="looks need"):
            looks_at(sizes, 3, 0.05)


@pytest.mark.parametrize("counts", [(30, 60, 90, 120, 150), (16, 29, 40)])
@pytest.mark.parametrize("family", [1, 6])
def test_the_p_over_all_looks_is_alpha_where_the_level_is_just_reached(
    counts: tuple[int, ...], family: int
) -> None:
    looks = Looks(counts, 0.05, family)
    for look, level in enumerate(looks.levels, 1):
        if level < 1e-12:
            continue
        assert looks.overall(level, look) == pytest.approx(0.05, rel=2e-3)
        assert looks.overall(level * 0.9, look) < 0.05 < looks.overall(min(1.0, level * 1.1), look)
    assert looks.overall(1.0, 1) == pytest.approx(1.0)
    assert obrien_fleming_p(0.0, 1, 3) == 1.0


@pytest.mark.parametrize("rho", [0.0, 0.5, 1.0])
def test_the_levels_of_a_family_keep_its_error_rate_over_looks(rho: float) -> None:
    rng, m, runs = np.random.default_rng(5), 6, 100_000
    levels = Looks((1, 2, 3, 4, 5), 0.05, m).levels

    def step(n: int) -> np.ndarray:
        shared = np.sqrt(rho) * rng.standard_normal((n, 1))
        return np.asarray(shared + np.sqrt(1 - rho) * rng.standard_normal((n, m)))

    largest = np.sort(np.abs(step(3 * runs)).max(1))
    quantiles = [largest[int((1 - level) * len(largest))] for level in levels]
    path, rejected = np.zeros((runs, m)), np.zeros(runs, dtype=bool)
    for look, quantile in enumerate(quantiles, 1):
        path += step(runs) * np.sqrt(0.2)
        rejected |= np.abs(path / np.sqrt(look / 5)).max(1) >= quantile
    assert rejected.mean() < 0.0535
    assert rejected.mean() > 0.045
