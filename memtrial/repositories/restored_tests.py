"""Before the score is taken the tests, and what says how they are run, stand as in the change itself.

Files are taken away here. So the work tree is opened once, never through a link, and known by device and
inode; files are unlinked from there, and none outside can be meant, whatever stands in the tree's place.
"""

import os
from collections.abc import Callable, Collection
from contextlib import suppress
from pathlib import Path

from memtrial.repositories.coding_task import CodingTask
from memtrial.repositories.file_kinds import decides_score, shadows_runner
from memtrial.repositories.work_files import FOLDER, SUBMODULE, list_folders, put_file
from memtrial.repositories.work_patch import INSTALLED, SKIPPED

COMPILED = "__pycache__"


def restore_tests(
    tree: Path, identity: tuple[int, int], task: CodingTask, installed: Collection[str], aside: Path
) -> None:
    """Put back every file that decides the score, and take away those that the change does not have.

    Args:
        identity: device and inode of the work tree.
        installed: files, and folders of tools, that stood in the tree before the trial; of those that are in
            no tree of the task (a set-up made them) none is touched.
        aside: an empty folder of ours, into which folders of tools go that were not there before.

    Raises:
        OSError: the work tree is not that folder, or cannot be written; outside of it nothing was touched.
    """
    globs = task.test_globs
    named = task.check_files
    decisive = [
        file
        for file in task.end.files
        if file.mode != SUBMODULE and (file.path in named or decides_score(file.path, globs))
    ]
    kept = {file.path for file in decisive}
    ours = {file.path for file in task.start.files}

    def is_extra(path: str) -> bool:
        if COMPILED in path.split("/"):
            return True  # a compiled file may hold another code than the source beside it
        extra = path not in kept and (path not in installed or path in ours)
        return extra and (decides_score(path, globs) or shadows_runner(path) or path in task.check_files)

    top = os.open(tree, FOLDER)
    try:
        state = os.fstat(top)
        if (state.st_dev, state.st_ino) != identity:
            raise NotADirectoryError(f"{tree} is not the work tree that was made")
        _take_away(top, is_extra)
        for number, path in enumerate(sorted(list_folders(tree, INSTALLED) - set(installed))):
            _set_aside(top, path, aside / str(number))
    finally:
        os.close(top)
    for file, content in task.end.read(decisive):
        put_file(tree, file.path, content, file.mode)


def _take_away(top: int, is_extra: Callable[[str], bool]) -> None:
    """Unlink these files and links below an open folder; no link is followed, no folder removed."""
    for above, folders, files, place in os.fwalk(".", dir_fd=top, follow_symlinks=False):
        before = above.removeprefix(".").removeprefix("/")
        for name in (*folders, *files):
            path = f"{before}/{name}" if before else name
            # a link to a folder stands among the folders; a folder itself is not unlinked
            if is_extra(path):
                with suppress(FileNotFoundError, IsADirectoryError, PermissionError):
                    os.unlink(name, dir_fd=place)
        folders[:] = [name for name in folders if name == COMPILED or name not in SKIPPED]


def _set_aside(top: int, path: str, aside: Path) -> None:
    """Move a folder below an open one to a place outside; no link is followed on the way."""
    *folders, name = path.split("/")
    place = os.dup(top)
    try:
        for folder in folders:
            inner = os.open(folder, FOLDER, dir_fd=place)
            os.close(place)
            place = inner
        os.rename(name, aside, src_dir_fd=place)
    finally:
        os.close(place)
