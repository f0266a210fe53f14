"""What was changed in a work tree: which files, and the difference as a bounded text.

git is never called inside the work tree, whose own `.git` may say what git shall carry out.
"""

import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from memtrial.commands.folder_removal import identify, remove_folder
from memtrial.repositories.file_trees import FileTree
from memtrial.repositories.git_process import RepositoryFault, run_git
from memtrial.repositories.work_files import EXECUTABLE, LINK, PLAIN, put_file, walk

_SKIPPED = (
    ".git node_modules .venv venv .tox .nox target site-packages __pycache__ .pytest_cache "
    ".mypy_cache .ruff_cache .gradle .cargo-cache .hypothesis"
)
SKIPPED = frozenset(_SKIPPED.split())
"""Folders of what tools keep or install: no change of a task."""
CACHES = frozenset(
    [".git", "__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".hypothesis", ".cache", "target"]
)
"""Folders that any run of a tool writes into."""
INSTALLED = SKIPPED - CACHES
"""Folders of libraries, and of programs that run tests."""
MOST_FILES = 500
"""Files of which a patch shows the difference."""
MOST_WALKED = 200_000
"""Files of a work tree that are known again; what more somebody makes of them is no change that is told."""
LARGEST_FILE = 1024 * 1024
LONGEST_TEXT = 1024 * 1024
"""Bytes of the text of a patch."""


@dataclass(frozen=True, slots=True)
class FileStanding:
    """How a file stood: enough to see that it was written since."""

    mode: int
    size: int
    changed_ns: int
    inode: int


@dataclass(frozen=True, slots=True)
class WorkPatch:
    """What changed in a work tree.

    Args:
        files: their paths, sorted.
        text: the difference as git shows it.
        cut: the text leaves something out: files that are too many or too large, or its end.
    """

    files: tuple[str, ...] = ()
    text: str = ""
    cut: bool = False


def stand_of(state: os.stat_result) -> FileStanding:
    """How a file stands, by what no program can set back."""
    return FileStanding(state.st_mode, state.st_size, state.st_ctime_ns, state.st_ino)


def record_installed(tree: Path) -> Mapping[str, FileStanding]:
    """The same of what a set-up installed into a work tree: libraries, and the programs that run tests."""
    return {
        path: stand_of(state)
        for path, state in islice(walk(tree, CACHES), MOST_WALKED)
        if INSTALLED.intersection(path.split("/")[:-1])
    }


def record_standing(tree: Path) -> Mapping[str, FileStanding]:
    """How every file of a work tree stands now."""
    return {path: stand_of(state) for path, state in islice(walk(tree, SKIPPED), MOST_WALKED)}


def changed_files(tree: Path, before: Mapping[str, FileStanding]) -> tuple[str, ...]:
    """Files that were written, made or taken away since."""
    now = record_standing(tree)
    return tuple(sorted(path for path in before.keys() | now.keys() if before.get(path) != now.get(path)))


def make_patch(
    tree: Path, changed: tuple[str, ...], origins: tuple[FileTree, ...], scratch: Path
) -> WorkPatch:
    """The difference of the changed files.

    Args:
        origins: trees that the work tree was made of; where several have a file the last one counts.
        scratch: a folder of ours, which is empty again afterwards.
    """
    old, new = scratch / "a", scratch / "b"
    old.mkdir()
    new.mkdir()
    made = identify(old), identify(new)
    shown = set(changed[:MOST_FILES])
    cut = len(shown) < len(changed)
    try:
        for origin in origins:
            files = [file for file in origin.files if file.path in shown and file.size <= LARGEST_FILE]
            for file, content in origin.read(files):
                put_file(old, file.path, content, file.mode)
        top = tree.resolve()
        for path in sorted(shown):
            if not (tree / path).parent.resolve().is_relative_to(top):
                continue  # a folder above it became a link: the file is gone
            written, mode = _read(tree / path)
            if written is None:
                cut = cut or os.path.lexists(tree / path)
            else:
                put_file(new, path, written, mode)
        words = (
            "diff",
            "--no-index",
            "--no-prefix",
            "--no-ext-diff",
            "--no-textconv",
            "--no-color",
            "a",
            "b",
        )
        with run_git(words, scratch, codes=(0, 1)) as output:
            text = output.read(LONGEST_TEXT + 1)
    except RepositoryFault:
        return WorkPatch(changed, "", True)
    finally:
        for folder in made:
            remove_folder(folder)
    return WorkPatch(changed, text[:LONGEST_TEXT].decode("utf-8", "replace"), cut or len(text) > LONGEST_TEXT)


def _read(path: Path) -> tuple[bytes | None, int]:
    """A file's content and its mode; None where there is none, or one that is not shown."""
    try:
        state = path.lstat()
        if stat.S_ISLNK(state.st_mode):
            return os.fsencode(os.readlink(path)), LINK
        if not stat.S_ISREG(state.st_mode) or state.st_size > LARGEST_FILE:
            return None, PLAIN
        with open(path, "rb", opener=_open_plain) as file:
            return file.read(LARGEST_FILE), EXECUTABLE if state.st_mode & stat.S_IXUSR else PLAIN
    except OSError:
        return None, PLAIN


def _open_plain(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK)
