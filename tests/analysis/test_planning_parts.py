"""Variance parts of a pilot: unbiased where the truth is set; what it cannot tell is assumed, and said."""

import numpy as np
import pytest
from numpy.typing import NDArray

from memtrial.analysis.estimands.contrast import drop, drops_apart, utility
from memtrial.analysis.hypothesis_families import HypothesisFamily
from memtrial.analysis.planning.power import CERTAINTY, Question
from memtrial.analysis.planning.variance import (
    ASSUMED_CONTRAST,
    ASSUMED_DROP,
    Parts,
    mean_parts,
    pilot_parts,
    variance_parts,
)
from memtrial.outcomes.outcomes import OutcomeRow, Outcomes

TRUTHS = [(25, 3, 0.07, 0.5, 0.0, 1), (25, 2, 0.02, 0.25, 0.0, 1), (60, 2, 0.10, 0.3, 0.05, 3)]
ASSUMED = {"utility": ASSUMED_DROP, "drop": ASSUMED_DROP, "contrast": ASSUMED_CONTRAST}


def drawn(
    n: int, repeats: int, task: float, repeat: float, cluster: float, size: int, rng: np.random.Generator
) -> tuple[NDArray[np.float64], list[int]]:
    group = np.arange(n) // size
    mean = rng.normal(0, np.sqrt(cluster), group.max() + 1)[group] + rng.normal(0, np.sqrt(task - cluster), n)
    return mean[:, None] + rng.normal(0, np.sqrt(repeat), (n, repeats)), group.tolist()


@pytest.mark.parametrize("truth", TRUTHS)
def test_estimates_are_unbiased(truth) -> None:
    _, repeats, task, repeat, cluster, _ = truth
    rng = np.random.default_rng(1)
    found = mean_parts([variance_parts(*drawn(*truth, rng), ASSUMED_DROP) for _ in range(300)])
    # a part below zero is cut off at zero, which lifts the mean of the small ones
    assert found.total(repeats) == pytest.approx(task + repeat / repeats, rel=0.08 if task > 0.05 else 0.2)
    assert found.repeat == pytest.approx(repeat, rel=0.03)
    if cluster:
        assert found.cluster == pytest.approx(cluster, rel=0.15)
        assert found.task == pytest.approx(task, rel=0.05)


@pytest.mark.parametrize("truth", TRUTHS)
def test_the_upper_limit_holds_the_truth_at_least_as_often_as_it_says(truth) -> None:
    n, repeats, task, repeat, _, size = truth
    rng, family = np.random.default_rng(3), HypothesisFamily("f", (("m", drop("a", "hurt")),), 0)
    held = 0
    for _ in range(200):
        parts = variance_parts(*drawn(*truth, rng), ASSUMED_DROP)
        cautious = Question(family, parts, 0.05, 1.0, n // size).cautious().parts
        held += cautious.total(repeats) >= task + repeat / repeats
    # a part below zero is cut off at zero: the limit errs on the safe side
    assert held / 200 >= CERTAINTY - 0.08


def test_a_balanced_design_gives_the_analysis_of_variance_of_statsmodels() -> None:
    import pandas as pd
    from statsmodels.formula.api import ols
    from statsmodels.stats.anova import anova_lm

    values, labels = drawn(20, 4, 0.2, 0.4, 0.0, 1, np.random.default_rng(4))
    table = anova_lm(
        ols("y ~ C(t)", pd.DataFrame({"y": values.ravel(), "t": np.repeat(np.arange(20), 4)})).fit()
    )
    among, inside = table["mean_sq"]
    found = variance_parts(values, labels, ASSUMED_DROP)
    assert found.repeat == pytest.approx(inside)
    assert found.task == pytest.approx((among - inside) / 4)


def test_missing_repeats_are_left_out() -> None:
    rng = np.random.default_rng(5)
    values, labels = drawn(400, 3, 0.1, 0.4, 0.0, 1, rng)
    values[:, 1:][rng.random((400, 2)) < 0.4] = np.nan
    found = variance_parts(values, labels, ASSUMED_DROP)
    assert found.task == pytest.approx(0.1, abs=0.03)
    assert found.repeat == pytest.approx(0.4, abs=0.05)


def test_one_repeat_tells_only_the_sum() -> None:
    values = np.array([[0.0], [1.0], [-1.0], [1.0]])
    found = variance_parts(values, list("abcd"), ASSUMED_DROP)
    assert found.total(1) == pytest.approx(np.var(values, ddof=1))
    assert found.task / found.repeat == pytest.approx(ASSUMED_DROP.task / ASSUMED_DROP.repeat)


def test_equal_tasks_have_no_variance_and_no_warning() -> None:
    assert variance_parts(np.zeros((10, 3)), range(10), ASSUMED_DROP) == Parts(0.0, 0.0)


def outcomes(repeats: int, n: int = 40, clusters: int = 0) -> Outcomes:
    rng = np.random.default_rng(7)
    cells = [("none", "without"), *((arm, name) for arm in ("a", "b") for name in ("intact", "hurt"))]
    hard = rng.beta(1, 1, n)
    return Outcomes(
        OutcomeRow("m", arm, name, f"t{task}", f"c{task % clusters}" if clusters else "", repeat,
                   float(rng.random() < hard[task]))
        for arm, name in cells for task in range(n) for repeat in range(repeats)
    )  # fmt: skip


def test_a_pilot_gives_each_contrast_its_parts() -> None:
    contrasts = (utility("a"), drop("a", "hurt"), drop("b", "hurt"), drops_apart("a", "b", "hurt"))
    found = pilot_parts(outcomes(3), (*contrasts, drop("a", "never played")), ASSUMED)
    named = [(one.estimand, one.arm, one.condition) for one in found]
    assert named == [(one.estimand, one.arm, one.condition) for one in contrasts]
    drops = mean_parts([one.parts for one in found if one.estimand == "drop"])
    # uniform difficulty: E p(1-p) = 1/6 in each of two cells
    assert drops.repeat == pytest.approx(1 / 3, abs=0.08)
    assert drops.task == pytest.approx(0.0, abs=0.05)
    assert pilot_parts(outcomes(3, n=5), contrasts, ASSUMED) == ()
    once = pilot_parts(outcomes(1, n=200), (drop("a", "hurt"),), ASSUMED)[0]
    assert once.parts.task / once.parts.repeat == pytest.approx(ASSUMED_DROP.task / ASSUMED_DROP.repeat)


def test_a_pilot_with_few_shared_clusters_assumes_their_part() -> None:
    shared = pilot_parts(outcomes(3, clusters=10), (drop("a", "hurt"),), ASSUMED)[0]
    assert (shared.n_tasks, shared.n_clusters) == (40, 10)
    few = pilot_parts(outcomes(3, clusters=35), (drop("a", "hurt"),), ASSUMED)[0]
    assert few.parts.cluster == few.parts.task / 2
