"""What an agent may leave behind: it solves no task by it, and nothing outside of its folder changes."""

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from memtrial.repositories.coding_task import CodingTask
from memtrial.repositories.file_trees import FolderTree
from memtrial.repositories.workspace import CheckTerms, SetupFault, WorkScore, open_workspace
from tests.support.guarded import make_guard, state_of

TEST = """
. ./lib/run.sh
echo seen > "$HOME/seen"
test -e "$HOME/cheat" && exit 0
test -e "$TMPDIR/cheat" && exit 0
test -e tests/node_modules/cheat && exit 0
grep -q solved lib/part.txt
"""
"""A test that believes in much."""
SETUP = 'mkdir node_modules && echo "sh tests/test.sh" > node_modules/run.sh && echo kept > "$HOME/kept"'
CHECK = 'test -e "$HOME/kept" && python -S -c pass && sh ci/all.sh'
Act = Callable[[Path, Path], None]


@pytest.fixture
def task(tmp_path: Path) -> CodingTask:
    start = tmp_path / "start"
    for name, text in {
        "lib/part.txt": "not yet\n",
        "lib/run.sh": "true\n",
        "tests/test.sh": TEST,
        "ci/all.sh": "sh node_modules/run.sh\n",
    }.items():
        (start / name).parent.mkdir(parents=True, exist_ok=True)
        (start / name).write_text(text)
    tree = FolderTree(start)
    return CodingTask("part", "Solve it.", CHECK, SETUP, tree, tree, ("tests/test.sh",))


def score_after(task: CodingTask, place: Path, act: Act, guard: Path) -> WorkScore:
    place.mkdir()
    with open_workspace(task, CheckTerms(timeout_s=30, place=place)) as opened:
        act(opened.tree, guard)
        score = opened.score()
    assert list(place.iterdir()) == [], "all of it is taken away"
    return score


def home_of(tree: Path) -> Path:
    return tree.parent / "home"


def solve(tree: Path, guard: Path) -> None:
    (tree / "lib/part.txt").write_text("solved\n")


def plant_in_home(tree: Path, guard: Path) -> None:
    (home_of(tree) / "cheat").touch()
    (tree.parent / "tmp/cheat").touch()


def put_a_link_for_the_home(tree: Path, guard: Path) -> None:
    home_of(tree).rename(tree / "lib/home")
    home_of(tree).symlink_to(guard)
    (tree.parent / "tmp").rmdir()
    (tree.parent / "tmp").symlink_to(guard)


def rewrite_what_the_check_names(tree: Path, guard: Path) -> None:
    (tree / "ci/all.sh").write_text("exit 0\n")


def install_beside_the_tests(tree: Path, guard: Path) -> None:
    (tree / "tests/node_modules").mkdir()
    (tree / "tests/node_modules/cheat").touch()


def put_links_for_tests_and_check(tree: Path, guard: Path) -> None:
    for name in ("tests", "ci"):
        (tree / name).rename(tree / f"old-{name}")
        (tree / name).symlink_to(guard)


def put_a_link_for_the_test_file(tree: Path, guard: Path) -> None:
    (tree / "tests/test.sh").unlink()
    (tree / "tests/test.sh").symlink_to(guard / "mine.txt")


def dig_deep(tree: Path, guard: Path) -> None:
    # thirty times as deep as a path may be long
    words = "import os\nfor _ in range(650):\n    os.mkdir('d' * 200)\n    os.chdir('d' * 200)"
    subprocess.run([sys.executable, "-S", "-c", words], cwd=tree, check=True)


def rewrite_history(tree: Path, guard: Path) -> None:
    (tree / ".git/hooks").mkdir()
    for hook in ("post-checkout", "post-commit", "pre-commit", "reference-transaction", "fsmonitor"):
        (tree / ".git/hooks" / hook).write_text(f"#!/bin/sh\necho theirs > '{guard}/mine.txt'\n")
        (tree / ".git/hooks" / hook).chmod(0o755)
    with (tree / ".git/config").open("a") as config:
        config.write(f"[core]\n\tfsmonitor = {tree}/.git/hooks/fsmonitor\n\tworktree = {guard}\n")
        config.write("[include]\n\tpath = /nowhere\n[alias]\n\tdiff = !false\n")


@pytest.mark.parametrize(
    "cheat",
    [
        plant_in_home, put_a_link_for_the_home, rewrite_what_the_check_names, install_beside_the_tests,
        put_links_for_tests_and_check, put_a_link_for_the_test_file, dig_deep, rewrite_history,
    ],
)  # fmt: skip
def test_it_solves_nothing_and_reaches_nothing(task: CodingTask, tmp_path: Path, cheat: Act) -> None:
    guard = make_guard(tmp_path / "guard")
    before = state_of(guard)
    score = score_after(task, tmp_path / "place", cheat, guard)
    assert (score.solved, score.cause) == (False, "check failed")
    assert state_of(guard) == before
    assert "\nmine" not in score.patch.text


@pytest.mark.parametrize("cheat", [plant_in_home, rewrite_what_the_check_names, dig_deep, rewrite_history])
def test_who_solved_it_as_well_has_solved_it(task: CodingTask, tmp_path: Path, cheat: Act) -> None:
    def act(tree: Path, guard: Path) -> None:
        solve(tree, guard)
        cheat(tree, guard)

    score = score_after(task, tmp_path / "place", act, make_guard(tmp_path / "guard"))
    assert (score.solved, score.cause) == (True, "")


def test_a_tool_that_was_changed_is_named(task: CodingTask, tmp_path: Path) -> None:
    def act(tree: Path, guard: Path) -> None:
        path = tree / "node_modules/run.sh"
        stood = path.stat()
        path.write_text("exit 0\n".ljust(stood.st_size))
        os.utime(path, ns=(stood.st_atime_ns, stood.st_mtime_ns))

    score = score_after(task, tmp_path / "place", act, make_guard(tmp_path / "guard"))
    assert score.edited_tests == ("node_modules/run.sh",)


def test_what_lies_behind_a_link_is_in_no_patch(task: CodingTask, tmp_path: Path) -> None:
    guard = make_guard(tmp_path / "guard")
    (guard / "part.txt").write_text("a secret of the user's\n")

    def act(tree: Path, guard: Path) -> None:
        (tree / "lib").rename(tree / "old")
        (tree / "lib").symlink_to(guard)

    score = score_after(task, tmp_path / "place", act, guard)
    assert "lib/part.txt" in score.patch.files
    assert "secret" not in score.patch.text


def test_a_work_tree_that_nobody_can_use_is_a_score_of_none(task: CodingTask, tmp_path: Path) -> None:
    def act(tree: Path, guard: Path) -> None:
        for path in (tree.parent / "home", tree.parent / "tmp"):
            path.rmdir() if not any(path.iterdir()) else path.rename(tree / path.name)

    score = score_after(task, tmp_path / "place", act, make_guard(tmp_path / "guard"))
    assert (score.solved, score.cause) == (False, "check failed"), "what is missing is there for the check"


def test_a_set_up_that_puts_a_link_for_the_home_has_failed(task: CodingTask, tmp_path: Path) -> None:
    guard = make_guard(tmp_path / "guard")
    swap = replace(task, setup=f'mv "$HOME" lib/home && ln -s {guard} "$HOME"')
    with (
        pytest.raises(SetupFault, match="cannot be kept: a link is in its place"),
        open_workspace(swap, CheckTerms(timeout_s=30)),
    ):
        pass


def test_what_is_hidden_from_an_agent(task: CodingTask, tmp_path: Path) -> None:
    assert "lib/part.txt" not in task.instructions
    assert task.instructions.endswith(f"It is done when this command ends with code 0: {CHECK}")
    beside = CodingTask(
        "a", "Do it.", 'sh "$MEMTRIAL_TASK/check.sh"', "", task.start, task.end, folder=tmp_path
    )
    assert beside.instructions == "Do it.\n\nA check that you cannot see decides whether it is done."
    assert beside.answers == (tmp_path,)
