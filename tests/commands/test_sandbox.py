"""Within the sandbox a command writes into its own folder alone, and sees little of the user's."""

import os
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from memtrial.commands.process_order import CommandFault, ProcessEnd, ProcessLimits, ProcessOrder, shell_words
from memtrial.commands.process_run import run_process
from memtrial.commands.sandbox import HIDDEN, Sandbox, find_sandbox
from memtrial.commands.tool_places import find_holder, find_named
from memtrial.faults import SpecFault
from tests.support.guarded import make_guard, state_of

SANDBOX = find_sandbox("auto")
needs_sandbox = pytest.mark.skipif(not SANDBOX.program, reason=f"there is no sandbox here: {SANDBOX.why}")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name in ("work", "tmp"):
        (tmp_path / "trial" / name).mkdir(parents=True)
    return tmp_path / "trial"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    for name, text in {
        ".ssh/key": "secret", "letters/mine.txt": "secret", "code/.git/packed": "secret",
        "code/part.txt": "part", ".tool/bin/greet": "#!/bin/sh\necho hello\n", ".npmrc": "secret",
        ".tool/.npmrc": "no secret",
    }.items():  # fmt: skip
        (tmp_path / "home" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "home" / name).write_text(text)
    (tmp_path / "home/.tool/bin/greet").chmod(0o755)
    (tmp_path / "home/current").symlink_to(".tool")
    return tmp_path / "home"


def run(sandbox: Sandbox, root: Path, command: str, hidden: tuple[Path, ...] = ()) -> ProcessEnd:
    variables = {"PATH": os.environ["PATH"], "HOME": str(root)}
    order = ProcessOrder(shell_words(command), root / "work", variables, ProcessLimits(30))
    return run_process(sandbox.hold(order, root, hidden))


@needs_sandbox
def test_it_writes_into_its_own_folder_alone(root: Path, home: Path, tmp_path: Path) -> None:
    guard = make_guard(tmp_path / "guard")
    before = state_of(home), state_of(guard)
    shown = replace(SANDBOX, home=home, shown=(home / ".tool", guard))
    places = (*home.iterdir(), guard, home / ".tool", root.parent, Path("/etc"))
    touches = "".join(f"touch {place}/new-of-a-test 2> /dev/null && echo {place};" for place in places)
    more = f"echo x > {guard}/mine.txt; touch own ../tmp/own /tmp/other; mount -o remount,rw /"
    end = run(shown, root, f"{touches} {more}")
    assert end.code != 0
    assert (state_of(home), state_of(guard)) == before
    assert {path.name for path in root.iterdir()} == {"work", "tmp"}
    assert [path.name for path in (root / "work").iterdir()] == ["own"]
    assert {"own", "other"} <= {path.name for path in (root / "tmp").iterdir()}
    assert not Path("/etc/new-of-a-test").exists()


@needs_sandbox
def test_it_sees_of_a_home_what_is_named_and_no_secret(root: Path, home: Path) -> None:
    held = replace(SANDBOX, home=home, shown=(home / "current", home / "code"))
    words = (
        f"{home}/current/bin/greet; cat {home}/.tool/.npmrc {home}/code/part.txt; echo; find {home} -type f"
    )
    end = run(held, root, words, (home / "code/.git",))
    greeting, contents, *paths = end.tail.splitlines()
    assert (greeting, contents) == ("hello", "no secretpart")
    assert {path.removeprefix(f"{home}/") for path in paths} - {".npmrc"} == {
        "code/part.txt", ".tool/.npmrc", ".tool/bin/greet", "current/.npmrc", "current/bin/greet",
    }  # fmt: skip
    words = f"cat {home}/letters/mine.txt {home}/.ssh/key {home}/.npmrc"
    whole = run(replace(held, shown=(home,)), root, words)
    assert whole.tail.count("secret") == 1, "secrets stay hidden where the home is shown"
    bare = run(replace(held, shown=(home / "code",)), root, f"ls {home}/code", (home / "code",))
    assert bare.tail == "", "what is hidden by name is hidden although it is shown"


@needs_sandbox
def test_it_reaches_no_process_outside_and_leaves_its_own_code(root: Path) -> None:
    assert run(SANDBOX, root, f"kill -0 {os.getpid()}").code != 0
    assert run(SANDBOX, root, "exit 7").code == 7
    assert run(SANDBOX, root, "no-such-program").code == 127
    for place in filter(Path.is_dir, HIDDEN[2:]):
        assert run(SANDBOX, root, f"ls -A {place}").tail.strip() in ("", "resolve")


def test_what_an_earlier_command_put_in_the_place_of_tmp_is_not_opened(root: Path, tmp_path: Path) -> None:
    (root / "tmp").rmdir()
    order = ProcessOrder(("true",), root / "work", {}, ProcessLimits(30))
    assert "--bind" in Sandbox("/usr/bin/bwrap").hold(order, root).words
    assert (root / "tmp").is_dir(), "it is made anew where it is gone"
    (root / "tmp").rmdir()
    (root / "tmp").symlink_to(tmp_path)
    with pytest.raises(CommandFault, match="replaced by a file or a link"):
        Sandbox("/usr/bin/bwrap").hold(order, root)
    assert Sandbox().hold(order, root) == order
    (root / "tmp").unlink()
    missing = replace(order, words=("no-such-program",))
    with pytest.raises(CommandFault, match="'no-such-program' cannot be started"):
        Sandbox("/usr/bin/bwrap").hold(missing, root)


def test_whether_it_holds_is_said(tmp_path: Path) -> None:
    assert "none was asked for: what runs may write and read wherever you can" in find_sandbox("none").says
    with pytest.raises(SpecFault, match="got 'always'"):
        find_sandbox("always")  # type: ignore[arg-type]
    assert bool(SANDBOX.program) != bool(SANDBOX.why)
    if SANDBOX.program:
        assert find_sandbox("require", (tmp_path,)).shown[-1] == tmp_path
        assert SANDBOX.says.startswith("Sandbox: bubblewrap; what runs writes into its own folder alone")
    else:
        assert SANDBOX.why in SANDBOX.says
        with pytest.raises(SpecFault, match="a sandbox is required, and there is none"):
            find_sandbox("require")
    if shutil.which("bwrap") is None:
        assert "is not installed" in SANDBOX.why


def test_what_a_command_names_in_full_is_shown_with_its_folder(tmp_path: Path) -> None:
    (tmp_path / "a.sh").touch()
    texts = (f"sh '{tmp_path}/a.sh' --in={tmp_path}/none relative/a.sh", f"ls {tmp_path.parent}")
    assert find_named(texts) == (tmp_path, tmp_path.parent)


def test_a_program_that_is_named_in_full_is_shown_with_what_it_belongs_to(tmp_path: Path) -> None:
    base, venv = tmp_path / "base/bin", tmp_path / "venv/bin"
    for folder in (base, venv):
        folder.mkdir(parents=True)
    (base / "python").touch(0o755)
    (venv / "python").symlink_to(base / "python")
    (venv.parent / "pyvenv.cfg").touch()
    assert find_named([f"{venv / 'python'} run.py"]) == (venv, venv.parent, base.parent)


@pytest.mark.parametrize(
    ("folder", "holder"),
    [
        (".pyenv/shims", ".pyenv"), (".nvm/versions/node/v20/bin", ".nvm"), (".local/bin", ".local/bin"),
        (".local/share/claude/versions", ".local/share/claude"), ("go/bin", "go"), ("bin", "bin"),
        ("code/a/node_modules/.bin", "code/a/node_modules"), (".claude/local", ".claude/local"),
        ("code/venv/bin", "code/venv"), ("code/scripts", "code/scripts"),
    ],
)  # fmt: skip
def test_a_tool_is_shown_with_what_belongs_to_it(tmp_path: Path, folder: str, holder: str) -> None:
    (tmp_path / "code/venv").mkdir(parents=True)
    (tmp_path / "code/venv/pyvenv.cfg").touch()
    assert find_holder(tmp_path / folder, tmp_path) == tmp_path / holder
    assert find_holder(Path("/usr/bin"), tmp_path) == Path("/usr/bin")
