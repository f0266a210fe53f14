"""Effects by group of tasks: what lives in one only is seen there; what all share is drawn together."""

from dataclasses import replace

import numpy as np
import pytest

from memtrial.analysis.inference.group_effects import MOST_GROUPS, GroupEffect, GroupSpread, measure_groups
from memtrial.analysis.inference.interval import t_interval, unit_sample
from memtrial.analysis.inference.shrunken_interval import Leaning, lean_intervals

ONE = (-1.0, 1.0)


def measure(
    column: np.ndarray, groups: np.ndarray, units: np.ndarray | None = None, repeats: int = 3
) -> tuple[dict[str, GroupEffect], GroupSpread | None]:
    """By name; tasks are the units unless given."""
    members = {name: groups == name for name in sorted(set(groups))}
    unit = np.arange(len(column)) if units is None else units
    effects, spread = measure_groups(column, unit, members, repeats, ONE, 0.05, np.random.default_rng(3))
    return {effect.group: effect for effect in effects}, spread


def drawn(effects: dict[str, float], n: int, rng: np.random.Generator, repeats: int = 3):
    """Paired scores of `n` tasks a group, of unlike difficulty, with a true effect each."""
    groups = np.repeat([*effects], n)
    lift = np.repeat([*effects.values()], n)
    base = np.clip(rng.normal(0.45, 0.2, len(lift)), np.maximum(-lift, 0), np.minimum(1 - lift, 1))
    return (rng.binomial(repeats, base + lift) - rng.binomial(repeats, base)) / repeats, groups


def in_one_family(falls_in: str, n_families: int = 4):
    """Ten tasks a family; the damage costs two thirds in one family and nothing elsewhere."""
    groups = np.array([f"f{at % n_families}" for at in range(10 * n_families)])
    noise = np.array([(-1, 0, 1, 0)[at // n_families % 4] / 3 for at in range(len(groups))])
    return np.where(groups == falls_in, 2 / 3, noise), groups


def test_an_effect_in_one_family_is_seen_there_and_not_elsewhere() -> None:
    effects, spread = measure(*in_one_family("f2"))
    assert list(effects) == ["f0", "f1", "f2", "f3"]
    assert effects["f2"].low > 0.3  # type: ignore[operator]
    assert effects["f2"].p_adjusted <= 0.05  # type: ignore[operator]
    for name in ("f0", "f1", "f3"):
        assert effects[name].low < 0 < effects[name].high  # type: ignore[operator]
        assert effects[name].low_shrunk < 0 < effects[name].high_shrunk  # type: ignore[operator]
    assert {effect.n_tasks for effect in effects.values()} == {10}
    assert spread is not None
    assert spread.p <= 0.01
    assert spread.tau == pytest.approx(0.33, abs=0.05)


def test_more_families_make_wider_intervals_of_all_at_once() -> None:
    column, groups = in_one_family("f0")
    four = measure(column, groups)[0]["f0"]
    two = measure(column, np.where(groups == "f0", "f0", "rest"))[0]["f0"]
    assert four.estimate == two.estimate
    assert four.high - four.low > two.high - two.low  # type: ignore[operator]


def test_one_family_or_very_many_say_nothing() -> None:
    column, groups = in_one_family("f0")
    assert measure(column, np.full(len(groups), "all")) == ({}, None)
    assert measure(*in_one_family("f0", MOST_GROUPS + 1)) == ({}, None)


def test_where_families_are_the_clusters_their_tasks_are_the_units() -> None:
    column, groups = in_one_family("f0", 2)
    units = (groups == "f0").astype(np.int64)
    assert {effect.n_clusters for effect in measure(column, groups, units)[0].values()} == {10}
    halves = np.arange(len(groups)) // 4
    assert {effect.n_clusters for effect in measure(column, groups, halves)[0].values()} == {5}


def test_nothing_hangs_on_the_order_of_the_tasks() -> None:
    column, groups = drawn({"a": 0.2, "b": -0.2, "c": 0.0}, 7, np.random.default_rng(5))
    order = np.random.default_rng(6).permutation(len(column))
    assert measure(column, groups) == measure(column[order], groups[order])


def test_alike_groups_are_drawn_together_and_unlike_ones_are_not() -> None:
    rng = np.random.default_rng(7)
    alike, _ = measure(*drawn(dict.fromkeys("abcdefgh", 0.1), 15, rng))
    apart, spread = measure(*drawn({name: 0.3 * (-1) ** at for at, name in enumerate("abcdefgh")}, 15, rng))
    assert np.ptp([effect.shrunk for effect in alike.values()]) < 0.5 * np.ptp(
        [effect.estimate for effect in alike.values()]
    )
    assert spread is not None
    assert spread.tau == pytest.approx(0.3, abs=0.1)
    assert all(abs(effect.shrunk - effect.estimate) < 0.1 for effect in apart.values())  # type: ignore[operator]
    widths = [effect.high_shrunk - effect.low_shrunk for effect in alike.values()]  # type: ignore[operator]
    alone = unit_sample(np.array([0.0] * 8 + [1 / 3, -1 / 3] * 3), np.arange(14), 3, ONE)
    low, high = t_interval(alone, 0.05)
    assert np.mean(widths) < 1.4 * (high - low)


def test_tasks_of_several_groups_count_in_each() -> None:
    column = np.array([1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.5, 0.5])
    members = {"x": np.arange(8) < 4, "y": np.arange(8) > 2}
    effects, spread = measure_groups(
        column, np.zeros(8, int), members, 2, ONE, 0.05, np.random.default_rng(1)
    )
    assert [(effect.n_tasks, effect.n_clusters) for effect in effects] == [(4, 4), (5, 5)]
    assert [effect.estimate for effect in effects] == pytest.approx([0.75, 0.2])
    assert spread is not None


def test_a_leaning_interval_holds_where_the_others_mislead() -> None:
    """Coverage is that of Student's t for any leaning: here the others say 0.5, and the truth is 0."""
    rng = np.random.default_rng(11)
    leaning, held, far = Leaning(0.5, 0.05, 0.1), 0, 0
    for _ in range(400):
        sample = unit_sample(np.clip(rng.normal(0, 0.3, 12), -1, 1), np.arange(12), 3, ONE)
        low, high = lean_intervals([(sample, leaning)], 0.05)[0]
        held += low <= 0 <= high
        far += lean_intervals([(sample, replace(leaning, mean=0.0))], 0.05)[0][1] < high
    assert held >= 0.93 * 400
    assert far >= 0.95 * 400  # who is misled pays by length


def test_it_leans_towards_the_others_and_is_shorter_where_they_are_right() -> None:
    sample = unit_sample(np.array([0.6, 0.2, -0.2, 0.5, 0.1, 0.0, 0.3, 0.1]), np.arange(8), 3, ONE)
    plain = t_interval(sample, 0.05)
    low, high = lean_intervals([(sample, Leaning(0.2, 0.05, 0.1))], 0.05)[0]
    assert high - low < 0.9 * (plain[1] - plain[0])
    below, above = lean_intervals([(sample, Leaning(-0.3, 0.2, 0.1))], 0.05)[0]
    assert below < plain[0]
    assert above < plain[1]
    assert lean_intervals([(sample, Leaning(0.2, 1e6, 0.1))], 0.05)[0] == pytest.approx(plain, abs=0.01)


@pytest.mark.parametrize("pattern", [(0.0, 0.0), (0.2, -0.2), (0.5, 0.0)], ids=["none", "halves", "half"])
def test_intervals_hold_and_the_test_of_differing_keeps_its_level(pattern: tuple[float, float]) -> None:
    rng, held, differing, n = np.random.default_rng(13), 0, 0, 60
    truth = {name: pattern[at % 2] for at, name in enumerate("abcdef")}
    for _ in range(n):
        effects, spread = measure(*drawn(truth, 12, rng))
        held += sum(e.low_shrunk <= truth[name] <= e.high_shrunk for name, e in effects.items())  # type: ignore[operator]
        assert spread is not None
        differing += spread.p <= 0.05
    assert held >= 0.93 * n * len(truth)
    if pattern[0] == pattern[1]:
        assert differing <= 7  # .05 of 60, and its chance
    else:
        assert differing >= 0.8 * n
