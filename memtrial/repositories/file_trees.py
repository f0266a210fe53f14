"""The files of a tree, from a commit or from a folder, and whether they may be written somewhere."""

import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Literal, Protocol

from memtrial.repositories.git_process import GitRepository
from memtrial.repositories.work_files import EXECUTABLE, LINK, PLAIN, walk

LONGEST_TARGET = 4096
"""Bytes of what a link points to."""
TreeKind = Literal["submodule", "link out of the tree", "too large", "unusable file name"]


class TreeFault(ValueError):
    """A tree that is not written: too large, or a file of it would lie elsewhere. One line."""

    def __init__(self, kind: TreeKind, line: str) -> None:
        super().__init__(line)
        self.kind = kind


@dataclass(frozen=True, slots=True)
class TreeFile:
    """One file.

    Args:
        path: from the top of the tree, with `/`; bytes that are no UTF-8 as surrogates.
        mode: as git has it: PLAIN, EXECUTABLE, LINK or SUBMODULE.
        size: in bytes.
        blob: git's name of the content; empty where git does not keep it.
    """

    path: str
    mode: int
    size: int
    blob: str = ""


@dataclass(frozen=True, slots=True)
class TreeLimits:
    """How large a tree may be."""

    files: int = 20_000
    bytes: int = 200 * 1024 * 1024


class FileTree(Protocol):
    """Files that a trial begins or ends with.

    Attributes:
        name: the same for the same files.
        files: sorted by path, all safe to write. Raises TreeFault where they are not, or are too many.
    """

    @property
    def name(self) -> str: ...

    @property
    def files(self) -> tuple[TreeFile, ...]: ...

    def read(self, files: Sequence[TreeFile]) -> Iterator[tuple[TreeFile, bytes]]:
        """The content of these files of it, one by one; of a link, what it points to."""


@dataclass(frozen=True)
class GitTree:
    """The tree of a commit."""

    repository: GitRepository
    commit: str
    limits: TreeLimits = TreeLimits()

    @property
    def name(self) -> str:
        return self.commit

    @cached_property
    def files(self) -> tuple[TreeFile, ...]:
        kept: list[TreeFile] = []
        total = 0
        words = ("ls-tree", "-r", "-z", "-l", "--full-tree", self.commit)
        for field in self.repository.fields(words):
            head, _, path = field.partition(b"\t")
            mode, _, blob, size = head.decode("ascii", "replace").split()
            file = TreeFile(os.fsdecode(path), int(mode, 8), int(size) if size.isdigit() else 0, blob)
            total += file.size
            refuse_large(len(kept) + 1, total, self.limits)
            kept.append(file)
        links = [file for file in kept if file.mode == LINK]
        for file in links:
            refuse_long_link(file)
        for file, target in self.read(links):
            refuse_link(file.path, os.fsdecode(target))
        refuse_names(kept)
        return tuple(sorted(kept, key=lambda file: file.path))

    def read(self, files: Sequence[TreeFile]) -> Iterator[tuple[TreeFile, bytes]]:
        yield from zip(
            files, self.repository.contents([(file.blob, file.size) for file in files]), strict=True
        )


@dataclass(frozen=True)
class FolderTree:
    """The files of a folder; one that is not there has none."""

    folder: Path
    limits: TreeLimits = TreeLimits()

    @cached_property
    def name(self) -> str:
        made = sha256()
        for file, content in self.read(self.files):
            made.update(f"{len(file.path)} {file.mode} {len(content)} ".encode() + os.fsencode(file.path))
            made.update(content)
        return made.hexdigest()

    @cached_property
    def files(self) -> tuple[TreeFile, ...]:
        kept: list[TreeFile] = []
        total = 0
        for path, state in walk(self.folder):
            kind = stat.S_IFMT(state.st_mode)
            if kind not in (stat.S_IFREG, stat.S_IFLNK):
                raise TreeFault("unusable file name", f"{path!r} is neither a file nor a link; take it away")
            plain = EXECUTABLE if state.st_mode & stat.S_IXUSR else PLAIN
            file = TreeFile(path, LINK if kind == stat.S_IFLNK else plain, state.st_size)
            total += file.size
            refuse_large(len(kept) + 1, total, self.limits)
            if file.mode == LINK:
                refuse_link(path, os.readlink(self.folder / path))
            kept.append(file)
        refuse_names(kept)
        return tuple(sorted(kept, key=lambda file: file.path))

    def read(self, files: Sequence[TreeFile]) -> Iterator[tuple[TreeFile, bytes]]:
        for file in files:
            place = self.folder / file.path
            if file.mode == LINK:
                yield file, os.fsencode(os.readlink(place))
            else:
                yield file, place.read_bytes()


def refuse_large(n_files: int, n_bytes: int, limits: TreeLimits) -> None:
    """A TreeFault where the files are too many, or too large."""
    if n_files > limits.files:
        raise TreeFault("too large", f"the tree has more than {limits.files:,} files")
    if n_bytes > limits.bytes:
        raise TreeFault("too large", f"the tree has more than {limits.bytes:,} bytes")


def refuse_long_link(file: TreeFile) -> None:
    """A TreeFault where what a link points to is longer than any path."""
    if file.size > LONGEST_TARGET:
        raise TreeFault("link out of the tree", f"the link {file.path!r} points to more than a path can hold")


def refuse_link(path: str, target: str) -> None:
    """A TreeFault where a link leads out of the tree.

    `..` may stand at the beginning alone, and no more often than the link has folders above it. Then every
    link leads to a place inside, and so do links that lead through others.
    """
    parts = [part for part in target.split("/") if part not in ("", ".")]
    up = next((number for number, part in enumerate(parts) if part != ".."), len(parts))
    if target.startswith("/") or up > path.count("/") or ".." in parts[up:] or "\0" in target:
        raise TreeFault("link out of the tree", f"the link {path!r} leads to {target[:200]!r}")


def refuse_names(files: Iterable[TreeFile]) -> None:
    """A TreeFault where a path is none, belongs to git itself, stands twice, or lies below a file or link."""
    paths = [file.path for file in files]
    known = set(paths)
    for path in paths:
        parts = path.split("/")
        above = ("/".join(parts[:n]) for n in range(1, len(parts)))
        if (
            any(part in ("", ".", "..") or part.lower() == ".git" for part in parts)
            or len(os.fsencode(path)) > LONGEST_TARGET
            or any(folder in known for folder in above)
        ):
            raise TreeFault("unusable file name", f"the path {path[:200]!r} cannot be written")
    if len(known) < len(paths):
        raise TreeFault("unusable file name", "a path stands twice in the tree")
