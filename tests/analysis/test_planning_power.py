"""Power in closed form: against scipy, statsmodels and the tables of the plan, and the laws it obeys."""

from itertools import pairwise
from math import inf, isnan, sqrt

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memtrial.analysis.estimands.contrast import drop
from memtrial.analysis.hypothesis_families import HypothesisFamily
from memtrial.analysis.planning.power import ClosedForm, Question, best_repeats
from memtrial.analysis.planning.variance import (
    ASSUMED_CONTRAST,
    ASSUMED_DROP,
    Clustering,
    Parts,
    clustering_of,
    without_clusters,
)

# what the figures of STATISTICS 4 for a contrast of .10 come from; it names tau^2 .05-.09 and w^2 .50-.52
DID = Parts(0.062, 0.516)
DROP = Parts(0.02, 0.25)

effects = st.floats(0.02, 0.6)
sizes = st.integers(8, 400)
counts = st.integers(1, 10)
parts = st.builds(Parts, st.floats(0.005, 0.2), st.floats(0.0, 0.6))


@pytest.mark.parametrize(("repeats", "tasks"), [(1, 455), (3, 185), (5, 131)])
def test_tasks_for_a_contrast_are_those_of_the_table(repeats: int, tasks: int) -> None:
    assert ClosedForm(repeats, DID).tasks(0.10) == pytest.approx(tasks, abs=2)


def test_a_family_of_six_at_the_measured_level_takes_the_tasks_of_the_table() -> None:
    assert ClosedForm(3, DID, 0.0125).tasks(0.10) == pytest.approx(262, rel=0.02)


@pytest.mark.parametrize(
    ("margin", "repeats", "tasks"),
    [(0.10, 1, 233), (0.10, 3, 90), (0.05, 1, 926), (0.05, 3, 356), (0.15, 1, 104), (0.15, 3, 41),
     (0.075, 1, 413), (0.075, 3, 159)],
)  # fmt: skip
def test_tasks_for_equivalence_are_those_of_the_table(margin: float, repeats: int, tasks: int) -> None:
    # the table leaves the pseudo tasks out, which count where tasks are few
    assert ClosedForm(repeats, DROP).tasks_equivalent(margin) == pytest.approx(tasks, abs=3)


def test_there_is_a_power_however_strict_the_level_and_large_the_number() -> None:
    # scipy has no number for the wrong side there
    test = ClosedForm(1, Parts(0.05, 0.05), 1e-6)
    powers = [test.power(effect / 10_000, 100_000) for effect in range(30, 45)]
    assert all(0 < smaller < larger < 1 for smaller, larger in pairwise(powers))


@settings(max_examples=25, deadline=None)
@given(
    effect=effects, n=st.integers(8, 400), repeats=counts, found=parts, alpha=st.sampled_from((0.05, 0.0125))
)
def test_it_is_students_power(effect: float, n: int, repeats: int, found: Parts, alpha: float) -> None:
    from statsmodels.stats.power import TTestPower

    size = effect / sqrt(found.total(repeats))
    oracle = TTestPower().power(size, n, alpha, alternative="two-sided")
    if not isnan(oracle):
        assert ClosedForm(repeats, found, alpha).power(effect, n) == pytest.approx(oracle, abs=1e-3)


@settings(max_examples=25, deadline=None)
@given(effect=effects, n=sizes, repeats=counts, found=parts, more=st.integers(1, 50))
def test_power_rises_with_tasks_repeats_and_effect_and_falls_with_variance(
    effect: float, n: int, repeats: int, found: Parts, more: int
) -> None:
    test, slack = ClosedForm(repeats, found), 1e-9
    base = test.power(effect, n)
    assert 0.0 <= base <= 1.0
    assert test.power(effect, n + more) >= base - slack
    assert ClosedForm(repeats + more, found).power(effect, n) >= base - slack
    assert test.power(effect * 1.2, n) >= base - slack
    assert ClosedForm(repeats, Parts(found.task * 1.5, found.repeat)).power(effect, n) <= base + slack
    assert test.power(-effect, n) == base


@settings(max_examples=20, deadline=None)
@given(effect=st.floats(0.05, 0.4), repeats=counts, found=parts, wanted=st.sampled_from((0.6, 0.8, 0.9)))
def test_tasks_and_the_detectable_effect_undo_power(
    effect: float, repeats: int, found: Parts, wanted: float
) -> None:
    test = ClosedForm(repeats, found)
    n = test.tasks(effect, wanted)
    assert n is not None
    assert test.power(effect, n) >= wanted
    assert n == 2 or test.power(effect, n - 1) < wanted
    least = test.detectable(n, wanted)
    assert least is not None
    assert least <= effect + 1e-6
    assert test.power(least, n) == pytest.approx(wanted, abs=1e-4)


def test_too_few_units_can_show_nothing() -> None:
    test = ClosedForm(3, DROP)
    assert test.power(1.0, 1) == 0.0
    assert test.detectable(1) is None
    assert test.power(0.3, 3) < 0.25
    # three of the six clusters hold nearly all tasks, and few degrees of freedom are left
    even, uneven = (
        ClosedForm(3, DROP, clusters=Clustering(sizes)) for sizes in ((4,) * 6, (7, 7, 7, 1, 1, 1))
    )
    assert uneven.freedom(24) < 4 < even.freedom(24) == pytest.approx(5)
    assert uneven.power(0.3, 24) < even.power(0.3, 24)
    assert test.equivalence_power(0.1, 1) == 0.0


def test_effective_n_is_kishs() -> None:
    held = clustering_of("aaabbc")
    assert (held.n_tasks, held.n_clusters) == (6, 3)
    assert held.kish_size == pytest.approx((9 + 4 + 1) / 6)
    assert held.effective(0.0) == 6
    assert held.effective(1.0) == pytest.approx(6 / held.kish_size)
    assert Clustering((5,) * 8).effective(0.2) == pytest.approx(40 / 1.8)
    assert sum(held.scale_to(25).sizes) == 25
    assert without_clusters(7).effective(0.9) == 7


def test_clusters_cost_power_and_few_of_them_never_reach_it() -> None:
    shared = Parts(0.07, 0.51, cluster=0.035)
    apart = ClosedForm(3, shared)
    assert ClosedForm(3, shared, clusters=Clustering((4,) * 50)).power(0.1, 200) < apart.power(0.1, 200) - 0.1
    assert ClosedForm(3, shared, clusters=Clustering((4,) * 8)).tasks(0.1) is None
    more = ClosedForm(3, shared, clusters=Clustering((2,) * 100)).tasks(0.1)
    assert more is not None
    assert more > (apart.tasks(0.1) or 0)


def test_the_level_in_a_family_lies_between_bonferroni_and_alpha() -> None:
    for size in (1, 2, 6, 30):
        members = tuple(("m", drop("a", f"d{at}")) for at in range(size))
        question = Question(HypothesisFamily("drops", members, 0), DROP, 0.05, 1.0)
        assert 0.05 / size <= question.each <= 0.05
        alone, among = question.alone(3), question.in_family(3)
        assert among.power(0.2, 60) <= alone.power(0.2, 60)
        assert (among.tasks(0.1) or 0) >= (alone.tasks(0.1) or 0)


def test_equivalence_is_likelier_with_more_tasks_a_wider_margin_and_a_truth_at_zero() -> None:
    test = ClosedForm(3, DROP)
    base = test.equivalence_power(0.10, 100)
    assert test.equivalence_power(0.10, 200) > base
    assert test.equivalence_power(0.15, 100) > base
    assert test.equivalence_power(0.10, 100, truth=0.05) < base
    # at the margin it errs in alpha, and less where the interval is wide
    assert test.equivalence_power(0.10, 400, truth=0.10) == pytest.approx(0.05, abs=0.003)
    # single drop, tau^2 near 0: .28 and .92 were measured at n = 100 (STATISTICS 2)
    assert ClosedForm(1, Parts(0.0, 0.25)).equivalence_power(0.10, 100) == pytest.approx(0.28, abs=0.04)
    assert ClosedForm(3, Parts(0.0, 0.25)).equivalence_power(0.10, 100) == pytest.approx(0.92, abs=0.03)


def test_repeats_pay_where_a_task_costs_more_than_its_episodes() -> None:
    assert best_repeats(ASSUMED_CONTRAST, 0.0, 4.0) == 1.0
    # four cells; a task costs four and ten episodes (STATISTICS 4: R* 3, and 4 to 5)
    assert best_repeats(DID, 4.0, 4.0) == pytest.approx(2.9, abs=0.1)
    assert best_repeats(DID, 10.0, 4.0) == pytest.approx(4.6, abs=0.2)
    assert best_repeats(Parts(0.0, 0.5), 4.0, 4.0) == inf


def test_assumed_parts_are_those_of_the_plan() -> None:
    assert (ASSUMED_DROP.task, ASSUMED_DROP.repeat) == (0.02, 0.25)
    assert (ASSUMED_CONTRAST.task, ASSUMED_CONTRAST.repeat) == (0.07, 0.51)
