"""Words of absence and of effect rest on p-values that hold for the whole family."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.stats import t

from memtrial.analysis.analyse import analyse
from memtrial.analysis.analysis_plan import AnalysisPlan
from memtrial.analysis.hypothesis_families import (
    adjusted_for_family,
    families_of,
    follow_families,
    follow_other_families,
    polarity_families,
    stepped_down,
)
from memtrial.analysis.reasons import Caveat, Reason
from memtrial.analysis.result import Estimate
from memtrial.analysis.verdicts.estimand_words import WORDS, kind_of
from memtrial.analysis.verdicts.facts import Facts
from memtrial.analysis.verdicts.rules import rule_row, word_rows
from memtrial.outcomes.outcomes import Outcomes
from memtrial.outcomes.reserved_names import INSTRUCTED, PLACEBO
from tests.support.drawn import PLAN, SKIMMER, play

ALPHA = 0.05
NAMES = ("corrupt_invert", "oddity+corrupt_invert", "counter", PLACEBO, INSTRUCTED)
WIDE = AnalysisPlan(
    arms=("nn", "nt", "tn", "tt", "oracle"),
    conditions=(*NAMES, f"{INSTRUCTED}+corrupt_invert"),
    pairs=(("tn", "nn"),),
    factors=(("memory", ("n", "t")), ("injection", ("n", "t"))),
    levels=(("nn", ("n", "n")), ("nt", ("n", "t")), ("tn", ("t", "n")), ("tt", ("t", "t"))),
)
OF_ACTS = tuple(
    family
    for families_of_acts in (follow_families, follow_other_families, polarity_families)
    for family in families_of_acts(WIDE, ("m",))
)
ROWS = tuple(
    Estimate(
        estimand=one.estimand, backbone="m", arm=one.arm, versus=one.versus, condition=one.condition,
        share=one.share, family=family.name, n_tasks=60, n_clusters=60, n_missing=0, n_informative=30,
        estimate=0.04, low=-0.02, high=0.11, low_equivalence=-0.01, high_equivalence=0.09, p=0.9,
        p_adjusted=1.0, p_equivalence=0.9, p_equivalence_adjusted=1.0,
    )
    for family in (*families_of(WIDE, ("m",)), *OF_ACTS)
    for _, one in family.members
)  # fmt: skip
EACH = tuple({kind_of(row): row for row in ROWS}.values())
every_kind = pytest.mark.parametrize("row", EACH, ids=map(kind_of, EACH))
p_values = st.lists(st.floats(0, 1), min_size=1, max_size=12).map(np.array)


def test_every_kind_of_word_is_asked_here_but_the_doses_and_the_comparison():
    assert set(map(kind_of, ROWS)) == set(WORDS) - {"dose", "comparison"}


@every_kind
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_an_effect_is_said_by_the_adjusted_p_and_never_by_the_raw_one(row: Estimate, sign: float) -> None:
    words = WORDS[kind_of(row)]
    shown = replace(row, estimate=sign * 0.2, p=0.001, p_adjusted=0.01)
    assert rule_row(shown, WIDE).verdict == (words.above if sign > 0 else words.below)[0]
    alone = replace(shown, p_adjusted=0.2)
    assert rule_row(alone, WIDE).verdict == "inconclusive"
    assert rule_row(alone, WIDE).code is Reason.UNDECIDED


@every_kind
def test_an_absence_is_said_by_the_adjusted_p_and_never_by_the_raw_one(row: Estimate) -> None:
    words = WORDS[kind_of(row)]
    shown = rule_row(replace(row, p_equivalence=0.001, p_equivalence_adjusted=0.01), WIDE)
    assert shown.verdict == (words.within[0] if words.within else "inconclusive")
    alone = rule_row(replace(row, p_equivalence=0.001, p_equivalence_adjusted=0.2), WIDE)
    assert (alone.verdict, alone.code) == ("inconclusive", Reason.UNDECIDED)
    (told,) = word_rows([alone], Facts(WIDE, {}, {}))
    decides = "p of equivalence is 0.001 alone and 0.200 among 1 tests, which decides"
    assert (
        (decides in told.reason) == (Caveat.ABSENCE_IN_FAMILY in told.caveats) == (words.within is not None)
    )
    if words.within:
        (sure,) = word_rows([shown], Facts(WIDE, {}, {}))
        assert "(90% interval -0.010 to +0.090)" in sure.reason


@example(p=np.array([0.1, 5e-324, 1.0]))
@given(p=p_values)
def test_an_adjusted_p_is_no_smaller_and_keeps_the_order(p):
    df = np.full(len(p), 61.0)
    adjusted = stepped_down(p, df, ALPHA)
    assert (adjusted >= p - 1e-12).all()
    assert (adjusted <= 1).all()
    order = np.argsort(p, kind="stable")
    assert (np.diff(adjusted[order]) >= -1e-12).all()
    assert stepped_down(p[::-1], df, ALPHA) == pytest.approx(adjusted[::-1])
    assert stepped_down(p[:1], df[:1], ALPHA) == p[:1]


def test_equal_tests_share_alpha_and_effects_far_outside_the_margin_take_none_of_it():
    alike = stepped_down(np.full(5, 0.004), np.full(5, 61.0), ALPHA)
    assert alike == pytest.approx(0.005 + 5 * 0.004)
    far = stepped_down(np.array([0.004, *[1.0] * 4]), np.full(5, 61.0), ALPHA)
    assert far[0] == pytest.approx(0.005 + 0.004)
    near = stepped_down(np.array([0.004, *[0.9] * 4]), np.full(5, 61.0), ALPHA)
    assert near[0] == alike[0]


def test_what_has_been_shown_no_longer_counts():
    adjusted = stepped_down(np.array([0.02, 0.001]), np.full(2, 61.0), ALPHA)
    assert adjusted == pytest.approx([0.005 + 0.02, 0.005 + 2 * 0.001])


def test_rows_without_a_test_are_none_of_the_family():
    known = replace(ROWS[0], p_equivalence=0.02, p_equivalence_adjusted=None)
    unknown = replace(known, p_equivalence=None)
    assert adjusted_for_family([unknown, unknown], ALPHA) == (unknown, unknown)
    found = adjusted_for_family([unknown, known, unknown], ALPHA)
    assert [row.p_equivalence_adjusted for row in found] == [None, 0.02, None]


@pytest.mark.parametrize("outside", [0.0, 1.0, 2.5])
def test_false_absences_stay_rare_whatever_lies_beside_them(outside):
    rng = np.random.default_rng(5)
    # three effects at the margin, on either side, and six somewhat outside of it, all correlated
    shared = rng.normal(size=(4_000, 1))
    estimates = np.sqrt(0.5) * (shared + rng.normal(size=(4_000, 9)))
    depth = np.array([0.0] * 3 + [outside] * 6) * np.array([1, -1, 1] * 3) + 3.0 * np.array([1, -1, 1] * 3)
    inside = 3.0 - np.abs(estimates + depth)
    p = t.sf(inside, 1e6)
    near = p[(p <= 3 * ALPHA).any(axis=1)]  # no word of absence is said in the others
    adjusted = np.array([stepped_down(one, np.full(9, 1e6), ALPHA) for one in near])
    assert (p <= ALPHA).any(axis=1).mean() > 0.1
    assert (adjusted <= ALPHA).any(axis=1).sum() / len(p) <= ALPHA + 0.003


def test_the_interval_of_an_absence_lies_within_the_margin_exactly_where_its_own_p_is_small():
    tasks = [f"t{i:03d}" for i in range(60)]
    rows = play(SKIMMER, backbone="one", tasks=tasks) + play({}, backbone="two", tasks=tasks)
    found = [row for row in analyse(Outcomes(rows), PLAN).estimates if row.p_equivalence is not None]
    within = [max(abs(row.low_equivalence), abs(row.high_equivalence)) < PLAN.rules.margin for row in found]
    assert within == [row.p_equivalence <= PLAN.rules.alpha for row in found]
    assert 5 < sum(within) < len(found) - 5
    for row in found:
        assert row.p_equivalence_adjusted >= row.p_equivalence
        assert row.low < row.low_equivalence < row.high_equivalence < row.high
        if row.code is Reason.WITHIN:
            assert row.p_equivalence_adjusted <= PLAN.rules.alpha
            assert f"interval {row.low_equivalence:+.3f} to {row.high_equivalence:+.3f}" in row.reason
