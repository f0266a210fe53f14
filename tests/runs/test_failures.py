"""`failures` on runs: participants made for one failure mode, people's labels, a model over HTTP."""

import json
import shutil
from collections import Counter
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest
from sklearn.metrics import cohen_kappa_score

from memtrial.analysis.failures.shares import CODES
from memtrial.api.failures import blind_cases, case_of, failures
from memtrial.api.planted_runs import ByName
from memtrial.api.shown.loaded_results import load
from memtrial.faults import SpecFault
from memtrial.judges.failure_rules import code_by_rules
from memtrial.ledger.sqlite.sqlite_ledger import SqliteLedger
from memtrial.models.scripted.scripted_server import Script, serve_script
from memtrial.models.simulated.open_simulated import open_simulated
from memtrial.models.simulated.participants import DRIVEN
from memtrial.models.simulated.prompt import answer
from memtrial.outcomes.grouping import group_by
from memtrial.pages.failure_desk import FailureDesk
from memtrial.pages.page_server import serve_page
from memtrial.reports.render.html_report import render_html
from memtrial.reports.text.failure_text import (
    first_lines,
    harm_lines,
    left_out_line,
    mode_table,
    worked_table,
)
from memtrial.runs.setup.preflight import check_spec
from memtrial.runs.spec.read_spec import load_spec
from memtrial.views.evidence.mode_rates import failed_pairs
from memtrial.views.rows.failure_rows import FailureModes
from tests.support.carried_out import play_spec
from tests.support.refusing import Warm
from tests.support.review_desk import ask
from tests.support.scripted_run import CLAUDE, said, script, sent, surroundings
from tests.support.small import write_spec

SPEC = """
name: modes
seed: 1
environment: {world: workshop, train: 8, test: 14}
backbone: [simulated/overreliant, simulated/distracted, simulated/hasty, simulated/talker]
roles: {condenser: simulated/scribe, gate: simulated/examiner, coder: rules}
traces: {source: play, player: simulated/ignorer, attempts: 4}
condensers: {native: {kind: native}, theory: {kind: theory, gates: [trigger-presence, claim-strength]}}
arms: [none, control, artifact]
conditions: [corrupt_invert]
repeats: 2
analysis: {flips: 199}
"""
MADE_FOR = {"overreliant": "reliance", "distracted": "distraction", "hasty": "premature"}


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("modes")
    play_spec(load_spec(write_spec(folder, SPEC)), folder / "run", told=False)
    return folder / "run"


@pytest.fixture(scope="module")
def found(played: Path) -> FailureModes:
    return failures(played)


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Few cases of one backbone."""
    folder = tmp_path_factory.mktemp("few")
    text = (
        SPEC.replace("train: 8, test: 14", "train: 6, test: 6")
        .replace("simulated/distracted, ", "")
        .replace("overreliant", "distracted")
    )
    path = write_spec(folder, text.replace("simulated/hasty, ", "").replace(", simulated/talker", ""))
    play_spec(load_spec(path), folder / "out", told=False)
    return folder / "out"


@pytest.fixture
def run(small: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(small, tmp_path / "out"))


def confusion_of(run: Path) -> Counter[tuple[str, str]]:
    """What the participants were made for, or the world says, by what the rules say; printed."""
    ledger, confusion = SqliteLedger.open_read_only(run / "ledger.sqlite"), Counter[tuple[str, str]]()
    for pair in failed_pairs(tuple(ledger.trials())):
        case = case_of(ledger, pair)
        # what the world says, where the memory did not drive the agent
        truth = "premature" if pair.failed.cause == "signed off before the check" else "other"
        if any(step.thought == DRIVEN for step in case.failed.steps):
            truth = MADE_FOR[pair.failed.backbone.partition("/")[2]]
        confusion[truth, code_by_rules(case).mode or "undecided"] += 1
    ledger.close()
    for (truth, coded), n in sorted(confusion.items()):
        print(f"{truth:12} coded {coded:12} {n}")
    return confusion


def test_rules_find_the_mode_a_participant_was_made_for(played: Path) -> None:
    confusion = confusion_of(played)
    decided = [pair for pair in confusion.elements() if pair[1] != "undecided"]
    assert cohen_kappa_score(*zip(*decided, strict=True)) >= 0.8
    for mode in MADE_FOR.values():
        assert confusion[mode, mode] >= 5
        found = sum(n for (_, coded), n in confusion.items() if coded == mode)
        assert confusion[mode, mode] >= 0.8 * found, mode  # its precision


def test_the_same_participants_over_http(tmp_path: Path) -> None:
    names = ("overreliant", "distracted", "hasty")
    served = ", ".join(f"anthropic/{name}" for name in names)
    text = SPEC.replace(SPEC[SPEC.index("[simulated/o") + 1 : SPEC.index("]\nroles")], served)
    text = text.replace("train: 8, test: 14", "train: 6, test: 6").replace("control, ", "")
    spec = load_spec(write_spec(tmp_path, text))
    with serve_script(
        Script(ByName({name: open_simulated(f"simulated/{name}") for name in names}))
    ) as server:
        assert play_spec(spec, tmp_path / "run", environment=surroundings(server.url), told=False) == 0
    confusion = confusion_of(tmp_path / "run")
    decided = [pair for pair in confusion.elements() if pair[1] != "undecided"]
    assert len(decided) >= 10
    assert cohen_kappa_score(*zip(*decided, strict=True)) >= 0.8


def test_the_table_of_a_run(played: Path, found: FailureModes) -> None:
    assert found.simulated
    assert {row.domain for row in found.rows} == {"workshop"}
    assert len(found.rows) == 4 * 2 * 2
    ledger = SqliteLedger.open_read_only(played / "ledger.sqlite")
    trials = tuple(ledger.trials())
    ledger.close()
    for row in found.rows:
        assert row.n == pytest.approx(sum(row.counts.values()))
        assert sum(row.rates.values()) == pytest.approx(1)
        assert row.flow is not None
        scores = [
            group_by(
                [t for t in trials if (t.backbone, t.arm, t.condition) == (row.backbone, *cell)],
                lambda trial: trial.task,
            )
            for cell in (("none", "without"), (row.arm, row.condition))
        ]
        without, damaged = (
            {
                task: fmean(t.status == "success" for t in played_trials)
                for task, played_trials in by_task.items()
            }
            for by_task in scores
        )
        tasks = without.keys() & damaged.keys()  # the damage does not fit every slot
        assert len(tasks) >= 13
        loss = fmean(without[task] - damaged[task] for task in tasks)
        assert row.flow.harm - row.flow.gain == pytest.approx(loss)
        # of all failures on the base set, weighted: the rates of the base are the counts over its weight
        assert row.rates["other"] * row.flow.harm == pytest.approx(
            (1 - row.rates["success"]) * row.counts["other"] / len(tasks)
        )
    distracted = next(row for row in found.rows if row.backbone == "simulated/distracted")
    assert distracted.flow is not None
    assert distracted.flow.excess_harm is not None
    assert distracted.flow.excess_harm.low > 0  # more than chance
    assert {test.test for test in found.tests} == {"Stuart-Maxwell", "paired difference"}
    assert json.loads(found.model_dump_json())["rows"][0].keys() >= {"backbone", "arm", "n", "counts", "low"}
    undecided = [pair for pair in confusion_of(played).elements() if pair[1] == "undecided"]
    assert 0 < found.cases - found.coded == len(undecided)
    few = [row for row in found.rows if row.n < 5]
    assert 0 < len(few) < len(found.rows)
    assert len(mode_table(found).rows) == len(found.rows) - len(few)
    assert left_out_line(found) in mode_table(found).caption
    assert next(first_lines(found)) == (
        f"{found.coded} of {found.cases} failures coded, by {found.coder}; {len(undecided)} undecided, which"
        " count as other."
    )


def test_the_clearest_pair_of_each_mode_is_shown_with_its_item(played: Path, found: FailureModes) -> None:
    assert [one.mode for one in found.worked] == ["distraction", "reliance", "premature"]
    ledger = SqliteLedger.open_read_only(played / "ledger.sqlite")
    pairs = {pair.case: pair for pair in failed_pairs(tuple(ledger.trials()))}
    for one in found.worked:
        case = case_of(ledger, pairs[one.case])
        assert one.condition == "intact"
        assert one.parting == case.parting + 1
        at = next(step for step in one.steps if step.turn == one.parting)
        assert at.failed.startswith(case.failed.steps[case.parting].action)
        assert one.backbone.partition("/")[2] in {who for who, mode in MADE_FOR.items() if mode == one.mode}
    ledger.close()
    distracted, reliant, _ = found.worked
    assert "look into" in distracted.steps[0].failed
    assert reliant.steps[0].failed.partition(" →")[0] in reliant.item
    told = worked_table(reliant)
    assert told.rows[0][0] == "▶ 1"
    assert "the runs part at turn 1" in told.caption


def test_what_precedes_harm_is_said_or_refused_in_one_line(found: FailureModes) -> None:
    rows = found.predictors
    assert len(rows) == 4
    for row in rows:
        assert (row.auc is None) == ("needs" in row.says)
        assert row.auc is None or (row.p is not None and row.auc_chance is not None)
    lines = list(harm_lines(found))
    assert len(lines) == 4
    assert not any("\n" in line for line in lines)


def test_codes_are_saved_once_and_stand_in_the_report(run: Path) -> None:
    assert load(run).failure_modes is None
    found = failures(run)  # by the spec's roles.coder
    results = load(run)
    assert results.failure_modes is not None
    assert results.failure_modes.rows == found.rows
    page = render_html(results, ())
    assert next(first_lines(found)) in page
    assert "How memory breaks what is solved without it" in page
    assert "A worked case: distraction" in page
    assert "What precedes harm" in page
    ledger = SqliteLedger.open_read_only(run / "ledger.sqlite")
    before = ledger.codes()
    ledger.close()
    assert len(before[found.coder]) == found.cases
    assert failures(run, coder="rules") == found == failures(run)


def test_people_label_blind_and_correct_the_coder(
    played: Path, found: FailureModes, run: Path, tmp_path: Path
) -> None:
    cases = list(blind_cases(played))
    assert len(cases) == found.cases
    told = " ".join(json.dumps(one) for one in cases)
    assert not any(word in told for word in ("corrupt_invert", '"intact"', "simulated/", '"control"'))
    by_rules = {case: mode for case, mode in _codes(played).items() if mode}
    labels = [
        {"case": case, "mode": "other" if at % 10 == 0 else mode, "rater": rater}
        for at, (case, mode) in enumerate(list(by_rules.items())[:60])
        for rater in ("ann", "bo")
    ]
    path = tmp_path / "people.jsonl"
    path.write_text("".join(f"{json.dumps(one)}\n" for one in labels), encoding="utf-8")
    found = failures(played, human=path)
    among, against = found.agreement
    assert among.raters == ("ann", "bo")
    assert among.alpha is not None
    assert among.alpha[0] == 1.0
    assert against.raters[0] == "people"
    assert against.kappa is not None
    assert 0.6 < against.kappa[0] < 1
    other = next(one for one in found.corrected if one.mode == "other")
    assert other.estimate > other.coded
    path.write_text(json.dumps({"case": "of another run", "mode": "other"}) + "\n", encoding="utf-8")
    with pytest.raises(SpecFault, match="names none of them"):
        failures(run, human=path)


def test_what_people_label_on_the_page_is_read(run: Path, tmp_path: Path) -> None:
    coded, path = _codes(run), tmp_path / "cases.jsonl"
    cases = sorted(blind_cases(run), key=lambda one: not coded[one["case"]])[:12]  # those with a code first
    path.write_text("".join(f"{json.dumps(one)}\n" for one in cases), encoding="utf-8")
    for rater in ("ann", "bo"):
        desk = FailureDesk(path, rater)
        assert desk.queue().left == len(cases)
        with serve_page(desk) as address:
            for draft in desk.queue().drafts:
                page = ask(address, draft.id).text
                assert not any(word in page for word in ("corrupt_invert", "intact", "simulated/", "control"))
                assert ask(address, draft.id, {"how": "distraction"}).status == 303
    found = failures(run, human=path)
    assert found.agreement[0].raters == ("ann", "bo")
    assert found.agreement[0].cases == len(cases)
    assert found.corrected


def _codes(run: Path) -> dict[str, Any]:
    ledger = SqliteLedger.open_read_only(run / "ledger.sqlite")
    pairs = failed_pairs(tuple(ledger.trials()))
    found = {pair.case: code_by_rules(case_of(ledger, pair)).mode for pair in pairs}
    ledger.close()
    return found


def test_a_model_codes_over_http_and_is_paid_once(run: Path, warm: Warm) -> None:
    fields = {
        "mode": "distraction",
        "solved_quote": "Nothing happens",
        "failed_quote": "You stand before the",
    }
    answers = said(("solved_quote", answer(fields | {"reason": "So it is."})))
    with serve_script(script(answers=answers)) as server:
        done = warm.call(
            "failures", "out", "--coder", CLAUDE, "--json", "--display", "none",
            cwd=run.parent, variables=surroundings(server.url), within_s=100,
        )  # fmt: skip
    assert done.code == 0, done
    first, asked = FailureModes.model_validate_json(done.out), sent(run.parent).sent
    assert failures(run, coder=CLAUDE) == first  # the server is gone
    assert sent(run.parent).sent == asked > 0
    labelled = sum(row.n for row in first.rows)
    errors = sum(row.errors for row in first.rows)
    assert labelled > 0
    for row in first.rows:
        assert row.flow is not None
        assert row.n <= row.flow.harm * 6 + 1e-9  # an error is in no share
    # a solved run without a useless action does not hold the quote: that is no label
    assert errors > 0
    assert all(row.counts[mode] == 0 for row in first.rows for mode in CODES[1:])
    assert any(note.startswith("Coding cost") for note in first.notes)
    assert first.agreement[0].raters[0] == first.coder


def test_a_simulated_participant_codes_nothing(run: Path) -> None:
    with pytest.raises(SpecFault, match="no simulated participant codes"):
        failures(run, coder="simulated/reader")
    spec = load_spec(write_spec(run.parent, SPEC.replace("coder: rules", "coder: simulated/reader")))
    with pytest.raises(SpecFault, match="reads and codes failures"):
        check_spec(spec)
