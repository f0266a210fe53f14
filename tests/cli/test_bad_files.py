"""Bad files: traces, items, run folders, plug-ins, scripts; exit code 2, one line, nothing written."""

import fcntl
import gzip
import json
import os
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import RUN, TINY
from tests.support.refusing import Warm, files_in, refused
from tests.support.small import write_spec
from tests.support.warm import ROOT

STEP = {"thought": "t", "action": "a", "observation": "o"}
TRACE = {"trace_id": "1", "task_id": "1", "query": "q", "outcome": "success", "steps": [STEP]}
ELSEWHERE = (*RUN, "--out", "fresh")


def line(**changed: object) -> bytes:
    return json.dumps(TRACE | changed).encode()


@pytest.mark.parametrize(
    ("held", "said"),
    [
        (b"", "holds no trace"),
        (b"\n\n", "holds no trace"),
        (b"\xff\xfe\x00", "cannot be read"),
        (gzip.compress(line()), "cannot be read"),
        (b"\x80\x04\x95.", "cannot be read"),
        (line().decode().encode("utf-16"), "cannot be read"),
        (b'{"trace_id": ', "line 1"),
        (line() + b"\n{nope", "line 2"),
        (b"[1, 2]", "a JSON object is needed"),
        (b"a,b\n1,2\n", "line 1"),
        (line() + b"\n" + line(), "stands twice"),
        (line(query=3), "query: Input should be a valid string; got 3"),
        (line(outcome=["success"]), "outcome: "),
        (line(outcome="x" * 1_000_000), "outcome: "),
        (line(steps={}), "steps: Input should be a valid array"),
        (line(steps=[{"fault": ["x"]}]), "steps.0.fault"),
        (line(score=float("nan")), "score"),
        (line(score=True), "score"),
        (
            b'{"trace_id":"1","task_id":"1","query":"\\ud800","outcome":"success","steps":[]}',
            "hex escape at line 1 column 46",
        ),
        (b"[" * 100_000, "line 1"),
        (b"x" * 3_000_000, "line 1"),
    ],
)
def test_bad_traces(warm: Warm, tmp_path: Path, held: bytes, said: str) -> None:
    (tmp_path / "t.jsonl").write_bytes(held)
    assert said in refused(warm, tmp_path, "condense", "t.jsonl", "--out", "items.jsonl")


@pytest.mark.parametrize(
    ("held", "said"),
    [
        (b"\xff\xfe", "cannot be read"),
        (b" \n", "is empty"),
        (b'{"items": [3]}', "line 1"),
        (b'{"items": ["\\ud800"]}', "line 1"),
        (b'{"items": []}\n{"broken', "line 2"),
        (b'{"trace_id": "1"}', "a list of items"),
    ],
)
def test_bad_items(warm: Warm, tmp_path: Path, held: bytes, said: str) -> None:
    (tmp_path / "items").write_bytes(held)
    assert said in refused(warm, tmp_path, "perturb", "items", "--kind", "filler")
    (tmp_path / "sound.md").write_text("Press the button.")
    donated = refused(warm, tmp_path, "perturb", "sound.md", "--kind", "filler", "--donors", "items")
    assert said in donated
    assert ("ITEMS" in donated, "--donors" in donated) == (False, "needs markdown" in donated)


@pytest.mark.parametrize("path", ["gone", "folder", "pipe", "/dev/zero"])
def test_what_is_no_plain_file_is_neither_waited_for_nor_read_for_ever(
    warm: Warm, tmp_path: Path, path: str
) -> None:
    write_spec(tmp_path, TINY, "tiny.yaml")
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "good.jsonl").write_bytes(line())
    refused(warm, tmp_path, "run", path)
    refused(warm, tmp_path, "condense", path)
    refused(warm, tmp_path, "condense", "good.jsonl", "--condenser", "native", "--control", path)
    refused(warm, tmp_path, "perturb", path, "--kind", "filler")
    refused(warm, tmp_path, "serve-scripted", "--faults", path)
    refused(warm, tmp_path, *RUN, "-S", f"traces={{source: import, path: {path}}}")


def _statement(text: str) -> Callable[[Path], object]:
    """Another writer's doing: the triggers go first, as they would forbid it."""

    def done(ledger: Path) -> None:
        connection = sqlite3.connect(ledger)
        for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            connection.execute(f"DROP TRIGGER {name}")
        connection.execute(text)
        connection.commit()
        connection.close()

    return done


def _page_of(table: str) -> Callable[[Path], object]:
    """The first page of a table is overwritten, as a failing disk does it."""

    def done(ledger: Path) -> None:
        connection = sqlite3.connect(ledger)
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        size = connection.execute("PRAGMA page_size").fetchone()[0]
        find = "SELECT rootpage FROM sqlite_master WHERE name = ?"
        page = connection.execute(find, (table,)).fetchone()[0]
        connection.close()
        held = bytearray(ledger.read_bytes())
        held[(page - 1) * size : page * size] = b"\x07" * size
        ledger.write_bytes(held)

    return done


def _other_application(ledger: Path) -> None:
    ledger.unlink()
    _statement("CREATE TABLE bookmarks (title)")(ledger)


def _folder(ledger: Path) -> None:
    ledger.unlink()
    ledger.mkdir()


DAMAGES: dict[str, Callable[[Path], object]] = {
    "text": lambda ledger: ledger.write_text("hello there " * 100),
    "noise": lambda ledger: ledger.write_bytes(b"\x5a" * 9000),
    "truncated": lambda ledger: ledger.write_bytes(ledger.read_bytes()[:5000]),
    "pages lost": lambda ledger: ledger.write_bytes(ledger.read_bytes()[:4096] + b"\x5a" * 20_000),
    "another application's": _other_application,
    "older, a table less": _statement("DROP TABLE sessions"),
    "older, a column less": _statement("ALTER TABLE trials DROP COLUMN score"),
    "older calls": _statement("ALTER TABLE calls RENAME COLUMN asked TO model"),
    "no plan": _statement("UPDATE facts SET body = '{' WHERE name = 'plan'"),
    "a folder": _folder,
}
READING = (
    ("report", "tiny_s0"),
    ("status", "tiny_s0"),
    ("show", "tiny_s0", "control/filler/workshop-test-0/0"),
    ("compare", "tiny_s0", "logs/tiny_s0"),
    ("export", "tiny_s0", "--out", "tables"),
    ("plan", "tiny.yaml", "--pilot", "tiny_s0"),
    RUN,
)


@pytest.mark.parametrize("damage", DAMAGES)
def test_bad_run_folders(warm: Warm, there: Path, damage: str) -> None:
    DAMAGES[damage](there / "logs" / "tiny_s0" / "ledger.sqlite")
    few = damage not in ("noise", "older, a column less", "no plan")
    told = (RUN,) if damage == "older calls" else (READING[0], RUN)
    for arguments in told if few else READING:
        # one trial is shown without the plan
        if (damage, arguments[0]) != ("no plan", "show"):
            refused(warm, there, *arguments)


@pytest.mark.parametrize("table", ["facts", "trials", "calls"])
def test_a_run_whose_ledger_lost_a_page_ends_with_one_line(warm: Warm, there: Path, table: str) -> None:
    _page_of(table)(there / "logs" / "tiny_s0" / "ledger.sqlite")
    done = warm.call(*RUN, cwd=there)
    assert done.code == 2
    assert "Traceback" not in done.err
    assert "damaged" in done.err


@pytest.mark.parametrize("damage", ["truncated", "a folder"])
def test_bad_folders_to_replay(warm: Warm, there: Path, damage: str) -> None:
    DAMAGES[damage](there / "logs" / "tiny_s0" / "ledger.sqlite")
    refused(warm, there, *ELSEWHERE, "-S", "backbone=replay/logs/tiny_s0")


def test_a_sound_run_is_read_without_a_trace(warm: Warm, there: Path) -> None:
    before = files_in(there)
    for arguments in READING[1:3]:
        assert warm.call(*arguments, cwd=there).code == 0
    assert files_in(there) == before


def test_a_changed_spec_is_refused_with_its_keys_and_a_changed_budget_is_not(warm: Warm, there: Path) -> None:
    said = refused(warm, there, *RUN, "-S", "repeats=4", "-S", "analysis.margin=0.2")
    assert "repeats (1 -> 4)" in said
    assert "analysis.margin (0.1 -> 0.2)" in said
    outside = ("budget.max_cost_usd=3", "engine.max_connections=2", "display=plain")
    assert warm.call(*RUN, *[part for one in outside for part in ("-S", one)], cwd=there).code == 0


@pytest.mark.parametrize("trial", ["nosuch", "\x1b[31m1234"])
def test_no_such_trial(warm: Warm, there: Path, trial: str) -> None:
    refused(warm, there, "show", "tiny_s0", trial)


@pytest.mark.parametrize("place", ["taken", "taken/notes.txt", "a/b/c", "logs/tiny_s0"])
def test_an_export_takes_nobody_s_place(warm: Warm, there: Path, place: str) -> None:
    (there / "taken").mkdir()
    (there / "taken" / "notes.txt").write_text("mine")
    refused(warm, there, "export", "tiny_s0", "--out", place)
    refused(warm, there, "export", "tiny_s0", "--outcomes", f"{place}/x/y.csv")
    refused(warm, there, *RUN, "--out", "taken")


def test_clean_leaves_folders_of_something_else(warm: Warm, there: Path) -> None:
    (there / "other").mkdir()
    _statement("CREATE TABLE bookmarks (title)")(there / "other" / "ledger.sqlite")
    refused(warm, there, *RUN, "--clean", "--out", "other")


def test_one_run_at_a_time(warm: Warm, there: Path) -> None:
    with (there / "logs" / "tiny_s0" / ".lock").open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        assert "another run is going on" in refused(warm, there, *RUN)
        assert "another run is going on" in refused(warm, there, *RUN, "--clean")


MODULES = {
    "syntax.py": "def f(:\n",
    "raises.py": "raise RuntimeError('boom\\nsecond line \\x1b[31m')\n",
    "exits.py": "import sys\nsys.exit(0)\n",
    "init.py": "class M:\n    def __init__(self): raise KeyError('x')\n",
    "needs.py": "class M:\n    def __init__(self, what): pass\n",
    "imports.py": "import no_such_module_anywhere\n",
    "zero.py": "x = 1\x00",
    "endless.py": "def f(): f()\nf()\n",
    "mute.py": "class E(Exception):\n    def __str__(self): raise ValueError\nraise E()\n",
    "shy.py": "class M:\n    def __getattr__(self, name): raise RuntimeError(name)\nM = M()\n",
    "lacks.py": "class M:\n    pass\n",
    "two words.py": "class M:\n    observe = 3\n",
    "größe.py": "class Other:\n    pass\n",
    "large.py": "#" + "x" * 1_100_000,
}


@pytest.mark.parametrize(
    "name", [*MODULES, "gone.py", "folder.py", "pipe.py", "link.py", "logs/tiny_s0/inside.py"]
)
def test_bad_plug_ins(warm: Warm, there: Path, name: str) -> None:
    for module, text in MODULES.items():
        (there / module).write_text(text, encoding="utf-8")
    (there / "folder.py").mkdir()
    os.mkfifo(there / "pipe.py")
    inside = there / "logs" / "tiny_s0" / "inside.py"
    inside.write_text("open('pwned', 'w').close()\nclass M:\n    pass\n")
    (there / "link.py").symlink_to(inside)
    refused(warm, there, "check", f"{name}:M")
    refused(warm, there, *ELSEWHERE, "-S", f"arms=[none, {{name: m, memory: '{name}:M'}}]")


def test_nothing_in_a_run_folder_is_executed(warm: Warm, there: Path) -> None:
    folder = there / "logs" / "tiny_s0"
    (folder / "evil.py").write_text("open('pwned', 'w').close()\nclass M:\n    pass\n")
    evil = TINY.replace("[none, control]", "[none, {name: m, memory: 'logs/tiny_s0/evil.py:M'}]")
    (folder / "spec.resolved.yaml").write_text(evil)
    said = refused(warm, there, "run", "logs/tiny_s0/spec.resolved.yaml", "--out", "fresh")
    assert "nothing in a run folder is ever executed" in said


@pytest.mark.parametrize("held", [b"\xff\xfe\x00", b"A=b\n" * 100_000])
def test_bad_env_files(warm: Warm, tmp_path: Path, held: bytes) -> None:
    write_spec(tmp_path, TINY, "tiny.yaml")
    (tmp_path / ".env").write_bytes(held)
    assert ".env" in refused(warm, tmp_path, *RUN)


@pytest.mark.parametrize(
    ("option", "held"),
    [
        ("--faults", b""),
        ("--faults", b"\xff"),
        ("--faults", b"["),
        ("--faults", b"[{fault: x}]"),
        ("--faults", b"[{fault: '429', when: 3}]"),
        ("--faults", b"[{fault: '429', at: [-1]}]"),
        ("--faults", b"[{fault: '429', share: .nan}]"),
        ("--faults", b"!!python/object/apply:os.system ['x']"),
    ],
)
def test_bad_scripts(warm: Warm, tmp_path: Path, option: str, held: bytes) -> None:
    (tmp_path / "file").write_bytes(held)
    refused(warm, tmp_path, "serve-scripted", option, "file")


def test_a_port_that_is_taken(warm: Warm, tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        refused(warm, tmp_path, "serve-scripted", "--port", str(taken.getsockname()[1]))


@pytest.mark.parametrize(
    ("key", "held"),
    [
        ("control.source", b"\xff\xfe\x00"),
        ("control.source", b"def f(:\n"),
        ("control.source", b"SUCCESSFUL_SI = 'a'\n"),
        ("control.source", b"SUCCESSFUL_SI = f'{1}'\nFAILED_SI = 'b'\n"),
        ("control.source", b"#" * 600_000),
        ("control.cue_source", b"\xff\xfe\x00"),
        ("control.cue_source", b"def f(:\n"),
        ("control.cue_source", b"x = 'no cue in here'\n"),
    ],
)
def test_bad_checkouts(warm: Warm, tmp_path: Path, key: str, held: bytes) -> None:
    write_spec(tmp_path, TINY, "tiny.yaml")
    (tmp_path / "theirs.py").write_bytes(held)
    cue = "upstream" if key.endswith("cue_source") else "ours"
    refused(warm, tmp_path, *RUN, "-S", f"{key}=theirs.py", "-S", f"cue={cue}")


def test_a_reader_that_goes_away_is_no_fault(warm: Warm, there: Path) -> None:
    done = warm.call("show", "tiny_s0", "--json", cwd=there, ends={1: "gone"})
    assert (done.code, done.err) == (0, "")


def test_ctrl_c_ends_with_130_and_one_line(tmp_path: Path) -> None:
    waiting = tmp_path / "wait.py"
    waiting.write_text("import time\nopen('begun', 'w').close()\ntime.sleep(60)\n")
    # a shell that runs the suite in the background has it ignore the signal
    command = ["env", "--default-signal=INT", sys.executable, "-m", "memtrial", "check", f"{waiting}:M"]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    with subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True, env=environment) as run:
        while not (tmp_path / "begun").exists():
            assert run.poll() is None
            time.sleep(0.02)
        run.send_signal(signal.SIGINT)
        _, said = run.communicate(timeout=30)
    assert run.returncode == 130
    assert [one for one in said.splitlines() if one.strip()] == [said.strip()]
    assert said.strip().startswith("memtrial: interrupted")


TAKING_A_FILE: tuple[tuple[str, ...], ...] = (
    ("review", "tiny_s0", "--decisions", "@"),
    ("gates", "regress", "--judge", "rules", "--held-out", "@"),
    ("gates", "regress", "--judge", "rules", "--fixtures", "@"),
    ("failures", "--counts", "@"),
    ("failures", "--labels", "@", "--column", "mode=label"),
    ("failures", "tiny_s0", "--human", "@"),
    ("tune", "claim-strength", "--model", "simulated/examiner", "--examples", "@", "--out", "o.json"),
    ("analyze", "@"),
)


@pytest.mark.parametrize("arguments", TAKING_A_FILE, ids=" ".join)
def test_every_verb_refuses_what_is_no_file_of_its_kind(
    warm: Warm, there: Path, arguments: tuple[str, ...]
) -> None:
    (there / "empty").touch()
    (there / "folder").mkdir()
    os.mkfifo(there / "pipe")
    (there / "long").write_bytes(b"x" * 1_000_000)
    for name in ("empty", "folder", "pipe", "long"):
        refused(warm, there, *(name if word == "@" else word for word in arguments))
