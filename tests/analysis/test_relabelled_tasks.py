"""Relabelled tasks: counting what is solved says the same as the scores, and so do few outcomes and many."""

from dataclasses import replace

import numpy as np
import pytest

from memtrial.analysis.behaviour.relabelled_tasks import (
    RelabelledTasks,
    _count_solved,
    _under,
    permute,
    relabel,
    splits,
)

SEED = 20_243


@pytest.mark.parametrize(("first", "second"), [(2, 2), (5, 3), (2, 7), (20, 20)])
def test_counting_what_is_solved_gives_the_drop_and_noise_of_the_scores(first: int, second: int):
    rng = np.random.default_rng(SEED)
    scores = rng.binomial(1, rng.random((50, 1)), (50, first + second)).astype(float)
    chosen = splits(first, second, rng)
    counted = _count_solved(scores, chosen)
    drops, noise = _under(scores, chosen.astype(float), paired=False)
    np.testing.assert_array_equal(counted.drops[counted.places], drops)
    np.testing.assert_array_equal(counted.noise[counted.places], noise)


@pytest.mark.parametrize("tasks", [12, 130])
def test_few_outcomes_are_drawn_as_many_are(tasks: int):
    rng = np.random.default_rng([SEED, tasks])
    intact, damaged = rng.binomial(1, 0.6, (2, tasks, 5)).astype(float)
    intact[:3, 0] = damaged[2:5, 1] = np.nan
    groups = relabel(intact, damaged, np.random.default_rng(1), paired=False)
    many = [spread_out(group) for group in groups]
    assert sum(len(group.drops) for group in groups) < 4_096 < sum(len(group.drops) for group in many)
    few, spread = (permute(each, tasks, 1_200, np.random.default_rng(2)) for each in (groups, many))
    assert few == spread
    assert 0.01 < few[0] < 0.99


def spread_out(group: RelabelledTasks) -> RelabelledTasks:
    """The same with an outcome of its own for each task and relabelling, and some that nobody has."""
    each, spare = group.places.ravel(), np.zeros(4_096)
    places = np.arange(each.size).reshape(group.places.shape)
    columns = (np.append(values[each], spare) for values in (group.drops, group.noise))
    return replace(group, places=places, **dict(zip(("drops", "noise"), columns, strict=True)))
