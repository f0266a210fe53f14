"""Variance parts: unbiased where the truth is set, and limits that hold it as often as they say."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from numpy.typing import NDArray
from statsmodels.formula.api import ols

from loadbearing.analysis.estimands.contrast import drop, drops_apart, utility
from loadbearing.analysis.planning.pilot_variance import piloted, reckoned
from loadbearing.analysis.planning.variance import ASSUMED_DROP, Parts
from loadbearing.analysis.planning.variance_limits import VarianceParts, variance_parts
from loadbearing.outcomes.outcomes import OutcomeRow, Outcomes

TRUTHS = [(25, 3, 0.07, 0.5, 0.0, 1), (25, 2, 0.02, 0.25, 0.0, 1), (60, 2, 0.10, 0.3, 0.05, 3)]


def drawn(
    n: int, repeats: int, task: float, repeat: float, cluster: float, size: int, rng: np.random.Generator
) -> tuple[NDArray[np.float64], list[int] | None]:
    group = np.arange(n) // size
    mean = rng.normal(0, np.sqrt(cluster), group.max() + 1)[group] + rng.normal(0, np.sqrt(task - cluster), n)
    values = mean[:, None] + rng.normal(0, np.sqrt(repeat), (n, repeats))
    return values, None if size == 1 else group.tolist()


@pytest.mark.parametrize("truth", TRUTHS)
def test_estimates_are_unbiased_and_limits_hold_as_often_as_they_say(truth) -> None:
    _n, repeats, task, repeat, cluster, _ = truth
    rng = np.random.default_rng(1)
    found = [variance_parts(*drawn(*truth, rng)) for _ in range(500)]
    total = task + repeat / repeats
    assert np.mean([one.total for one in found]) == pytest.approx(total, rel=0.04)
    assert np.mean([one.repeat.estimate for one in found]) == pytest.approx(repeat, rel=0.03)
    assert np.mean([one.task.low <= task <= one.task.high for one in found]) > 0.88
    assert np.mean([one.repeat.low <= repeat <= one.repeat.high for one in found]) == pytest.approx(
        0.9, abs=0.04
    )
    held = np.mean([one.upper_total(repeats) >= total for one in found])
    assert held > 0.85 if cluster else held == pytest.approx(0.8, abs=0.06)
    five = np.mean([one.upper_total(5) >= task + repeat / 5 for one in found])
    assert five > 0.74
    if cluster:
        assert np.mean([one.cluster.estimate for one in found]) == pytest.approx(cluster, rel=0.12)
        assert np.mean([one.cluster.low <= cluster <= one.cluster.high for one in found]) > 0.88


def test_a_balanced_design_gives_the_analysis_of_variance_of_statsmodels() -> None:
    rng = np.random.default_rng(4)
    values, _ = drawn(20, 4, 0.2, 0.4, 0.0, 1, rng)
    table = sm.stats.anova_lm(
        ols("y ~ C(t)", pd.DataFrame({"y": values.ravel(), "t": np.repeat(np.arange(20), 4)})).fit()
    )
    among, inside = table["mean_sq"]
    found = variance_parts(values)
    assert found.repeat.estimate == pytest.approx(inside)
    assert found.task.estimate == pytest.approx((among - inside) / 4)
    assert found.repeat_df == table["df"].iloc[1]


def test_missing_repeats_and_tasks_are_left_out() -> None:
    rng = np.random.default_rng(5)
    values, _ = drawn(400, 3, 0.1, 0.4, 0.0, 1, rng)
    values[rng.random(values.shape) < 0.3] = np.nan
    values[:5] = np.nan
    found = variance_parts(values)
    assert found.n_tasks == int((~np.isnan(values)).any(axis=1).sum())
    assert found.task.estimate == pytest.approx(0.1, abs=0.03)
    assert found.repeat.estimate == pytest.approx(0.4, abs=0.05)


def test_one_repeat_tells_only_the_sum() -> None:
    found = variance_parts(np.array([[0.0], [1.0], [-1.0], [1.0]]))
    assert found.repeat is None
    assert found.parts is None
    assert found.upper_parts(3) is None
    assert found.total == pytest.approx(np.var([0, 1, -1, 1], ddof=1))


def test_equal_tasks_have_no_variance_and_no_warning() -> None:
    found = variance_parts(np.zeros((10, 3)))
    assert found.parts == Parts(0.0, 0.0)
    assert found.upper_total(3) == 0.0


@pytest.mark.parametrize("values", [np.zeros((1, 3)), np.full((5, 2), np.nan)])
def test_too_few_tasks_are_refused(values) -> None:
    with pytest.raises(ValueError, match="two tasks"):
        variance_parts(values)
    with pytest.raises(ValueError, match="cluster"):
        variance_parts(np.zeros((4, 2)), ["a"])


def test_the_upper_parts_add_up_to_the_upper_limit_and_are_never_below_the_estimate() -> None:
    rng = np.random.default_rng(6)
    for _ in range(50):
        found: VarianceParts = variance_parts(*drawn(12, 2, 0.02, 0.5, 0.0, 1, rng))
        upper, own = found.upper_parts(2), found.parts
        assert upper is not None
        assert own is not None
        assert upper.total(2) == pytest.approx(max(found.upper_total(2), own.total(2)))


def outcomes(repeats: int, n: int = 40, clusters: int = 0) -> Outcomes:
    rng = np.random.default_rng(7)
    cells = [("none", "without"), *((arm, name) for arm in ("a", "b") for name in ("intact", "hurt"))]
    hard = rng.beta(1, 1, n)
    return Outcomes(
        OutcomeRow("m", arm, name, f"t{task}", f"c{task % clusters}" if clusters else "", repeat,
                   float(rng.random() < hard[task]))
        for arm, name in cells for task in range(n) for repeat in range(repeats)
    )  # fmt: skip


def test_a_pilot_gives_each_estimand_its_parts() -> None:
    contrasts = (utility("a"), drop("a", "hurt"), drop("b", "hurt"), drops_apart("a", "b", "hurt"))
    found = piloted(outcomes(3), (*contrasts, drop("a", "never played")))
    assert [one.contrast for one in found] == list(contrasts)
    drops = reckoned(found, "drop", ASSUMED_DROP, 3)
    assert drops.n_contrasts == 2
    # uniform difficulty: E p(1-p) = 1/6 in each of two cells
    assert drops.parts.repeat == pytest.approx(1 / 3, abs=0.08)
    assert drops.parts.task == pytest.approx(0.0, abs=0.05)
    assert drops.upper.total(3) > drops.parts.total(3)
    assert reckoned((), "drop", ASSUMED_DROP, 3).parts == ASSUMED_DROP
    assert piloted(outcomes(3, n=5), contrasts) == ()


def test_a_pilot_of_one_repeat_scales_the_assumed_parts() -> None:
    found = piloted(outcomes(1, n=200), (drop("a", "hurt"),))
    parts = reckoned(found, "drop", ASSUMED_DROP, 3).parts
    assert parts.total(1) == pytest.approx(found[0].found.total)
    assert parts.task / parts.repeat == pytest.approx(ASSUMED_DROP.task / ASSUMED_DROP.repeat)


def test_a_pilot_with_few_shared_clusters_assumes_their_part() -> None:
    shared = piloted(outcomes(3, clusters=10), (drop("a", "hurt"),))
    assert reckoned(shared, "drop", ASSUMED_DROP, 3).how == "the pilot's"
    few = piloted(outcomes(3, clusters=35), (drop("a", "hurt"),))
    half = reckoned(few, "drop", ASSUMED_DROP, 3)
    assert half.parts.cluster == half.parts.task / 2
    assert "half" in half.how
