"""What a probe measures, where the truth is set: shares, shifts less chance, families, words."""

import numpy as np
import pytest

from memtrial.analysis.inference.interval import p_zero, unit_sample
from memtrial.analysis.probe.action_shares import AskedCell, count_shares, measure_distance, measure_shift
from memtrial.analysis.probe.made_up_decisions import AskedReader, DecisionSetting, make_up, shift_rows
from memtrial.analysis.probe.probed_effects import (
    ProbedEffect,
    ProbedFamily,
    all_shown,
    average_tasks,
    choose_shift_word,
    choose_word,
    measure_family,
)
from memtrial.analysis_rules import AnalysisRules

RULES = AnalysisRules(flips=499)


def test_shares_are_those_of_the_replies_and_lie_as_far_apart_as_has_to_be_moved() -> None:
    first, second = count_shares(["a", "a", "b", "c"]), count_shares(["a", "d"])
    assert first == {"a": 0.5, "b": 0.25, "c": 0.25}
    assert measure_distance(first, second) == pytest.approx(0.5)
    assert measure_distance(first, first) == 0
    cell = AskedCell((first, second))
    assert cell.shares == pytest.approx({"a": 0.5, "b": 0.125, "c": 0.125, "d": 0.25})
    assert cell.share_where(lambda action: action in "ab") == pytest.approx(0.625)


def test_a_shift_of_given_shares_is_their_distance() -> None:
    intact, other = AskedCell(({"a": 0.7, "b": 0.3},)), AskedCell(({"a": 0.2, "b": 0.8},))
    assert measure_shift(intact, other) == pytest.approx(0.5)


@pytest.mark.parametrize("samples", [1, 3])
def test_a_shift_of_drawn_replies_is_zero_on_average_where_nothing_shifts(samples: int) -> None:
    rng = np.random.default_rng(1)
    chances = rng.dirichlet(np.ones(5), 40_000)
    halves = [rng.multinomial(samples, chances) / samples for _ in range(3)]
    shifts = shift_rows(halves[:2], halves[2])
    assert abs(shifts.mean()) < 4 * shifts.std() / np.sqrt(len(shifts))
    # the bare distance is far from zero
    assert (np.abs(halves[0] - halves[2]).sum(axis=1) / 2).mean() > 0.25


def test_rows_of_shifts_are_shifts() -> None:
    rng = np.random.default_rng(2)
    first, second, other = (rng.multinomial(4, np.ones((6, 3)) / 3) / 4 for _ in range(3))
    named = [[dict(enumerate(row.tolist())) for row in half] for half in (first, second, other)]
    by_name = [
        measure_shift(AskedCell((a, b)), AskedCell((c,)))  # type: ignore[arg-type]  # any name will do
        for a, b, c in zip(*named, strict=True)
    ]
    assert shift_rows([first, second], other) == pytest.approx(by_name)


def test_decisions_of_a_task_count_as_one_and_tasks_of_a_record_as_a_unit() -> None:
    values = np.array([[1.0], [0.0], [np.nan], [1.0], [1.0]])
    family = ProbedFamily(values, np.array([0, 0, 1, 2, 3]), np.array([7, 7, 7, 8, 9]), 1)
    means, units = average_tasks(family)
    np.testing.assert_equal(means, np.array([[0.5], [np.nan], [1.0], [1.0]]))
    assert units.tolist() == [0, 0, 1, 2]
    (effect,) = measure_family(family, RULES, np.random.default_rng(0))
    assert (effect.n_decisions, effect.n_tasks, effect.n_clusters) == (4, 3, 3)
    assert effect.estimate == pytest.approx(2.5 / 3)


def test_fewer_than_two_clusters_give_a_mean_and_no_inference() -> None:
    values = np.array([[0.5, 0.1], [0.7, 0.3], [np.nan, 0.2]])
    family = ProbedFamily(values, np.arange(3), np.array([0, 0, 1]), 1)
    alone, both = measure_family(family, RULES, np.random.default_rng(0))
    assert alone == ProbedEffect(2, 2, 1, pytest.approx(0.6))  # type: ignore[arg-type]
    assert both.p is not None
    assert choose_word(alone, 1.0, RULES) == "untestable"


def test_the_error_is_the_wider_one_and_the_interval_of_a_family_is_wider_still() -> None:
    rng = np.random.default_rng(3)
    values = rng.choice([0.0, 0.0, 0.0, 1.0], (40, 3))
    family = ProbedFamily(values, np.arange(40), np.arange(40), 1)
    together = measure_family(family, RULES, np.random.default_rng(0))
    one = ProbedFamily(values[:, :1], np.arange(40), np.arange(40), 1)
    (alone,) = measure_family(one, RULES, np.random.default_rng(0))
    sample = unit_sample(values[:, 0], np.arange(40), 1, (-1.0, 1.0))
    assert alone.estimate == pytest.approx(float(sample.mean))
    assert alone.low is not None
    assert alone.low < float(sample.mean - 2.02 * sample.error)
    assert together[0].low is not None
    assert together[0].low < alone.low
    assert alone.p is not None
    assert alone.p > 1.2 * float(p_zero(sample))
    assert together[0].p_adjusted is not None
    assert together[0].p_adjusted >= alone.p


def test_a_shift_of_given_shares_is_held_against_the_margin() -> None:
    rng = np.random.default_rng(4)
    tasks = np.arange(60)
    for size, word in ((0.02, "still"), (0.1, "inconclusive"), (0.25, "moves")):
        values = np.abs(rng.normal(size, 0.02, (60, 1)))
        family = ProbedFamily(values, tasks, tasks, 100, floor=RULES.margin)
        (effect,) = measure_family(family, RULES, np.random.default_rng(0))
        assert choose_shift_word(effect, RULES.margin, RULES) == word
        assert effect.low is not None
        assert effect.low < size < (effect.high or 0)


def test_words() -> None:
    def effect(estimate: float, p: float, equal: float) -> ProbedEffect:
        return ProbedEffect(9, 9, 9, estimate, -1.0, 1.0, p, p, equal)

    assert choose_word(effect(0.3, 0.01, 0.9), 1.0, RULES) == "moves"
    assert choose_word(effect(-0.3, 0.01, 0.9), 1.0, RULES) == "reversed"
    assert choose_word(effect(0.01, 0.6, 0.01), 1.0, RULES) == "still"
    assert choose_word(effect(0.03, 0.01, 0.01), 1.0, RULES) == "moves"
    assert choose_word(effect(0.1, 0.2, 0.2), 1.0, RULES) == "inconclusive"
    assert choose_word(effect(0.01, 0.6, 0.01), 0.05, RULES) == "untestable"
    # to lie closer together than chance is no finding
    assert choose_shift_word(effect(-0.3, 0.01, 0.9), 0.0, RULES) == "inconclusive"
    assert all_shown((effect(0.3, 0.01, 1), effect(0.2, 0.04, 1)), RULES)
    assert not all_shown((effect(0.3, 0.01, 1), effect(-0.2, 0.01, 1)), RULES)
    assert not all_shown((effect(0.3, 0.01, 1), effect(0.2, 0.06, 1)), RULES)


def test_made_up_decisions_have_the_adherence_and_the_mention_that_were_set() -> None:
    setting, rng = DecisionSetting(4_000), np.random.default_rng(5)
    reader = make_up(AskedReader("r", adherence=0.3), setting, 0, rng)
    assert reader.advised[:, 2].mean() == pytest.approx(0.3, abs=0.01)  # told a less told b
    assert reader.advised[:, 1].mean() == pytest.approx(0.3, abs=0.01)  # told to less told not to
    assert reader.other.mean() == pytest.approx(0.3, abs=0.01)
    assert reader.mention.mean() == pytest.approx(0.0, abs=0.01)
    mentioner = make_up(AskedReader("m", mention=0.3), setting, 0, rng)
    assert mentioner.mention.mean() == pytest.approx(0.3, abs=0.01)
    assert mentioner.advised[:, 1].mean() == pytest.approx(0.0, abs=0.01)
    drawn = make_up(AskedReader("r", adherence=0.3), setting, 2, rng)
    assert drawn.advised[:, 2].mean() == pytest.approx(0.3, abs=0.03)
