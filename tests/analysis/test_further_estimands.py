"""Estimands beyond utility, drop and contrast: what each says of participants whose truth is set."""

from dataclasses import replace

import numpy as np
import pytest

from memtrial.analysis.analyse import analyse
from memtrial.analysis.analysis_plan import AnalysisPlan
from memtrial.analysis.estimands.contrast import content_effect, dose, drop, retention, utility
from memtrial.analysis.hypothesis_families import families_of
from memtrial.analysis.reasons import Reason
from memtrial.analysis.verdicts.facts import RunFacts
from memtrial.analysis_rules import AnalysisRules
from memtrial.outcomes.outcomes import WITHOUT, OutcomeRow, Outcomes
from memtrial.outcomes.reserved_names import ALL

N, R = 160, 3


def drawn(chances, backbone="m", n=N, repeats=R, seed=3, shift=0.0):
    """Outcomes with the chances given for each cell; half of the tasks stand `shift` higher, half lower."""
    rng = np.random.default_rng([seed, *backbone.encode()])
    return tuple(
        OutcomeRow(
            backbone, *cell, f"t{i:03d}", "", r, float(rng.random() < p + (shift if i % 2 else -shift))
        )
        for i in range(n)
        for r in range(repeats)
        for cell, p in chances.items()
    )


def plan(*conditions, arms=("a",), **more):
    return AnalysisPlan(arms, conditions, positive_control=None, **more, rules=AnalysisRules(flips=999))


def the(analysis, estimand, **of):
    (found,) = [
        e
        for e in analysis.estimates
        if e.estimand == estimand and all(getattr(e, key) == value for key, value in of.items())
    ]
    return found


# -- retention ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("left", "half", "quarter"),
    [(0.35, "carries", "above"), (0.78, "below", "placebo")],
    ids=["content", "block"],
)
def test_retention_says_whether_content_or_block_carries(left, half, quarter):
    rows = drawn({WITHOUT: 0.3, ("a", "intact"): 0.8, ("a", "corrupt_invert"): left})
    found = analyse(Outcomes(rows), plan("corrupt_invert"))
    assert the(found, "retention", share=0.5).verdict == half
    assert the(found, "retention", share=0.25).verdict == quarter


def test_retention_is_the_drop_less_a_share_of_the_utility():
    rows = drawn({WITHOUT: 0.3, ("a", "intact"): 0.7, ("a", "corrupt_invert"): 0.5}, n=30)
    found = analyse(Outcomes(rows), plan("corrupt_invert"))
    gain, fall = the(found, "utility"), the(found, "drop")
    for share in (0.25, 0.5):
        row = the(found, "retention", share=share)
        assert row.estimate == pytest.approx(fall.estimate - share * gain.estimate)
    assert sum(weight for _, weight in retention("a", "x", 0.25).weights) == pytest.approx(0)


def test_a_memory_that_does_not_help_has_no_share_to_carry():
    rows = drawn({WITHOUT: 0.6, ("a", "intact"): 0.6, ("a", "corrupt_invert"): 0.3})
    found = analyse(Outcomes(rows), plan("corrupt_invert"))
    assert {e.verdict for e in found.estimates if e.estimand == "retention"} == {"untestable"}


# -- startle and placebo -----------------------------------------------------------------------------

ODD = "oddity+corrupt_mask"


def test_a_fall_that_the_same_damage_causes_anywhere_is_not_load_bearing():
    startled = {
        WITHOUT: 0.5,
        ("a", "intact"): 0.75,
        ("a", "corrupt_mask"): 0.5,
        ("a", ODD): 0.5,
    }
    reader = startled | {("a", ODD): 0.75}
    bare = analyse(Outcomes(drawn(startled)), plan("corrupt_mask"))
    assert the(bare, "drop").verdict == "load-bearing"
    table = analyse(
        Outcomes(drawn(startled)), plan("corrupt_mask"), RunFacts(fluent=frozenset(), of_table=True)
    )
    assert the(table, "drop").verdict == "inconclusive"
    assert the(table, "drop").code is Reason.NO_CONTENT_EVIDENCE
    for chances, word in ((startled, "inconclusive"), (reader, "load-bearing")):
        found = analyse(Outcomes(drawn(chances)), plan("corrupt_mask", ODD))
        row = the(found, "drop", condition="corrupt_mask")
        assert row.verdict == word
        assert ("oddity" in row.reason) == (word == "inconclusive") or word == "load-bearing"
    assert {weight for _, weight in content_effect("a", "corrupt_mask").weights} == {1.0, -1.0}


def test_composite_conditions_have_no_drop_of_their_own():
    listed = families_of(plan("corrupt_mask", ODD, "instructed"), ("m",))
    drops = [c.condition for family in listed for _, c in family.members if c.estimand == "drop"]
    assert drops == ["corrupt_mask"]


def test_a_placebo_that_costs_as_much_forbids_load_bearing():
    touchy = {
        WITHOUT: 0.3,
        ("a", "intact"): 0.8,
        ("a", "corrupt_invert"): 0.5,
        ("a", "paraphrase"): 0.5,
    }
    steady = touchy | {("a", "paraphrase"): 0.8}
    for chances, word in ((touchy, "inconclusive"), (steady, "load-bearing")):
        found = analyse(Outcomes(drawn(chances)), plan("corrupt_invert", "paraphrase"))
        assert the(found, "drop", condition="corrupt_invert").verdict == word
    assert (
        "wording"
        in the(
            analyse(Outcomes(drawn(touchy)), plan("corrupt_invert", "paraphrase")),
            "drop",
            condition="corrupt_invert",
        ).reason
    )


# -- inert needs more than a mean near zero ----------------------------------------------------------


def test_effects_that_cancel_between_tasks_are_not_inert():
    cells = {WITHOUT: 0.3, ("a", "intact"): 0.6}
    damaged = {("a", "corrupt_invert"): 0.6}
    even = drawn(cells | damaged, n=300)
    # the damage helps on every other task and harms on the rest
    uneven = drawn(cells, n=300) + drawn(damaged, n=300, seed=4, shift=0.3)
    words = [the(analyse(Outcomes(rows), plan("corrupt_invert")), "drop") for rows in (even, uneven)]
    assert [word.verdict for word in words] == ["inert", "inconclusive"]
    assert abs(words[1].estimate) < 0.1
    assert words[1].p_equivalence <= 0.05
    assert "cancel" in words[1].reason


def test_actions_that_diverge_speak_against_inert():
    rows = drawn({WITHOUT: 0.3, ("a", "intact"): 0.6, ("a", "corrupt_invert"): 0.6})
    why = {("m", "a", "corrupt_invert"): "what the agent does changes more than by chance"}
    found = the(analyse(Outcomes(rows), plan("corrupt_invert"), RunFacts(diverging=why)), "drop")
    assert found.verdict == "inconclusive"
    assert "what the agent does" in found.reason


# -- instructed, dose, factors -----------------------------------------------------------------------


def test_instructed_tells_unusable_from_not_activated():
    asked = plan("corrupt_invert", "instructed", "instructed+corrupt_invert")
    cells = {WITHOUT: 0.4, ("a", "intact"): 0.4, ("a", "corrupt_invert"): 0.4}
    dormant = cells | {("a", "instructed"): 0.8, ("a", "instructed+corrupt_invert"): 0.4}
    useless = cells | {("a", "instructed"): 0.4, ("a", "instructed+corrupt_invert"): 0.4}
    found = analyse(Outcomes(drawn(dormant)), asked)
    assert the(found, "instructed", condition="without").verdict == "helps"
    assert the(found, "instructed", condition="corrupt_invert").verdict == "load-bearing"
    assert the(found, "drop").verdict == "untestable"
    assert the(analyse(Outcomes(drawn(useless)), asked), "instructed", condition="without").verdict == "none"


def test_the_dose_is_the_slope_for_one_true_item():
    ladder = tuple(f"dose-{k}" for k in range(4))
    chances = {(arm, "intact"): 0.3 + 0.15 * k for k, arm in enumerate(ladder)} | {WITHOUT: 0.3}
    found = the(analyse(Outcomes(drawn(chances)), plan(arms=ladder)), "dose")
    assert found.verdict == "rises"
    assert found.estimate == pytest.approx(0.15, abs=0.04)
    flat = {(arm, "intact"): 0.5 for arm in ladder} | {WITHOUT: 0.5}
    assert the(analyse(Outcomes(drawn(flat)), plan(arms=ladder)), "dose").verdict == "flat"
    assert dose(("dose-2", "a")) is None


# -- backbones together ------------------------------------------------------------------------------


def test_backbones_are_averaged_inside_tasks():
    cells = {WITHOUT: 0.3, ("a", "intact"): 0.8, ("a", "corrupt_invert"): 0.5}
    rows = drawn(cells, "one", n=40) + drawn(cells, "two", n=40, seed=9)
    found = analyse(Outcomes(rows), plan("corrupt_invert"))
    own = [the(found, "drop", backbone=backbone) for backbone in ("one", "two")]
    both = the(found, "drop", backbone=ALL)
    assert both.estimate == pytest.approx(np.mean([row.estimate for row in own]))
    assert both.n_tasks == 40
    per_task = [drop("a", "corrupt_invert").per_task(Outcomes(rows).cells(b)) for b in ("one", "two")]
    assert both.sd == pytest.approx(np.mean(per_task, axis=0).std(ddof=1), abs=0.02)
    assert set(found.verdicts) == set(found.utility) == {"one", "two"}
    alone = analyse(Outcomes(drawn(cells, "one", n=40)), plan("corrupt_invert"))
    assert ALL not in {e.backbone for e in alone.estimates}
    assert alone.estimates[0].estimate == the(found, "utility", backbone="one").estimate


def test_effects_that_cancel_in_the_mean_over_backbones_are_not_inert():
    def uneven(helped):
        """Half of the tasks gain by the damage what the others lose; on another backbone the other half."""
        ways = {True: 0.3, False: -0.3}
        halves = (
            drawn(
                {WITHOUT: 0.2, ("a", "intact"): 0.6, ("a", "corrupt_invert"): 0.6 - ways[way]}, name, 15, 10
            )
            for name, way in zip(("one", "two"), (helped, not helped), strict=True)
        )
        return [replace(row, task=f"{row.task} {helped}") for half in halves for row in half]

    found = analyse(Outcomes((*uneven(True), *uneven(False))), plan("corrupt_invert"))
    both = the(found, "drop", backbone=ALL)
    assert both.p_equivalence_adjusted <= 0.05
    assert the(found, "utility", backbone=ALL).verdict == "helps"
    assert (both.verdict, both.code) == ("inconclusive", Reason.EFFECTS_CANCEL)
    # not even on the backbones alone is the mean shown to be small: they are looked at for the mean's sake
    assert all(the(found, "drop", backbone=name).p_equivalence > 0.05 for name in ("one", "two"))


def test_a_task_that_one_backbone_lacks_is_missing_in_their_mean():
    cells = {WITHOUT: 0.3, ("a", "intact"): 0.8, ("a", "corrupt_invert"): 0.5}
    rows = drawn(cells, "one", n=20) + drawn(cells, "two", n=20, seed=9)
    holed = tuple(
        replace(row, score=None)
        if (row.backbone, row.condition) == ("two", "intact") and row.task in ("t000", "t001")
        else row
        for row in rows
    )
    found = analyse(Outcomes(holed), plan("corrupt_invert"))
    fewer = Outcomes(tuple(row for row in rows if row.task not in ("t000", "t001")))
    kept = analyse(fewer, plan("corrupt_invert"))
    assert [the(found, "drop", backbone=name).n_tasks for name in ("one", "two", ALL)] == [20, 18, 18]
    assert the(found, "drop", backbone=ALL).estimate == pytest.approx(
        the(kept, "drop", backbone=ALL).estimate
    )


# -- what was not planned is not tested --------------------------------------------------------------


def test_cells_that_no_arm_was_to_have_are_in_no_family():
    chances = {WITHOUT: 0.3, ("a", "intact"): 0.8, ("a", "filler"): 0.5, ("raw", "intact"): 0.5}
    asked = plan("filler", arms=("a", "raw"), cells=tuple(chances))
    found = analyse(Outcomes(drawn(chances, n=20)), asked)
    assert [e.arm for e in found.estimates if e.estimand == "drop"] == ["a"]
    assert [e.arm for e in found.estimates if e.estimand == "utility"] == ["a", "raw"]


# -- the pseudo units --------------------------------------------------------------------------------


def test_one_cell_that_was_played_more_often_makes_nothing_else_more_exact():
    rows = drawn({WITHOUT: 0.3, ("a", "intact"): 0.4}, n=30, repeats=1)
    many = tuple(OutcomeRow("m", "a", "intact", "t000", "", r, rows[1].score) for r in range(1, 50))
    again = tuple(replace(row, repeat=r) for row in rows[1::2] for r in range(1, 4))
    table = Outcomes(rows + again).cells("m")
    assert table.trials.max(axis=0).tolist() in ([1, 4], [4, 1])
    assert utility("a").repeats(table) == 1  # of the cell with the fewest trials
    plain, uneven = (the(analyse(Outcomes(r), plan()), "utility") for r in (rows, rows + many))
    assert (uneven.low, uneven.high) == pytest.approx((plain.low, plain.high))
    assert uneven.p_equivalence == pytest.approx(plain.p_equivalence)
