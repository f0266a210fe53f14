"""Promised power against the real test on simulated tasks: rates, repeats, clusters, families, scores."""

from __future__ import annotations

import numpy as np
import pytest

from loadbearing.analysis.estimands.contrast import Contrast, drop, drops_apart
from loadbearing.analysis.families import Family
from loadbearing.analysis.inference.sign_flip import flip_test
from loadbearing.analysis.planning.bulk_flip import bulk_p_values
from loadbearing.analysis.planning.effective_tasks import Clustering, independent
from loadbearing.analysis.planning.pilot_variance import Reckoned
from loadbearing.analysis.planning.power import n_tasks, power
from loadbearing.analysis.planning.question import ask
from loadbearing.analysis.planning.sample_size import World, scenario_of, size_by_simulation
from loadbearing.analysis.planning.scenario import Scenario, tuned
from loadbearing.analysis.planning.simulation import simulated_power
from loadbearing.analysis.planning.variance import Parts

DROP = np.array([[1.0], [-1.0]])
DID = np.array([[1.0], [-1.0], [-1.0], [1.0]])
DAMAGED = {2: np.array([False, True]), 4: np.array([False, True, False, True])}
EXPERIMENTS = 1_500
WITHIN = 0.03 + 0.015  # what is promised, and two and a half Monte Carlo errors of a half at most


def scenario(weights: np.ndarray, base: float, effect: float, parts: Parts, noise: float = 1.0) -> Scenario:
    means = [base, base - effect] if len(weights) == 2 else [base, base - 0.05 - effect, base, base - 0.05]
    return tuned(weights, np.array(means), DAMAGED[len(weights)], parts, noise)


@pytest.mark.parametrize("size", [8, 20, 60])
@pytest.mark.parametrize("columns", [1, 4])
def test_in_bulk_the_p_values_are_those_of_the_test(size: int, columns: int) -> None:
    rng = np.random.default_rng(size + columns)
    sums = rng.integers(-2, 3, size=(30, size, columns)) / 3
    sums[0] = 0.0
    sums[1, 5:] = 0.0  # few informative units: enumerated
    p, adjusted = bulk_p_values(sums, 4_999, rng)
    for at in range(len(sums)):
        test = flip_test(sums[at], np.arange(size), 4_999, rng)
        exact = int((sums[at] != 0).any(axis=1).sum()) <= 13
        within = 1e-12 if exact else 0.035
        assert p[at] == pytest.approx(test.p, abs=within)
        assert adjusted[at] == pytest.approx(test.p_adjusted, abs=within)


@pytest.mark.parametrize(
    ("weights", "base", "effect", "parts", "n", "repeats"),
    [
        (DID, 0.5, 0.10, Parts(0.07, 0.49), 185, 3),
        (DID, 0.5, 0.10, Parts(0.07, 0.49), 455, 1),
        (DID, 0.5, 0.20, Parts(0.07, 0.49), 60, 1),
        (DID, 0.5, 0.20, Parts(0.07, 0.49), 30, 3),
        (DID, 0.7, 0.15, Parts(0.05, 0.40), 120, 2),
        (DROP, 0.5, 0.10, Parts(0.02, 0.25), 231, 1),
        (DROP, 0.5, 0.20, Parts(0.02, 0.25), 40, 3),
        (DROP, 0.3, 0.15, Parts(0.02, 0.21), 100, 1),
        (DROP, 0.1, 0.07, Parts(0.02, 0.09), 100, 3),
        (DROP, 0.9, 0.15, Parts(0.07, 0.09), 60, 1),
        (DROP, 0.9, 0.10, Parts(0.03, 0.10), 60, 3),
        (DROP, 0.1, 0.07, Parts(0.02, 0.09), 60, 1),
        (DROP, 0.7, 0.0, Parts(0.02, 0.21), 100, 3),
    ],
)
def test_the_promised_power_is_the_power(weights, base, effect, parts, n, repeats) -> None:
    world = scenario(weights, base, effect, parts)
    truth = world.truth()
    promised = power(truth.effect, n, repeats, truth.parts, shape=world.shapes((repeats,))[repeats])
    rng = np.random.default_rng(n + repeats)
    seen = simulated_power(world, independent(n), repeats, EXPERIMENTS, rng)
    assert seen.alone == pytest.approx(promised, abs=WITHIN)
    if effect == 0.0:
        assert seen.alone <= 0.07


def test_skewed_contrasts_need_their_shape() -> None:
    world = scenario(DROP, 0.9, 0.10, Parts(0.03, 0.10))
    truth, shape = world.truth(), world.shapes((3,))[3]
    assert shape.skew > 1.5
    seen = simulated_power(world, independent(60), 3, EXPERIMENTS, np.random.default_rng(2)).alone
    assert seen == pytest.approx(power(truth.effect, 60, 3, truth.parts, shape=shape), abs=WITHIN)
    assert seen > power(truth.effect, 60, 3, truth.parts) + 0.05


@pytest.mark.parametrize("sizes", [(9,) * 20, (5,) * 20, (3,) * 30 + (1,) * 60, tuple(range(1, 21))])
def test_with_clusters_too(sizes: tuple[int, ...]) -> None:
    world = scenario(DID, 0.5, 0.15, Parts(0.07, 0.49, cluster=0.035))
    truth, held = world.truth(), Clustering(sizes)
    assert truth.parts.cluster == pytest.approx(0.035, abs=0.003)
    seen = simulated_power(world, held, 3, EXPERIMENTS, np.random.default_rng(len(sizes)))
    promised = power(truth.effect, held.n_tasks, 3, truth.parts, clusters=held)
    assert seen.alone == pytest.approx(promised, abs=WITHIN)
    apart = power(truth.effect, held.n_tasks, 3, truth.parts)
    assert promised < apart - 0.02 or held.kish_size < 3  # and clusters are no small matter


def test_scores_without_steps_are_promised_students_power() -> None:
    world = scenario(DROP, 0.5, 0.10, Parts(0.02, 0.14), noise=0.3)
    truth = world.truth()
    seen = simulated_power(world, independent(60), 3, EXPERIMENTS, np.random.default_rng(3))
    assert seen.alone == pytest.approx(power(truth.effect, 60, 3, truth.parts, grain=0), abs=WITHIN)


def question(pairs: tuple[tuple[str, str], ...], conditions: tuple[str, ...]):
    members = tuple(("m", drops_apart(*pair, name)) for pair in pairs for name in conditions)
    parts = Parts(0.07, 0.47)
    return ask(Family("hypotheses", members, 0), Reckoned(parts, parts, 0, 0, ""), 3, 0.05, 0.8, 1.0)


def test_in_a_family_the_promise_holds_and_is_a_lower_bound() -> None:
    six = question((("a", "c"), ("b", "c")), ("k", "l", "m"))
    assert six.size == 6
    assert 0.05 / 6 <= six.each < 0.0125
    world = scenario_of(six, 0.15, World())
    rng = np.random.default_rng(8)
    seen = simulated_power(world, independent(120), 3, EXPERIMENTS, rng)
    promised = six.power(world.truth().effect, 120, 3, independent(120))
    assert seen.in_family == pytest.approx(promised, abs=WITHIN)
    assert seen.in_family >= promised - 0.02
    assert seen.in_family < seen.alone
    assert seen.any >= seen.in_family


# twenty tasks that stand for themselves to thirty of one cluster; ALFWorld's six types; eight alike
UNEVEN = (1,) * 20 + (2,) * 10 + (5,) * 6 + (12,) * 4 + (30,)
TYPES = (30, 18, 31, 21, 17, 17)
EIGHT = (8,) * 8
DROPS, CONTRASTS = Parts(0.02, 0.25, cluster=0.001), Parts(0.03, 0.5, cluster=0.003)


@pytest.mark.parametrize(
    ("sizes", "arms", "conditions", "repeats", "parts"),
    [
        (UNEVEN, 1, 1, 1, DROPS),
        (UNEVEN, 1, 3, 3, DROPS),
        (UNEVEN, 4, 3, 3, DROPS),
        (UNEVEN, 1, 1, 3, CONTRASTS),
        (UNEVEN, 2, 3, 3, CONTRASTS),
        (TYPES, 1, 1, 3, DROPS),
        (EIGHT, 1, 1, 3, DROPS),
        (EIGHT, 1, 3, 3, DROPS),
        (EIGHT, 1, 1, 3, CONTRASTS),
        ((20, 16, 13, 10, 8, 7, 6, 5, 4, 4, 3, 3, 2, 2), 2, 3, 3, CONTRASTS),
        ((20,) + (1,) * 80, 1, 3, 3, DROPS),
    ],
)
def test_with_clusters_of_any_size_the_planned_tasks_have_the_power(
    sizes: tuple[int, ...], arms: int, conditions: int, repeats: int, parts: Parts
) -> None:
    held, apart = Clustering(sizes), parts is CONTRASTS

    def one(arm: int, condition: int) -> Contrast:
        named = f"a{arm}", f"d{condition}"
        return drops_apart(named[0], "c", named[1]) if apart else drop(*named)

    members = tuple(("m", one(arm, condition)) for arm in range(arms) for condition in range(conditions))
    reckoned = Reckoned(parts, parts, 0, 0, "")
    asked = ask(Family("f", members, 0), reckoned, repeats, 0.05, 0.8, 1.0, held)
    n = asked.tasks(0.15, repeats, held)
    assert n is not None
    rng = np.random.default_rng(n)
    world = scenario_of(asked, 0.15, World())
    seen = simulated_power(world, held.scaled(n), repeats, 1_000, rng, flips=499)
    assert seen.in_family == pytest.approx(asked.power(0.15, n, repeats, held), abs=WITHIN)
    assert seen.alone == pytest.approx(asked.power(0.15, n, repeats, held, alone=True), abs=WITHIN)


def test_what_is_sized_by_simulation_has_the_power() -> None:
    one = question((("a", "c"),), ("k",))
    rng = np.random.default_rng(9)
    sized = size_by_simulation(one, 0.2, independent(30), 3, World(), 1_000, rng)
    assert sized.truth.effect == pytest.approx(0.2, abs=0.005)
    assert sized.truth.parts.task == pytest.approx(0.07, abs=0.005)
    assert sized.tasks is not None
    assert sized.at_tasks is not None
    assert sized.at_tasks.in_family == pytest.approx(0.8, abs=0.04)
    assert sized.tasks == pytest.approx(n_tasks(0.2, 3, sized.truth.parts), rel=0.12)
    again = simulated_power(scenario_of(one, 0.2, World()), independent(sized.tasks), 3, 1_500, rng)
    assert again.alone == pytest.approx(0.8, abs=WITHIN)


def test_no_room_for_the_effect_is_said() -> None:
    one = question((("a", "c"),), ("k",))
    with pytest.raises(ValueError, match="between 0 and 1"):
        scenario_of(one, 0.5, World(base=0.3))
    with pytest.raises(ValueError, match="experiment"):
        simulated_power(scenario_of(one, 0.1, World()), independent(20), 3, 0, np.random.default_rng(0))
