"""`tasks` lists what is taken and what is left out; what cannot be used is a line and exit code 2."""

import json
import os
from pathlib import Path

import pytest

from tests.support.made_repository import CHECK, TESTS, MadeRepository, step
from tests.support.refusing import Warm

HERE = {"PATH": os.environ["PATH"]}
WORDS = ("tasks", "git:5", "--check", CHECK, "--tests", *TESTS, "--timeout-s", "20")


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = MadeRepository(tmp_path_factory.mktemp("listed") / "library")
    made.add("Begin with a library", {"README.md": b"A library.\n"})
    made.add("Give part 1 its value (#4)", step(1))
    made.add("Write down more of it", {"README.md": b"A library of values.\n"})
    made.finish()
    return made.folder


def test_it_lists_for_people_and_for_programs(warm: Warm, repository: Path) -> None:
    shown = warm.call(*WORDS, "--display", "none", cwd=repository, variables=HERE)
    assert shown.code == 0, shown.err
    lines = shown.out.splitlines()
    assert lines[:2] == [
        "1 task of 3 commits looked at",
        "5 were asked for; there are no more among the newest commits",
    ]
    assert any(line.split()[1:] == [*["Give", "part", "1", "its", "value"], "1", "1", "1"] for line in lines)
    assert "check of the first, as given: for t in tests/test_1.sh; do sh $t || exit 1; done" in lines
    assert any(line.startswith("  documents only, 1; ") for line in lines)
    assert any(line.startswith("Sandbox: ") for line in lines)
    told = json.loads(warm.call(*WORDS, "--json", "--display", "none", cwd=repository, variables=HERE).out)
    assert told["n_left_out"] == {"root": 1, "documents only": 1}
    assert [task["prompt"] for task in told["tasks"]] == ["Give part 1 its value"]
    assert [path.name for path in (repository / "logs/tried_tasks").iterdir()]


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (("git:x",), "git:N, as git:10, or a folder of tasks is needed; 'git:x' is neither"),
        (("git:1", "--repo", "nowhere"), "a folder with a git repository is needed; nowhere is none"),
        (("git:1", "--check", "run {file}"), "{file} stands for nothing"),
        (("nowhere",), "git:N or a folder of tasks is needed; nowhere is no folder"),
    ],
)
def test_what_cannot_be_used_is_a_line(
    warm: Warm, repository: Path, words: tuple[str, ...], line: str
) -> None:
    refused = warm.call("tasks", *words, cwd=repository, variables=HERE)
    assert refused.code == 2
    assert refused.out == ""
    assert line in refused.err
    assert refused.err.count("\n") == 1


def test_a_sandbox_that_is_required_and_missing_is_a_line(
    warm: Warm, repository: Path, tmp_path: Path
) -> None:
    nothing = {"PATH": str(tmp_path)}
    refused = warm.call("tasks", "git:1", "--sandbox", "require", cwd=repository, variables=nothing)
    assert (refused.code, refused.out, refused.err.count("\n")) == (2, "", 1)
    assert "a sandbox is required, and there is none: bubblewrap (bwrap) is not installed" in refused.err


def test_no_task_is_exit_code_1(warm: Warm, repository: Path) -> None:
    words = ("tasks", "git:1", "--check", "false", "--tests", *TESTS, "--display", "none")
    shown = warm.call(*words, cwd=repository, variables=HERE)
    assert shown.code == 1
    assert "0 tasks of 3 commits looked at" in shown.out
    assert "failed after, 1; " in shown.out
