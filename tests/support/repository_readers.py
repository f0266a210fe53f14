"""Readers of what a repository brings: messages, objects, paths, links and settings of tasks."""

import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType

from memtrial.repositories.check_choice import choose_check, fill_check
from memtrial.repositories.coding_task import CodingTask
from memtrial.repositories.file_kinds import can_run, classify, decides_score, shadows_runner
from memtrial.repositories.file_trees import FolderTree, TreeFault, TreeFile, refuse_link, refuse_names
from memtrial.repositories.git_process import RepositoryFault
from memtrial.repositories.mining.commit_message import clean_message, is_revert, is_usable
from memtrial.repositories.mining.git_history import parse_commit
from memtrial.repositories.task_folder import read_task


def _message(text: str) -> object:
    cleaned = clean_message(text)
    return cleaned, is_revert(text), is_usable(text), is_usable(cleaned), parse_commit("0", text.encode())


def _path(text: str) -> object:
    kinds = classify(text), can_run(text), decides_score(text), shadows_runner(text)
    return (
        kinds,
        choose_check((text,), frozenset()),
        fill_check("{tests} {packages} {modules}", (text, text)),
        _refused(text),
    )


def _refused(text: str) -> str:
    try:
        refuse_link(text, text[::-1])
        refuse_names([TreeFile(text[:9000], 0, 0)])
    except TreeFault as fault:
        return str(fault)
    return ""


def _settings(text: str) -> object:
    with tempfile.TemporaryDirectory() as folder:
        for name in ("task.toml", "prompt.md"):
            (Path(folder) / name).write_text(text, encoding="utf-8", errors="replace")
        try:
            return read_task(Path(folder), Path(folder))
        except RepositoryFault as fault:
            return str(fault)


def _check(text: str) -> object:
    tree = FolderTree(Path("/nonexistent"))
    task = CodingTask("task", text, text, "", tree, tree)
    return task.check_files, task.instructions


REPOSITORY_READERS: Mapping[str, Callable[[str], object]] = MappingProxyType(
    {
        "a commit's message": _message,
        "a path of a tree": _path,
        "a task's folder": _settings,
        "a check": _check,
    }
)
