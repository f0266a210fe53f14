"""A folder of tasks is read into the same tasks, tried, and refused in a line where one cannot be used."""

from dataclasses import replace
from pathlib import Path

import pytest

from memtrial.api.coding.tasks import tasks
from memtrial.commands.sandbox import find_sandbox
from memtrial.faults import SpecFault
from memtrial.repositories.git_process import RepositoryFault
from memtrial.repositories.mining.mined_tasks import MiningOptions
from memtrial.repositories.task_folder import read_tasks
from memtrial.repositories.workspace import CheckTerms, open_workspace
from tests.support.made_repository import MadeRepository, git

TERMS = CheckTerms(timeout_s=20)
SANDBOX = find_sandbox("auto")


def write_task(folder: Path, files: dict[str, str]) -> Path:
    for name, text in {
        "prompt.md": "Light the lamp.\n",
        "check.sh": "grep -q lit lamp.txt\n",
        **files,
    }.items():
        path = folder / "lamp" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, newline="")
    return folder


def test_a_task_begins_with_its_files_and_its_set_up(tmp_path: Path) -> None:
    files = {"start/lamp.txt": "dark\n", "start/tests/test_lamp.py": "", "setup.sh": "echo oil > oil.txt\n"}
    (task,) = read_tasks(write_task(tmp_path, files), tmp_path)
    assert (task.id, task.prompt) == ("lamp", "Light the lamp.")
    with open_workspace(task, TERMS) as opened:
        assert (opened.tree / "oil.txt").read_text() == "oil\n"
        assert git(opened.tree, "status", "--porcelain") == "?? oil.txt"
        (opened.tree / "lamp.txt").write_text("lit\n")
        (opened.tree / "tests/test_lamp.py").write_text("edited")
        score = opened.score()
        assert (score.solved, score.edited_tests) == (True, ("tests/test_lamp.py",))
        assert score.patch.files == ("lamp.txt", "tests/test_lamp.py")
        assert (opened.tree / "tests/test_lamp.py").read_text() == ""


def test_a_task_of_a_commit(tmp_path: Path) -> None:
    made = MadeRepository(tmp_path / "repo")
    made.add("Begin with a lamp", {"lamp.txt": b"dark\n"})
    made.add("Light the lamp for all", {"lamp.txt": b"lit\n"})
    made.finish()
    first = git(tmp_path / "repo", "rev-parse", "HEAD~1")
    folder = write_task(tmp_path / "tasks", {"task.toml": f'commit = "{first[:10]}"\n'})
    (task,) = tasks(str(folder), tmp_path / "repo", MiningOptions(terms=TERMS)).tasks
    assert task.start.name == first
    (folder / "lamp" / "task.toml").write_text('commit = "main"\nrepo = "../../repo"\n')
    listed = tasks(str(folder), tmp_path, MiningOptions(terms=TERMS))
    assert [(each.kind, each.id) for each in listed.left_out] == [("passed before", "lamp")]


@pytest.mark.parametrize(
    ("files", "line"),
    [
        ({"prompt.md": " \n"}, "is empty"),
        ({"task.toml": "check = 3\n"}, "check: input should be a valid string"),
        ({"task.toml": "chek = 'true'\n"}, "its keys are check, setup"),
        ({"task.toml": "check = \n"}, "is no TOML"),
        ({"task.toml": "check = 'true'\n"}, "has both check.sh and check"),
        ({"check.sh": "", "task.toml": "commit = 'abc'\n"}, "is in none"),
        ({"check.sh": "grep -q lit lamp.txt\r\n"}, "check.sh ends lines as Windows does"),
        ({"setup.sh": "true\r\ntrue\n"}, "setup.sh ends lines as Windows does"),
        ({"check.sh": "#" * (1024 * 1024 + 1)}, "check.sh is larger"),
        ({"start/a": "", "task.toml": "commit = 'abc'\n"}, "take one away"),
    ],
)
def test_a_task_that_cannot_be_used_is_refused(tmp_path: Path, files: dict[str, str], line: str) -> None:
    with pytest.raises(RepositoryFault) as refused:
        read_tasks(write_task(tmp_path, files), tmp_path)
    assert line in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("name", ["check.sh", "setup.sh"])
def test_another_script_makes_it_another_task(tmp_path: Path, name: str) -> None:
    """A run that goes on would score its tasks by two checks, and say nothing."""
    (before,) = read_tasks(write_task(tmp_path, {"setup.sh": "true\n"}), tmp_path)
    (again,) = read_tasks(tmp_path, tmp_path)
    (tmp_path / "lamp" / name).write_text("grep -q dark lamp.txt\n")
    (after,) = read_tasks(tmp_path, tmp_path)
    assert (after.check, after.setup) == (before.check, before.setup)
    assert again.digest == before.digest != after.digest


@pytest.mark.skipif(not SANDBOX.program, reason=f"there is no sandbox here: {SANDBOX.why}")
def test_scripts_behind_links_run_in_the_sandbox_and_no_agent_sees_them(tmp_path: Path) -> None:
    """What temporary files hide would be a check that cannot be opened, which fails whatever was done."""
    folder, shared = write_task(tmp_path / "tasks", {"check.sh": ""}), tmp_path / "shared"
    shared.mkdir()
    for name, text in (("check.sh", "grep -q lit lamp.txt\n"), ("setup.sh", "echo lit > lamp.txt\n")):
        (shared / name).write_text(text)
        (folder / "lamp" / name).unlink(missing_ok=True)
        (folder / "lamp" / name).symlink_to(f"../../shared/{name}")
    (task,) = read_tasks(folder, tmp_path)
    with open_workspace(task, replace(TERMS, sandbox=SANDBOX)) as opened:
        assert opened.score().solved
    assert {shared / "check.sh", shared / "setup.sh"} < {*task.answers}


def test_a_link_out_of_the_start_is_refused(tmp_path: Path) -> None:
    folder = write_task(tmp_path, {"start/lamp.txt": "dark\n"})
    (folder / "lamp/start/out").symlink_to(tmp_path)
    with pytest.raises(RepositoryFault, match="leads to"):
        read_tasks(folder, tmp_path)


@pytest.mark.parametrize(
    "source", ["git:0", "git:", "git:x", "git:1.5", "git:99999999", "", "no/such", "a\0b"]
)
def test_a_source_that_is_none_is_refused(tmp_path: Path, source: str) -> None:
    with pytest.raises(SpecFault) as refused:
        tasks(source, tmp_path, replace(MiningOptions(), kept=None))
    assert "git:N" in str(refused.value)


@pytest.mark.parametrize(
    ("check", "code"), [("./lamp --light\n", 127), ("./tests/lamp\n", 126), ("exit 1\n", None)]
)
def test_a_check_that_the_shell_cannot_run_is_doubted(tmp_path: Path, check: str, code: int | None) -> None:
    folder = write_task(tmp_path, {"check.sh": check, "start/tests/lamp": "true\n"})
    listed = tasks(str(folder), tmp_path, MiningOptions(terms=TERMS))
    assert [task.id for task in listed.tasks] == ["lamp"]
    said = [note for note in listed.notes if note.startswith("Task lamp: ")]
    assert len(said) == (code is not None) == len(listed.doubts)
    assert all(f"ends with code {code}, " in note and note in listed.lines() for note in said)
