"""Tasks from a history: which commits are taken, which are left out and why; nothing is tried twice."""

from dataclasses import replace
from pathlib import Path

import pytest

from memtrial.repositories.git_process import RepositoryFault, open_repository
from memtrial.repositories.mining.exclusions import CommitLimits, count_kinds
from memtrial.repositories.mining.mined_tasks import Mined, MiningOptions
from memtrial.repositories.workspace import CheckTerms
from tests.support.made_repository import (
    CHECK,
    TESTS,
    MadeRepository,
    claimed_blob,
    git,
    mine_in,
    step,
    thirty_four,
)

OPTIONS = MiningOptions(CHECK, test_globs=TESTS, terms=CheckTerms(timeout_s=20))
OUTSIDE = ("120000", b"../../elsewhere")


@pytest.fixture(scope="module")
def mined(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Mined]:
    folder = tmp_path_factory.mktemp("history")
    thirty_four(folder / "library")
    options = replace(OPTIONS, kept=folder / "kept")
    return folder, mine_in(folder / "library", 34, options)


def test_of_34_commits_24_are_tasks(mined: tuple[Path, Mined]) -> None:
    _, found = mined
    assert (found.n_commits, found.n_seen, len(found.tasks)) == (34, 34, 24)
    assert count_kinds(found.left_out) == {
        "merge": 1, "root": 1, "no usable message": 1, "revert": 1, "submodule": 1, "binary": 1,
        "documents only": 1, "tests only": 1, "no tests": 1, "flaky": 1,
    }  # fmt: skip


def test_a_task_is_of_its_commit(mined: tuple[Path, Mined]) -> None:
    _, found = mined
    task = found.tasks[-1]
    assert task.prompt == "Give part 1 its value"
    assert task.tests == ("tests/test_1.sh",)
    assert task.sources == ("lib/part_1.txt",)
    assert task.n_lines == 1
    assert task.check == "for t in tests/test_1.sh; do sh $t || exit 1; done"
    assert [file.path for file in task.start.files] == ["README.md"]
    assert [each.prompt.split()[2] for each in found.tasks[:3]] == ["24", "23", "22"]


def test_what_was_tried_is_not_tried_again(mined: tuple[Path, Mined]) -> None:
    folder, found = mined
    # a check that cannot pass would now leave everything out
    stale = replace(OPTIONS, kept=folder / "kept", terms=replace(OPTIONS.terms, place=folder / "nowhere"))
    again = mine_in(folder / "library", 34, stale)
    assert [task.digest for task in again.tasks] == [task.digest for task in found.tasks]
    assert again.left_out == found.left_out
    other = replace(stale, setup="true")
    with pytest.raises(FileNotFoundError):
        mine_in(folder / "library", 1, other)


def test_no_more_commits_are_looked_at_than_needed(mined: tuple[Path, Mined]) -> None:
    folder, found = mined
    few = mine_in(folder / "library", 2, replace(OPTIONS, kept=folder / "kept"))
    assert [task.id for task in few.tasks] == [task.id for task in found.tasks[:2]]
    assert few.n_seen == 2


def test_kinds_that_are_rarer(tmp_path: Path) -> None:
    made = MadeRepository(tmp_path / "odd")
    made.add("Begin with a library", {"README.md": b"A library.\n"})
    made.add("Write down a first value", {"lib/first.txt": b"1\n", "tests/test_first.sh": b"true\n"})
    made.add("Take the first value away", {"lib/first.txt": None, "tests/test_first.sh": None})
    made.add("Point to a place elsewhere", step(1, {"lib/link": OUTSIDE}))
    made.add("Take the pointer away again", {"lib/link": None, "lib/part_1.txt": b"value 1, kept\n"})
    made.add("Hold many values in one file", step(2, {"lib/large.txt": b"x" * 3000}))
    made.add("Change very many of the files", step(3, {f"lib/{n}.txt": b"x" for n in range(20)}))
    made.add("Lock what is depended on", {"poetry.lock": b"x\n"})
    made.add("Test what is there already", step(2, {"lib/new.txt": b"1\n"}))
    made.add("Ask for what nobody wrote", step(4, {"tests/test_4.sh": b"echo no such part\nexit 3\n"}))
    made.add("Wait for a very long time", step(5, {"tests/test_5.sh": b"sleep 60\n"}))
    made.add("Count the words of a part", step(6, {"lib/tool.rb": b"1\n"}))
    made.finish()
    limits = CommitLimits(files=10, file_bytes=2000)
    options = replace(OPTIONS, commit_limits=limits, terms=CheckTerms(timeout_s=1))
    found = mine_in(tmp_path / "odd", 99, options)
    kinds = {each.subject: each.kind for each in found.left_out}
    assert [task.prompt for task in found.tasks] == ["Count the words of a part"]
    assert kinds == {
        "Begin with a library": "root",
        "Write down a first value": "passed before",
        "Take the first value away": "revert",
        "Point to a place elsewhere": "link out of the tree",
        "Take the pointer away again": "no tests",
        "Hold many values in one file": "too large",
        "Change very many of the files": "too large",
        "Lock what is depended on": "generated files only",
        "Test what is there already": "no tests",
        "Ask for what nobody wrote": "failed after",
        "Wait for a very long time": "time limit",
    }
    (broken,) = (each for each in found.left_out if each.kind == "failed after")
    assert broken.line == "the check ended with code 1 after the change: no such part"


def test_a_set_up_that_fails_is_said_and_its_line_too(tmp_path: Path) -> None:
    made = MadeRepository(tmp_path / "small")
    made.add("Begin with a library", {"README.md": b"A library.\n"})
    made.add("Give part 1 its value", step(1))
    made.finish()
    (left,) = (
        each
        for each in mine_in(tmp_path / "small", 1, replace(OPTIONS, setup="echo no compiler; false")).left_out
        if each.kind != "root"
    )
    assert (left.kind, left.line) == ("set-up failed", "the set-up ended with code 1: no compiler")


def test_where_nothing_can_pass_the_search_ends(mined: tuple[Path, Mined]) -> None:
    folder, _ = mined
    options = replace(OPTIONS, check="echo no compiler; false {tests}")
    ended = mine_in(folder / "library", 5, options)
    assert ended.gave_up
    assert ended.tasks == ()
    assert count_kinds(ended.left_out) == {"failed after": 10}


def test_a_commit_of_a_gigabyte_is_left_out_unread(tmp_path: Path) -> None:
    made = MadeRepository(tmp_path / "huge")
    made.add("Begin with a library", {"README.md": b"A library.\n"})
    made.add("Give part 1 its value", step(1))
    made.finish()
    folder = tmp_path / "huge"
    blob = claimed_blob(folder, 2**30)
    entries = git(folder, "ls-tree", "HEAD") + f"\n100644 blob {blob}\tfilm.txt\n"
    tree = git(folder, "mktree", "--missing", given=entries.encode())
    identity = ("-c", "user.name=A", "-c", "user.email=a@example.org")
    commit = git(folder, *identity, "commit-tree", tree, "-p", "HEAD", "-m", "Show the film of the library")
    git(folder, "update-ref", "HEAD", commit)
    newest, *_ = mine_in(folder, 1, OPTIONS).left_out
    assert newest.kind == "too large"
    assert newest.line == "'film.txt' has 1,073,741,824 bytes, more than 1,048,576"


@pytest.mark.parametrize("name", ["missing", "plain", "empty"])
def test_what_is_no_repository_is_refused_in_a_line(tmp_path: Path, name: str) -> None:
    (tmp_path / "plain").mkdir()
    (tmp_path / "empty").mkdir()
    git(tmp_path / "empty", "init", "--quiet")
    with pytest.raises(RepositoryFault) as refused:
        open_repository(tmp_path / name)
    assert "\n" not in str(refused.value)
