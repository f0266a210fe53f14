"""What precedes harm: found where it is set, not where tasks alone differ, refused where data are few."""

from functools import cache

import numpy as np
import pytest
from numpy.random import default_rng

from memtrial.analysis.failures.harm_model import FEWEST, HarmModel, harm_model


@cache
def made(seed: int, weight: float) -> HarmModel:
    """Tasks of different difficulty; one feature hangs on the task, another moves the outcome by `weight`."""
    n_tasks, each, rng = 40, 6, default_rng(seed)
    task = np.repeat(np.arange(n_tasks), each)
    hard = rng.normal(0, 1.5, n_tasks)[task]
    x = rng.normal(size=(len(task), 4))
    x[:, 1] = hard + rng.normal(0, 0.2, len(task))
    failed = rng.random(len(task)) < 1 / (1 + np.exp(0.5 - hard - weight * x[:, 0]))
    names = ("words", "of the task", "noise", "more noise")
    features = {name: x[:, at].tolist() for at, name in enumerate(names)} | {"the same": [1.0] * len(task)}
    tasks = [str(one) for one in task]
    return harm_model(features, failed.tolist(), tasks, [str(one // 2) for one in task], rng)


def test_an_item_that_harms_is_found_and_named() -> None:
    found = made(1, 1.5)
    assert found.p == 0.01
    assert found.auc is not None
    assert found.auc_chance is not None
    assert found.auc > found.auc_chance + 0.05
    assert dict(found.features)["words"] > 0.5
    assert "words" in found.says
    assert "p ≤ 0.01 (the least that 99 draws can show)" in found.says


def test_hard_tasks_alone_predict_nothing() -> None:
    """The difficulty of a task is seen in its features; outcomes permuted inside tasks keep it."""
    for one in (made(seed, 0.0) for seed in (2, 3)):
        assert one.auc_chance is not None
        assert one.auc_chance > 0.6
        assert one.p is not None
        assert one.p > 0.05
        assert f"p = {one.p:.2g}; " in one.says
        assert one.says.startswith("nothing that is known")
        assert one.features == ()


@pytest.mark.parametrize(
    ("failed", "tasks", "why"),
    [
        ([True] * 3 + [False] * 60, list(range(63)), "got 3, 60 and 63"),
        ([], [], "got 0, 0 and 0"),
        ([True, False] * 20, [at % 4 for at in range(40)], "20, 20 and 4"),
        ([True, False] * 20, list(range(40)), "both solved and failed"),
    ],
)
def test_too_little_is_refused_in_one_line(failed: list[bool], tasks: list[int], why: str) -> None:
    names = [str(one) for one in tasks]
    found = harm_model({"words": default_rng(0).random(len(failed))}, failed, names, names, default_rng(0))
    assert found.auc is None
    assert why in found.says
    assert "\n" not in found.says


def test_items_that_do_not_differ_say_nothing() -> None:
    names = [str(at // 2) for at in range(4 * FEWEST)]
    found = harm_model(
        {"words": [3.0] * len(names)}, [True, False] * (2 * FEWEST), names, names, default_rng(0)
    )
    assert "items that differ" in found.says


def test_the_same_seed_gives_the_same() -> None:
    assert made(1, 1.5) == made.__wrapped__(1, 1.5)
