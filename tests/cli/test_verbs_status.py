"""`status`: what the counts say is what the rows are, whoever holds the file."""

import json
import signal
import sqlite3
import subprocess
import sys
import textwrap
import time
from collections import Counter
from pathlib import Path

import pytest

from memtrial.cli.results.status import show_status, status_of
from memtrial.faults import SpecFault
from memtrial.ledger.row_text import LedgerFault
from memtrial.ledger.rows import TrialRow
from memtrial.ledger.sqlite.sqlite_ledger import SqliteLedger
from memtrial.runs.run_folder.folder import alone_in, going_on
from tests.support.verb_ledger import PLAN, begun, play, trial

ROOT = Path(__file__).resolve().parents[2]
WRITER = """
import sys, time
from pathlib import Path
from memtrial.runs.run_folder.folder import alone_in
from tests.support.verb_ledger import begun, play
folder = Path(sys.argv[1])
folder.mkdir()
with alone_in(folder):
    ledger = begun(folder)
    play(ledger, tasks=2)
    print("played", flush=True)
    time.sleep(600)
"""


def counted(rows: list[TrialRow]) -> dict[str, dict[str, int]]:
    counts = Counter((row.arm, row.status) for row in rows)
    return {
        arm: {one: counts[arm, one] for one in ("success", "failure", "error")}  # type: ignore[index]
        for arm in ("none", "control")
    }


def test_it_counts_what_the_rows_are(tmp_path: Path) -> None:
    ledger = begun(tmp_path)
    rows = play(ledger, tasks=2, errors=4)
    ledger.end_session(1, "budget", "$5.00 are spent")
    ledger.close()
    status = status_of(tmp_path)
    assert status["run"] == str(tmp_path)
    assert status["state"] == "stopped"
    assert status["trials"] == {"planned": 36, "played": len(rows), "errors": 4}
    assert status["blocks"] == {"planned": 12, "done": 8}
    assert {
        arm: {k: n for k, n in one.items() if k != "planned"} for arm, one in status["by_arm"].items()
    } == (counted(rows))
    assert {arm: one["planned"] for arm, one in status["by_arm"].items()} == PLAN["planned"]
    assert status["errors"] == {"ProviderFault (overloaded): busy": 4}
    calls = status["calls"]
    assert (calls["sent"], calls["answered"], calls["faults"], calls["open"]) == (3, 1, {"rate limit": 1}, 1)
    assert (status["cost_usd"], status["unpriced_calls"], status["budget_usd"]) == (1.75, 1, 5.0)
    assert (status["tokens"]["input_tokens"], status["tokens"]["output_tokens"]) == (1000, 100)
    assert status["own_calls"] is None
    ended = status["sessions"][0]
    assert (ended["how"], ended["why"]) == ("budget", "$5.00 are spent")
    assert status["next"].startswith("The budget is spent: $5.00 are spent. The same command with a larger")


def test_what_an_agent_asks_by_itself_is_counted_by_its_trials(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ledger = begun(tmp_path)
    ledger.state("plan", {**PLAN, "reported": True})
    rows = play(ledger, tasks=2, errors=0)
    ledger.close()
    n = len(rows)
    counted = {"calls": 2 * n, "input_tokens": 700 * n, "output_tokens": 80 * n, "usd": 0.125 * n}
    assert status_of(tmp_path)["own_calls"] == counted
    show_status(tmp_path)
    said = "as its trials count them: 48 calls, 16,800 tokens in, 1,920 out, $3.00"
    assert said in " ".join(capsys.readouterr().out.split())


def test_an_error_that_was_played_again_is_no_error_any_more(tmp_path: Path) -> None:
    ledger = begun(tmp_path)
    rows = play(ledger)
    again = rows[0]
    assert again.status == "error"
    ledger.add_trials([trial(again.backbone, (again.arm, again.condition), again.task, 0, "success")])
    ledger.end_session(1, "done")
    ledger.close()
    status = status_of(tmp_path)
    assert status["trials"] == {"planned": 36, "played": 36, "errors": 1}
    assert status["state"] == "finished"
    assert "--retry-errors" in status["next"]


def test_before_the_plan_it_counts_the_preparation(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    begun(tmp_path).close()
    status = status_of(tmp_path)
    assert status["trials"]["planned"] is None
    assert status["prepared"]["traces"] == dict.fromkeys(PLAN["backbones"], 2)  # type: ignore[call-overload]
    assert status["prepared"]["condensations"] == {f"{one}, native": 1 for one in PLAN["backbones"]}  # type: ignore[attr-defined]
    assert (status["calls"]["sent"], status["cost_usd"]) == (0, 0.0)
    show_status(tmp_path, False)
    assert "collected by simulated/reader: 2" in capsys.readouterr().out


def test_running_is_who_holds_the_lock_and_looking_takes_it_from_nobody(tmp_path: Path) -> None:
    begun(tmp_path).close()
    assert not going_on(tmp_path)  # no lock yet, and none is made by looking
    assert {path.name for path in tmp_path.iterdir()} == {"ledger.sqlite"}
    with alone_in(tmp_path):
        assert status_of(tmp_path)["state"] == "running"
        assert status_of(tmp_path)["sessions"][-1]["how"] is None
    assert status_of(tmp_path)["state"] == "stopped"
    with alone_in(tmp_path):
        pass


def test_a_process_that_writes_and_one_that_was_killed(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(WRITER), str(folder)], cwd=ROOT, stdout=subprocess.PIPE
    )
    assert process.stdout is not None
    with process, process.stdout:
        try:
            assert process.stdout.readline() == b"played\n"
            during = status_of(folder)
        finally:
            process.send_signal(signal.SIGKILL)
    assert (during["state"], during["trials"]["played"]) == ("running", 24)
    after = status_of(folder)
    assert (after["state"], after["trials"]["played"]) == ("stopped", 24)
    assert after["sessions"][-1]["how"] == "killed"
    assert "1 request in flight" in after["next"]
    assert "Run the same command to resume" in after["next"]
    for name in ("ledger.sqlite-shm", "ledger.sqlite"):
        # what a kill leaves behind need not be whole
        assert (folder / name).is_file()
    (folder / "ledger.sqlite-shm").unlink()
    assert status_of(folder)["trials"] == after["trials"]
    ledger = SqliteLedger(folder / "ledger.sqlite")
    assert len(list(ledger.trials())) == 24
    ledger.close()


def test_a_reader_changes_nothing_and_sees_one_moment(tmp_path: Path) -> None:
    writer = begun(tmp_path)
    play(writer, tasks=1)
    reader = SqliteLedger.open_read_only(tmp_path / "ledger.sqlite")
    seen = len(list(reader.trials()))
    play_more = [trial("simulated/reader", ("none", "without"), "t9", 0, "success")]
    writer.add_trials(play_more)
    assert len(list(reader.trials())) == seen
    with pytest.raises(LedgerFault, match="cannot be written"):
        reader.add_slots({"x": "y"})
    reader.close()
    fresh = SqliteLedger.open_read_only(tmp_path / "ledger.sqlite")
    assert len(list(fresh.trials())) == seen + 1
    assert play_more[0] in list(fresh.trials())
    fresh.close()
    writer.close()
    before = (tmp_path / "ledger.sqlite").read_bytes()
    status_of(tmp_path)
    assert (tmp_path / "ledger.sqlite").read_bytes() == before


def test_the_pace_is_that_of_the_session_that_goes_on(tmp_path: Path) -> None:
    ledger = begun(tmp_path)
    play(ledger, tasks=2)
    ledger.close()
    assert status_of(tmp_path)["per_minute"] is None  # nobody is playing
    with alone_in(tmp_path):
        time.sleep(1.1)
        status = status_of(tmp_path)
    assert 60 * 24 / 60 < status["per_minute"] < 60 * 24
    assert status["left_s"] == pytest.approx(60 * 12 / status["per_minute"])


def test_watching_a_pipe_prints_a_line_a_change_until_the_run_ends(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ledger = begun(tmp_path)
    play(ledger)
    ledger.close()
    show_status(tmp_path, False, watch=True, every_s=0.01)
    assert len(capsys.readouterr().out.strip().split("\n")) == 1
    show_status(tmp_path, True, watch=True, every_s=0.01)
    assert json.loads(capsys.readouterr().out)["state"] == "finished"
    watching = [sys.executable, "-c", "import sys; from pathlib import Path;"
                "from memtrial.cli.results.status import show_status;"
                "show_status(Path(sys.argv[1]), False, True, 0.02)", str(tmp_path)]  # fmt: skip
    with alone_in(tmp_path):
        process = subprocess.Popen(watching, cwd=ROOT, stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        first = process.stdout.readline()
        time.sleep(0.2)  # looked at several times meanwhile; nothing changed, so nothing is said
        ledger = SqliteLedger(tmp_path / "ledger.sqlite")
        ledger.add_trials([trial("simulated/reader", ("none", "without"), "t9", 0, "failure")])
        ledger.close()
        second = process.stdout.readline()
    rest = process.communicate()[0]
    assert first.startswith("running: 12/12 blocks, 36/36 trials")
    assert second.startswith("running: 13/12 blocks, 37/36 trials")
    assert rest.startswith("finished: ")
    assert rest.count("\n") == 1
    assert process.returncode == 0


def test_what_cannot_be_read_is_one_clear_line(tmp_path: Path) -> None:
    other = sqlite3.connect(tmp_path / "ledger.sqlite")
    other.execute("CREATE TABLE songs (title TEXT)")
    other.commit()
    other.close()
    with pytest.raises(SpecFault, match=r"has no table calls"):
        status_of(tmp_path)
    (tmp_path / "ledger.sqlite").write_text("dear diary, " * 100)
    with pytest.raises(SpecFault, match="cannot be read"):
        status_of(tmp_path)
    with pytest.raises(SpecFault, match="a run folder is needed"):
        status_of(tmp_path / "nowhere")


def test_a_ledger_cut_short_is_one_clear_line(tmp_path: Path) -> None:
    ledger = begun(tmp_path)
    play(ledger)
    ledger.close()
    path = tmp_path / "ledger.sqlite"
    whole = path.read_bytes()
    for share in (0.3, 0.6, 0.9):
        path.write_bytes(whole[: int(len(whole) * share)])
        with pytest.raises(SpecFault, match="ledger"):
            status_of(tmp_path)
