"""One task by a command: what it is given, how it is called, and that nothing of it is left."""

import asyncio
import json
import os
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

import memtrial as mt
from memtrial.commands.command_spec import CommandSpec
from memtrial.commands.command_trial import CommandTask, play_command, run_beside
from memtrial.commands.process_order import TIME_LIMIT, CommandFault
from memtrial.commands.sandbox import Sandbox, find_sandbox
from memtrial.faults import SpecFault
from memtrial.worlds.world import Outcome, Task
from tests.support.left_processes import left, odd_seconds

TASK = Task(
    "lamp 1", 'The lamp\'s red; "$(touch bad)" `x`', "", "", "test", {"answer": "green", "n": float("nan")}
)
NOTES = "Press 'green'.\n\n$(touch worse) {task_file} \"é\""
SOLVED = Outcome(True, 1.0)
SANDBOX = find_sandbox("auto")


def spec(command: Any, base: Path, **more: Any) -> CommandSpec:
    return CommandSpec.model_validate({"command": command, "outcome": "exit", "base": base, **more})


def play(command: Any, base: Path, memory: str = NOTES, sandbox: Sandbox = Sandbox(), **more: Any) -> Outcome:
    given = CommandTask(TASK, memory, 7, "http://127.0.0.1:9", {"KEY": "token"}, sandbox)
    return play_command(spec(command, base, **more), given)


SHOW = """import json, os, sys
from pathlib import Path
task = json.loads(Path(sys.argv[1]).read_text())
print(json.dumps(dict(task=task, words=sys.argv, files=os.listdir(), env=dict(os.environ), place=os.getcwd(),
    memory=Path(os.environ["TRIAL_MEMORY_FILE"]).read_bytes().decode())), file=open(sys.argv[2], "w"))
"""


@pytest.mark.parametrize("shell", [True, False])
def test_what_it_is_given(tmp_path: Path, shell: bool) -> None:
    (tmp_path / "show.py").write_text(SHOW)
    out = tmp_path / "out"
    words = [
        "python3",
        "./show.py",
        "{task_file}",
        str(out),
        "{prompt}",
        "{query}{seed}",
        "{proxy}",
        "{unknown}",
    ]
    assert play(" ".join(words) if shell else words, tmp_path) == SOLVED
    shown = json.loads(out.read_text())
    assert shown["task"] == {
        "answer": "green",
        "n": None,
        "id": TASK.id,
        "query": TASK.query,
        "memory": NOTES,
    }
    assert shown["words"][3:] == [
        f"{NOTES}\n\n{TASK.query}",
        f"{TASK.query}7",
        "http://127.0.0.1:9",
        "{unknown}",
    ], "no text was read by a shell, or filled in twice"
    assert shown["memory"] == NOTES
    assert shown["files"] == []
    root = Path(shown["place"]).parent
    own = {name for name, value in shown["env"].items() if str(root) in value}
    assert own >= {"HOME", "TMPDIR", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "TRIAL_TASK_FILE", "TRIAL_FOLDER"}
    assert shown["env"]["KEY"] == "token"
    assert not root.exists()
    assert sorted(os.listdir(tmp_path)) == ["out", "show.py"]


def test_its_environment_is_its_own(tmp_path: Path) -> None:
    play("env > {here}/all", tmp_path, env=["HOSTNAME"])
    names = {line.partition("=")[0] for line in (tmp_path / "all").read_text().splitlines() if "=" in line}
    assert names & set(os.environ) <= {
        *("PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "HOSTNAME", "HOME", "TMPDIR", "PWD", "SHLVL", "_"),
        *(name for name in os.environ if name.startswith("XDG_")),
    }


def test_memory_by_a_file_alone(tmp_path: Path) -> None:
    carrier = {"file": "docs/CLAUDE.md"}
    setup = "mkdir docs && echo before > docs/CLAUDE.md"
    command = "cp docs/CLAUDE.md {here}/seen; cp {task_file} {here}/task; test ! -s {memory_file}"
    assert play(command, tmp_path, carrier=carrier, setup=setup) == SOLVED
    assert (tmp_path / "seen").read_text() == f"before\n\n\n{NOTES}\n"
    assert json.loads((tmp_path / "task").read_text())["memory"] == ""
    assert play("test ! -e docs", tmp_path, "", carrier=carrier) == SOLVED, (
        "nothing stands there without memory"
    )
    with pytest.raises(CommandFault, match="leads out of the agent's folder by a link"):
        play("true", tmp_path, carrier=carrier, setup="ln -s {here} docs")
    assert not (tmp_path / "CLAUDE.md").exists()


def test_a_check_is_run_after_it_in_the_folder(tmp_path: Path) -> None:
    check = {"check": "grep -q green made", "timeout_s": 20}
    assert play("echo green > made; exit 1", tmp_path, outcome=check) == SOLVED
    assert play("echo red > made", tmp_path, outcome=check) == Outcome(False, 0.0, "check failed")
    late = {"check": "sleep 300", "timeout_s": 0.3}
    assert play("true", tmp_path, outcome=late) == Outcome(False, 0.0, "check: time limit")
    assert play("sleep 300", tmp_path, outcome=check, timeout_s=0.3) == Outcome(False, 0.0, TIME_LIMIT)
    gone = play('rm -rf -- "$TRIAL_FOLDER"', tmp_path, outcome=check)
    assert gone == Outcome(False, 0.0, "it removed its own folder")
    swapped = play(
        'cd .. && mv work old && ln -s "$TRIAL_HERE" work', tmp_path, outcome={"check": "touch {here}/ran"}
    )
    assert swapped.cause == "it removed its own folder"
    assert os.listdir(tmp_path) == [], "no check ran elsewhere"


def test_a_result_it_writes(tmp_path: Path) -> None:
    assert play("echo '{\"score\": 0.5}' > result.json", tmp_path, outcome="result.json") == Outcome(
        False, 0.5
    )
    with pytest.raises(CommandFault, match=r"No such file or directory\).*code 4.*what it printed: no luck"):
        play("echo no luck; exit 4", tmp_path, outcome="result.json")


HOSTILE = {
    "a fork bomb": (
        "for i in $(seq 12); do (for j in $(seq 100); do setsid sleep {s} & done) & done; sleep {s}",
        "more than 1,024 processes at a time",
    ),
    "a flood": ("sleep {s} & head -c 400000000 /dev/zero", "bytes printed"),
    "a signal": ("setsid sleep {s} & kill -SEGV $$", "ended by SIGSEGV"),
    "its watcher killed": ("setsid sleep {s} & kill -9 $PPID; sleep {s}", "watched the command was killed"),
    "no program": ("setsid sleep {s} & no-such-program", "code 127"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_command_is_one_line_and_leaves_nothing(tmp_path: Path, name: str) -> None:
    word = odd_seconds()
    command, says = HOSTILE[name]
    with pytest.raises(CommandFault, match=says) as raised:
        play("echo {folder} > {here}/where; " + command.replace("{s}", word), tmp_path)
    assert "\n" not in str(raised.value)
    assert left(word) == []
    assert not Path((tmp_path / "where").read_text().strip()).parent.exists()


@pytest.mark.parametrize("held", [False, True])
def test_what_it_writes_outside(tmp_path: Path, held: bool) -> None:
    if held and not SANDBOX.program:
        pytest.skip(SANDBOX.why)
    word = odd_seconds()
    command = (
        "touch {here}/outside; touch inside $HOME/inside $TMPDIR/inside /tmp/inside-"
        + word
        + f" || exit 9; setsid sleep {word} & test -e {{here}}/outside"
    )
    outcome = play(command, tmp_path, sandbox=SANDBOX.show([tmp_path]) if held else Sandbox())
    written = Path(f"/tmp/inside-{word}")
    try:
        assert written.exists() == (not held)
    finally:
        written.unlink(missing_ok=True)
    assert outcome.success == (not held)
    assert os.listdir(tmp_path) == ([] if held else ["outside"])
    assert left(word) == []


def test_a_trial_that_is_cancelled_leaves_nothing(tmp_path: Path) -> None:
    word = odd_seconds()

    async def cancel() -> None:
        given = CommandTask(TASK)
        asked = spec(f"touch {{here}}/begun; echo {{folder}} > {{here}}/where; setsid sleep {word}", tmp_path)
        playing = asyncio.create_task(run_beside(partial(play_command, asked, given)))
        while not (tmp_path / "where").exists():
            await asyncio.sleep(0.01)
        playing.cancel()
        with pytest.raises(asyncio.CancelledError):
            await playing

    asyncio.run(cancel())
    assert left(word) == []
    assert not Path((tmp_path / "where").read_text().strip()).exists()


def test_folders_are_kept_where_that_is_asked(tmp_path: Path) -> None:
    play("echo mine > made", tmp_path, keep=tmp_path / "kept")
    (root,) = (tmp_path / "kept").iterdir()
    assert (root / "work" / "made").read_text() == "mine\n"


def test_what_no_argument_can_hold_is_one_line(tmp_path: Path) -> None:
    for command in ("true {prompt}", ["true", "{prompt}"]):
        with pytest.raises(CommandFault, match=r"takes 131,008 bytes; got 2\d\d,\d\d\d; use \{task_file\}"):
            play(command, tmp_path, "x" * 200_000)
        with pytest.raises(CommandFault, match="no null character"):
            play(command, tmp_path, "a\0b")
    assert play("true {task_file}", tmp_path, "x" * 200_000) == SOLVED


def test_its_files_are_part_of_what_it_is(tmp_path: Path) -> None:
    (tmp_path / "agent.js").write_text("1")
    (tmp_path / "check.sh").write_text("2")
    asked = spec("node agent.js --notes=none.md {task_file}", tmp_path, outcome={"check": ["sh", "check.sh"]})
    assert (asked.files(), asked.name) == (("agent.js", "check.sh"), "agent.js")
    before = asked.digests()
    (tmp_path / "check.sh").write_text("3")
    assert before.keys() == asked.digests().keys()
    assert before != asked.digests()
    assert "base" not in asked.model_dump(), "another folder is no other agent"


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"outcome": "stdout"}, "outcome: .*got 'stdout'"),
        ({"timeout_s": 0}, "timeout_s: .*got 0"),
        ({"timeout_s": True}, "timeout_s: .*got True"),
        ({"carrier": {"file": "../x"}}, "a path inside the agent's folder is needed"),
        ({"env": ["A=1"]}, "env lists names of variables"),
        ({"command": ""}, "command: "),
        ({"command": []}, "command: "),
    ],
)
def test_a_wrong_description_is_one_line(wrong: dict[str, Any], says: str) -> None:
    with pytest.raises(SpecFault, match=says) as raised:
        mt.command_agent(**{"command": "true", **wrong})
    assert "\n" not in str(raised.value)
    with pytest.raises(ValidationError):
        CommandSpec.model_validate({"command": "true", "shell": True})
