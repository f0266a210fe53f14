"""A locked run looks where it was to look, and stops where the boundary was reached and nowhere else."""

import json
import shutil
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from memtrial.cli.experiment.lock import lock as lock_run
from memtrial.cli.experiment.plan import plan as show_plan
from memtrial.cli.results.status import show_status, status_of
from memtrial.faults import SpecFault
from memtrial.ledger.run_plan import TakenLook, read_numbered, stated_plan
from memtrial.ledger.sqlite.sqlite_ledger import SqliteLedger
from memtrial.protocol.masking import mask_of
from memtrial.protocol.monitoring import clusters_in_order, complete_tasks
from memtrial.reports.render.html_report import render_html
from memtrial.reports.sections.row_tables import e_table, looks_table
from memtrial.runs.spec.read_spec import load_spec
from memtrial.views.rows.results import Results
from tests.support.another_hand import changed
from tests.support.carried_out import play_spec, run_spec
from tests.support.small import write_spec

SPEC = """
name: looking
seed: 3
environment: {world: workshop, train: 8, test: 40}
backbone: [simulated/reader]
roles: {condenser: simulated/scribe, gate: simulated/examiner}
traces: {source: play, player: simulated/ignorer, attempts: 4}
arms: [none, control, oracle]
conditions: [corrupt_invert]
repeats: 1
analysis: {flips: 499, looks: 4, cluster: task, pairs: [[oracle, control]]}
"""


def looked(
    place: Path, *settings: str, limit: int | None = None, lock: bool = True, told: bool = True
) -> Path:
    spec = load_spec(write_spec(place, SPEC), settings)
    if lock:
        lock_run(spec, out=place / "out", display="none", as_json=True)
    assert play_spec(spec, place / "out", limit, told=told) == 0
    return place / "out"


def said(folder: Path) -> dict[str, Any]:
    return dict(json.loads((folder / "results.json").read_text()))


@pytest.fixture(scope="module")
def stopped(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The positive control against the native arm: a large effect."""
    return looked(tmp_path_factory.mktemp("stopped"))


def test_no_look_is_passed_while_a_block_before_it_cannot_be_trusted(tmp_path: Path) -> None:
    folder = looked(tmp_path, limit=5, told=False)
    first = "(SELECT min(rowid) FROM trials)"
    changed(folder / "ledger.sqlite", f"UPDATE trials SET score = NULL WHERE rowid = {first}")
    spec = load_spec(write_spec(tmp_path, SPEC))
    assert run_spec(spec, folder, False, None, "none", True, False) == 1
    assert said(folder)["monitoring"]["looks"]["taken"] == []
    ledger = SqliteLedger.open_read_only(folder / "ledger.sqlite")
    assert len({trial.task for trial in ledger.trials()}) == 9
    ledger.close()


def test_it_stops_at_a_look_and_says_so_everywhere(stopped: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = said(stopped)
    looks = found["monitoring"]["looks"]
    assert looks["counts"] == [10, 20, 30, 40]
    last = looks["taken"][-1]
    assert last["stop"]
    assert 1 < last["number"] < 4
    assert [one["number"] for one in looks["taken"]] == list(range(1, last["number"] + 1))
    ledger = SqliteLedger.open_read_only(stopped / "ledger.sqlite")
    played = {trial.task for trial in ledger.trials()}
    assert len(played) == last["tasks"]
    assert all(one.made for one in read_numbered(ledger, TakenLook))
    order = [task for cluster in clusters_in_order(stated_plan(ledger)) for task in cluster]
    assert played == set(order[: last["tasks"]])
    ledger.close()
    assert found["status"] == "confirmatory"
    assert found["hypotheses"][0]["verdict"] == "load-bearing"
    (row,) = [one for one in found["estimates"] if one["family"] == "hypotheses"]
    (seen,) = last["seen"]
    assert row["p_adjusted"] == pytest.approx(seen["overall"])
    assert row["p_adjusted"] > row["p"]
    assert row["low"] > 0
    assert any("stopped at look" in note for note in found["notes"])
    assert not any("not finished" in note for note in found["notes"])
    status = status_of(stopped)
    assert status["state"] == "finished"
    assert status["next"].startswith("It stopped at look")
    show_status(stopped, False)
    text = capsys.readouterr().out
    (line,) = [one for one in text.splitlines() if f"{last['number']} of 4" in one]
    assert "the run ended here" in line
    assert "arm 1" not in text


def test_the_same_command_again_plays_nothing_more(stopped: Path, tmp_path: Path) -> None:
    before = (stopped / "results.json").read_bytes()
    assert play_spec(load_spec(write_spec(tmp_path, SPEC)), stopped) == 0
    assert (stopped / "results.json").read_bytes() == before
    *_, last = sorted((stopped / "logs").iterdir())
    assert "damage" not in last.read_text()  # nor is anything prepared that would not be played


def test_an_amended_run_goes_on_beyond_the_look_that_had_ended_it(stopped: Path, tmp_path: Path) -> None:
    out = shutil.copytree(stopped, tmp_path / "out")
    before = len(trials_of(out))
    path, settings = write_spec(tmp_path, SPEC), ["analysis.margin=0.2"]
    lock_run(path, settings=settings, out=out, amend="a wider margin", display="none", as_json=True)
    assert play_spec(load_spec(path, settings), out, 1, told=False) == 0
    assert len(trials_of(out)) > before


def trials_of(folder: Path) -> frozenset[str]:
    with closing(SqliteLedger.open_read_only(folder / "ledger.sqlite")) as ledger:
        return ledger.finished_keys()


def test_broken_off_and_gone_on_with_it_looks_the_same(stopped: Path, tmp_path: Path) -> None:
    folder = looked(tmp_path, limit=13)
    first = said(folder)
    assert [one["number"] for one in first["monitoring"]["looks"]["taken"]] == [1]
    assert first["monitoring"]["looks"]["next"] == 20
    text = "\n".join(_lines(folder))
    (line,) = [one for one in text.splitlines() if "2 of 4" in one]
    assert line.split()[3] == "20"
    assert line.endswith("not taken")
    assert "arm 1 - arm 2" in text or "arm 2 - arm 1" in text
    assert play_spec(load_spec(write_spec(tmp_path, SPEC)), folder) == 0
    assert said(folder)["monitoring"] == said(stopped)["monitoring"]
    assert said(folder)["estimates"] == said(stopped)["estimates"]


def _lines(folder: Path) -> list[str]:
    from memtrial.cli.results.status import _lines as lines

    return list(lines(status_of(folder), None))


def test_without_a_lock_no_look_is_taken_and_nothing_is_decided(tmp_path: Path) -> None:
    folder = looked(tmp_path, "environment.test=12", lock=False)
    found = said(folder)
    assert found["status"] == "exploratory"
    looks = found["monitoring"]["looks"]
    assert (looks["taken"], looks["in_force"], looks["next"]) == ([], False, None)
    assert any("no lock fixed them" in note for note in found["notes"])
    ledger = SqliteLedger.open_read_only(folder / "ledger.sqlite")
    assert len({trial.task for trial in ledger.trials()}) == 12
    ledger.close()
    text = "\n".join(_lines(folder))
    assert "none is taken" in text


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        (("analysis.pairs=[]",), "analysis.looks needs a hypothesis to look at; got looks: 4"),
        (("arms=[none, control, raw]", "analysis.pairs=null"), "analysis.looks needs a hypothesis"),
        (
            ("arms=[none, dose-0, oracle]", "analysis.pairs=[[oracle, dose-0]]", "analysis.looks=1"),
            r"a damage in common; got \['oracle', 'dose-0'\]",
        ),
        (("conditions=[instructed]", "analysis.primary=[]"), "analysis.looks needs a hypothesis"),
    ],
)
def test_looks_and_pairs_that_nothing_can_come_of_are_refused(
    tmp_path: Path, settings: tuple[str, ...], said: str
) -> None:
    spec = load_spec(write_spec(tmp_path, SPEC), settings)
    for verb in (
        lambda: show_plan(spec),
        lambda: lock_run(spec, out=tmp_path / "out", display="none", as_json=True),
        lambda: run_spec(spec, tmp_path / "out", False, None, "none", True, False),
    ):
        with pytest.raises(SpecFault, match=said):
            verb()
    assert not (tmp_path / "out").exists()


def test_streams_have_no_looks(tmp_path: Path) -> None:
    with pytest.raises(SpecFault, match="mode: stream cannot be locked"):
        load_spec(write_spec(tmp_path, SPEC + "mode: stream\n"))


@pytest.mark.parametrize("cluster", ["task", "family", "record"])
def test_with_looks_clusters_are_played_one_after_the_other(tmp_path: Path, cluster: str) -> None:
    few = ("environment.test=20", "analysis.looks=2", "repeats=2")
    folder = looked(tmp_path, f"analysis.cluster={cluster}", *few, lock=False, told=False)
    ledger = SqliteLedger.open_read_only(folder / "ledger.sqlite")
    plan = stated_plan(ledger)
    clusters = clusters_in_order(plan)
    assert sorted(task for one in clusters for task in one) == sorted(plan.task_order)
    seen = list(dict.fromkeys(trial.task for trial in ledger.trials()))
    assert seen == list(plan.task_order) == [task for one in clusters for task in one]
    assert complete_tasks(ledger.trials(), plan) == set(seen)
    ledger.close()


def test_the_report_shows_e_and_the_looks(stopped: Path) -> None:
    found = said(stopped)
    monitoring = Results.model_validate(found).monitoring
    assert monitoring is not None
    (row,) = e_table(monitoring).rows
    assert row[1] == "oracle − control"
    assert [one[-1] for one in looks_table(monitoring).rows].count("not taken") == 4 - len(
        found["monitoring"]["looks"]["taken"]
    )
    assert "Monitoring" in render_html(Results.model_validate(found))
    (watched,) = found["monitoring"]["hypotheses"]
    assert watched["n_units"] == found["monitoring"]["tasks_complete"]
    assert watched["anytime_p"] <= 1.0
    assert watched["e"] <= 1 / watched["anytime_p"] * (1 + 1e-9)
    assert row[4] == f"{watched['e']:.3g}"
    assert found["multiplicity"]["primary"] == "hypotheses"
    assert found["multiplicity"]["families"][0]["claim"] == "confirmatory"
    assert found["multiplicity"]["looks"] == 4


def test_masks_are_a_permutation_drawn_from_the_digest() -> None:
    arms = ["none", *(f"a{number}" for number in range(30))]
    mask = mask_of("ab" * 32, arms)
    assert mask.of("none") == "none"
    assert len({mask.of(arm) for arm in arms}) == 31
    assert {mask.of("a0"), mask.of("a1")} != {mask_of("cd" * 32, arms).of(arm) for arm in ("a0", "a1")}
    assert mask_of("ab" * 32, reversed(arms)) == mask
    first = [mask_of(sha256(bytes([seed])).hexdigest(), ["x", "y"]).of("x") for seed in range(256)]
    assert 0.4 < np.mean([name == "arm 1" for name in first]) < 0.6
