"""Rates of a judge of success, and what they do to an effect: by simulation where the truth is set."""

import numpy as np
import pytest
from numpy.random import default_rng

from memtrial.analysis.failures.agreement import judge_rates


def judged(true: np.ndarray, hit: float, alarm: float, seed: int) -> np.ndarray:
    rng = default_rng(seed)
    return np.where(true, rng.random(len(true)) < hit, rng.random(len(true)) < alarm)


def named(values: np.ndarray) -> list[str]:
    return ["success" if one else "failure" for one in values]


def test_rates_are_those_of_the_judge_and_intervals_those_of_statsmodels() -> None:
    from statsmodels.stats.proportion import proportion_confint

    true = default_rng(1).random(4_000) < 0.6
    said = judged(true, 0.9, 0.2, 2)
    found = judge_rates(list(zip(named(true), named(said), strict=True)))
    assert found.sensitivity is not None
    assert found.specificity is not None
    assert found.sensitivity[0] == pytest.approx(0.9, abs=0.02)
    assert found.specificity[0] == pytest.approx(0.8, abs=0.025)
    ends = proportion_confint(said[true].sum(), true.sum(), method="wilson")
    assert found.sensitivity[1:] == pytest.approx(ends)
    assert found.kept == pytest.approx(0.7, abs=0.03)


def test_an_effect_shrinks_by_what_is_kept_and_comes_back() -> None:
    rng = default_rng(3)
    intact, damaged = rng.random(20_000) < 0.7, rng.random(20_000) < 0.4
    said = [judged(one, 0.85, 0.1, seed) for seed, one in enumerate((intact, damaged))]
    true, seen = np.concatenate([intact, damaged]), np.concatenate(said)
    found = judge_rates(list(zip(named(true), named(seen), strict=True)))
    assert found.kept is not None
    assert said[0].mean() - said[1].mean() == pytest.approx(0.3 * found.kept, abs=0.015)
    lows = []
    for seed in range(200):
        some = default_rng(seed).random(120) < 0.5
        one = judge_rates(list(zip(named(some), named(judged(some, 0.85, 0.1, seed + 1)), strict=True)))
        assert one.kept_low is not None
        lows.append(one.kept_low <= 0.75)
    assert np.mean(lows) >= 0.95


def test_without_one_kind_nothing_is_known() -> None:
    found = judge_rates([("success", "success")] * 5)
    assert (found.specificity, found.kept) == (None, None)
    assert judge_rates([]).sensitivity is None
