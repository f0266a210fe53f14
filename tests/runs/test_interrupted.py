"""Ctrl-C once finishes the calls in flight, twice stops at once; one run at a time in a folder."""

import signal
import time
from collections.abc import Callable
from pathlib import Path

from memtrial.ledger.sqlite.sqlite_ledger import SqliteLedger
from memtrial.models.scripted.scripted_server import Running, serve_script
from memtrial.runs.spec.read_spec import load_spec
from tests.support.carried_out import play_spec
from tests.support.process import Process, begin, carry_out
from tests.support.scripted_run import CLAUDE, SMALL, refuse_unlawful, script, sent, surroundings, trials


def spec(folder: Path, backbone: str = CLAUDE, text: str = SMALL) -> None:
    (folder / "spec.yaml").write_text(text.replace("BACKBONE", backbone), encoding="utf-8")


def wait_for(what: Callable[[], bool], process: Process) -> None:
    """Until it holds, or the process has ended."""
    while not what() and process.poll() is None:
        time.sleep(0.01)
    assert process.poll() is None, process.err.read_text()


def in_flight(server: Running) -> Callable[[], bool]:
    return lambda: server.counts()["in_flight"] > 0


def last_word(folder: Path) -> str:
    ledger = SqliteLedger.open_read_only(folder / "out" / "ledger.sqlite")
    sessions = ledger.sessions()
    ledger.close()
    return sessions[-1].how


def test_once_finishes_what_is_in_flight_and_twice_stops_at_once(tmp_path: Path) -> None:
    spec(tmp_path)
    with serve_script(script(latency_s=0.3)) as server:
        process = begin(tmp_path, "--display", "none", environment=surroundings(server.url))
        wait_for(in_flight(server), process)
        process.send(signal.SIGINT)
        code, err = process.ended()
        assert code == 130
        assert [line for line in err.splitlines() if "stopped: interrupted" in line] == err.splitlines()
        stands = sent(tmp_path)
        counts = server.counts()
        # all that was sent came back and is kept
        assert (stands.open, stands.faults) == (0, {})
        assert counts["requests"] == counts["answered"] == stands.answered > 0
        assert last_word(tmp_path).startswith("interrupted")

    # the second time nobody is waited for
    with serve_script(script(latency_s=60.0)) as server:
        process = begin(tmp_path, "--display", "none", environment=surroundings(server.url))
        wait_for(in_flight(server), process)
        process.send(signal.SIGTERM)
        time.sleep(0.1)
        process.send(signal.SIGINT)
        code, err = process.ended()
        assert code == 130
        assert len(err.splitlines()) == 1, err
        assert "interrupted" in err
        assert last_word(tmp_path) == "interrupted"
        open_now = sent(tmp_path).open
        assert open_now <= 8
    # the same command goes on, and what was kept is not asked again
    kept = sent(tmp_path).answered
    with serve_script(script()) as server:
        again = load_spec(tmp_path / "spec.yaml")
        assert play_spec(again, tmp_path / "out", environment=surroundings(server.url), told=False) == 0
        assert sent(tmp_path).answered == kept + server.counts()["answered"]
    assert not any(row.status == "error" for row in trials(tmp_path))
    assert sent(tmp_path).open == open_now


def test_a_wait_that_the_provider_asked_for_does_not_hold_up_an_interrupt(tmp_path: Path) -> None:
    from memtrial.models.scripted.fault_script import ScriptedFault

    spec(tmp_path)
    with serve_script(script(ScriptedFault("429", at=(3,), retry_after_s=500.0))) as server:
        process = begin(tmp_path, "--display", "none", environment=surroundings(server.url))
        wait_for(lambda: bool(server.counts()["faults"]), process)
        process.send(signal.SIGINT)
        code, _ = process.ended(30.0)
        assert code == 130
        refuse_unlawful(tmp_path, server)


def test_one_run_at_a_time_and_a_simulated_run_hears_too(tmp_path: Path) -> None:
    long = SMALL.replace("test: 3", "test: 30").replace("repeats: 1", "repeats: 3")
    long = long.replace("[none, control, activation]", "[none, oracle]")
    spec(tmp_path, "simulated/reader", long)
    process = begin(tmp_path, "--display", "log")
    for line in process.lines():
        if " play" in line:
            break
    wait_for(lambda: bool(trials(tmp_path)), process)
    process.send(signal.SIGSTOP)  # it goes on, and is not done before it is told to stop
    code, err = carry_out(tmp_path, "--display", "none")
    assert code == 2
    assert "another run is going on" in err
    assert len(err.splitlines()) == 1
    process.send(signal.SIGINT)
    process.send(signal.SIGCONT)
    code, _ = process.ended()
    assert code == 130
    assert 0 < len(trials(tmp_path)) < 30 * 3 * 3
    assert last_word(tmp_path).startswith("interrupted")
