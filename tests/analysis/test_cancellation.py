"""Effects that cancel between tasks: seen where they are, at the promised error rate where they are not."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import norm

from memtrial.analysis.analyse import analyse
from memtrial.analysis.analysis_plan import AnalysisPlan
from memtrial.analysis.behaviour.cancellation import cancellation
from memtrial.analysis.behaviour.relabelled_tasks import splits
from memtrial.analysis.reasons import Reason
from memtrial.analysis.verdicts.estimand_words import WORDS
from memtrial.analysis_rules import AnalysisRules
from memtrial.outcomes.outcomes import Outcomes
from tests.support.drawn import PLAN, of, play

ALPHA, MARGIN = 0.05, 0.10


def scores(rng, n, repeats, effects, base="even"):
    """Binary scores of intact and damaged trials; the damaged ones lose each task's effect exactly."""
    share = rng.random(n) if base == "even" else np.full(n, base)
    low, high = np.maximum(0.0, effects), np.minimum(1.0, 1 + effects)
    intact = low + share * (high - low)
    draws = rng.random((2, n, repeats))
    return (draws[0] < intact[:, None]) * 1.0, (draws[1] < (intact - effects)[:, None]) * 1.0


def found(rng, intact, damaged, units=None, draws=299, paired=False):
    return judged([(1.0, intact), (-1.0, damaged)], rng, units, draws, paired)


def judged(cells, rng, units=None, draws=299, paired=False):
    units = np.arange(len(cells[0][1])) if units is None else units
    plan = AnalysisPlan(
        ("a",), ("c",), draws=1 + paired, rules=AnalysisRules(margin=MARGIN, alpha=ALPHA, flips=draws)
    )
    return cancellation(cells, units, plan, rng)


@pytest.mark.parametrize(("n", "repeats", "effect"), [(20, 2, 0.0), (20, 2, 0.6), (60, 3, 0.3)])
def test_the_same_effect_everywhere_is_no_spread(effect, n, repeats):
    rng = np.random.default_rng([7, n, int(10 * effect)])
    times = 300
    scored = (scores(rng, n, repeats, np.full(n, effect)) for _ in range(times))
    called = sum(found(rng, *one, draws=99).p <= ALPHA for one in scored)
    # binomial 99.9 % region of 5 %, and a point for small samples
    assert called / times < 0.06 + norm.ppf(0.999) * (0.05 * 0.95 / times) ** 0.5


def test_the_centre_matters_without_it_every_common_drop_would_be_a_spread():
    rng = np.random.default_rng(1)
    intact, damaged = scores(rng, 120, 3, np.full(120, 0.5))
    seen = found(rng, intact, damaged)
    assert seen.p > ALPHA
    assert seen.spread_sd < 0.2
    assert seen.verdict == "not above chance"


def test_effects_that_cancel_are_seen_and_their_spread_is_right():
    rng = np.random.default_rng(2)
    seen = [found(rng, *scores(rng, 185, 3, np.where(rng.random(185) < 0.5, 0.3, -0.3))) for _ in range(40)]
    assert sum(one.verdict == "present" for one in seen) >= 36
    assert np.mean([one.spread_sd**2 for one in seen]) == pytest.approx(0.09, abs=0.012)
    assert all("cancel" in one.reason for one in seen if one.verdict == "present")


def test_a_drop_of_every_task_does_not_hide_that_drops_differ():
    rng = np.random.default_rng(12)
    effects = [0.6 + rng.choice([-0.2, 0.2], 100) for _ in range(60)]
    assert sum(found(rng, *scores(rng, 100, 3, one), draws=199).p <= ALPHA for one in effects) >= 36


def test_the_bound_on_the_size_covers_what_is_there():
    rng = np.random.default_rng(3)
    covered = {"few": 0, "many": 0}
    for _ in range(200):
        rare = np.where(rng.random(60) < 0.05, 1.0, 0.0)
        few = found(rng, rare[:, None], np.zeros((60, 1)))
        covered["few"] += few.mean_abs_high >= 0.05
        effects = rng.choice([-0.3, 0.3], 60)
        many = found(rng, *scores(rng, 60, 3, effects), draws=1)
        covered["many"] += many.mean_abs_high >= np.abs(effects).mean()
    assert min(covered.values()) >= 185


def test_without_repeats_small_differences_alone_rule_it_out():
    rng = np.random.default_rng(4)
    same = np.ones((200, 1))
    other = same.copy()
    other[:4] = 0.0
    seen = found(rng, same, other)
    assert (seen.p, seen.spread_sd, seen.verdict) == (None, None, "ruled out")
    assert 0.02 < seen.mean_abs_high < MARGIN
    other[:30] = 0.0
    seen = found(rng, same, other)
    assert seen.verdict == "not measurable"
    assert "two trials" in seen.reason


def test_tasks_of_one_cluster_widen_the_bound():
    rng = np.random.default_rng(5)
    intact, damaged = np.ones((120, 1)), np.ones((120, 1))
    damaged[:6] = 0.0
    alone = found(rng, intact, damaged).mean_abs_high
    together = found(rng, intact, damaged, np.arange(120) // 6).mean_abs_high
    assert together > 1.3 * alone


def test_missing_trials_and_odd_tables_come_without_a_warning():
    rng = np.random.default_rng(6)
    intact, damaged = scores(rng, 30, 3, np.zeros(30))
    intact[:10, 0], intact[3], damaged[5, 1:] = np.nan, np.nan, np.nan
    seen = found(rng, intact, damaged)
    assert seen.n_tasks == 28
    assert 0 < seen.p <= 1
    for n in (0, 1, 2, 3):
        flat = np.ones((n, 2))
        assert found(rng, flat, flat).verdict in ("not measurable", "not above chance", "ruled out")
    constant = found(rng, np.ones((50, 3)), np.zeros((50, 3)))
    assert (constant.verdict, constant.spread_sd) == ("not above chance", 0.0)


def test_the_order_of_repeats_and_of_labels_does_not_matter():
    rng = np.random.default_rng(8)
    intact, damaged = scores(rng, 40, 3, np.zeros(40))
    one = found(np.random.default_rng(1), intact, damaged, draws=1999)
    other = found(np.random.default_rng(2), damaged[:, ::-1], intact[:, [1, 2, 0]], draws=1999)
    assert one.spread_sd == pytest.approx(other.spread_sd)
    assert one.mean_abs_high == pytest.approx(other.mean_abs_high)
    assert one.p == pytest.approx(other.p, abs=0.05)


@pytest.mark.parametrize(("n_first", "n_second"), [(2, 2), (3, 2), (5, 5), (8, 8)])
def test_splits_hold_the_true_one_first_and_keep_the_numbers(n_first, n_second):
    found = splits(n_first, n_second, np.random.default_rng(0))
    assert (found.sum(axis=1) == n_first).all()
    assert found[0].tolist() == [True] * n_first + [False] * n_second
    if n_first + n_second <= 10:
        assert len(np.unique(found, axis=0)) == len(found)


def test_banks_that_differ_between_repeats_are_no_spread_and_hide_none_where_trials_are_pairs():
    rng = np.random.default_rng(9)
    called = {0.0: 0, 0.4: 0}
    for _ in range(200):
        for size in called:
            effects = rng.choice([-size, size], 60)
            bank = rng.choice([0.2, 0.8], (60, 3))  # the bank's luck, which both cells share
            intact = (rng.random((60, 3)) < bank + effects[:, None] / 2) * 1.0
            damaged = (rng.random((60, 3)) < bank - effects[:, None] / 2) * 1.0
            seen = found(rng, intact, damaged, draws=199, paired=True)
            called[size] += seen.p <= ALPHA
    assert called[0.0] <= 22
    assert called[0.4] >= 180


def test_pairs_lose_both_trials_where_one_is_missing():
    rng = np.random.default_rng(10)
    intact, damaged = scores(rng, 30, 3, np.zeros(30))
    intact[0, 1], damaged[0, 2] = np.nan, np.nan
    seen = found(rng, intact, damaged, draws=99, paired=True)
    assert seen.n_tasks == 29


# -- contrasts of four cells ----------------------------------------------------------------------------

WEIGHTS = (1.0, -1.0, -1.0, 1.0)


def cells(rng, chances, n, repeats):
    return [
        (w, (rng.random((n, repeats)) < np.broadcast_to(p, n)[:, None]).astype(float))
        for w, p in zip(WEIGHTS, chances, strict=True)
    ]


def four(rng, chances, n=120, repeats=3):
    return judged(cells(rng, chances, n, repeats), rng)


@pytest.mark.parametrize("chances", [(0.5, 0.5, 0.5, 0.5), (0.8, 0.4, 0.8, 0.5), (0.95, 0.9, 0.95, 0.9)])
def test_a_common_difference_is_seldom_called_uneven(chances):
    rng = np.random.default_rng(5)
    alarms = np.mean([four(rng, chances).verdict == "present" for _ in range(300)])
    assert alarms < 0.075


def test_differences_that_cancel_are_found():
    rng = np.random.default_rng(6)
    up = np.where(np.arange(200) % 2, 0.4, -0.4)
    found = [four(rng, (0.5, 0.5 - up, 0.5, 0.5), n=200) for _ in range(60)]
    assert np.mean([one.verdict == "present" for one in found]) > 0.85
    assert np.mean([one.spread_sd for one in found]) == pytest.approx(0.4, abs=0.05)


def test_repeats_that_share_a_bank_are_compared_by_repeat():
    rng = np.random.default_rng(7)
    luck = rng.random((100, 3)) < 0.5
    shared = [(w, luck.astype(float)) for w in WEIGHTS]
    assert judged(shared, rng, paired=True).verdict == "ruled out"


def test_one_repeat_and_one_unit_are_not_measurable():
    rng = np.random.default_rng(8)
    assert four(rng, (0.5,) * 4, repeats=1).verdict == "not measurable"
    alone = judged(cells(rng, (0.5,) * 4, 20, 2), rng, np.zeros(20, dtype=np.int64))
    assert alone.verdict == "not measurable"
    holed = [(w, np.where(rng.random(s.shape) < 0.5, np.nan, s)) for w, s in cells(rng, (0.5,) * 4, 30, 3)]
    assert judged(holed, rng).verdict in {
        "not above chance",
        "present",
        "not measurable",
    }


def test_an_analysis_tests_for_it_wherever_a_mean_effect_within_the_margin_would_be_inert():
    names = [f"t{number:03d}" for number in range(300)]
    halves = ((names[::2], 0.4), (names[1::2], 1.0))
    intact = {(arm, "intact"): 0.7 for arm in PLAN.arms}
    rows = sum(
        (play(intact | {("artifact", "filler"): chance}, tasks=half, default=0.1) for half, chance in halves),
        (),
    )
    rules = replace(PLAN.rules, flips=199)
    result = analyse(Outcomes(rows), replace(PLAN, conditions=("filler",), rules=rules))
    row = of(result, "drop", "artifact", "filler")
    assert abs(row.estimate) < MARGIN
    assert (row.verdict, row.code) == ("inconclusive", Reason.EFFECTS_CANCEL)


def test_what_may_cancel_is_what_speaks_of_content():
    kinds = {"drop", "contrast", "content", "content, of two arms", "beyond placebo"}
    assert {kind for kind, words in WORDS.items() if words.may_cancel} == kinds
