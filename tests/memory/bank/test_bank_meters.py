"""Meters and calibration, against statsmodels, scikit-learn and values worked out here."""

from dataclasses import replace
from fractions import Fraction
from math import exp, inf, log, sqrt

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import brier_score_loss
from statsmodels.stats.proportion import confint_proportions_2indep, proportion_confint

from memtrial.memory.bank.confidence.bank_meters import (
    meter_calibration,
    meter_length,
    meter_relevance,
    meter_repeats,
    meter_weights,
    meter_yield,
)
from memtrial.memory.bank.confidence.beta_posterior import BetaPosterior
from memtrial.memory.bank.confidence.item_signals import ItemSignal, WeightsMoment, follow_signals
from memtrial.memory.bank.confidence.meter_figure import estimate_mean, estimate_ratio, estimate_share
from memtrial.memory.bank.confidence.reliability import measure_reliability
from memtrial.memory.bank.confidence.signal_weights import SignalWeights
from tests.support.ranked import DAY

COUNTS = [(0, 1), (1, 1), (0, 10), (10, 10), (9, 10), (45, 50), (80, 100), (90, 100), (170, 200), (400, 500)]


@pytest.mark.parametrize(("count", "n"), COUNTS)
def test_shares_have_wilsons_interval(count: int, n: int) -> None:
    figure = estimate_share(count, n)
    low, high = proportion_confint(count, n, method="wilson")
    assert (figure.figure, figure.low, figure.high) == pytest.approx((count / n, low, high), abs=1e-9)


@pytest.mark.parametrize(
    "counts", [(5, 50, 20, 50), (16, 100, 20, 100), (1, 10, 9, 10), (40, 80, 41, 90), (10, 10, 5, 10)]
)
def test_ratios_have_the_interval_of_their_logarithm(counts: tuple[int, int, int, int]) -> None:
    figure = estimate_ratio(*counts)
    low, high = confint_proportions_2indep(*counts, method="log", compare="ratio")
    assert (figure.low, figure.high) == pytest.approx((low, high), abs=1e-9)
    assert figure.figure == pytest.approx(float(Fraction(*counts[:2]) / Fraction(*counts[2:])), abs=1e-9)


@pytest.mark.parametrize(
    ("counts", "cells"),
    [
        ((0, 50, 20, 50), (0.5, 51, 20.5, 51)),
        ((3, 50, 0, 40), (3.5, 51, 0.5, 41)),
        ((0, 5, 0, 5), (0.5, 6, 0.5, 6)),
        ((1, 1, 1, 1), (1.5, 2, 1.5, 2)),
    ],
)
def test_a_ratio_that_is_not_defined_has_a_half_in_each_cell(counts, cells) -> None:
    a, m, b, n = cells
    figure = estimate_ratio(*counts)
    spread = stats.norm.ppf(0.975) * sqrt(1 / a - 1 / m + 1 / b - 1 / n)
    ratio = (a / m) / (b / n)
    assert figure.figure == pytest.approx(ratio, abs=1e-9)
    assert (figure.low, figure.high) == pytest.approx(
        (exp(log(ratio) - spread), exp(log(ratio) + spread)), abs=1e-9
    )


def test_means_have_students_interval() -> None:
    figures = [310, 420, 480, 390, 505, 300]
    low, high = stats.t.interval(0.95, len(figures) - 1, np.mean(figures), stats.sem(figures))
    figure = estimate_mean(figures)
    assert (figure.figure, figure.low, figure.high) == pytest.approx((np.mean(figures), low, high), abs=1e-9)
    assert (estimate_mean([7]).low, estimate_mean([7]).high) == (-inf, inf)


@pytest.mark.parametrize(
    "call",
    [
        lambda: estimate_share(0, 0),
        lambda: estimate_share(3, 2),
        lambda: estimate_share(-1, 2),
        lambda: estimate_ratio(1, 2, 0, 0),
        lambda: estimate_ratio(3, 2, 1, 2),
        lambda: estimate_mean([]),
    ],
)
def test_figures_of_nothing_are_refused(call) -> None:
    with pytest.raises(ValueError, match="needed"):
        call()


def mixed(count: int, n: int) -> list[bool]:
    return [number < count for number in range(n)]


@pytest.mark.parametrize(
    ("reading", "verdict"),
    [
        # Wilson's interval for 90 of 100 begins at .826, for 87 at .790; for 72 it ends at .799
        (meter_relevance(mixed(90, 100)), "PASS"),
        (meter_relevance(mixed(87, 100)), "insufficient n"),
        (meter_relevance(mixed(72, 100)), "FAIL"),
        (meter_relevance(mixed(73, 100)), "insufficient n"),
        (meter_relevance(mixed(9, 9)), "insufficient n"),
        (meter_relevance(mixed(16, 16)), "PASS"),
        (meter_relevance([]), "insufficient n"),
        (meter_length([100, 120, 90]), "PASS"),
        (meter_length([499]), "insufficient n"),
        (meter_length([600, 620, 610]), "FAIL"),
        (meter_length([]), "insufficient n"),
        (meter_yield(mixed(40, 100)), "PASS"),
        (meter_yield(mixed(35, 100)), "insufficient n"),
        (meter_yield(mixed(20, 100)), "FAIL"),
        (meter_repeats(mixed(5, 100), mixed(20, 100)), "PASS"),
        (meter_repeats(mixed(16, 100), mixed(20, 100)), "insufficient n"),
        (meter_repeats(mixed(60, 100), mixed(40, 100)), "FAIL"),
        (meter_repeats([], mixed(1, 2)), "insufficient n"),
        (meter_repeats([True], [True]), "insufficient n"),
        (meter_calibration([0.9] * 100, mixed(85, 100)), "PASS"),
        (meter_calibration([0.9] * 100, mixed(60, 100)), "FAIL"),
        (meter_calibration([0.8] * 100, mixed(85, 100)), "insufficient n"),
    ],
)
def test_a_meter_passes_fails_or_waits(reading, verdict: str) -> None:
    assert reading.verdict == verdict


def test_ratings_of_items_of_eight_tenths_do_not_count_as_sure() -> None:
    reading = meter_calibration([0.8, 0.81, 0.2, 0.95], [True, True, False, False])
    assert reading.figure.n == 2
    with pytest.raises(ValueError, match="shorter"):
        meter_calibration([0.9, 0.9], [True])


def steps(*usages: tuple[float, float, float]) -> list[WeightsMoment]:
    """Weights whose usage is (alpha, beta) from a day on."""
    return [
        WeightsMoment(day * DAY, replace(SignalWeights(), usage=BetaPosterior(alpha, beta)))
        for day, alpha, beta in usages
    ]


def test_weights_are_steady_where_they_vary_by_less_than_a_tenth_in_seven_days() -> None:
    steady = steps(*((day, 5 + day / 2, 5 + day / 2) for day in range(51)))
    reading = meter_weights(steady, 50 * DAY)
    assert (reading.verdict, reading.figure.figure, reading.figure.n) == ("PASS", 0.0, 50)
    # the 50th rating a day, and only the weight in force seven days ago before it
    moved = [*steps(*((day, 5, 5) for day in range(50))), *steps((50, 8, 5))]
    reading = meter_weights(moved, 50 * DAY)
    after = Fraction(7, 10) + Fraction(8, 13) + Fraction(1, 2)
    shares = [Fraction(5, 17), Fraction(8, 13) / after]
    seven = [shares[0]] * 7 + [shares[1]]
    wanted = (max(seven) - min(seven)) / (sum(seven) / 8)
    assert reading.figure.figure == pytest.approx(float(wanted), abs=1e-9)
    assert reading.verdict == "FAIL"
    assert meter_weights(moved, 49 * DAY).verdict == "insufficient n"
    assert meter_weights(moved, 57.5 * DAY).verdict == "PASS"
    assert meter_weights((), 0.0).verdict == "insufficient n"


def test_learnt_weights_settle_at_a_rating_a_day() -> None:
    """A citation was right in seven of ten; after 500 ratings its weight is known, and hardly moves."""
    rng = np.random.default_rng(11)
    signals = [ItemSignal(f"i{day}", day * DAY, "cited") for day in range(500)]
    rated = rng.random(500) < 0.7
    ratings = [ItemSignal(f"i{day}", day * DAY + 60, "explicit", bool(rated[day])) for day in range(500)]
    both = [signal for pair in zip(signals, ratings, strict=True) for signal in pair]
    followed = follow_signals(both, {f"i{day}": 0.775 for day in range(500)})
    assert followed.weights.usage.mean == pytest.approx(0.7, abs=0.05)
    assert meter_weights(followed.history, 500 * DAY).verdict == "PASS"
    assert meter_weights(followed.history, 40 * DAY).verdict == "insufficient n"


CONFIDENCES = [0.0, 0.1, 0.15, 0.7, 0.7, 0.71, 0.3, 0.95, 1.0, 0.5]
HELPFUL = [False, False, True, True, False, True, False, True, True, True]


def test_calibration_is_the_distance_of_confidence_from_share() -> None:
    measured = measure_reliability(CONFIDENCES, HELPFUL)
    assert measured.brier == pytest.approx(brier_score_loss(HELPFUL, CONFIDENCES), abs=1e-9)
    # bins end where they are named: .1 is in the first, .7 in the seventh
    assert [(part.low, part.high, part.n) for part in measured.curve] == [
        (0.0, 0.1, 2), (0.1, 0.2, 1), (0.2, 0.3, 1), (0.4, 0.5, 1),
        (0.6, 0.7, 2), (0.7, 0.8, 1), (0.9, 1.0, 2),
    ]  # fmt: skip
    gaps = (Fraction(10), Fraction(85), Fraction(30), Fraction(50), Fraction(40), Fraction(29), Fraction(5))
    assert measured.ece == pytest.approx(float(sum(gaps) / 1000), abs=1e-9)
    assert [part.helpful.figure for part in measured.curve] == [0.0, 1.0, 0.0, 1.0, 0.5, 1.0, 1.0]
    assert measured.curve[4].confidence == pytest.approx(0.7, abs=1e-12)


def test_each_edge_is_in_the_bin_that_ends_there() -> None:
    for percent in range(1, 101):
        (part,) = measure_reliability([percent / 100], [True], 100).curve
        assert part.high == pytest.approx(percent / 100, abs=1e-12)


@pytest.mark.parametrize(
    ("confidences", "helpful", "n_bins"),
    [([], [], 10), ([0.5], [], 10), ([1.2], [True], 10), ([float("nan")], [True], 10), ([0.5], [True], 0)],
)
def test_calibration_of_nothing_is_refused(confidences, helpful, n_bins: int) -> None:
    with pytest.raises(ValueError, match="needed"):
        measure_reliability(confidences, helpful, n_bins)
