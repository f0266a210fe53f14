"""A user's code that ends the process of a run: somebody says so, and the run goes on from its ledger."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.refusing import Warm
from tests.support.small import write_spec

SPEC = """
name: ended
seed: 3
environment: {world: workshop, train: 4, test: 2}
backbone: simulated/reader
roles: {condenser: simulated/scribe}
condensers: {native: {kind: native}}
arms: [none, control]
conditions: ["mine.py:gone"]
repeats: 1
analysis: {flips: 199}
"""
GONE = """
import os, pathlib, re
def gone(slot, rng, donor):
    if not pathlib.Path("mended").exists():
        os._exit(0)
    words = "press|push|pull|wind|turn|jade|zinc|brass|button|pedal|lever"
    return [re.sub(words, "silver", item) for item in slot.items]
"""
WATCHED = "import os; from memtrial.plugins.process_watch import process_watch\n"


def python(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120, check=False)


@pytest.mark.parametrize(
    ("plugins", "work", "spoken"),
    [
        ("('a.py:b',)", "os._exit(3)", True),
        ("('a.py:b',)", "os.kill(os.getpid(), 9)", True),
        ("('a.py:b',)", "pass", False),
        ("('a.py:b',)", "raise SystemExit", False),
        ("()", "os._exit(3)", False),
    ],
)
def test_a_process_that_is_ended_within_the_block_is_told_of(
    tmp_path: Path, plugins: str, work: str, spoken: bool
) -> None:
    done = python(tmp_path, "-c", f"{WATCHED}with process_watch({plugins}): {work}")
    assert done.stderr.count("\n") == spoken
    assert ("the process was ended from within or killed; this run calls a.py:b" in done.stderr) == spoken


def test_a_run_that_a_plugin_ended_says_so_and_goes_on_once_it_is_mended(tmp_path: Path, warm: Warm) -> None:
    write_spec(tmp_path, SPEC, "spec.yaml")
    (tmp_path / "mine.py").write_text(GONE, encoding="utf-8")
    run = ("-m", "memtrial", "run", "spec.yaml", "--out", "out", "--display", "none")
    ended = python(tmp_path, *run)
    assert ended.stdout == ""
    assert ended.stderr.startswith("memtrial: the process was ended from within or killed;")
    assert "this run calls mine.py:gone" in ended.stderr
    (tmp_path / "mended").touch()
    again = warm.call(*run[2:], cwd=tmp_path)
    assert (again.code, again.err) == (0, "")
    assert "Report: out/report.html" in again.out
