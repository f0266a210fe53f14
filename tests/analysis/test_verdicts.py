"""Verdict rules: the words, their order and their guards, on evidence that is set by hand."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtrial.analysis.analysis_plan import AnalysisPlan
from memtrial.analysis.result import Estimate
from memtrial.analysis.verdicts.facts import Headroom, RowFacts
from memtrial.analysis.verdicts.guards.whole_run import control_notes, positive_control
from tests.support.estimate_rows import estimate
from tests.support.judging import facts_of, judge_contrast, judge_drop, judge_utility

PLAN = AnalysisPlan(
    arms=("control", "artifact", "oracle"),
    conditions=("corrupt_invert", "irrelevant_swap", "filler"),
    effects=(("corrupt_invert", "meaning"), ("irrelevant_swap", "meaning"), ("filler", "removal")),
)
ROOM = Headroom(intact=0.7, ceiling=False)

UNDECIDED = replace(
    estimate(0.6, value=0.03),
    **{"low": -0.2, "high": 0.26, "sd": 0.5, "p_adjusted": 0.9, "p_equivalence": 0.3},
    **{"n_tasks": 40, "n_clusters": 40, "n_informative": 20, "tasks_to_settle": 321},
)


def evidence(**changes):
    alone = changes.get("p_equivalence", UNDECIDED.p_equivalence)
    return replace(UNDECIDED, **{"p_equivalence_adjusted": alone, **changes})


LOST = evidence(estimate=0.2, low=0.1, high=0.3, p=0.001, p_adjusted=0.004, p_equivalence=0.9)
LOST_LITTLE = evidence(estimate=0.05, low=0.02, high=0.08, p=0.001, p_adjusted=0.004, p_equivalence=0.001)
FLAT = evidence(estimate=0.0, low=-0.06, high=0.06, p=0.9, p_adjusted=1.0, p_equivalence=0.01)
GAINED = evidence(estimate=-0.2, low=-0.3, high=-0.1, p=0.001, p_adjusted=0.004, p_equivalence=0.9)
GAINED_LITTLE = evidence(
    estimate=-0.05, low=-0.08, high=-0.02, p=0.001, p_adjusted=0.004, p_equivalence=0.001
)
ALONE_ONLY = evidence(estimate=0.12, low=0.02, high=0.22, p=0.03, p_adjusted=0.2, p_equivalence=0.6)
SAME = replace(FLAT, estimate=0.0, n_informative=0)
NOT_TESTED = dict.fromkeys(("low", "high", "sd", "p", "p_adjusted", "p_equivalence", "tasks_to_settle"))
ONE_TASK = evidence(**NOT_TESTED, estimate=1.0, n_tasks=1, n_missing=3, n_clusters=1, n_informative=1)
NO_TASK = evidence(**NOT_TESTED, estimate=None, n_tasks=0, n_missing=4, n_clusters=0, n_informative=0)

HELPS = LOST, "helps"
HELPS_LITTLE = LOST_LITTLE, "helps"
NONE = FLAT, "none"
OPEN = UNDECIDED, "inconclusive"
HARMS = GAINED, "harms"
UNKNOWN = NO_TASK, "inconclusive"

BOTH_HELP = ("helps", "helps")


@pytest.mark.parametrize(
    ("seen", "word"),
    [
        (LOST, "helps"),
        (LOST_LITTLE, "helps"),
        (FLAT, "none"),
        (GAINED, "harms"),
        (GAINED_LITTLE, "harms"),
        (UNDECIDED, "inconclusive"),
        (ALONE_ONLY, "inconclusive"),
        (ONE_TASK, "inconclusive"),
        (NO_TASK, "inconclusive"),
    ],
)
def test_utility(seen, word):
    assert judge_utility(seen, PLAN).verdict == word


@pytest.mark.parametrize(
    ("seen", "utility", "word", "says"),
    [
        (LOST, HELPS, "load-bearing", "falls"),
        (LOST, NONE, "load-bearing", "falls"),
        (LOST, OPEN, "load-bearing", "falls"),
        (LOST_LITTLE, HELPS, "load-bearing", "below the margin"),
        (FLAT, HELPS, "inert", "this memory helps"),
        (SAME, HELPS, "inert", "bound on the share of differing tasks 0.072"),
        (GAINED_LITTLE, HELPS, "inert", "this memory helps"),
        (FLAT, HELPS_LITTLE, "untestable", "nothing to carry"),
        (FLAT, NONE, "untestable", "nothing to carry"),
        (FLAT, HARMS, "untestable", "nothing to carry"),
        (UNDECIDED, NONE, "untestable", "nothing to carry"),
        (FLAT, (UNDECIDED, "none"), "untestable", "nothing to carry"),
        (FLAT, OPEN, "inconclusive", "utility not established"),
        (FLAT, UNKNOWN, "inconclusive", "utility not established"),
        (GAINED, HELPS, "reversed", "rises"),
        (GAINED, HARMS, "reversed", "rises"),
        (UNDECIDED, HELPS, "inconclusive", "321 tasks"),
        (ALONE_ONLY, HELPS, "inconclusive", "0.030 alone and 0.200 among 8 tests"),
        (ONE_TASK, HELPS, "inconclusive", "no inference"),
        (NO_TASK, UNKNOWN, "inconclusive", "no inference"),
    ],
)
def test_drop(seen, utility, word, says):
    verdict = judge_drop(seen, ROOM, *utility, PLAN)
    assert verdict.verdict == word
    assert says in verdict.reason


@pytest.mark.parametrize(
    ("seen", "word"),
    [
        (LOST, "load-bearing"),
        (LOST_LITTLE, "load-bearing"),
        (FLAT, "inert"),
        (GAINED_LITTLE, "inert"),
        (GAINED, "reversed"),
        (UNDECIDED, "inconclusive"),
        (ONE_TASK, "inconclusive"),
    ],
)
def test_contrast(seen, word):
    assert judge_contrast(seen, ROOM, BOTH_HELP, None, PLAN).verdict == word
    told = judge_contrast(seen, ROOM, BOTH_HELP, 1.0, PLAN)
    assert told.verdict == word
    assert ("compares utilities only" in told.reason) == (seen is not ONE_TASK)
    assert "utilities" not in judge_contrast(seen, ROOM, BOTH_HELP, 0.9, PLAN).reason


@pytest.mark.parametrize("seen", [LOST, FLAT, GAINED, UNDECIDED, SAME])
@pytest.mark.parametrize("intact", [0.0, 0.2, 0.1 + 0.1 + 1e-17])
def test_at_the_floor_no_drop_is_judged_and_a_rise_is(seen, intact):
    room = Headroom(intact, ceiling=False)
    fallen, apart = judge_drop(seen, room, *HELPS, PLAN), judge_contrast(seen, room, BOTH_HELP, None, PLAN)
    for verdict in (apart, *([fallen] if seen is not GAINED else [])):
        assert verdict.verdict == "untestable"
        assert verdict.reason.startswith("floor")
    assert (fallen.verdict == "reversed") == (seen is GAINED)
    assert judge_drop(seen, Headroom(0.21, False), *HELPS, PLAN).reason[:5] != "floor"


def test_at_the_ceiling_no_difference_proves_nothing():
    full = Headroom(1.0, ceiling=True)
    assert judge_drop(SAME, full, *NONE, PLAN).reason.startswith("ceiling")
    assert judge_contrast(SAME, full, BOTH_HELP, None, PLAN).verdict == "untestable"
    # solved with memory only: there was something to lose, and it was not lost
    assert judge_drop(SAME, Headroom(1.0, ceiling=False), *HELPS, PLAN).verdict == "inert"
    # solved with and without memory, yet damage hurts
    assert judge_drop(LOST, full, *NONE, PLAN).verdict == "load-bearing"


@pytest.mark.parametrize(("n", "said"), [(9, True), (10, False)])
def test_few_tasks_are_exploratory(n, said):
    for seen in (LOST, FLAT, UNDECIDED):
        few = replace(seen, n_tasks=n, n_clusters=n)
        for verdict in (judge_drop(few, ROOM, *HELPS, PLAN), judge_utility(few, PLAN)):
            assert ("exploratory only" in verdict.reason) == said


def test_few_clusters_are_exploratory_however_many_tasks():
    assert (
        "exploratory only: 5 clusters" in judge_drop(replace(LOST, n_clusters=5), ROOM, *HELPS, PLAN).reason
    )


@pytest.mark.parametrize(("differ", "least"), [(1, "1"), (5, "0.0625")])
def test_few_informative_tasks_bound_p(differ, least):
    reason = judge_drop(replace(UNDECIDED, n_informative=differ), ROOM, *HELPS, PLAN).reason
    assert f"sign flips alone could not show an effect (their smallest p is {least})" in reason
    assert "attainable" not in judge_drop(replace(UNDECIDED, n_informative=6), ROOM, *HELPS, PLAN).reason


def test_a_disagreement_of_interval_and_p_is_said():
    odd = evidence(estimate=0.1, low=-0.01, high=0.21, p=0.04, p_adjusted=0.04)
    assert "p decides" in judge_drop(odd, ROOM, *HELPS, PLAN).reason
    assert "p decides" not in judge_drop(LOST, ROOM, *HELPS, PLAN).reason


share = st.floats(0, 1)


@given(
    estimate=st.floats(-1, 1),
    p=share,
    p_adjusted=share,
    p_equivalence=share,
    intact=share,
    room=st.booleans(),
)
def test_no_word_without_what_it_rests_on(estimate, p, p_adjusted, p_equivalence, intact, room):
    seen = evidence(estimate=estimate, p=p, p_adjusted=p_adjusted, p_equivalence=p_equivalence)
    headroom = Headroom(intact, ceiling=room)
    for utility in (HELPS, HELPS_LITTLE, NONE, OPEN, HARMS, UNKNOWN):
        word = judge_drop(seen, headroom, *utility, PLAN).verdict
        if word == "inert":
            assert p_equivalence <= PLAN.rules.alpha
            assert utility is HELPS
        if word in {"load-bearing", "reversed"}:
            assert p_adjusted <= PLAN.rules.alpha
            assert estimate > 0 if word == "load-bearing" else estimate <= 0
            assert word == "reversed" or intact > 2 * PLAN.rules.margin
        if intact > 0.3 and p_adjusted <= PLAN.rules.alpha and estimate > 0:
            assert word == "load-bearing"
    word = judge_contrast(seen, headroom, BOTH_HELP, None, PLAN).verdict
    assert word != "inert" or p_equivalence <= PLAN.rules.alpha


# -- positive control --------------------------------------------------------------------------------


def apply_positive_control(rows, plan):
    facts = facts_of(plan, *((one, RowFacts()) for one in rows))
    after = tuple(positive_control(one, facts) for one in rows)
    return after, control_notes(after, plan)


def row(backbone, arm, condition, verdict, estimand="drop", n=40):
    return Estimate(
        estimand=estimand,
        backbone=backbone,
        arm=arm,
        versus="intact",
        condition=condition,
        share=None,
        family="a family",
        n_tasks=n,
        n_clusters=n,
        n_missing=0,
        n_informative=9,
        estimate=0.0,
        low=0.0,
        high=0.0,
        low_family=None,
        high_family=None,
        sd=0.1,
        p=1.0,
        p_adjusted=1.0,
        p_equivalence=0.01,
        tasks_to_settle=1,
        same_text=None,
        n_errors=0,
        worst_low=None,
        worst_high=None,
        verdict=verdict,
        reason="as judged",
    )


WORDS = ("inert", "load-bearing", "reversed", "inconclusive", "untestable")
JUDGED = (
    *(row("m", "control", word, word) for word in WORDS),
    row("m", "artifact", "c", "inert", "contrast"),
)


@pytest.mark.parametrize("word", ["inert", "inconclusive", "untestable", "reversed"])
def test_a_blind_run_loses_inert_and_only_inert(word):
    # load-bearing under filler does not show that meaning reaches the agent
    control = row("m", "oracle", "corrupt_invert", word), row("m", "oracle", "filler", "load-bearing")
    after, notes = apply_positive_control((*JUDGED, *control), PLAN)
    for old, new in zip((*JUDGED, *control), after, strict=True):
        assert new.verdict == ("insensitive" if old.verdict == "inert" else old.verdict)
        assert (new == old) == (old.verdict != "inert")
    assert "oracle" in notes[0]


def test_one_backbone_that_uses_its_oracle_keeps_every_verdict():
    control = (
        row("m", "oracle", "corrupt_invert", "inert"),
        row("n", "oracle", "irrelevant_swap", "load-bearing"),
    )
    after, notes = apply_positive_control((*JUDGED, *control), PLAN)
    assert after == (*JUDGED, *control)
    assert len(notes) == 1
    assert "load-bearing for n, not for m." in notes[0]


def test_without_a_positive_control_there_is_a_note():
    for absent in ((), (row("m", "oracle", "corrupt_invert", "inconclusive", n=0),)):
        after, notes = apply_positive_control(JUDGED + absent, PLAN)
        assert after == JUDGED + absent
        assert "no positive control" in notes[0]


def test_where_only_shape_is_damaged_any_damage_serves():
    for word, expected in (("load-bearing", "inert"), ("inert", "insensitive")):
        after, _ = apply_positive_control((*JUDGED, row("m", "oracle", "filler", word)), PLAN)
        assert after[0].verdict == expected


# -- the plan ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("change", [{"margin": 0.0}, {"alpha": 0.6}, {"flips": 0}])
def test_a_plan_that_cannot_be_is_refused(change):
    with pytest.raises(ValueError, match="got"):
        replace(PLAN.rules, **change)


@pytest.mark.parametrize("words", [("none", "none"), ("inconclusive", "none"), ("harms", "inconclusive")])
def test_equal_drops_of_two_memories_without_use_say_nothing(words):
    assert judge_contrast(FLAT, ROOM, words, None, PLAN).verdict == "untestable"
    assert judge_contrast(LOST, ROOM, words, None, PLAN).verdict == "load-bearing"
    for helped in (("helps", words[1]), (words[0], "helps")):
        assert judge_contrast(FLAT, ROOM, helped, None, PLAN).verdict == "inert"
