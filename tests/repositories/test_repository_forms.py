"""Repositories of odd forms are mined like any other, or left out by kind; none is changed by that."""

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from memtrial.commands.sandbox import find_sandbox
from memtrial.repositories.git_process import RepositoryFault, open_repository
from memtrial.repositories.mining.mined_tasks import MiningOptions
from memtrial.repositories.workspace import CheckTerms
from tests.support.guarded import make_guard, state_of
from tests.support.made_repository import (
    CHECK,
    TESTS,
    Entry,
    MadeRepository,
    claimed_blob,
    git,
    mine_in,
    step,
)

OPTIONS = MiningOptions(CHECK, test_globs=TESTS, terms=CheckTerms(timeout_s=20))
SANDBOX = find_sandbox("auto")


def make(folder: Path, more: dict[str, Entry] | None = None) -> Path:
    made = MadeRepository(folder)
    made.add("Begin with a library", {"README.md": b"A library.\n"})
    made.add("Give part 1 its value", step(1))
    made.add("Give part 2 its value", step(2, more))
    made.finish()
    return folder


def make_shallow(folder: Path) -> Path:
    git(folder.parent, "clone", "--quiet", "--depth", "2", f"file://{make(folder)}", str(folder / "clone"))
    return folder / "clone"


def make_bare(folder: Path) -> Path:
    git(folder.parent, "clone", "--quiet", "--bare", str(make(folder)), str(folder / "bare.git"))
    return folder / "bare.git"


def make_linked(folder: Path) -> Path:
    git(make(folder), "worktree", "add", "--quiet", "--detach", "linked", "main")
    return folder / "linked"


def make_foreign(folder: Path) -> Path:
    if os.geteuid():
        pytest.skip("only root gives files away")
    make(folder)
    for above, folders, files in os.walk(folder):
        for name in (*folders, *files):
            os.lchown(Path(above, name), 12345, 12345)
    os.lchown(folder, 12345, 12345)
    return folder


@pytest.mark.parametrize("form", [make_shallow, make_bare, make_linked, make_foreign])
def test_a_repository_of_any_form_gives_its_tasks(tmp_path: Path, form: Callable[[Path], Path]) -> None:
    folder = form(tmp_path / "odd")
    before = state_of(tmp_path)
    mined = mine_in(folder, 1, OPTIONS)
    assert [task.prompt for task in mined.tasks] == ["Give part 2 its value"]
    assert state_of(tmp_path) == before


def test_where_a_shallow_clone_ends_there_is_no_task(tmp_path: Path) -> None:
    mined = mine_in(make_shallow(tmp_path / "odd"), 9, OPTIONS)
    assert (len(mined.tasks), [each.kind for each in mined.left_out]) == (1, ["root"])


def test_who_works_on_a_task_does_not_see_the_history(tmp_path: Path) -> None:
    (task,) = mine_in(make_linked(tmp_path / "odd"), 1, OPTIONS).tasks
    assert task.answers == (tmp_path / "odd/.git",), "that of all work trees"


OUTSIDE: dict[str, tuple[dict[str, Entry], str]] = {
    "a link for more tests": ({"tests/more": ("120000", b"../../elsewhere")}, "link out of the tree"),
    "a link to a file": ({"lib/passwords": ("120000", b"/etc/passwd")}, "link out of the tree"),
    "a submodule by command": (
        {
            "sub": ("160000", b"1" * 40),
            ".gitmodules": b'[submodule "sub"]\n\tpath = sub\n\turl = ext::touch\n',
        },
        "submodule",
    ),
    "a file that is told to be large": ({"lib/big": b""}, "too large"),
}


@pytest.mark.parametrize("name", OUTSIDE)
def test_a_commit_that_cannot_be_given_away_is_left_out_by_kind(tmp_path: Path, name: str) -> None:
    more, kind = OUTSIDE[name]
    folder = tmp_path / "odd"
    make(folder, more)
    if "lib/big" in more:
        blob = claimed_blob(folder, 1024**3)
        listed = git(folder, "ls-tree", "-r", "main").replace(git(folder, "rev-parse", "main:lib/big"), blob)
        git(folder, "update-index", "--index-info", given=f"{listed}\n".encode())
        parent, tree = git(folder, "rev-parse", "main~"), git(folder, "write-tree", "--missing-ok")
        made_by = ("-c", "user.name=A", "-c", "user.email=a@example.org")
        sha = git(folder, *made_by, "commit-tree", tree, "-p", parent, "-m", "Give part 2 its value")
        git(folder, "update-ref", "refs/heads/main", sha)
    before = state_of(tmp_path)
    first = mine_in(folder, 1, OPTIONS).left_out[0]
    assert first.kind == kind
    assert "\n" not in first.line
    assert state_of(tmp_path) == before


def test_names_that_differ_by_case_alone_are_two_files(tmp_path: Path) -> None:
    folder = make(tmp_path / "odd", {"lib/Part_2.txt": b"other\n", "LIB/part_2.txt": b"other\n"})
    assert len(mine_in(folder, 1, OPTIONS).tasks) == 1


def test_a_folder_without_commits_is_a_line(tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet", "--template=")
    with pytest.raises(RepositoryFault, match="has no commit HEAD"):
        open_repository(tmp_path)


def test_what_the_tests_put_back_solves_is_no_task(tmp_path: Path) -> None:
    made = MadeRepository(tmp_path / "odd")
    made.add("Begin with a library", {"README.md": b"A library.\n", "setup.cfg": b"old\n"})
    made.add(
        "Set the library up anew", {"setup.cfg": b"new\n", "tests/test_1.sh": b"grep -q new setup.cfg\n"}
    )
    made.finish()
    assert [each.kind for each in mine_in(tmp_path / "odd", 1, OPTIONS).left_out] == ["passed before", "root"]


PLACES = "GUARD/mine.txt GUARD/new REPO/README.md REPO/.git/refs/heads/main"
HARM = f"for place in {PLACES}; do echo x > $place; done\n"


@pytest.mark.skipif(not SANDBOX.program, reason=f"there is no sandbox here: {SANDBOX.why}")
def test_a_check_writes_nowhere_else(tmp_path: Path) -> None:
    guard, folder = make_guard(tmp_path / "guard"), tmp_path / "odd"
    harm = HARM.replace("GUARD", str(guard)).replace("REPO", str(folder))
    make(folder, {"tests/test_3.sh": harm.encode() + b"grep -q 'value 2' lib/part_2.txt\n"})
    before = state_of(tmp_path)
    terms = replace(OPTIONS.terms, sandbox=SANDBOX.show([guard, folder]))
    mined = mine_in(folder, 1, replace(OPTIONS, terms=terms))
    assert len(mined.tasks) == 1
    assert state_of(tmp_path) == before
