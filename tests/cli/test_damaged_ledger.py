"""Damaged ledgers: whatever another hand does to one, no traceback, and nothing of it is counted silently."""

import json
import shutil
import sqlite3
import zlib
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from random import Random

import pytest
import zstandard

from memtrial.cli.experiment.lock import lock as lock_run
from memtrial.cli.results.compare import compare_runs
from memtrial.cli.results.export import export_run
from memtrial.cli.results.report import report_run
from memtrial.cli.results.show import show_run
from memtrial.cli.results.status import show_status
from memtrial.faults import RunFault, SpecFault
from memtrial.ledger.row_text import LedgerFault
from memtrial.ledger.sqlite.sqlite_ledger import SqliteLedger
from memtrial.runs.forecast.cost_forecast import read_pilot
from memtrial.runs.spec.read_spec import load_spec
from tests.support.another_hand import changed, forged
from tests.support.carried_out import run_spec
from tests.support.small import write_spec

SPEC = """
name: tiny
environment: {world: workshop, train: 4, test: 4}
backbone: simulated/reader
roles: {condenser: simulated/scribe, gate: simulated/examiner, judge: simulated/decider}
traces: {source: play, player: simulated/ignorer}
arms: [none, control]
conditions: [filler]
repeats: 2
decision: {slots: 2}
analysis: {flips: 199}
"""
OF_HISTORY = ("untrusted", "notes")
ALARM = "ROWS WERE CHANGED AFTER THEY WERE WRITTEN"


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished run; it is copied, never changed."""
    folder = tmp_path_factory.mktemp("played") / "run"
    assert run(folder) == 0
    return folder


@pytest.fixture
def folder(played: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(played, tmp_path / "run"))


def run(folder: Path, spec: str = SPEC) -> int:
    loaded = load_spec(write_spec(folder.parent, spec, "tiny.yaml"))
    with redirect_stdout(StringIO()), redirect_stderr(StringIO()):
        return run_spec(loaded, folder, False, None, "none", True, False)


def ledger_of(folder: Path) -> Path:
    return folder / "ledger.sqlite"


def results_of(folder: Path) -> dict[str, object]:
    return json.loads((folder / "results.json").read_text())


def numbers(folder: Path) -> dict[str, object]:
    """Results but for what tells of the damage."""
    return {key: value for key, value in results_of(folder).items() if key not in OF_HISTORY}


def shown(look: Callable[[], object]) -> tuple[str, str]:
    """What a verb prints, and the line with which it ends otherwise than well."""
    out = StringIO()
    with redirect_stdout(out), redirect_stderr(out):
        try:
            look()
        except (SpecFault, RunFault) as fault:
            return out.getvalue(), f"{type(fault).__name__}: {fault}"
    return out.getvalue(), ""


VERBS: dict[str, Callable[[Path], object]] = {
    "report": lambda folder: report_run(folder, True),
    "status": lambda folder: show_status(folder, True),
    "show": lambda folder: show_run(folder, None, True),
    "show one": lambda folder: show_run(folder, "control/filler/workshop-test-0/0", False),
    "compare": lambda folder: compare_runs(folder, folder, True),
    "export": lambda folder: export_run(folder, folder.parent / "tables"),
    "plan": lambda folder: read_pilot(folder),
}
ONE = "(SELECT rowid FROM trials WHERE arm = 'control' AND task = 'workshop-test-0' AND repeat = 0)"
KEY = f"(SELECT key FROM trials WHERE rowid = {ONE})"
BLOCK = {"backbone": "simulated/reader", "task": "workshop-test-0", "repeat": 0, "trials": 3}
IN_A_BLOCK: dict[str, tuple[str, ...]] = {
    "a score": (f"UPDATE trials SET score = 1 - score, status = 'success' WHERE rowid = {ONE}",),
    "a whole block": ("DELETE FROM trials WHERE task = 'workshop-test-0' AND repeat = 0",),
    "no key and no UTF-8": (
        f"UPDATE trials SET key = NULL, attempt = NULL, arm = CAST(x'ff' AS TEXT) WHERE rowid = {ONE}",
    ),
    "half an episode": (f"UPDATE episodes SET body = substr(body, 1, 40) WHERE key = {KEY}",),
}


@pytest.mark.parametrize("damage", [name for name in IN_A_BLOCK if name != "a score"])
def test_any_damage_to_a_block_is_said(folder: Path, damage: str) -> None:
    changed(ledger_of(folder), *IN_A_BLOCK[damage])
    # a report finds what `export` finds, as the next test has it of every verb, and draws figures
    assert "3 trials of 1 block cannot be trusted" in shown(lambda: VERBS["export"](folder))[1]


def test_a_block_is_left_out_said_and_not_played_again(folder: Path) -> None:
    changed(ledger_of(folder), *IN_A_BLOCK["a score"])
    for verb, look in VERBS.items():
        said, ended = shown(lambda look=look: look(folder))
        assert ALARM in ended, verb
        assert "3 trials of 1 block cannot be trusted" in ended
        assert "workshop-test-0, repeat 0" in ended
        assert "--clean" in ended
        if verb == "status":
            assert json.loads(said)["untrusted"]["blocks"] == [BLOCK]
    found = results_of(folder)
    assert found["untrusted"] == {"trials": 3, "blocks": [BLOCK], "rows": {}}
    assert sum(one["n_trials"] for one in found["cells"]) == 21  # type: ignore[attr-defined]
    assert all(ALARM in (folder / name).read_text()[:40_000] for name in ("report.md", "report.html"))
    before = rows_in(folder)
    assert run(folder) == 1
    assert rows_in(folder) == before


def rows_in(folder: Path) -> int:
    connection = sqlite3.connect(ledger_of(folder))
    (count,) = connection.execute("SELECT count(*) FROM main.trials").fetchone()
    connection.close()
    return int(count)


def test_rows_of_a_block_that_was_never_planned_are_left_out_too(played: Path, folder: Path) -> None:
    foreign = (
        "INSERT INTO trials SELECT 'made up', 0, backbone, arm, condition, 'my task', 7, 'success', 1, body"
        f" FROM trials WHERE rowid = {ONE}"
    )
    changed(ledger_of(folder), foreign)
    assert "my task" in shown(lambda: report_run(folder, True))[1]
    assert numbers(folder) == numbers(played)


PREPARED = {
    "traces": "UPDATE traces SET body = json_set(body_text(body), '$.query', 'x') WHERE rowid = 1",
    "condensations": "UPDATE condensations SET body = replace(body, 'the', 'no') WHERE rowid = 2",
    "slots": "UPDATE slots SET body = body_text(body) || '.'",
    "checks": "DELETE FROM checks WHERE rowid = 1",
    "decisions": "UPDATE decisions SET body = CAST(x'ff' AS TEXT) WHERE rowid = 1",
}


@pytest.mark.parametrize("table", PREPARED)
def test_what_trials_rest_on_is_refused(folder: Path, table: str) -> None:
    changed(ledger_of(folder), PREPARED[table])
    for verb in ("report", "export", "plan"):
        said, ended = shown(lambda look=VERBS[verb]: look(folder))
        assert (said, ended.partition(":")[0]) == ("", "SpecFault"), verb
        assert f"rows of {table} were changed" in ended
        assert "--clean" in ended
    with pytest.raises(SpecFault, match=f"rows of {table} were changed"):
        run(folder)


FACTS = {
    "a margin": "UPDATE facts SET body = json_set(body, '$.margin', 0.4) WHERE name = 'plan'",
    "no plan": "DELETE FROM facts WHERE name = 'plan'",
    "no JSON": "UPDATE facts SET body = '{' WHERE name = 'identity'",
    "a fact more": "INSERT INTO facts VALUES ('lost trace of simulated/reader: x', '\"gone\"')",
    "a seal less": "DELETE FROM seals WHERE number = 9",
    "no seals": "DELETE FROM seals",
}


@pytest.mark.parametrize("damage", FACTS)
def test_what_was_stated_cannot_be_done_again(folder: Path, damage: str) -> None:
    changed(ledger_of(folder), FACTS[damage])
    for look in (VERBS["status"], lambda folder: report_run(folder, True, unmask=True)):
        assert shown(lambda look=look: look(folder))[1].startswith("SpecFault: ")
    with pytest.raises(SpecFault, match="an intact ledger is needed"):
        run(folder)


def test_an_answer_that_was_changed_is_said_and_not_replayed(folder: Path) -> None:
    changed(
        ledger_of(folder),
        "UPDATE free_calls SET output_tokens = 1 WHERE number = (SELECT max(number) FROM free_calls)",
        f"UPDATE trials SET score = 0 WHERE key = {KEY}",
    )
    said, ended = shown(lambda: report_run(folder, True))
    assert "rows of free_calls 1" in ended
    assert json.loads(said)["untrusted"]["rows"] == {"free_calls": 1}
    with pytest.raises(SpecFault, match="a replay needs all answers as they came"):
        run(
            folder.parent / "again",
            spec=SPEC.replace("simulated/reader", f"replay/{folder}?model=simulated/reader"),
        )


def test_costs_and_history_are_told_without_rows_that_were_changed(played: Path, folder: Path) -> None:
    changed(
        ledger_of(folder),
        "UPDATE free_calls SET input_tokens = 1000000 WHERE number = 1",
        "UPDATE sessions SET body = '{}'",
        "UPDATE session_ends SET how = CAST(x'ff' AS TEXT)",
    )
    for verb in ("report", "show", "export"):
        ended = shown(lambda look=VERBS[verb]: look(folder))[1]
        assert "rows of free_calls 1, session_ends 1, sessions 1" in ended, verb
    assert results_of(folder)["estimates"] == results_of(played)["estimates"]
    assert run(folder) == 1


def test_a_lock_is_not_made_over_trials_that_were_taken_away(folder: Path, tmp_path: Path) -> None:
    changed(ledger_of(folder), "DELETE FROM trials", "DELETE FROM episodes")
    spec = load_spec(tmp_path / "tiny.yaml") if (tmp_path / "tiny.yaml").exists() else None
    spec = spec or load_spec(write_spec(tmp_path, SPEC, "tiny.yaml"))
    with pytest.raises(SpecFault, match="a lock needs an intact ledger"):
        lock_run(spec, out=folder, display="none", as_json=True)


def test_a_stream_does_not_go_on_past_a_block_that_cannot_be_trusted(tmp_path: Path) -> None:
    stream = SPEC.replace(", judge: simulated/decider", "") + "mode: stream\n"
    folder = tmp_path / "run"
    assert run(folder, spec=stream) == 0
    changed(ledger_of(folder), *IN_A_BLOCK["a score"])
    assert ALARM in shown(lambda: report_run(folder, True))[1]
    with pytest.raises(SpecFault, match="Not in mode: stream"):
        run(folder, spec=stream)


def test_rows_changed_while_a_ledger_is_open_are_noticed_before_it_is_reported(folder: Path) -> None:
    ledger = SqliteLedger(ledger_of(folder))
    assert not ledger.damage
    changed(ledger_of(folder), *IN_A_BLOCK["a score"])
    ledger.look_again()
    assert sum(ledger.damage.blocks.values()) == 3
    assert len(list(ledger.trials())) == 21
    changed(ledger_of(folder), FACTS["a margin"])
    with pytest.raises(LedgerFault, match="facts"):
        ledger.look_again()
    ledger.close()


BOMB = zlib.compress(b" " * 70 * 2**20, 1)
PACKED_BOMB = zstandard.ZstdCompressor(write_content_size=False).compress(b" " * 70 * 2**20)


@pytest.mark.parametrize(
    "forgery",
    [
        f"UPDATE episodes SET body = x'{zlib.compress(b'[' * 200_000).hex()}'",
        f"UPDATE episodes SET body = x'{BOMB.hex()}' WHERE rowid = 1",
        f"UPDATE episodes SET body = x'{PACKED_BOMB.hex()}' WHERE rowid = 1",
        f"UPDATE trials SET body = x'01{PACKED_BOMB.hex()}'",
        "UPDATE episodes SET body = x'01ffff'",
        "UPDATE episodes SET body = 'text'",
        "UPDATE episodes SET body = x'789c'",
        "UPDATE trials SET body = '[]'",
        "UPDATE trials SET body = '{\"more\": 1}'",
        "UPDATE facts SET body = 'null' WHERE name = 'plan'",
    ],
    ids=["deep", "bomb", "pack", "body", "beyond", "text", "cut off", "a list", "other fields", "no plan"],
)
def test_rows_that_are_none_are_one_line_even_where_their_seals_fit(folder: Path, forgery: str) -> None:
    forged(ledger_of(folder), forgery)
    said, ended = shown(lambda: report_run(folder, True))
    assert (said, ended.partition(":")[0]) == ("", "SpecFault")


def test_bytes_flipped_anywhere_never_change_a_number_silently(played: Path, tmp_path: Path) -> None:
    whole = ledger_of(played).read_bytes()
    wanted = {verb: shown(lambda look=VERBS[verb]: look(played))[0] for verb in ("status", "show")}
    rng, ends = Random(11), set()
    for number in range(12):
        folder = tmp_path / str(number) / "run"
        folder.mkdir(parents=True)
        damaged = bytearray(whole)
        for _ in range(rng.choice((1, 1, 30))):
            damaged[rng.randrange(len(whole))] ^= rng.randrange(1, 256)
        ledger_of(folder).write_bytes(damaged)
        for verb in ("report", "show") if number % 2 else ("status", "export"):
            said, ended = shown(lambda look=VERBS[verb], at=folder: look(at))
            ends.add(ended.partition(":")[0])
            if ended:
                assert ended.startswith("SpecFault: ") or ALARM in ended
            elif verb == "report":
                assert results_of(folder) == results_of(played)
            elif verb == "status":
                assert json.loads(said) == json.loads(wanted[verb]) | {"run": str(folder)}
            elif verb == "show":
                assert said == wanted[verb]
    assert ends == {"", "SpecFault", "RunFault"}
