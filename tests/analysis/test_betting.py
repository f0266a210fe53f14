"""The betting interval: holds at every n, says something of tables in which no task differs."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import beta

from loadbearing.analysis.inference.betting_interval import (
    all_zero_interval,
    betting_interval,
    differing_share_bound,
)

SEED = 20_244


@pytest.mark.parametrize("n", [1, 12, 40, 400])
def test_the_bound_on_the_share_of_differing_tasks_is_clopper_pearson_s(n):
    assert differing_share_bound(n, 0.05) == pytest.approx(beta.ppf(0.95, 1, n))


def test_forty_tasks_without_a_difference_are_seven_in_a_hundred():
    assert round(differing_share_bound(40, 0.05), 3) == 0.072
    with pytest.raises(ValueError, match="at least one task"):
        differing_share_bound(0, 0.05)


def test_zeros_give_a_symmetric_interval_that_shrinks():
    widths = []
    for n in (1, 5, 12, 30, 100, 1_000):
        low, high = all_zero_interval(n, (-1, 1), 0.05)
        assert low == pytest.approx(-high)
        assert low < 0 < high <= 1
        widths.append(high - low)
    assert widths == sorted(widths, reverse=True)
    assert widths[-1] < 0.05
    one, two = all_zero_interval(30, (-1, 1), 0.05), all_zero_interval(30, (-2, 2), 0.05)
    assert two == pytest.approx((2 * one[0], 2 * one[1]))


def test_turning_the_numbers_around_turns_the_interval_around():
    d = np.random.default_rng(SEED).choice([-1.0, 0.0, 1.0], 50, p=[0.1, 0.5, 0.4])
    low, high = betting_interval(d, (-1, 1), 0.05, np.random.default_rng(1))
    turned = betting_interval(-d, (-1, 1), 0.05, np.random.default_rng(1))
    assert turned == pytest.approx((-high, -low))
    assert low < d.mean() < high


def capital(x, mean, alpha):
    """The two gamblers, number by number: whether either ever had 2/alpha."""
    up = down = 1.0
    seen, variances, reached = [0.5], [0.25], False
    for value in x:
        for forward in (True, False):
            y, m = (value, mean) if forward else (1 - value, 1 - mean)
            stake = np.sqrt(2 * np.log(2 / alpha) / (np.mean(variances) * len(x)))
            stake = min(stake, 0.75 / m) if m > 0 else stake
            up, down = (up * (1 + stake * (y - m)), down) if forward else (up, down * (1 + stake * (y - m)))
        reached |= max(up, down) >= 2 / alpha
        seen.append(value)
        variances.append((value - np.mean(seen)) ** 2)
    return reached


def test_the_ends_are_where_a_gambler_gets_rich():
    rng = np.random.default_rng(SEED)
    d = rng.choice([-1.0, 0.0, 0.5, 1.0], 40)
    low, high = betting_interval(d, (-1, 1), 0.05, np.random.default_rng(7))
    x = (np.random.default_rng(7).permutation(d) + 1) / 2
    for at, rich in ((low - 1e-6, True), (low + 1e-6, False), (high - 1e-6, False), (high + 1e-6, True)):
        assert capital(x, (at + 1) / 2, 0.05) == rich


@pytest.mark.parametrize(("chance", "n"), [(0.02, 12), (0.5, 30)])
def test_it_covers_also_where_nearly_nothing_differs(chance, n):
    rng = np.random.default_rng(SEED)
    inside = []
    for _ in range(600):
        d = rng.binomial(1, chance + 0.05, n) - rng.binomial(1, chance, n) * 1.0
        low, high = betting_interval(d, (-1, 1), 0.05, rng)
        inside.append(low <= 0.05 <= high)
    assert np.mean(inside) >= 0.94


@pytest.mark.parametrize("d", [[], [0.0, 1.5]])
def test_numbers_outside_the_bounds_are_refused(d):
    with pytest.raises(ValueError, match=r"needs numbers in \[-1, 1\]"):
        betting_interval(np.array(d), (-1, 1), 0.05, np.random.default_rng(0))
