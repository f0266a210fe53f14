"""Results in W&B and MLflow, without a server: each where its package is installed."""

import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from memtrial.api.interchange.tracked_results import Tracker, tracked_results
from memtrial.api.shown.loaded_results import load
from memtrial.cli.results.report import report_run
from memtrial.faults import SpecFault
from tests.support.exchanged_run import NAME, play_exchanged
from tests.support.once import once
from tests.support.warm import ROOT

OFFLINE = {
    "WANDB_MODE": "offline",
    "MLFLOW_TRACKING_URI": "file:tracked",
    "MLFLOW_ALLOW_FILE_STORE": "true",
    "MLFLOW_DISABLE_TELEMETRY": "true",
}


@pytest.fixture
def folder(tmp_path_factory: pytest.TempPathFactory, tmp_path: Path) -> Path:
    shutil.copytree(once(tmp_path_factory, "exchanged", play_exchanged) / NAME, tmp_path / NAME)
    return tmp_path / NAME


def report(folder: Path, tracker: str) -> subprocess.CompletedProcess[str]:
    paths = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
    environment = os.environ | OFFLINE | {"PYTHONPATH": paths, "HOME": str(folder.parent)}
    command = [sys.executable, "-m", "memtrial", "report", NAME, "--to", tracker]
    return subprocess.run(
        command, cwd=folder.parent, env=environment, capture_output=True, text=True, check=False
    )


def test_every_number_and_verdict_has_a_name_of_its_own(folder: Path) -> None:
    results = load(folder)
    tracked = tracked_results(results, folder)
    cells = {f"score/simulated_reader/{cell.arm}/{cell.condition}": cell.score for cell in results.cells}
    assert cells.items() <= tracked.numbers.items()
    for row in results.estimates:
        values = (row.estimate, row.low, row.high, row.p_adjusted)
        names = [name for name in tracked.numbers if name.startswith(f"{row.estimand}/simulated_reader/")]
        assert {value for value in values if value is not None} <= {tracked.numbers[name] for name in names}
    words = [word for arms in results.verdicts["simulated/reader"].values() for word in arms.values()]
    words += results.utility["simulated/reader"].values()
    assert sorted(tracked.words.values()) == sorted(words)
    assert tracked.settings["simulated"] == "yes"
    # no name is a folder of another, which MLflow's files could not hold
    paths = {f"{name}/" for name in tracked.numbers}
    assert not [name for name in tracked.numbers for path in paths if name.startswith(path)]


@pytest.mark.skipif(find_spec("wandb") is None, reason="pip install 'memtrial[wandb]' brings W&B")
def test_wandb_keeps_the_results_offline(folder: Path) -> None:
    done = report(folder, "wandb")
    assert done.returncode == 0, done.stderr
    assert "handed to wandb as" in done.stderr
    (kept,) = (folder / "wandb").glob("offline-run-*/*.wandb")
    body = kept.read_bytes()
    assert b"score/simulated_reader/artifact/intact" in body
    assert b"report.html" in body


@pytest.mark.skipif(find_spec("mlflow") is None, reason="pip install 'memtrial[mlflow]' brings MLflow")
def test_mlflow_keeps_the_results_in_files(folder: Path) -> None:
    done = report(folder, "mlflow")
    assert done.returncode == 0, done.stderr
    run = folder.parent / "tracked"
    (kept,) = run.glob("*/*/metrics/score/simulated_reader/artifact/intact")
    cells = {(cell.arm, cell.condition): cell.score for cell in load(folder).cells}
    assert float(kept.read_text().split()[1]) == cells["artifact", "intact"]
    assert len(list(run.glob("*/*/artifacts/report.html"))) == 1


@pytest.mark.parametrize("tracker", [name for name in ("wandb", "mlflow") if find_spec(name) is None])
def test_without_its_package_a_tracker_is_refused_before_anything_is_written(
    folder: Path, tracker: Tracker
) -> None:
    before = {path.name: path.stat().st_mtime_ns for path in folder.iterdir()}
    with pytest.raises(SpecFault, match=rf"memtrial\[{tracker}\]"):
        report_run(folder, to=tracker)
    assert {path.name: path.stat().st_mtime_ns for path in folder.iterdir()} == before
