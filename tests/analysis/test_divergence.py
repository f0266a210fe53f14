"""Distances and divergence: a plain definition, the promised error rate, power where behaviour moves."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtrial.analysis.behaviour.course_distance import (
    canonical,
    edit_distances,
    first_action_distances,
    parting_distances,
    parting_turns,
)
from memtrial.analysis.behaviour.energy_distance import beyond, measure, permute_labels, pool_episodes

sequences = st.lists(st.integers(0, 4), max_size=9).map(tuple)


def levenshtein(a, b):
    """The definition."""
    if not a or not b:
        return len(a) + len(b)
    skip = min(levenshtein(a[1:], b), levenshtein(a, b[1:])) + 1
    return min(skip, levenshtein(a[1:], b[1:]) + (a[0] != b[0]))


@given(st.lists(st.tuples(st.lists(st.integers(0, 3), max_size=5).map(tuple), sequences), max_size=6))
def test_edit_distance_is_levenshtein_over_the_longer_length(pairs):
    pairs = [(a, b[:5]) for a, b in pairs]
    found = edit_distances([a for a, _ in pairs], [b for _, b in pairs])
    wanted = [levenshtein(a, b) / max(len(a), len(b), 1) for a, b in pairs]
    assert found.tolist() == pytest.approx(wanted)


@given(one=sequences, other=sequences)
def test_a_distance_is_symmetric_in_bounds_and_zero_for_the_same(one, other):
    there, back, same = edit_distances([one, other, one], [other, one, one])
    assert there == back
    assert 0 <= there <= 1
    assert same == 0
    assert edit_distances([], []).shape == (0,)


def test_where_two_part_and_how_they_begin():
    first = [(1, 2, 3), (1, 2), (), (5, 2, 3), (1, 2, 3)]
    second = [(1, 2, 4), (1, 2, 3, 4), (), (1, 2, 3), (1, 2, 3)]
    assert parting_turns(first, second).tolist() == [3, 3, 1, 1, 4]
    assert parting_distances(first, second).tolist() == pytest.approx([1 / 3, 1 / 2, 0, 1, 0])
    assert first_action_distances(first, second).tolist() == [0, 0, 0, 1, 0]


def test_actions_that_differ_in_case_and_white_space_are_one():
    assert canonical("  Press  RED\tlever ") == "press red lever"


def episodes(rng, n, repeats, moved, plan=8, noise=0.25, words=12):
    """Plans of actions with noise; with `moved` the damaged side of that share of tasks follows another."""
    made = {}
    for task in range(n):
        intact = rng.integers(0, words, plan)
        damaged = rng.integers(0, words, plan) if rng.random() < moved else intact
        plans = np.repeat([intact, damaged], repeats, axis=0)
        done = np.where(rng.random(plans.shape) < noise, rng.integers(0, words, plans.shape), plans)
        runs = [tuple(one) for one in done.tolist()]
        made[f"t{task}"] = tuple(runs[:repeats]), tuple(runs[repeats:])
    return made


def measure_alone(place, rng):
    (measured,) = measure(pool_episodes([place]), edit_distances, rng)
    return measured


def energy(first, second):
    """The definition, of two sides of one task."""
    across = np.mean([edit_distances([a], [b]) for a in first for b in second])
    inside = [
        np.mean([edit_distances([a], [b]) for a, b in permutations(side, 2)]) for side in (first, second)
    ]
    return 2 * across - sum(inside), across, inside[0]


def test_places_that_share_courses_are_measured_each_by_the_definition():
    rng = np.random.default_rng(10)
    uneven = {"u": (((1, 2), (1,), (1, 2)), ((1, 2), (), (3, 2), (1,)))}
    places = [episodes(rng, 5, 3, 0.5, words=3) | uneven, episodes(rng, 3, 2, 0.5, words=3), {}]
    places.append({"t0": (places[0]["t0"][0], places[1]["t0"][1]), "alone": (((1,),), ((2,), (3,)))})
    found = measure(pool_episodes(places), edit_distances, rng)
    for place, measured in zip(places, found, strict=True):
        assert measured.tasks == tuple(sorted(set(place) - {"alone"}))
        values = zip(measured.true, measured.across, measured.aa, strict=True)
        for task, value in zip(measured.tasks, values, strict=True):
            assert value == pytest.approx(energy(*place[task]))


def test_an_agent_against_itself_is_called_divergent_at_the_level():
    rng = np.random.default_rng(11)
    times = 300
    found = [measure_alone(episodes(rng, 20, 2, 0.0), rng) for _ in range(times)]
    p = np.array([permute_labels([one], 199, rng)[0][0] for one in found])
    assert (p <= 0.05).mean() < 0.05 + 3.1 * (0.05 * 0.95 / times) ** 0.5
    assert np.mean([one.true.mean() for one in found]) == pytest.approx(0.0, abs=0.01)


def test_a_family_of_true_nulls_holds_one_false_alarm_in_twenty():
    rng = np.random.default_rng(12)
    times, any_of_them = 200, 0
    for _ in range(times):
        family = [measure_alone(episodes(rng, 12, 3, 0.0), rng) for _ in range(5)]
        p, adjusted = permute_labels(family, 199, rng)
        assert (adjusted >= p).all()
        any_of_them += adjusted.min() <= 0.05
    assert any_of_them / times < 0.05 + 3.1 * (0.05 * 0.95 / times) ** 0.5


def test_where_a_fifth_of_the_tasks_move_twenty_tasks_show_it():
    rng = np.random.default_rng(13)
    seen = [permute_labels([measure_alone(episodes(rng, 20, 3, 0.2), rng)], 199, rng)[0][0] <= 0.05
            for _ in range(40)]  # fmt: skip
    assert sum(seen) >= 34


def test_with_one_repeat_nothing_is_measured():
    rng = np.random.default_rng(14)
    assert measure_alone(episodes(rng, 20, 1, 1.0), rng).tasks == ()


def test_the_placebo_takes_away_what_any_change_of_text_does():
    rng = np.random.default_rng(15)
    units = {f"t{task}": task for task in range(40)}
    damage = measure_alone(episodes(rng, 40, 3, 0.5), rng)
    same = measure_alone(episodes(rng, 40, 3, 0.5), rng)
    nothing = measure_alone(episodes(rng, 40, 3, 0.0), rng)
    above, p_above, _ = beyond(damage, nothing, units, 999, rng)
    _, p_alike, _ = beyond(damage, same, units, 999, rng)
    assert above > 0.2
    assert p_above < 0.01 < p_alike
    assert beyond(damage, nothing, dict.fromkeys(units, 0), 999, rng) is None
