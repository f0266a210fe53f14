"""The whole analysis on outcome tables: shapes, mutants, missing scores, clusters."""

from dataclasses import replace

import numpy as np
import pytest

from memtrial.analysis.analyse import analyse
from memtrial.analysis.result import Hypothesis
from memtrial.outcomes.outcomes import Outcomes
from tests.support.drawn import PLAN, READER, SKIMMER, TREATED, of, play


def test_known_participants_get_their_words():
    tasks = [f"t{i:03d}" for i in range(150)]
    rows = play(READER, backbone="reader", tasks=tasks) + play(SKIMMER, backbone="skimmer", tasks=tasks)
    rows += play({}, backbone="ignorer", tasks=tasks)
    result = analyse(Outcomes(rows), PLAN)
    for arm in PLAN.arms:
        assert result.utility["reader"][arm] == result.utility["skimmer"][arm] == "helps"
        assert result.utility["ignorer"][arm] == "none"
        assert set(result.verdicts["reader"][arm].values()) == {"load-bearing"}
        assert set(result.verdicts["skimmer"][arm].values()) == {"inert"}
        assert set(result.verdicts["ignorer"][arm].values()) == {"untestable"}
    idle = {h.verdict for h in result.hypotheses(PLAN.conditions) if h.backbone == "ignorer"}
    assert idle <= {"untestable", "inconclusive"}
    used = {h.verdict for h in result.hypotheses(PLAN.conditions) if h.backbone != "ignorer"}
    assert used <= {"inert", "inconclusive"}
    (note,) = result.notes
    assert "load-bearing for reader, not for skimmer, ignorer." in note
    # the same skimmer alone: nothing in the run shows that content could have been seen at work
    alone = analyse(Outcomes(play(SKIMMER, backbone="skimmer", tasks=tasks)), PLAN)
    assert {v for arm in alone.verdicts["skimmer"].values() for v in arm.values()} == {"insensitive"}


def test_treatment_and_control_differ_and_swapping_them_changes_the_sign():
    rows = play(TREATED, n=100)
    result = analyse(Outcomes(rows), PLAN)
    assert result.hypotheses(PLAN.conditions)[1] == Hypothesis(
        treatment="artifact",
        control="control",
        condition="corrupt_invert",
        backbone="m",
        verdict="load-bearing",
    )
    other = {"control": "artifact", "artifact": "control"}
    swapped = analyse(Outcomes(tuple(replace(row, arm=other.get(row.arm, row.arm)) for row in rows)), PLAN)
    here, there = (of(r, "contrast", "artifact", "corrupt_invert") for r in (result, swapped))
    assert here.estimate == pytest.approx(-there.estimate)
    assert here.estimate > 0.3
    assert (here.low, here.p) == (pytest.approx(-there.high), there.p)
    assert there.verdict == "reversed"
    assert swapped.verdicts["m"]["control"] == result.verdicts["m"]["artifact"]


def test_numbers_are_those_of_plain_arithmetic():
    rows = play(TREATED, n=20)
    mean = {
        (row.arm, row.condition, row.task): np.mean(
            [r.score for r in rows if (r.arm, r.condition, r.task) == (row.arm, row.condition, row.task)]
        )
        for row in rows
    }
    tasks = sorted({row.task for row in rows})
    result = analyse(Outcomes(rows), PLAN)
    drops = {
        arm: np.array([mean[arm, "intact", t] - mean[arm, "filler", t] for t in tasks]) for arm in PLAN.arms
    }
    gain = np.mean([mean["control", "intact", t] - mean["none", "without", t] for t in tasks])
    assert of(result, "utility", "control").estimate == pytest.approx(gain)
    assert of(result, "drop", "oracle", "filler").estimate == pytest.approx(drops["oracle"].mean())
    apart = of(result, "contrast", "artifact", "filler")
    assert apart.estimate == pytest.approx((drops["artifact"] - drops["control"]).mean())
    assert apart.versus == "control"
    assert [e.estimand for e in result.estimates] == [
        *["utility"] * 3,
        *["drop"] * 6,
        *["contrast"] * 2,
        *["retention"] * 12,
    ]


def test_copied_repeats_are_no_new_tasks():
    rows = play(TREATED, n=40, repeats=2)
    copies = tuple(replace(row, repeat=row.repeat + 2) for row in rows)
    once, twice = analyse(Outcomes(rows), PLAN), analyse(Outcomes(rows + copies), PLAN)
    for one, two in zip(once.estimates, twice.estimates, strict=True):
        assert two.n_tasks == one.n_tasks == 40
        assert two.estimate == pytest.approx(one.estimate)
        assert (two.p, two.p_adjusted) == (one.p, one.p_adjusted)
        # the pseudo units shrink; were repeats counted as tasks, the width would fall by 30 %
        assert two.high - two.low > 0.9 * (one.high - one.low)


def test_the_order_of_rows_changes_nothing():
    rows = play(READER, n=15)
    mixed = tuple(rows[i] for i in np.random.default_rng(0).permutation(len(rows)))
    assert analyse(Outcomes(rows), PLAN) == analyse(Outcomes(mixed), PLAN)


def test_more_hypotheses_make_a_verdict_harder_and_leave_the_raw_numbers():
    rows = play({**SKIMMER, ("control", "filler"): 0.7}, n=40)
    narrow = replace(PLAN, arms=("control",), conditions=("filler",), pairs=())
    alone = of(analyse(Outcomes(rows), narrow), "drop", "control", "filler")
    among = of(analyse(Outcomes(rows), PLAN), "drop", "control", "filler")
    assert alone.p == alone.p_adjusted
    assert (among.estimate, among.low, among.high) == (alone.estimate, alone.low, alone.high)
    assert among.p_adjusted > alone.p_adjusted
    assert among.tasks_to_settle > alone.tasks_to_settle


def test_adding_a_contrast_leaves_the_other_families_and_the_seed_reaches_all():
    outcomes = Outcomes(play({**SKIMMER, ("control", "filler"): 0.8}, n=40))
    with_pair, without_pair = analyse(outcomes, PLAN), analyse(outcomes, replace(PLAN, pairs=()))
    others = tuple(e for e in with_pair.estimates if e.estimand != "contrast")
    assert others == without_pair.estimates
    other = analyse(outcomes, replace(PLAN, rules=replace(PLAN.rules, seed=5)))
    for estimand in ("drop", "contrast"):
        here, there = (
            [e.p_adjusted for e in r.estimates if e.estimand == estimand] for r in (with_pair, other)
        )
        assert here != there
        assert here == pytest.approx(there, abs=0.08)


# -- missing, errors, clusters -----------------------------------------------------------------------


def without_score(rows, **where):
    return tuple(
        replace(row, score=None) if all(getattr(row, k) == v for k, v in where.items()) else row
        for row in rows
    )


def test_a_missing_cell_costs_a_task_in_its_own_contrasts_only():
    rows = without_score(play(TREATED, n=30), arm="control", condition="filler", task="t003")
    result = analyse(Outcomes(rows), PLAN)
    for e in result.estimates:
        hit = e.condition == "filler" and "control" in (e.arm, e.versus)
        assert (e.n_tasks, e.n_missing) == ((29, 1) if hit else (30, 0))
    left_out = analyse(Outcomes(tuple(row for row in rows if row.task != "t003")), PLAN)
    seen, same = (of(r, "drop", "control", "filler") for r in (result, left_out))
    assert (seen.estimate, seen.low, seen.p_equivalence) == (same.estimate, same.low, same.p_equivalence)


def test_errors_are_in_no_mean_and_bounded():
    rows = play(TREATED, n=30)
    broken = without_score(rows, arm="control", condition="filler", repeat=1)
    result = analyse(Outcomes(broken), PLAN)
    assert result.errors == {"none": 0, "control": 30, "artifact": 0, "oracle": 0}
    hit = of(result, "drop", "control", "filler")
    rest = analyse(Outcomes(tuple(row for row in broken if row.score is not None)), PLAN)
    assert hit.estimate == of(rest, "drop", "control", "filler").estimate
    scored = {
        guess: of(
            analyse(Outcomes(tuple(replace(r, score=guess) if r.score is None else r for r in broken)), PLAN),
            "drop",
            "control",
            "filler",
        ).estimate
        for guess in (0.0, 1.0)
    }
    assert hit.n_errors == 30
    assert (hit.worst_low, hit.worst_high) == (pytest.approx(scored[1.0]), pytest.approx(scored[0.0]))
    assert hit.worst_high - hit.worst_low == pytest.approx(1 / 3)
    clean = of(result, "drop", "oracle", "filler")
    assert (clean.n_errors, clean.worst_low, clean.worst_high) == (0, None, None)


def test_a_cell_of_errors_only_is_missing_and_still_bounded():
    rows = without_score(play(TREATED, n=12), arm="oracle", condition="corrupt_invert")
    result = analyse(Outcomes(rows), PLAN)
    lost = of(result, "drop", "oracle", "corrupt_invert")
    assert (lost.n_tasks, lost.estimate, lost.p, lost.verdict) == (0, None, None, "inconclusive")
    assert lost.worst_high - lost.worst_low == pytest.approx(1.0)


def test_clusters_are_the_unit_where_tasks_share_one():
    rows = play(TREATED, n=60)
    labelled = tuple(replace(row, cluster=f"family {int(row.task[1:]) % 6}") for row in rows)
    by_task, by_cluster = analyse(Outcomes(rows), PLAN), analyse(Outcomes(labelled), PLAN)
    for task, cluster in zip(by_task.estimates, by_cluster.estimates, strict=True):
        assert (task.n_clusters, cluster.n_clusters, cluster.n_tasks) == (60, 6, 60)
        assert cluster.estimate == pytest.approx(task.estimate)
        assert cluster.p_flip >= 2**-5
        assert "exploratory only: 6 clusters" in cluster.reason or cluster.verdict == "insensitive"


def test_same_damaged_text_makes_a_contrast_one_of_utilities():
    rows = play(TREATED, n=20)
    for shared, expected in ((20, 1.0), (5, 0.25), (0, 0.0)):
        shown = tuple(
            replace(
                r,
                slot="same"
                if r.condition == "filler" and int(r.task[1:]) < shared
                else f"{r.arm} {r.condition}",
            )
            for r in rows
        )
        result = analyse(Outcomes(shown), PLAN)
        told = of(result, "contrast", "artifact", "filler")
        assert told.same_text == expected
        assert ("compares utilities only" in told.reason) == (shared == 20)
        assert of(result, "contrast", "artifact", "corrupt_invert").same_text == 0.0
    assert of(analyse(Outcomes(rows), PLAN), "contrast", "artifact", "filler").same_text is None
    half_known = tuple(r if r.arm == "control" and r.task < "t010" else replace(r, slot="x") for r in rows)
    assert of(analyse(Outcomes(half_known), PLAN), "contrast", "artifact", "filler").same_text == 1.0


def test_copied_tasks_in_one_cluster_are_no_new_tasks():
    rows = play(TREATED, n=13)
    twins = tuple(replace(r, task=f"{r.task} again", cluster=r.task) for r in rows)
    once, twice = analyse(Outcomes(rows), PLAN), analyse(Outcomes(rows + twins), PLAN)
    for one, two in zip(once.estimates, twice.estimates, strict=True):
        assert (one.n_clusters, two.n_clusters, two.n_tasks) == (13, 13, 26)
        assert (two.p, two.p_adjusted) == (one.p, one.p_adjusted)
        assert two.estimate == pytest.approx(one.estimate)
        # only the two pseudo tasks weigh less beside twice as many tasks
        assert 0.75 < (two.high - two.low) / (one.high - one.low) <= 1


def test_each_backbone_is_judged_by_its_own_room():
    floor = analyse(Outcomes(play({}, default=0.05) + play(TREATED, backbone="n")), PLAN)
    assert {v for arm in floor.verdicts["m"].values() for v in arm.values()} == {"untestable"}
    assert "untestable" not in {v for arm in floor.verdicts["n"].values() for v in arm.values()}
    # one of two arms at the floor is enough to keep their contrast from meaning anything
    for low in PLAN.pairs[0]:
        weak = {cell: 0.05 if cell[0] == low else chance for cell, chance in TREATED.items()}
        result = analyse(Outcomes(play(weak)), PLAN)
        assert of(result, "contrast", "artifact", "filler").reason.startswith("floor")


def test_a_shared_cell_that_cancels_need_not_be_there():
    rows = tuple(row for row in play(READER, n=20) if row.arm != "none")
    result = analyse(Outcomes(rows), replace(PLAN, conditions=("without",)))
    assert of(result, "drop", "artifact").n_tasks == 0
    assert of(result, "contrast", "artifact").n_tasks == 20
