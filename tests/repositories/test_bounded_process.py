"""A command is ended with all that it started, and its output is bounded."""

import os
import time
from pathlib import Path
from threading import Event, Timer

import pytest

from memtrial.repositories.bounded_process import TAIL_BYTES, StoppedFault, run_command
from tests.repositories.test_hostile_repositories import sleeping

HERE = {"PATH": os.environ["PATH"]}


def test_how_it_ended_is_told(tmp_path: Path) -> None:
    end = run_command("echo first; echo last >&2; exit 3", tmp_path, HERE, 20)
    assert (end.code, end.tail, end.last_line) == (3, "first\nlast\n", "last")
    assert run_command("kill -9 $$", tmp_path, HERE, 20).code == -9
    assert run_command("true", tmp_path, HERE, 20).last_line == "it printed nothing"
    assert run_command("cat", tmp_path, HERE, 20).code == 0  # standard input is empty


@pytest.mark.parametrize(
    "command",
    [
        "sleep 300",
        "trap '' TERM; while :; do sleep 300; done",
        "setsid sh -c 'sleep 300 & sleep 300' & exit 0",
        "(setsid setsid sleep 300 &) & sleep 300",
        "exec >&- 2>&-; sleep 300",
    ],
)
def test_nothing_is_left_running(tmp_path: Path, command: str) -> None:
    end = run_command(command, tmp_path, HERE, 0.3)
    assert end.code == (0 if command.endswith("exit 0") else None)
    assert sleeping(str(tmp_path)) == []


def test_a_flood_is_drained_and_its_end_is_kept(tmp_path: Path) -> None:
    end = run_command("head -c 30000000 /dev/zero | tr '\\0' x; echo; echo the end", tmp_path, HERE, 60)
    assert (end.code, end.last_line, len(end.tail)) == (0, "the end", TAIL_BYTES)


def test_no_file_grows_without_bound(tmp_path: Path) -> None:
    end = run_command("truncate -s 2G large; ls -l large", tmp_path, HERE, 20)
    assert end.code != 0 or (tmp_path / "large").stat().st_size <= 2**30


def test_it_stops_when_it_is_asked_to(tmp_path: Path) -> None:
    stop = Event()
    Timer(0.2, stop.set).start()
    begun = time.monotonic()
    with pytest.raises(StoppedFault):
        run_command("sleep 300", tmp_path, HERE, 300, stop)
    assert time.monotonic() - begun < 200
    assert sleeping(str(tmp_path)) == []
