"""The logs below a path: files by themselves, and folders that are one log together."""

import os
from collections.abc import Iterator
from pathlib import Path

from memtrial.transcripts.logged_run import LogFault
from memtrial.transcripts.proxy_log import is_proxy_folder
from memtrial.transcripts.reasoning_bank_log import is_task_folder

MOST_FILES = 1_000_000
PASSED = (".meta.json", ".md", ".py", ".yaml", ".yml", ".toml", ".png", ".jpg", ".html", ".ipynb")
"""Endings of files that hold no log."""
CLOSED = (".git", ".venv", "node_modules", "__pycache__")
"""Folders that are not entered."""


def list_logs(path: Path) -> Iterator[Path]:
    """Each log below a path in the order of names; of a session of Claude Code its sub-agents, too.

    Links are not followed. Raises LogFault: nothing is there, or there are too many files.
    """
    if path.is_file():
        yield path
        beside = path.with_suffix("") / "subagents"
        if path.suffix == ".jsonl" and beside.is_dir():
            yield from _below(beside)
    elif path.is_dir():
        yield from _below(path)
    else:
        raise LogFault(
            f"{path} is {'no plain file' if path.exists() else 'not there'}; a log or a folder is needed"
        )


def _below(folder: Path) -> Iterator[Path]:
    count = 0
    for here, folders, names in os.walk(folder):
        place = Path(here)
        folders[:] = sorted(
            name for name in folders if name not in CLOSED and not (place / name).is_symlink()
        )
        if is_task_folder(names) or is_proxy_folder(names, folders):
            folders.clear()
            yield place
            continue
        for name in sorted(names):
            count += 1
            if count > MOST_FILES:
                raise LogFault(f"{folder} holds more than {MOST_FILES:,} files; name a folder within it")
            path = place / name
            if not name.lower().endswith(PASSED) and path.is_file() and not path.is_symlink():
                yield place / name
