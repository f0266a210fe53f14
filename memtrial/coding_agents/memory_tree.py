"""A condition of a trial, written into a work tree: each memory file as it is, damaged, or gone.

What the agent would read in place of a missing file is taken away in every condition, so that the conditions
differ in the text on trial alone. It is written before the work tree gets its one commit: what is written
later shows in the status of git.
"""

import os
import re
import stat
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from memtrial.coding_agents.agent_record import AgentRecord
from memtrial.coding_agents.memory_files import MemoryFile
from memtrial.faults import SpecFault

Shown = Mapping[str, str]
"""The text of each memory file by its path. One that is not named is gone, or a skill without body."""


@dataclass(frozen=True, slots=True)
class MemoryRoots:
    """Where a trial's files lie: the work tree, and the home made for this trial alone."""

    tree: Path
    home: Path


@dataclass(frozen=True, slots=True)
class OriginalFile:
    """How a file stood before: its bytes, or where the link pointed; both None where there was none."""

    path: Path
    content: bytes | None
    link: str | None
    mode: int


def show_intact(files: Sequence[MemoryFile]) -> Shown:
    """The condition in which nothing is damaged."""
    return {file.path: file.text for file in files}


def write_memory(roots: MemoryRoots, files: Sequence[MemoryFile], shown: Shown) -> tuple[OriginalFile, ...]:
    """Write a condition; gives what is needed to take it back.

    Raises:
        SpecFault: a text of no file is named, or the tree has a link where a folder is needed.
    """
    unknown = shown.keys() - {file.path for file in files}
    if unknown:
        raise SpecFault(f"texts are of {', '.join(file.path for file in files)}; got {min(unknown)}")
    paths = {file.path: locate_memory(roots, file) for file in files}
    removed = [path for path in _list_stand_ins(roots, files) if path not in paths.values()]
    for path in (*paths.values(), *removed):
        _refuse_linked_folders(roots, path)
    originals = tuple(_record_original(path) for path in (*paths.values(), *removed))
    for path in removed:
        path.unlink(missing_ok=True)
    for file in files:
        text = shown.get(file.path)
        if text is None and not file.head:
            paths[file.path].unlink(missing_ok=True)
        else:
            _put(paths[file.path], (file.head + (text or "")).encode())
    return originals


def take_back(originals: Sequence[OriginalFile]) -> None:
    """Put every file back as it stood. Folders that were made stay; git does not see empty ones."""
    for original in originals:
        if original.link is not None:
            original.path.unlink(missing_ok=True)
            original.path.symlink_to(original.link)
        elif original.content is not None:
            _put(original.path, original.content)
            original.path.chmod(original.mode)
        else:
            original.path.unlink(missing_ok=True)


def locate_memory(roots: MemoryRoots, file: MemoryFile) -> Path:
    """Where a memory file lies; a memory folder is named after the work tree."""
    if file.place.kind != "memory folder":
        return roots.tree / file.path
    folder = file.place.pattern.rpartition("/")[0]
    return roots.home / folder.replace("*", re.sub(r"[^A-Za-z0-9]", "-", str(roots.tree))) / file.path


def find_above(record: AgentRecord, tree: Path) -> tuple[Path, ...]:
    """Files in the folders above a work tree that the agent reads, too; a trial needs a place without any."""
    return tuple(
        folder / name
        for folder in tree.resolve().parents
        for name in record.read_above
        if os.path.lexists(folder / name)
    )


def _list_stand_ins(roots: MemoryRoots, files: Sequence[MemoryFile]) -> Iterator[Path]:
    """What the agent reads in place of these files, in the tree and in its folders."""
    names = {name for file in files for name in file.place.stand_ins}
    for folder, folders, there in os.walk(roots.tree):
        if ".git" in folders:
            folders.remove(".git")
        folders.sort()
        yield from (Path(folder) / name for name in sorted(names & {*there}))


def _refuse_linked_folders(roots: MemoryRoots, path: Path) -> None:
    """A link on the way would lead the writing out of the work tree."""
    root = roots.tree if path.is_relative_to(roots.tree) else roots.home
    for folder in path.parents:
        if folder == root:
            return
        if folder.is_symlink():
            raise SpecFault(
                f"memory is written into plain folders; {folder.relative_to(root)} is a link; copy it"
            )


def _record_original(path: Path) -> OriginalFile:
    if path.is_symlink():
        return OriginalFile(path, None, os.readlink(path), 0)
    if not path.exists():
        return OriginalFile(path, None, None, 0)
    return OriginalFile(path, path.read_bytes(), None, stat.S_IMODE(path.stat().st_mode))


def _put(path: Path, content: bytes) -> None:
    """Write a plain file; a link in its place is replaced, and not followed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.is_symlink():
        path.unlink()
    path.write_bytes(content)
