"""Killed between commits, it goes on as if nothing had been; with KILLS=20 at as many random moments, too."""

import json
import os
import shutil
import sqlite3
import subprocess
import time
from collections import Counter
from pathlib import Path
from random import Random

import pytest

from memtrial.ledger.sqlite.sqlite_ledger import SqliteLedger
from memtrial.models.scripted.scripted_server import serve_script
from memtrial.runs.spec.read_spec import load_spec
from tests.support.carried_out import play_spec
from tests.support.process import RUN, Process, begin, carry_out
from tests.support.scripted_run import CLAUDE, SMALL, query, refuse_key, script, sent, surroundings, trials

KILLS = int(os.environ.get("KILLS", "0"))
COLD = "KILLS" in os.environ
"""Each process loads its libraries anew, as `python -m memtrial` does."""
SPEC = """
name: killed
seed: 5
environment: {world: workshop, train: 8, test: 4}
backbone: simulated/reader
roles: {condenser: simulated/scribe, gate: simulated/examiner}
traces: {source: play, player: simulated/ignorer}
condensers: {native: {kind: native}, theory: {kind: theory, gates: [trigger-presence, claim-strength]}}
arms: [none, control, activation, oracle]
conditions: [filler, corrupt_invert]
repeats: 2
analysis: {flips: 199}
"""
PHASES = ("collect", "condense", "damage", "play", "play")
BOUNDARIES = (("traces", 5), ("condensations", 20), ("checks", 1), ("trials", 30))
"""Tables, and rows that are committed when a run is killed."""


def write(folder: Path, text: str) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "spec.yaml").write_text(text, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The results of a run that nobody disturbed."""
    folder = write(tmp_path_factory.mktemp("undisturbed"), SPEC)
    assert play_spec(load_spec(folder / "spec.yaml", []), folder / "out") == 0
    return (folder / "out" / "results.json").read_bytes()


def committed(folder: Path, table: str) -> int:
    """Rows of a table that a process has committed so far."""
    try:
        return int(query(folder, f"SELECT count(*) FROM {table}")[0][0])
    except sqlite3.OperationalError:
        return 0


def test_killed_behind_each_kind_of_commit_it_ends_with_the_same_results(
    tmp_path: Path, undisturbed: bytes
) -> None:
    folder = write(tmp_path, SPEC)
    settings = ("-S", "engine.workers=4", "--display", "none")
    for table, rows in BOUNDARIES:
        process = begin(folder, *settings)
        while committed(folder, table) < rows:
            assert process.poll() is None, process.err.read_text()
            time.sleep(0.005)
        assert process.kill()
    assert play_spec(load_spec(folder / "spec.yaml", []), folder / "out") == 0
    assert (folder / "out" / "results.json").read_bytes() == undisturbed
    # what a kill leaves is evidence too: sessions without an end
    ledger = SqliteLedger.open_read_only(folder / "out" / "ledger.sqlite")
    assert [one.how for one in ledger.sessions()] == [*[""] * len(BOUNDARIES), "done"]
    ledger.close()


def kill_in(process: Process, phase: str, after_s: float) -> bool:
    """Kill a run some time after a phase began; whether it was still going on."""
    for line in process.lines():
        if f" {phase}" in line:
            break
    process.wait(after_s)
    return process.kill()


@pytest.mark.skipif(not KILLS, reason="KILLS in the environment says how often")
@pytest.mark.parametrize(("workers", "kills"), [(1, KILLS - KILLS // 2), (4, KILLS // 2)])
def test_killed_at_random_moments_it_ends_with_the_same_results(
    tmp_path: Path, undisturbed: bytes, workers: int, kills: int
) -> None:
    rng = Random(KILLS * 10 + workers)
    folder = write(tmp_path, SPEC)
    settings = ("-S", f"engine.workers={workers}", "--display", "log")
    struck = 0
    for _ in range(kills):
        phase, after_s = rng.choice(PHASES), rng.uniform(0.0, 0.6)
        struck += kill_in(begin(folder, *settings, cold=COLD), phase, after_s)
        if rng.random() < 0.3:
            # a half that has grown far has its own moments; begin anew to meet the early ones again
            shutil.rmtree(folder / "out", ignore_errors=True)
    code, err = carry_out(folder, *settings, cold=COLD or workers == 1)
    assert code == 0, err
    assert (folder / "out" / "results.json").read_bytes() == undisturbed
    assert struck or kills < 2


def test_no_answered_call_is_paid_again_after_a_kill(tmp_path: Path) -> None:
    rng = Random(KILLS)
    text = SMALL.replace("BACKBONE", CLAUDE).replace("test: 3", "test: 6")
    folder = write(tmp_path, text)
    log = tmp_path / "server.jsonl"
    with serve_script(script(latency_s=0.03, log=log)) as server:
        around = surroundings(server.url)
        for _ in range(max(1, KILLS // 4)):
            process = begin(folder, "--display", "log", environment=around)
            kill_in(process, "play", rng.uniform(0.1, 0.7))
        code, err = carry_out(folder, environment=around, verb=RUN)
        assert code == 0, err
        requests = server.counts()["requests"]
    stands = sent(folder)
    # an intent may have been killed before its request left, and a request before its answer was kept
    assert requests <= stands.sent
    assert stands.sent == stands.answered + sum(stands.faults.values()) + stands.open
    times = Counter(row["digest"] for row in map(json.loads, log.read_text().splitlines()) if row["answered"])
    # each question was answered once, save those in flight at a kill
    assert sum(count - 1 for count in times.values()) <= stands.open
    assert len(times) == query(folder, "SELECT count(*) FROM calls WHERE send IS NOT NULL")[0][0]
    assert not any(row.status == "error" for row in trials(folder))
    told = json.loads((folder / "out" / "results.json").read_text())
    assert "sends" not in told
    said = (folder / "out" / "report.md").read_text()
    assert ("in flight when a process ended" in said) == bool(stands.open)
    refuse_key(folder)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make a small disk")
@pytest.mark.parametrize("room", ["64k", "700k"])
def test_a_full_disk_stops_the_run_in_a_line_and_with_room_it_goes_on(
    tmp_path: Path, undisturbed: bytes, room: str
) -> None:
    folder = write(tmp_path, SPEC)
    disk = folder / "out"
    disk.mkdir()
    made = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={room}", "none", str(disk)], check=False)
    if made.returncode:
        pytest.skip("this machine lets nobody mount a disk")
    try:
        code, err = carry_out(folder, "--display", "none")
        assert code == 1
        lines = [line for line in err.splitlines() if "no log is kept" not in line]
        assert len(lines) == 1, err
        assert lines[0].startswith("memtrial: ")
        assert "full" in lines[0] or "No space left" in lines[0]
        subprocess.run(["mount", "-o", "remount,size=64m", str(disk)], check=True)
        assert play_spec(load_spec(folder / "spec.yaml", []), disk) == 0
        assert (disk / "results.json").read_bytes() == undisturbed
    finally:
        subprocess.run(["umount", str(disk)], check=True)
