"""The analysis at the edge of its domain: finite numbers or None, a word and a reason, never a warning."""

import json
from dataclasses import asdict, replace

import pytest

from memtrial.analysis.analyse import analyse
from memtrial.outcomes.outcomes import Outcomes
from tests.support.drawn import PLAN, READER, SKIMMER, TREATED, of, play


def constant(score):
    return tuple(replace(row, score=score) for row in play({}, n=25))


BOUNDARY = {
    "nothing": (),
    "one task": play(TREATED, n=1),
    "two tasks": play(TREATED, n=2),
    "one repeat": play(TREATED, n=12, repeats=1),
    "all failed": constant(0.0),
    "all solved": constant(1.0),
    "a dense score": constant(1 / 3),
    "all errors": constant(None),
    "no arm without memory": tuple(r for r in play(TREATED, n=9) if r.arm != "none"),
    "only the arm without memory": tuple(r for r in play(TREATED, n=9) if r.arm == "none"),
    "an arm never played": tuple(r for r in play(TREATED, n=9) if r.arm != "artifact"),
    "one cluster": tuple(replace(r, cluster="house") for r in play(TREATED, n=9)),
    "arms on different tasks": tuple(
        r for r in play(TREATED, n=20) if (r.arm == "control") == (int(r.task[1:]) < 10)
    ),
    "one cell missing a task": play(TREATED, n=14)[1:],
    "backbones on different tasks": play(TREATED, n=7) + play(READER, backbone="nn", tasks=["x", "y", "z"]),
}


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("rows", BOUNDARY.values(), ids=BOUNDARY)
def test_every_boundary_case_has_words_and_finite_numbers(rows):
    result = analyse(Outcomes(rows), PLAN)
    json.dumps(asdict(result), allow_nan=False)
    backbones = len({row.backbone for row in rows})
    # 3 utilities, 6 drops, 2 contrasts, 12 shares retained; once more for the mean over several backbones
    assert len(result.estimates) == 23 * (backbones + (backbones > 1))
    for e in result.estimates:
        assert e.verdict
        assert e.reason
        assert (e.p is None) == (e.low is None) == (e.p_adjusted is None) == (e.n_clusters < 2)
        assert (e.estimate is None) == (e.n_tasks == 0)
        if e.p is not None:
            assert e.p <= e.p_adjusted <= 1
            assert e.low <= e.estimate <= e.high


@pytest.mark.parametrize(("score", "starts"), [(0.0, "floor"), (1.0, "ceiling"), (1 / 3, "nothing to carry")])
def test_constant_scores_are_untestable_and_say_why(score, starts):
    result = analyse(Outcomes(constant(score)), PLAN)
    for e in result.estimates:
        if e.estimand == "drop":
            assert e.verdict == "untestable"
            assert e.reason.startswith(starts)
        assert (e.p, e.estimate, e.n_informative) == (1.0, 0.0, 0)


def test_one_task_and_one_cluster_have_no_inference():
    for name in ("one task", "one cluster"):
        for e in analyse(Outcomes(BOUNDARY[name]), PLAN).estimates:
            assert e.verdict == "inconclusive"
            assert e.reason.startswith("no inference")


def test_without_a_cell_without_memory_nothing_is_inert():
    rows = tuple(row for row in play(SKIMMER, n=150) if row.arm != "none")
    result = analyse(Outcomes(rows), PLAN)
    assert set(result.utility["m"].values()) == {"inconclusive"}
    words = {v for arm in result.verdicts["m"].values() for v in arm.values()}
    assert "inconclusive" in words
    assert not words & {"inert", "untestable", "insensitive"}


@pytest.mark.parametrize("condition", ["without"])
def test_a_drop_to_nothing_is_the_utility(condition):
    result = analyse(Outcomes(play(READER, n=20)), replace(PLAN, conditions=(condition,)))
    for arm in PLAN.arms:
        assert of(result, "drop", arm).estimate == of(result, "utility", arm).estimate
    assert of(result, "contrast", "artifact").same_text == 1.0


def test_a_ceiling_that_memory_made_is_no_ceiling():
    rows = tuple(replace(row, score=float(row.arm != "none")) for row in play({}, n=60))
    result = analyse(Outcomes(rows), PLAN)
    # judged inert, then withdrawn with the oracle's own
    assert {e.verdict for e in result.estimates if e.estimand == "drop"} == {"insensitive"}


def test_tasks_that_another_backbone_played_are_not_missing():
    result = analyse(Outcomes(BOUNDARY["backbones on different tasks"]), PLAN)
    assert {(e.backbone, e.n_tasks, e.n_missing) for e in result.estimates} == {
        ("m", 7, 0),
        ("nn", 3, 0),
        ("all", 0, 10),
    }
