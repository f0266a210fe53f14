"""`view`: what it serves, what it refuses, and how it ends."""

import os
import signal
import socket
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from memtrial.cli.results.view import view_runs
from memtrial.faults import SpecFault
from memtrial.ledger.open_ledger import open_ledger
from memtrial.ledger.run_plan import UnmaskedLook, read_numbered
from tests.support.review_desk import ask
from tests.support.viewed_run import locked_run, plain_run
from tests.support.warm import ROOT


@pytest.mark.parametrize("make", [False, True])
def test_what_holds_no_run_is_refused(tmp_path: Path, make: bool) -> None:
    if make:
        (tmp_path / "empty" / "below").mkdir(parents=True)
    with pytest.raises(SpecFault, match="a run folder is needed"):
        view_runs(tmp_path / "empty")


def test_a_port_that_is_taken_is_refused(tmp_path: Path) -> None:
    folder, refused = plain_run(tmp_path / "run"), pytest.raises(SpecFault, match="--port needs one that is")
    with closing(socket.create_server(("127.0.0.1", 0))) as taken, refused:
        view_runs(folder, port=taken.getsockname()[1])


def test_an_unmasked_look_is_noted_first(tmp_path: Path) -> None:
    folder = locked_run(tmp_path / "run")
    with closing(socket.create_server(("127.0.0.1", 0))) as taken, pytest.raises(SpecFault):
        view_runs(folder, port=taken.getsockname()[1], unmask=True)
    with closing(open_ledger(folder / "ledger.sqlite")) as ledger:
        assert [look.by for look in read_numbered(ledger, UnmaskedLook)] == ["view"]


def test_it_serves_until_it_is_interrupted(tmp_path: Path) -> None:
    plain_run(tmp_path / "run")
    before = sorted(tmp_path.rglob("*"))
    command = [sys.executable, "-m", "memtrial", "view", str(tmp_path)]
    environment, pipe = {**os.environ, "PYTHONPATH": str(ROOT)}, subprocess.PIPE
    with subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, env=environment) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        address = line.split()[1]
        assert "finished, 36 of 36 trials" in " ".join(ask(address).text.split())
        process.send_signal(signal.SIGINT)
        said, complained = process.communicate(timeout=60)
    assert (process.returncode, said, complained) == (0, "", "")
    assert sorted(tmp_path.rglob("*")) == before
