"""Drops by family of tasks: what lives in one family only is seen there."""

import pytest

from memtrial.analysis.estimands.contrast import drop
from memtrial.analysis.inference.contrast_inference import MOST_FAMILIES, by_family
from memtrial.outcomes.outcomes import OutcomeRow, Outcomes


def table(falls_in: str, n_families: int = 4):
    """Ten tasks a family, three repeats; the damage costs everything in one family and nothing elsewhere."""
    rows = []
    families = {}
    for at in range(10 * n_families):
        task, family = f"t{at}", f"f{at % n_families}"
        families[task] = family
        for repeat in range(3):
            solved = float((at // n_families + repeat) % 3 > 0)
            damaged = 0.0 if family == falls_in else solved
            for condition, score in (("intact", solved), ("x", damaged)):
                rows.append(OutcomeRow("m", "a", condition, task, "", repeat, score))
    return Outcomes(tuple(rows)).cells("m"), families


def test_an_effect_in_one_family_is_seen_there_and_not_elsewhere() -> None:
    cells, families = table("f2")
    found = {one.family: one for one in by_family(drop("a", "x"), cells, families, 0.05)}
    assert list(found) == ["f0", "f1", "f2", "f3"]
    assert found["f2"].low > 0.3
    assert found["f2"].estimate == pytest.approx(20 / 30)
    for name in ("f0", "f1", "f3"):
        assert found[name].estimate == 0
        assert found[name].low < 0 < found[name].high
    assert {one.n_tasks for one in found.values()} == {10}


def test_more_families_make_wider_intervals() -> None:
    cells, families = table("f0")
    two = {task: "f0" if name == "f0" else "rest" for task, name in families.items()}
    four = by_family(drop("a", "x"), cells, families, 0.05)[0]
    pooled = by_family(drop("a", "x"), cells, two, 0.05)[0]
    assert four.estimate == pooled.estimate
    assert four.high - four.low > pooled.high - pooled.low


def test_one_family_or_very_many_say_nothing() -> None:
    cells, families = table("f0")
    assert by_family(drop("a", "x"), cells, dict.fromkeys(families, "all"), 0.05) == ()
    assert by_family(drop("a", "x"), cells, {}, 0.05) == ()
    many, own = table("f0", MOST_FAMILIES + 1)
    assert by_family(drop("a", "x"), many, own, 0.05) == ()


def test_where_families_are_the_clusters_their_tasks_are_the_units() -> None:
    rows = [
        OutcomeRow("m", "a", name, f"t{at}", f"f{at % 2}", 0, float(at % 3 == 0) * (name == "intact"))
        for at in range(20)
        for name in ("intact", "x")
    ]
    families = {f"t{at}": f"f{at % 2}" for at in range(20)}
    found = by_family(drop("a", "x"), Outcomes(tuple(rows)).cells("m"), families, 0.05)
    assert [one.n_clusters for one in found] == [10, 10]
    assert all(one.low is not None for one in found)
