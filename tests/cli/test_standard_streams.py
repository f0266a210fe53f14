"""Closed, abandoned and full standard streams: no traceback, and the exit code of the work that was done."""

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from memtrial.faults import RESUME
from tests.cli.conftest import RUN, WITHIN_S
from tests.cli.test_narrow_terminal import COMMANDS, ITEM, REFUSED, TABLE, TRACE, VERBS, clear
from tests.support.refusing import Done, Warm
from tests.support.warm import HERE, ROOT

CLOSED, GONE, FULL = "closed", "gone", "/dev/full"
ENDS: dict[str, dict[int, str]] = {
    "output closed": {1: CLOSED},
    "output gone": {1: GONE},
    "errors full": {2: FULL},
    "all closed": {0: CLOSED, 1: CLOSED, 2: CLOSED},
    "both gone": {1: GONE, 2: GONE},
}


@pytest.fixture(scope="module")
def both(warm: Warm, finished: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("both")
    shutil.copytree(finished, folder, symlinks=True, dirs_exist_ok=True)
    for name, text in (("odd.csv", TABLE), ("items.md", ITEM), ("traces.jsonl", TRACE)):
        (folder / name).write_text(text, "utf-8")
    shutil.copytree(folder / "logs" / "tiny_s0", folder / "other")
    return folder


@pytest.fixture
def there(both: Path, tmp_path: Path) -> Path:
    shutil.copytree(both, tmp_path, symlinks=True, dirs_exist_ok=True)
    return tmp_path


def call(warm: Warm, there: Path, arguments: tuple[str, ...], ends: Mapping[int, str]) -> Done:
    done = warm.call(*arguments, cwd=there, ends=ends, within_s=WITHIN_S)
    for said in (done.out, done.err):
        assert "Traceback" not in said, done
        assert "Exception ignored" not in said, done
    return done


def test_an_interrupt_while_the_command_line_is_loaded_is_a_line(tmp_path: Path) -> None:
    (tmp_path / "typer.py").write_text("raise KeyboardInterrupt\n")
    variables = os.environ | {"PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}"}
    words = [sys.executable, "-c", "from memtrial.__main__ import main; main()", "list"]
    done = subprocess.run(words, env=variables, cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (130, "")
    assert done.stderr == "memtrial: interrupted; nothing was begun\n"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("calibrate",), "nothing of it was kept; run the same command to begin anew"),
        (("condense", "t.jsonl"), "nothing of it was kept; run the same command to begin anew"),
        (("run", "t.yaml"), RESUME),
        (("evolve", "t.yaml"), RESUME),
    ],
)
def test_an_interrupt_says_that_progress_is_saved_only_where_it_is(
    tmp_path: Path, words: tuple[str, ...], said: str
) -> None:
    (tmp_path / "pydantic.py").write_text("raise KeyboardInterrupt\n")
    variables = os.environ | {"PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}"}
    done = subprocess.run(
        [sys.executable, "-m", "memtrial", *words],
        env=variables,
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stdout) == (130, "")
    assert done.stderr == f"memtrial: interrupted; {said}\n"


def test_a_disk_that_takes_nothing_keeps_no_empty_spec(tmp_path: Path) -> None:
    words = ["sh", "-c", 'ulimit -f 0; exec "$0" -m memtrial init x.yaml', sys.executable]
    variables = os.environ | {"PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(words, env=variables, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 2, done
    assert done.stderr.startswith("memtrial: init needs a place where a file can be made; x.yaml: ")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("verb", [one for one in VERBS if one not in ("run", "lock", "tune")])
def test_the_exit_code_is_that_of_the_work(warm: Warm, there: Path, verb: str) -> None:
    arguments = (*COMMANDS[verb], (verb, "--help"))[0]
    wanted = 2 if verb in (*REFUSED, "ablate", "tasks", "try") else 0  # what these read is not in this folder
    name = "output closed" if VERBS.index(verb) % 2 else "both gone"
    clear(there)
    assert call(warm, there, arguments, ENDS[name]).code == wanted, name


@pytest.mark.parametrize("ends", ENDS.values(), ids=ENDS)
def test_bad_input_is_bad_input_though_nobody_hears_of_it(
    warm: Warm, there: Path, ends: dict[int, str]
) -> None:
    assert call(warm, there, ("report", "nowhere"), ends).code == 2
    assert call(warm, there, ("show",), ends).code == 2


@pytest.mark.parametrize("ends", [ENDS["both gone"], ENDS["all closed"]], ids=["gone", "closed"])
def test_a_run_goes_on_to_its_end_and_nothing_printed_gets_into_its_files(
    warm: Warm, there: Path, ends: dict[int, str]
) -> None:
    before = (there / "logs" / "tiny_s0" / "results.json").read_bytes()
    shutil.rmtree(there / "logs")
    assert call(warm, there, (*RUN[:2], "--display", "plain"), ends).code == 0
    assert (there / "logs" / "tiny_s0" / "results.json").read_bytes() == before
    assert call(warm, there, ("status", "tiny_s0"), {}).out.startswith("logs/tiny_s0: finished")
    assert call(warm, there, (*RUN, "--require-decision"), ends).code == 3


@pytest.mark.skipif(not Path(FULL).exists(), reason="no /dev/full here to stand for a full disk")
@pytest.mark.parametrize("verb", ["export", "show"])
def test_output_that_is_lost_is_said_and_the_work_is_done(warm: Warm, there: Path, verb: str) -> None:
    done = call(warm, there, COMMANDS[verb][0], {1: FULL})
    assert done.code == 1
    assert done.err.count("\n") == 1
    assert "standard output cannot be written: No space left" in done.err
    assert verb != "export" or (there / "outcomes.csv").is_file()
    assert call(warm, there, COMMANDS[verb][0], {1: FULL, 2: FULL}).code == 1
    assert call(warm, there, ("report", "nowhere"), {1: FULL}).code == 2


@pytest.mark.parametrize(
    ("command", "code"),
    [
        ("{} schema results --json >&- 2>&- <&-", 0),
        ("{} schema outcomes 2>err | head -c 1 >/dev/null; exit ${{PIPESTATUS[0]}}", 0),
        ("{} status nowhere 2>&1 | true; exit ${{PIPESTATUS[0]}}", 2),
    ],
)
def test_from_a_shell_up_to_the_last_moment_of_the_process(tmp_path: Path, command: str, code: int) -> None:
    done = subprocess.run(
        ["bash", "-c", command.format(f"{sys.executable} -m memtrial")],
        cwd=tmp_path,
        env=HERE | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == code, done
    said = done.stderr + ((tmp_path / "err").read_text() if (tmp_path / "err").exists() else "")
    assert said == "" or (code == 2 and said.count("\n") == 1 and said.startswith("memtrial: "))


def test_a_reader_that_is_slow_gets_everything(tmp_path: Path) -> None:
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    command = [sys.executable, "-m", "memtrial", "schema", "spec", "--json"]
    with subprocess.Popen(command, cwd=ROOT, env=HERE, stdout=writer, stderr=subprocess.PIPE) as process:
        os.close(writer)
        with os.fdopen(reader, "rb") as pipe:
            text = pipe.read()
        assert process.wait() == 0
        assert process.stderr is not None
        assert process.stderr.read() == b""
    assert text.endswith(b"}\n")
