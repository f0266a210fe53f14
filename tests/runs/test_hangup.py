"""A terminal that is gone ends a session as Ctrl-C once: answers are kept, and the same command goes on."""

import asyncio
import fcntl
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from memtrial.models.scripted.scripted_server import serve_script
from memtrial.runs.engine.interrupt import ONE_HANGUP_S, on_interrupt
from memtrial.runs.spec.read_spec import load_spec
from tests.runs.test_interrupted import in_flight, last_word, spec
from tests.support.carried_out import play_spec
from tests.support.process import Process, begin
from tests.support.scripted_run import CLAUDE, script, sent, surroundings, trials


def wait_for(what: Callable[[], bool], process: Process) -> None:
    while not what():
        assert process.poll() is None
        time.sleep(0.01)


def test_a_terminal_that_is_closed_keeps_what_was_answered(tmp_path: Path) -> None:
    """As the window of an ssh session: the signal comes, and every write fails from then on."""
    spec(tmp_path, CLAUDE)
    ours, theirs = os.openpty()
    with serve_script(script(latency_s=0.3)) as server:
        around = surroundings(server.url)
        process = begin(
            tmp_path, environment=around | {"TERM": "xterm"}, terminal=os.ttyname(theirs), hangup="heard"
        )
        wait_for(in_flight(server), process)
        os.close(theirs)
        os.close(ours)
        assert process.wait(60)
        stands, counts = sent(tmp_path), server.counts()
        assert (stands.open, stands.faults) == (0, {})
        assert counts["requests"] == counts["answered"] == stands.answered > 0
        assert last_word(tmp_path).startswith("interrupted")
        assert "interrupted" in (tmp_path / "out" / "logs" / "attempt_1.log").read_text()
    with serve_script(script()) as server:
        again = load_spec(tmp_path / "spec.yaml")
        assert play_spec(again, tmp_path / "out", environment=surroundings(server.url), told=False) == 0
        assert server.counts()["requests"] == sent(tmp_path).sent - stands.sent
    assert not any(row.status == "error" for row in trials(tmp_path))


def test_the_same_hang_up_told_twice_is_one_and_a_later_one_stops_at_once() -> None:
    """The system and the shell both tell of it, one right after the other."""
    halts: list[str] = []

    async def session() -> None:
        with on_interrupt(halts.append, str):
            signal.raise_signal(signal.SIGHUP)
            signal.raise_signal(signal.SIGHUP)
            assert halts == ["interrupted"]
            time.sleep(2 * ONE_HANGUP_S)
            with pytest.raises(KeyboardInterrupt):
                signal.raise_signal(signal.SIGHUP)
            with pytest.raises(KeyboardInterrupt):
                signal.raise_signal(signal.SIGTERM)

    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    try:
        asyncio.run(session())
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_DFL
    finally:
        signal.signal(signal.SIGHUP, before)


def test_what_is_to_outlive_its_terminal_does(tmp_path: Path) -> None:
    """As `nohup` begins it."""
    spec(tmp_path, CLAUDE)
    with serve_script(script(latency_s=0.02)) as server:
        process = begin(tmp_path, environment=surroundings(server.url), hangup="ignored")
        wait_for(in_flight(server), process)
        process.send(signal.SIGHUP)
        assert process.ended()[0] == 0
    assert last_word(tmp_path) == "done"


@pytest.mark.parametrize(
    ("verb", "number"),
    [
        ("status", signal.SIGHUP),
        ("check", signal.SIGHUP),
        ("check", signal.SIGTERM),
        ("serve-scripted", signal.SIGTERM),
    ],
)
def test_every_verb_ends_as_on_ctrl_c(tmp_path: Path, verb: str, number: signal.Signals) -> None:
    waiting = "import time\nopen('begun', 'w').close()\ntime.sleep(60)\n"
    (tmp_path / "wait.py").write_text(waiting)
    begun: Callable[[], bool] = (tmp_path / "begun").exists
    command = ["check", "wait.py:M"]
    if verb == "serve-scripted":
        command = [verb, "--log", "begun"]
    if verb == "status":
        spec(tmp_path, "simulated/reader")
        assert play_spec(load_spec(tmp_path / "spec.yaml"), tmp_path / "out", 1, told=False) == 0
        lock = os.open(tmp_path / "out" / ".lock", os.O_RDWR)
        fcntl.flock(lock, fcntl.LOCK_EX)  # as if the run went on
        command = [verb, "out", "--watch", "--json"]
    process = begin(tmp_path, verb=tuple(command), hangup="heard")
    wait_for(begun if verb != "status" else lambda: bool(process.told()), process)
    process.send(number)
    code, err = process.ended()
    assert code == (130 if verb == "check" else 0)
    assert len(err.splitlines()) == (1 if verb == "check" else 0), err
