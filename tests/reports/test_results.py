"""results.json from a ledger made by hand: what counts, what stands apart, what is said."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from memtrial.analysis.analysis_plan import AnalysisPlan
from memtrial.analysis.hypothesis_families import families_of
from memtrial.ledger.rows import CheckRow, Status, TrialRow
from memtrial.ledger.sqlite.sqlite_ledger import SqliteLedger
from memtrial.views.results.preparation import manipulation_rows, uneven_contrasts, uneven_damage
from memtrial.views.results.run_results import results
from memtrial.views.rows.play_rows import CellRow
from memtrial.views.rows.results import Results

TASKS = [f"t{i:02d}" for i in range(12)]
PLAN: dict[str, Any] = {
    "name": "hand",
    "question": "q",
    "seed": 0,
    "simulated": True,
    "control": "control: embedded equivalent",
    "world": "w",
    "outcome": "success",
    "backbones": ["b2", "b1"],
    "arms": ["none", "control"],
    "injections": {"control": "prepend"},
    "conditions": ["filler"],
    "primary": ["filler"],
    "pairs": [],
    "tasks": len(TASKS),
    "repeats": 1,
    "trials": 2 * 3 * len(TASKS),
    "planned": {"none": 2 * len(TASKS), "control": 4 * len(TASKS)},
    "margin": 0.1,
    "alpha": 0.05,
    "flips": 999,
    "cluster": "task",
    "clusters": {},
    "digests": {},
    "notes": [],
}
CELLS = (("none", "without"), ("control", "intact"), ("control", "filler"))


def trial(
    backbone: str, arm: str, condition: str, task: str, status: Status, score: float | None
) -> TrialRow:
    return TrialRow(
        key=f"{backbone}{arm}{condition}{task}", backbone=backbone, arm=arm, condition=condition, task=task,
        family="f", repeat=0, status=status, score=score, cause="", slot=f"{arm}{condition}",
        empty_slot=False,
        record="", firings=(), calls=2, cached=1, input_tokens=10, output_tokens=3,
    )  # fmt: skip


@pytest.fixture
def ledger(tmp_path: Path) -> SqliteLedger:
    return SqliteLedger(tmp_path / "ledger.sqlite")


def fill(ledger: SqliteLedger, **plan: Any) -> Results:
    """Every cell: intact solves all tasks, the others none; the last task of `filler` breaks."""
    ledger.state("plan", PLAN | plan)
    for backbone in ("b1", "b2"):
        for arm, condition in CELLS:
            for task in TASKS:
                broken = condition == "filler" and task == TASKS[-1]
                solved = condition == "intact"
                status: Status = "error" if broken else "success" if solved else "failure"
                score = None if broken else 1.0 if solved else 0.25
                ledger.add_trials([trial(backbone, arm, condition, task, status, score)])
    return results(ledger)


def cell(found: Results, condition: str) -> CellRow:
    return next(one for one in found.cells if (one.backbone, one.condition) == ("b1", condition))


def test_an_error_is_in_no_mean_and_stands_apart(ledger: SqliteLedger) -> None:
    found = fill(ledger)
    assert cell(found, "filler") == CellRow(
        backbone="b1", arm="control", condition="filler", n_trials=12, n_errors=1, score=0.0
    )  # fmt: skip
    assert found.errors == {"none": 0, "control": 2}
    (drop,) = [e for e in found.estimates if e.estimand == "drop" and e.backbone == "b1"]
    assert (drop.n_tasks, drop.n_missing, drop.estimate) == (11, 1, 1.0)
    assert drop.worst_low < drop.estimate


def test_an_error_that_was_played_again_counts_as_its_last_attempt(ledger: SqliteLedger) -> None:
    fill(ledger)
    ledger.add_trials([trial("b1", "control", "filler", TASKS[-1], "success", 1.0)])
    found = results(ledger)
    assert found.errors == {"none": 0, "control": 1}
    assert cell(found, "filler").score == pytest.approx(1 / 12)


def test_the_dense_score_is_the_outcome_where_the_plan_says_so(ledger: SqliteLedger) -> None:
    assert cell(fill(ledger, outcome="score"), "without").score == 0.25


def test_order_is_the_plans_and_nothing_depends_on_when_rows_came(
    ledger: SqliteLedger, tmp_path: Path
) -> None:
    found = fill(ledger)
    assert list(found.verdicts) == ["b2", "b1"]
    assert [one.backbone for one in found.cells] == ["b2"] * 3 + ["b1"] * 3
    other = SqliteLedger(tmp_path / "other.sqlite")
    other.state("plan", PLAN)
    other.add_trials(reversed(list(ledger.trials())))
    assert results(other).json_text() == found.json_text()


def test_a_run_under_way_says_so(ledger: SqliteLedger) -> None:
    ledger.state("plan", PLAN)
    ledger.add_trials([trial("b1", "none", "without", TASKS[0], "failure", 0.0)])
    assert results(ledger).notes[0] == "The run is not finished: 1 of 72 trials have been played."


def test_no_trial_at_all_is_no_crash(ledger: SqliteLedger) -> None:
    ledger.state("plan", PLAN)
    assert results(ledger).verdicts == {}


def test_checks_are_summed_over_the_slots_they_apply_to(ledger: SqliteLedger) -> None:
    measured = {"words_changed": 0.5, "content_words_left": 0.0, "length_ratio": 1.0, "flips": 0}
    rows = [
        CheckRow("b1", "control", "filler", "t1", 0, True, True, "", "x", "y", measured),
        CheckRow("b1", "control", "filler", "t2", 0, False, False, "the slot is empty", "x", "x", {}),
    ]
    ledger.add_checks(rows)
    (row,) = fill(ledger).manipulation
    assert (row.n, row.applicable, row.passed, row.words_changed) == (2, 1, 1, 0.5)
    assert row.not_applicable_because == ("the slot is empty",)


def test_numbers_are_plain_json(ledger: SqliteLedger) -> None:
    json.dumps(fill(ledger).model_dump(mode="json"), allow_nan=False)


def damaged(arm: str, condition: str, changed: float, **roles: float) -> CheckRow:
    measured = {"words_changed": changed, "roles": roles, "fluency_distance": 0.25, "written_by": "rules"}
    return CheckRow("b1", arm, condition, "t1", 0, True, True, "", "x", "y", measured)


def test_the_share_of_each_role_and_the_fluency_stand_beside_the_damage(ledger: SqliteLedger) -> None:
    ledger.add_checks([damaged("control", "filler", 0.5, what=0.5, why=1.0)])
    (row,) = fill(ledger).manipulation
    assert (row.roles, row.fluency_distance) == ({"what": 0.5, "why": 1.0}, 0.25)
    assert row.written_by == {"rules": 1}


def test_a_contrast_whose_arms_were_not_damaged_alike_has_a_note() -> None:
    rows = manipulation_rows(
        [
            damaged("artifact", "filler", 0.5, what=0.5, why=0.9),
            damaged("control", "filler", 0.45, what=0.45, form=0.0),
            damaged("artifact", "counter", 0.2, what=0.6, why=0.0),
            damaged("control", "counter", 0.1, what=0.4),
            damaged("artifact", "corrupt_mask", 0.5, what=0.5),
            damaged("control", "corrupt_mask", 0.3, what=0.5),
        ]
    )
    notes = uneven_damage(rows, [("artifact", "control"), ("activation", "control")])
    assert [note.split(":")[0] for note in notes] == [
        "artifact − control, counter",
        "artifact − control, corrupt_mask",
    ]
    assert (
        ": not damaged alike. 60% of the words that say what to do were touched, of control 40%." in notes[0]
    )
    assert "50% of the words were touched, of control 30%." in notes[1]
    assert not any("hypothesis" in note for note in notes)


def test_a_contrast_whose_advice_was_damaged_far_apart_is_no_hypothesis() -> None:
    rows = manipulation_rows(
        [
            damaged("artifact", "counter", 0.2, what=0.45),
            damaged("control", "counter", 0.1, what=0.14),
            damaged("artifact", "filler", 0.2, what=0.45),
            damaged("control", "filler", 0.1, what=0.25),
        ]
    )
    pairs = [("artifact", "control")]
    assert uneven_contrasts(rows, pairs) == (("artifact", "control", "counter"),)
    notes = uneven_damage(rows, pairs)
    assert [note.endswith(" It is no hypothesis.") for note in notes] == [True, False]
    plan = AnalysisPlan(("artifact", "control"), ("counter", "filler"), (("artifact", "control"),))
    apart = replace(plan, uneven=uneven_contrasts(rows, pairs))
    families = {family.name: family.members for family in families_of(apart, ("b1",))}
    assert [contrast.condition for _, contrast in families["hypotheses"]] == ["filler"]
    assert [contrast.condition for _, contrast in families["other contrasts"]] == ["counter"]
