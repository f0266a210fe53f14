"""Runs whose success a model judges: audited against the world, errors kept apart, the judge blind."""

import json
from pathlib import Path

import pytest

from memtrial.api.shown.loaded_results import load
from memtrial.faults import SpecFault
from memtrial.ledger.sqlite.sqlite_ledger import SqliteLedger
from memtrial.models.scripted.scripted_server import serve_script
from memtrial.reports.render.html_report import render_html
from memtrial.reports.text.failure_text import judge_lines, moved_table
from memtrial.runs.forecast.power_table import PlanOptions
from memtrial.runs.forecast.spec_forecast import forecast_of
from memtrial.runs.setup.preflight import check_spec
from memtrial.runs.spec.read_spec import load_spec
from memtrial.views.results.judge_audit import judge_sentence
from tests.support.carried_out import play_spec
from tests.support.scripted_run import CLAUDE, said, script, surroundings
from tests.support.small import write_spec

SPEC = """
name: graded
seed: 4
environment: {world: workshop, train: 8, test: 10}
backbone: simulated/reader
roles: {condenser: simulated/scribe, gate: simulated/examiner, grader: 'GRADER'}
grading: {form: lines, regrade: 0.5}
traces: {source: play, player: simulated/ignorer}
arms: [none, oracle, planted-native]
conditions: [counter]
repeats: 2
analysis: {flips: 199, pairs: [[oracle, planted-native]]}
"""


def play(folder: Path, grader: str, *settings: str, environment: dict[str, str] | None = None) -> Path:
    spec = load_spec(write_spec(folder, SPEC.replace("GRADER", grader)), list(settings))
    play_spec(spec, folder / "out", environment=environment)
    return folder / "out"


def test_the_judge_decides_and_is_held_against_the_world(tmp_path: Path) -> None:
    run = play(tmp_path, "simulated/grader?hit=0.8&false_alarm=0.1")
    results = load(run)
    found = results.judged
    assert found is not None
    assert found.against_world is not None
    assert found.judged == 10 * 2 * 5
    assert found.against_world.solved + found.against_world.failed == found.judged
    assert found.against_world.kept is not None
    assert 0.4 < found.against_world.kept < 1
    world, same, other = found.agreement
    assert world.raters == ("the world", "the judge")
    assert world.cases == found.judged
    assert 20 < same.cases == other.cases < 80
    assert {row.estimand for row in found.moved} == {"drop", "contrast"}
    for row in found.moved:
        assert row.estimate is not None
        assert row.corrected is not None
        assert abs(row.corrected) >= abs(row.estimate)
    assert any(note.startswith("Success was judged by simulated/grader") for note in results.notes)
    assert "The judge of success" in render_html(results, ())
    assert len(moved_table(found).rows) == len(found.moved)
    assert any("Sensitivity" in line for line in judge_lines(found))
    ledger = SqliteLedger.open_read_only(run / "ledger.sqlite")
    for one in ledger.trials():
        assert one.status == one.grades[0]["label"]
        assert one.score == float(one.status == "success")
        assert one.oracle in ("success", "failure")
    ledger.close()


def test_without_an_oracle_only_the_judge_speaks(tmp_path: Path) -> None:
    found = load(play(tmp_path, "simulated/grader", "grading.oracle=false", "repeats=1")).judged
    assert found is not None
    assert found.against_world is None
    assert found.moved == ()
    assert "no world's outcome" in judge_sentence(found)


def test_the_oracle_is_never_wrong_and_asks_nobody(tmp_path: Path) -> None:
    results = load(play(tmp_path, "oracle", "repeats=1"))
    assert results.judged is not None
    assert results.judged.against_world is not None
    assert results.judged.against_world.kept == 1
    assert not any("grader" in one.asked for one in results.models)


def test_what_cannot_be_read_is_an_error_over_http_and_is_no_failure(tmp_path: Path) -> None:
    with serve_script(
        script(answers=said(("Status: success or failure", "I would rather not say.")))
    ) as server:
        run = play(tmp_path, CLAUDE, "repeats=1", "environment.test=4", environment=surroundings(server.url))
    ledger = SqliteLedger.open_read_only(run / "ledger.sqlite")
    trials = list(ledger.trials())
    ledger.close()
    assert {one.status for one in trials} == {"error"}
    assert all("the judge of success has to answer" in one.cause for one in trials)
    assert {(one.boundary, one.fault) for one in trials} == {("harness", "GradeFault")}
    results = json.loads((run / "results.json").read_text(encoding="utf-8"))
    assert sum(results["errors"].values()) == len(trials) > 0
    assert not any(results["agent_failures"].values())


@pytest.mark.parametrize(
    ("grader", "setting", "why"),
    [
        ("simulated/reader", "repeats=2", "judges success"),
        ("simulated/grader", "mode=stream", "needs mode: frozen"),
        ("simulated/grader", "analysis.outcome=score", "success or failure"),
        ("simulated/grader", "grading.form=prose", "form"),
    ],
)
def test_what_cannot_be_is_refused(tmp_path: Path, grader: str, setting: str, why: str) -> None:
    with pytest.raises(SpecFault, match=why):
        check_spec(load_spec(write_spec(tmp_path, SPEC.replace("GRADER", grader)), [setting]))


def test_the_plan_prices_it(tmp_path: Path) -> None:
    def likely(grader: str) -> float:
        spec = load_spec(write_spec(tmp_path, SPEC.replace("GRADER", grader)))
        priced = forecast_of(check_spec(spec, {"ANTHROPIC_API_KEY": "x"}), None, PlanOptions(simulate=0))
        return priced.total_usd.likely or 0.0

    assert likely(CLAUDE) > likely("simulated/grader") == 0
