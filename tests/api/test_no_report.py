"""A run without its report: the same results, no pages, and `load` or the verb writes them later."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

import memtrial as mt
from memtrial.cli.experiment.run import run_spec
from memtrial.commands.sandbox import find_sandbox
from memtrial.runs.spec.read_spec import load_spec
from tests.support.small import FEW, write_spec

PAGES = {"report.html", "report.md"}
SANDBOX = find_sandbox("auto")


def names_in(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two folders of the same run, `with` and `without` its report."""
    place = tmp_path_factory.mktemp("played")
    spec = write_spec(place, FEW)
    for name in ("with", "without"):
        mt.run(spec, mt.RunOptions(out=place / name, report=name == "with"))
    return place


def test_the_results_are_the_same_and_the_pages_are_not_there(played: Path) -> None:
    there, not_there = names_in(played / "with"), names_in(played / "without")
    assert there >= PAGES
    assert there - not_there == PAGES
    first, second = ((played / name / "results.json").read_bytes() for name in ("with", "without"))
    assert first == second


def test_it_is_written_later_as_it_would_have_been(played: Path) -> None:
    mt.load(played / "without", write=True)
    assert names_in(played / "without") == names_in(played / "with")
    # when each trial was played stands in the history below
    first, second = ((played / name / "report.md").read_text() for name in ("with", "without"))
    answer, _, below = first.partition("## Appendix")
    assert second.startswith(answer)
    assert below


def test_a_report_that_is_there_is_renewed_or_it_would_say_what_holds_no_more(tmp_path: Path) -> None:
    spec, out = write_spec(tmp_path, FEW), tmp_path / "out"
    mt.run(spec, mt.RunOptions(out=out, limit=1))
    before = (out / "report.html").read_text()
    mt.run(spec, mt.RunOptions(out=out, report=False))
    mt.run(spec, mt.RunOptions(out=tmp_path / "whole"))
    assert before != (out / "report.html").read_text()
    shown = [json.loads((folder / "results.json").read_text()) for folder in (out, tmp_path / "whole")]
    assert shown[0]["cells"] == shown[1]["cells"]


def test_the_command_says_that_there_is_none_and_how_it_is_made(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "a run"
    assert (
        run_spec(load_spec(write_spec(tmp_path, FEW)), mt.RunOptions(out, report=False), "none", False, False)
        == 0
    )
    said = " ".join(capsys.readouterr().out.split())
    assert f"no report was asked for; `memtrial report '{out}'` writes it" in said
    assert not names_in(out) & PAGES


@pytest.mark.skipif(not SANDBOX.program, reason="bubblewrap is not here, and root may write into any folder")
def test_results_of_a_folder_that_cannot_be_written_to_are_shown(played: Path) -> None:
    folder = played / "with"
    words = (
        "--dev-bind",
        "/",
        "/",
        "--ro-bind",
        str(folder),
        str(folder),
        "--",
        sys.executable,
        "-m",
        "memtrial",
    )
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    shown = subprocess.run(
        [SANDBOX.program, *words, "report", str(folder), "--json"], capture_output=True, text=True, check=True
    )
    assert json.loads(shown.stdout) == json.loads((folder / "results.json").read_text())
    assert "no report is written: " in shown.stderr
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before
