"""Promised power against the real test on made-up tasks: rates, repeats, clusters, families, scores."""

import numpy as np
import pytest

from memtrial.analysis.estimands.contrast import Contrast, drop, drops_apart
from memtrial.analysis.hypothesis_families import HypothesisFamily
from memtrial.analysis.planning.made_up_tasks import (
    MadeUpTasks,
    make_up,
    mean_scores,
    no_room,
    simulated_power,
)
from memtrial.analysis.planning.power import ClosedForm, Question
from memtrial.analysis.planning.variance import Clustering, Parts, without_clusters

EXPERIMENTS = 400
WITHIN = 0.03 + 0.055  # what is promised, and two and a quarter Monte Carlo errors of a half at most
DID, DROP = Parts(0.07, 0.49), Parts(0.02, 0.25)


def question(apart: bool, parts: Parts, arms: int = 1, conditions: int = 1, grain: float = 1.0) -> Question:
    def one(arm: int, condition: int) -> Contrast:
        named = f"a{arm}", f"d{condition}"
        return drops_apart(named[0], "c", named[1]) if apart else drop(*named)

    members = tuple(("m", one(arm, condition)) for arm in range(arms) for condition in range(conditions))
    return Question(HypothesisFamily("f", members, 0), parts, 0.05, grain)


def simulated(
    tasks: MadeUpTasks, clusters: Clustering, repeats: int, experiments: int = EXPERIMENTS
) -> float:
    rng = np.random.default_rng(clusters.n_tasks + repeats)
    return simulated_power(tasks, clusters, repeats, 0.05, experiments, rng)


@pytest.mark.parametrize(
    ("apart", "parts"), [(True, Parts(0.07, 0.49, 0.035)), (False, Parts(0.04, 0.24, 0.01))]
)
@pytest.mark.parametrize("dense", [False, True])
def test_made_up_tasks_have_the_truth_that_was_asked_for(apart: bool, parts: Parts, dense: bool) -> None:
    if dense:
        parts = Parts(parts.task, parts.repeat / 2, parts.cluster)
    tasks = make_up(question(apart, parts), 0.15, 0.5, dense)
    pairs, rng = Clustering((2,) * 3_000), np.random.default_rng(0)
    many, one = (tasks.contrasts(pairs, repeats, rng)[:, 0] for repeats in (200, 1))
    assert many.mean() == pytest.approx(0.15, abs=0.01)
    assert many.var() == pytest.approx(parts.total(200), rel=0.1)
    assert one.var() - many.var() == pytest.approx(parts.repeat, rel=0.1)
    first, second = many[::2] - many.mean(), many[1::2] - many.mean()
    assert (first * second).mean() == pytest.approx(parts.cluster, rel=0.25)


@pytest.mark.parametrize(
    ("apart", "base", "effect", "parts", "n", "repeats"),
    [
        (True, 0.5, 0.10, DID, 185, 3),
        (True, 0.5, 0.20, DID, 30, 3),
        (True, 0.7, 0.15, Parts(0.05, 0.40), 120, 2),
        (False, 0.5, 0.10, DROP, 231, 1),
        (False, 0.5, 0.20, DROP, 40, 3),
        (False, 0.3, 0.15, Parts(0.02, 0.21), 100, 1),
    ],
)
def test_the_promised_power_is_the_power(apart, base, effect, parts, n, repeats) -> None:
    one = question(apart, parts)
    promised = one.alone(repeats).power(effect, n)
    assert simulated(make_up(one, effect, base), without_clusters(n), repeats) == pytest.approx(
        promised, abs=WITHIN
    )


def test_without_an_effect_the_test_keeps_its_level() -> None:
    assert simulated(make_up(question(False, DROP), 0.0, 0.7), without_clusters(60), 3, 800) <= 0.074


@pytest.mark.parametrize("sizes", [(5,) * 20, (3,) * 30 + (1,) * 60])
def test_with_clusters_too(sizes: tuple[int, ...]) -> None:
    held, one = Clustering(sizes), question(True, Parts(0.07, 0.49, cluster=0.035))
    promised = one.alone(3, held).power(0.15, held.n_tasks)
    assert simulated(make_up(one, 0.15, 0.5), held, 3) == pytest.approx(promised, abs=WITHIN)
    apart = one.alone(3).power(0.15, held.n_tasks)
    assert promised < apart - 0.02 or held.kish_size < 3  # and clusters are no small matter


def test_scores_without_steps_are_promised_students_power() -> None:
    one = question(False, Parts(0.02, 0.14), grain=0.0)
    seen = simulated(make_up(one, 0.10, 0.5, dense=True), without_clusters(60), 3)
    assert seen == pytest.approx(ClosedForm(3, one.parts).power(0.10, 60), abs=WITHIN)


@pytest.mark.parametrize(("apart", "arms", "conditions", "n"), [(True, 2, 3, 120), (False, 4, 3, 60)])
def test_in_a_family_the_promise_is_a_lower_bound(apart: bool, arms: int, conditions: int, n: int) -> None:
    one = question(apart, DID if apart else DROP, arms, conditions)
    assert one.size == arms * conditions
    promised = one.in_family(3).power(0.15, n)
    seen = simulated(make_up(one, 0.15, 0.5), without_clusters(n), 3)
    assert promised - 0.045 <= seen <= promised + WITHIN + 0.02
    assert seen < one.alone(3).power(0.15, n)


def test_no_room_for_the_effect_is_said() -> None:
    one = question(True, DID)
    assert mean_scores(one, 0.2, 0.5) == pytest.approx([0.5, 0.25, 0.5, 0.45])
    assert "room" in (no_room(one, 0.5, 0.3) or "")
    assert no_room(one, 0.1, 0.5) is None
