"""The ratio of costs holds its error rates where the truth is set, and agrees with scipy's own test."""

from math import log

import numpy as np
import pytest
from scipy import stats

from memtrial.analysis.inference.cost_ratio import COST_MARGIN, compare_costs

TIMES, ALPHA = 800, 0.05


def words(true_ratio: float, spread: float, n: int) -> list[str]:
    rng = np.random.default_rng(7)
    drawn = []
    for _ in range(TIMES):
        base = np.exp(rng.normal(9, 1, n))
        row = compare_costs(base * true_ratio * np.exp(rng.normal(0, spread, n)), base, ALPHA)
        assert row is not None
        drawn.append(row.word)
    return drawn


def test_it_is_a_paired_t_test_of_logarithms() -> None:
    rng = np.random.default_rng(1)
    first, second = np.exp(rng.normal(8, 1, 12)), np.exp(rng.normal(8.2, 1, 12))
    row = compare_costs(first, second, ALPHA)
    test = stats.ttest_rel(np.log(first), np.log(second))
    interval = test.confidence_interval(0.95)
    assert row is not None
    assert (row.p, row.ratio) == pytest.approx((test.pvalue, np.exp(np.log(first / second).mean())))
    assert (log(row.low), log(row.high)) == pytest.approx((interval.low, interval.high))
    swapped = compare_costs(second, first, ALPHA)
    assert swapped is not None
    assert (swapped.ratio, swapped.p) == pytest.approx((1 / row.ratio, row.p))


def test_no_difference_is_called_one_no_more_often_than_alpha_and_a_difference_is_seen() -> None:
    assert words(1.0, 0.3, 15).count("more") + words(1.0, 0.3, 15).count("less") <= TIMES * 0.07
    assert words(1.5, 0.3, 15).count("more") >= TIMES * 0.95
    assert words(0.6, 0.3, 15).count("less") >= TIMES * 0.95


def test_at_the_margin_as_much_is_said_no_more_often_than_alpha_and_within_it_is_shown() -> None:
    assert words(COST_MARGIN, 0.1, 20).count("as much") <= TIMES * 0.07
    assert words(1.0, 0.05, 20).count("as much") >= TIMES * 0.95


def test_tasks_that_all_agree_few_tasks_and_families() -> None:
    ones = np.ones(4)
    same, apart = compare_costs(ones, ones, ALPHA), compare_costs(2 * ones, ones, ALPHA)
    assert same is not None
    assert apart is not None
    assert (same.word, apart.word, apart.low, apart.high) == ("as much", "more", 2.0, 2.0)
    assert compare_costs(ones[:1], ones[:1], ALPHA) is None
    rng = np.random.default_rng(3)
    first = np.exp(rng.normal(0.5, 0.3, 8))
    alone, among = (compare_costs(first, np.ones(8), ALPHA, family=n) for n in (1, 50))
    assert alone is not None
    assert among is not None
    assert (alone.word, among.word) == ("more", "open")
    close = np.exp(rng.normal(0.0, 0.07, 8))
    alone, among = (compare_costs(close, np.ones(8), ALPHA, family=n) for n in (1, 500))
    assert alone is not None
    assert among is not None
    assert (alone.word, among.word) == ("as much", "open")
