"""Repositories and checks that mean harm: a reason in a line, and nothing outside is touched."""

import os
import stat
from dataclasses import replace
from pathlib import Path

import pytest

from memtrial.repositories.file_trees import TreeFault, TreeFile, refuse_link, refuse_names
from memtrial.repositories.git_process import open_repository
from memtrial.repositories.mining.mined_tasks import MiningOptions
from memtrial.repositories.workspace import CheckTerms
from tests.support.made_repository import CHECK, TESTS, MadeRepository, git, mine_in, step

OPTIONS = MiningOptions(CHECK, test_globs=TESTS, terms=CheckTerms(timeout_s=5))


def state_of(folder: Path) -> dict[str, tuple[int, int, int]]:
    paths = [folder, *folder.rglob("*")]
    return {
        str(path): (path.lstat().st_mode, path.lstat().st_size, path.lstat().st_mtime_ns) for path in paths
    }


def test_nothing_that_the_repository_sets_is_carried_out(tmp_path: Path) -> None:
    made = MadeRepository(tmp_path / "evil")
    attributes = b"* filter=evil diff=evil merge=evil\n"
    made.add("Begin with a library", {"README.md": b"A library.\n", ".gitattributes": attributes})
    made.add("Give part 1 its value", step(1, {".gitmodules": b'[submodule "x"]\n\turl = ext::sh -c true\n'}))
    folder = made.finish().folder.parent
    seen = tmp_path / "seen"
    for name in (
        "core.fsmonitor", "core.sshCommand", "core.pager", "core.editor", "core.askPass", "diff.external",
        "diff.evil.command", "diff.evil.textconv", "filter.evil.smudge", "filter.evil.clean", "gpg.program",
        "filter.evil.process", "credential.helper", "uploadpack.packObjectsHook", "alias.rev-list",
    ):  # fmt: skip
        git(folder, "config", name, f"!touch {seen}" if name.startswith("alias") else f"touch {seen}")
    git(folder, "config", "log.showSignature", "true")
    git(folder, "config", "core.hooksPath", str(tmp_path / "hooks"))
    for hooks in (tmp_path / "hooks", folder / ".git/hooks"):
        hooks.mkdir()
        for hook in (
            "post-checkout",
            "reference-transaction",
            "post-index-change",
            "pre-commit",
            "post-commit",
        ):
            (hooks / hook).write_text(f"#!/bin/sh\ntouch {seen}\n")
            (hooks / hook).chmod(0o755)
    before = state_of(folder)
    assert len(mine_in(folder, 1, OPTIONS).tasks) == 1
    assert not seen.exists()
    assert state_of(folder) == before


def test_a_folder_inside_names_its_repository(tmp_path: Path) -> None:
    made = MadeRepository(tmp_path / "ours")
    made.add("Begin with a library", {"README.md": b"A library.\n"})
    made.finish()
    inner = tmp_path / "ours" / "lib"
    inner.mkdir()
    assert open_repository(inner).folder == (tmp_path / "ours" / ".git").resolve()


def test_names_that_are_odd_are_no_fault(tmp_path: Path) -> None:
    made = MadeRepository(tmp_path / "odd")
    made.add("Begin with a library", {"README.md": b"A library.\n"})
    names = ("two\nlines", "tab\tand space", 'quo"te', "-rf", "caf\udce9", "$(touch seen)", "*")
    files = {f"lib/{name}.txt": b"x\n" for name in names}
    tests = {f"tests/{name}.sh": b"grep -q 'value 1' lib/part_1.txt\n" for name in names}
    made.add("Give parts of odd names their value", step(1, {**files, **tests}))
    made.finish()
    check = 'for t in {tests}; do sh "./$t" || exit 1; done'
    (task,) = mine_in(tmp_path / "odd", 1, replace(OPTIONS, check=check)).tasks
    assert len(task.tests) == len(names) + 1


# each names the folder of its own test in full: were a guard missing, nothing else would be harmed
HARM = {
    "rm -rf 'WORK'/work-*/tree\n": "work tree removed",
    "rm -rf 'WORK'/work-*\n": "work tree removed",
    "cd 'WORK'/work-*; rm -rf tree && ln -s 'KEPT' tree\n": "work tree removed",
    "(trap '' TERM HUP; sleep 300) & (setsid sleep 300 &) ; sleep 300\n": "time limit",
    "while :; do echo much; done\n": "time limit",
}


@pytest.mark.parametrize("harm", HARM)
def test_a_check_that_means_harm_is_a_line(tmp_path: Path, harm: str) -> None:
    kept = tmp_path / "kept"
    kept.mkdir()
    (kept / "mine.txt").write_text("mine")
    work = tmp_path / "work"
    work.mkdir()
    made = MadeRepository(tmp_path / "evil")
    made.add("Begin with a library", {"README.md": b"A library.\n"})
    made.add(
        "Give part 1 its value",
        step(1, {"tests/test_2.sh": harm.replace("KEPT", str(kept)).replace("WORK", str(work)).encode()}),
    )
    made.finish()
    before = state_of(tmp_path / "evil"), state_of(kept)
    terms = CheckTerms(timeout_s=0.5, place=work)
    first, _ = mine_in(
        tmp_path / "evil", 1, replace(OPTIONS, check="sh tests/test_2.sh", terms=terms)
    ).left_out
    assert first.kind == HARM[harm]
    assert "\n" not in first.line
    assert (state_of(tmp_path / "evil"), state_of(kept)) == before
    assert list(work.iterdir()) == []
    assert not sleeping(str(work))


def sleeping(folder: str) -> list[int]:
    """Processes that still work below a folder."""
    alive = []
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                where = os.readlink(f"/proc/{entry}/cwd")
            except OSError:
                continue
            if where.startswith(folder):
                alive.append(int(entry))
    return alive


@pytest.mark.parametrize(
    "target", ["/etc/passwd", "..", "../..", "a/../../b", "sub/..", "./../..", "../../x", "x\0y"]
)
def test_a_link_that_leads_out_is_refused(target: str) -> None:
    with pytest.raises(TreeFault) as refused:
        refuse_link("lib" if target == ".." else "lib/link", target)
    assert refused.value.kind == "link out of the tree"


@pytest.mark.parametrize("target", ["part.txt", "../README.md", ".//sub/part", "..", "."])
def test_a_link_that_stays_inside_is_none_of_our_business(target: str) -> None:
    refuse_link("lib/link", target)


@pytest.mark.parametrize(
    "paths",
    [("a", "a"), ("a", "a/b"), (".git/config",), ("lib/.GIT/hooks/x",), ("../x",), ("a//b",), ("/x",)],
)
def test_a_path_that_cannot_be_written_is_refused(paths: tuple[str, ...]) -> None:
    with pytest.raises(TreeFault):
        refuse_names([TreeFile(path, stat.S_IFREG | 0o644, 0) for path in paths])
