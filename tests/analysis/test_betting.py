"""The betting interval: holds at every n, says something of tables in which no task differs."""

import numpy as np
import pytest

from memtrial.analysis.inference.interval import all_zero_interval


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


@pytest.mark.parametrize("bounds", [(-1, 1), (-2, 2), (-0.5, 1)])
def test_the_ends_are_where_a_gambler_gets_rich(bounds):
    low, high = all_zero_interval(40, bounds, 0.05)
    width = bounds[1] - bounds[0]
    x = np.full(40, -bounds[0] / width)
    for at, rich in ((low - 1e-6, True), (low + 1e-6, False), (high - 1e-6, False), (high + 1e-6, True)):
        assert capital(x, (at - bounds[0]) / width, 0.05) == rich
