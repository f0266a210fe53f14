"""A whole run, small: what the ledger holds, how it goes on, what it refuses."""

import json
import shutil
from collections import defaultdict
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from memtrial.faults import SpecFault
from memtrial.ledger.rows import TrialRow
from memtrial.ledger.sqlite.sqlite_ledger import SqliteLedger
from memtrial.memory.item import NativeItem, TheoryItem
from memtrial.memory.markdown import parse_all
from memtrial.prompts.templates import cue_line
from memtrial.runs.engine.frozen_mode import _is_over
from memtrial.runs.run_folder.folder import alone_in
from memtrial.runs.spec.read_spec import load_spec
from tests.support import small
from tests.support.carried_out import play_spec, run_spec
from tests.support.small import FEW, write_spec

SPEC = small.SPEC.replace("train: 24, test: 8", "train: 8, test: 4")
SPEC += """
condensers: {native: {kind: native}, theory: {kind: theory, gates: [trigger-presence, claim-strength]}}
"""
DAMAGE = ("empty", "filler", "corrupt_mask", "corrupt_invert", "irrelevant_swap")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The run folder of the small experiment."""
    place = tmp_path_factory.mktemp("run")
    spec = load_spec(write_spec(place, SPEC))
    assert play_spec(spec, place / "out") == 0
    return place / "out"


@pytest.fixture(scope="module")
def trials(folder: Path) -> list[TrialRow]:
    ledger = SqliteLedger(folder / "ledger.sqlite")
    rows = list(ledger.trials())
    ledger.close()
    return rows


@pytest.fixture(scope="module")
def slots(folder: Path, trials: list[TrialRow]) -> dict[str, str]:
    ledger = SqliteLedger(folder / "ledger.sqlite")
    texts = {trial.slot: ledger.slot(trial.slot) or "" for trial in trials}
    ledger.close()
    return texts


def test_every_cell_of_every_block_was_played_once(trials: list[TrialRow]) -> None:
    cells: dict[tuple[str, str, int], list[tuple[str, str]]] = defaultdict(list)
    for trial in trials:
        cells[trial.backbone, trial.task, trial.repeat].append((trial.arm, trial.condition))
    arms = ("control", "artifact", "activation", "oracle")
    wanted = {("none", "without"), *((arm, c) for arm in arms for c in ("intact", *DAMAGE))}
    assert len(cells) == 2 * 4 * 2
    for block in cells.values():
        assert len(block) == len(set(block))
        assert wanted >= set(block) >= {("none", "without"), *((arm, "intact") for arm in arms)}


def test_cells_are_interleaved_and_blocks_shuffled(trials: list[TrialRow]) -> None:
    first_cells = {next((t.arm, t.condition) for t in trials if (t.task, t.repeat, t.backbone) == block)
                   for block in {(t.task, t.repeat, t.backbone) for t in trials}}  # fmt: skip
    assert len(first_cells) > 5
    tasks = list(dict.fromkeys(trial.task for trial in trials))
    assert tasks != sorted(tasks)


def test_each_arm_shows_the_memory_of_its_own_condenser(
    trials: list[TrialRow], slots: dict[str, str]
) -> None:
    for trial in trials:
        if trial.condition != "intact" or trial.empty_slot:
            continue
        kinds = {type(item) for item in parse_all(slots[trial.slot])}
        wanted = {
            "control": {NativeItem},
            "artifact": {TheoryItem},
            "activation": {TheoryItem},
            "oracle": set(),
        }
        assert kinds == wanted[trial.arm], trial.arm


def test_every_arm_shows_the_same_records_and_never_the_task_itself(trials: list[TrialRow]) -> None:
    records: dict[str, set[str]] = defaultdict(set)
    for trial in trials:
        if trial.arm in ("control", "artifact", "activation"):
            records[trial.task].add(trial.record)
    assert all(len(found) == 1 for found in records.values())
    assert all(task not in found for task, found in records.items())


def test_damage_changes_the_text_and_none_shows_nothing(
    trials: list[TrialRow], slots: dict[str, str]
) -> None:
    intact = {(t.backbone, t.arm, t.task, t.repeat): t.slot for t in trials if t.condition == "intact"}
    for trial in trials:
        if trial.arm == "none":
            assert slots[trial.slot] == ""
        elif trial.condition != "intact" and not trial.empty_slot:
            assert trial.slot != intact[trial.backbone, trial.arm, trial.task, trial.repeat]
            assert slots[trial.slot].startswith(cue_line())


@pytest.fixture(scope="module")
def steps(folder: Path, trials: list[TrialRow]) -> dict[str, Any]:
    ledger = SqliteLedger(folder / "ledger.sqlite")
    said = {trial.key: ledger.episode(trial.key) for trial in trials}
    ledger.close()
    return {key: episode.steps for key, episode in said.items() if episode is not None}


def test_repeats_never_share_an_answer(trials: list[TrialRow], steps: dict[str, Any]) -> None:
    acted: dict[tuple[str, str, str, str], list[list[str]]] = defaultdict(list)
    for trial in trials:
        if trial.backbone == "simulated/ignorer":
            place = (trial.backbone, trial.task, trial.arm, trial.condition)
            acted[place].append([step["action"] for step in steps[trial.key]])
    differing = sum(one != other for one, other in (pair for pair in acted.values() if len(pair) == 2))
    assert differing > 0.5 * len(acted)


def test_an_empty_slot_answers_as_without(trials: list[TrialRow], steps: dict[str, Any]) -> None:
    none = {(t.backbone, t.task, t.repeat): t for t in trials if t.arm == "none"}
    for trial in trials:
        if trial.empty_slot:
            twin = none[trial.backbone, trial.task, trial.repeat]
            assert (trial.status, steps[trial.key]) == (twin.status, steps[twin.key])


def test_firing_is_decided_on_the_intact_item(trials: list[TrialRow]) -> None:
    first: dict[tuple[str, int], set[tuple[int, int] | None]] = defaultdict(set)
    seen = 0
    for trial in trials:
        shown = [f for f in trial.firings if f["step"] == 0 and "action:" not in f["why"]]
        if trial.arm == "activation":
            assert all(firing["shown"] for firing in trial.firings)
            seen += len(shown)
        else:
            assert not any(firing["shown"] for firing in trial.firings)
        first[trial.task, trial.repeat].add((shown[0]["step"], shown[0]["item"]) if shown else None)
    assert seen > 20
    # what fires on the first sight depends on the intact memory alone: not on the arm, nor on the damage
    assert all(len(found) == 1 for found in first.values())


def test_shadow_firings_are_logged_without_memory_too(trials: list[TrialRow]) -> None:
    assert any(trial.firings for trial in trials if trial.arm == "none")
    assert any(trial.firings for trial in trials if trial.arm == "control")


def test_every_check_passed_or_says_why_it_does_not_apply(folder: Path) -> None:
    ledger = SqliteLedger(folder / "ledger.sqlite")
    checks = list(ledger.checks())
    ledger.close()
    assert {check.condition for check in checks} == set(DAMAGE)
    assert all(check.passed if check.applicable else check.reason for check in checks)
    assert sum(check.applicable for check in checks) > 0.9 * len(checks)


def test_the_results_say_what_they_are(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    assert run_spec(load_spec(write_spec(tmp_path, FEW)), folder, False, None, "none", True, False) == 0
    results = json.loads((folder / "results.json").read_text())
    assert results["simulated"] is True
    assert results["status"] == "exploratory"
    assert results["control"] == "control: embedded equivalent"
    page = (folder / "report.html").read_text()
    assert "no evidence about any language model" in page
    assert "no evidence about any language model" in (folder / "report.md").read_text()
    assert {"world", "control", "memory native, simulated/reader"} <= set(results["digests"])
    assert (folder.parent / "latest").resolve() == folder.resolve()


def test_a_run_of_which_nothing_is_left_is_not_prepared_again(folder: Path, tmp_path: Path) -> None:
    again = shutil.copytree(folder, tmp_path / "out")
    before = (again / "results.json").read_bytes()
    (again / "results.json").unlink()
    assert play_spec(load_spec(write_spec(tmp_path, SPEC)), again) == 0
    assert (again / "results.json").read_bytes() == before
    first, second = ((again / "logs" / f"attempt_{n}.log").read_text() for n in (1, 2))
    assert "damage and check" in first
    assert "damage and check" not in second


def test_a_run_is_over_with_its_last_trial_and_not_before(folder: Path) -> None:
    with closing(SqliteLedger.open_read_only(folder / "ledger.sqlite")) as ledger:
        played = ledger.finished_keys()
        assert _is_over(ledger, played)
        assert not _is_over(ledger, played - {min(played)})


def test_a_changed_spec_is_refused_by_name_and_changes_nothing(folder: Path, tmp_path: Path) -> None:
    before = {path.name: path.stat().st_mtime_ns for path in folder.iterdir()}
    spec = load_spec(write_spec(tmp_path, SPEC), ["repeats=3", "analysis.margin=0.2"])
    with pytest.raises(SpecFault, match=r"analysis.margin.*repeats"):
        run_spec(spec, folder, False, None, "none", True, False)
    assert {
        p.name: p.stat().st_mtime_ns for p in folder.iterdir() if p.suffix not in ("", ".sqlite-shm")
    } == {name: time for name, time in before.items() if Path(name).suffix not in ("", ".sqlite-shm")}


def test_a_second_run_in_the_same_folder_is_refused_while_the_first_goes_on(
    folder: Path, tmp_path: Path
) -> None:
    spec = load_spec(write_spec(tmp_path, SPEC))
    with alone_in(folder), pytest.raises(SpecFault, match="another run is going on"):
        run_spec(spec, folder, False, None, "none", True, False)


def test_clean_removes_run_folders_only(tmp_path: Path) -> None:
    spec = load_spec(write_spec(tmp_path))
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("precious")
    with pytest.raises(SpecFault, match="holds no run"):
        run_spec(spec, tmp_path / "mine", True, None, "none", True, False)
    assert (tmp_path / "mine" / "thesis.txt").read_text() == "precious"
