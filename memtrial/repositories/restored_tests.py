"""Before the score is taken the tests, and what says how they are run, stand as in the change itself."""

from collections.abc import Collection
from contextlib import suppress
from pathlib import Path

from memtrial.repositories.coding_task import CodingTask
from memtrial.repositories.file_kinds import decides_score
from memtrial.repositories.work_files import SUBMODULE, put_file, remove_tree, walk
from memtrial.repositories.work_patch import SKIPPED


def restore_tests(tree: Path, task: CodingTask, installed: Collection[str]) -> None:
    """Put back every file that decides the score, and take away those that the change does not have.

    Args:
        installed: files that stood in the tree before the trial; of those that are in no tree of the task
            (a set-up made them) none is touched.
    """
    globs = task.test_globs
    decisive = [file for file in task.end.files if file.mode != SUBMODULE and decides_score(file.path, globs)]
    kept = {file.path for file in decisive}
    ours = {file.path for file in task.start.files}
    for path, _ in walk(tree, SKIPPED):
        extra = path not in kept and (path not in installed or path in ours)
        if extra and decides_score(path, globs):
            with suppress(FileNotFoundError):
                (tree / path).unlink()
    # compiled files may hold another code than the source beside them
    for folder in _compiled(tree):
        remove_tree(folder)
    for file, content in task.end.read(decisive):
        put_file(tree, file.path, content, file.mode)


def _compiled(tree: Path) -> list[Path]:
    skipped = SKIPPED - {"__pycache__"}
    folders = {path.rpartition("/")[0] for path, _ in walk(tree, skipped)}
    return [tree / folder for folder in sorted(folders) if folder.rpartition("/")[2] == "__pycache__"]
